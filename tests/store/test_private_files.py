"""Journal, backup and export are for their owner and their group, whatever the umask says."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from jackpot.cli.main import main
from jackpot.signing import make_key
from jackpot.store.opening import journal_opener
from jackpot.store.sqlite import FILE_NAME
from tests.reports.days import write_days
from tests.store.entries import append, entries_after


@pytest.fixture
def golden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with a short journal."""
    return write_days(tmp_path_factory.mktemp("days"), 20)


@pytest.fixture(params=[0o022, 0o000, 0o077])
def mode(request: pytest.FixtureRequest) -> Iterator[int]:
    """The mode that a file must have under some umask."""
    before = os.umask(request.param)
    yield 0o600 if request.param == 0o077 else 0o640
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    """The mode of every file in a folder."""
    return {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}


def test_a_journal_is_not_for_everyone(tmp_path: Path, mode: int) -> None:
    """Neither the file nor the logs beside it, and nothing else is left there."""
    journal = journal_opener(tmp_path)()
    append(journal, entries_after(1))
    assert modes(tmp_path) == {FILE_NAME + suffix: mode for suffix in ("", "-wal", "-shm")}
    journal.close()


def test_a_journal_that_everyone_could_read_is_taken_back(tmp_path: Path) -> None:
    """One that an earlier version made, at the next start."""
    journal_opener(tmp_path)().close()
    (tmp_path / FILE_NAME).chmod(0o644)
    journal = journal_opener(tmp_path)()
    append(journal, entries_after(1))
    assert set(modes(tmp_path).values()) == {0o640}
    journal.close()


def test_a_backup_is_not_for_everyone(golden: Path, tmp_path: Path, mode: int) -> None:
    """As the journal that it is a copy of."""
    args = ["backup", str(tmp_path / "copy"), "--data", str(golden)]
    assert CliRunner().invoke(main, args).exit_code == 0
    assert modes(tmp_path / "copy") == {FILE_NAME: mode}


def test_an_export_is_not_for_everyone(golden: Path, tmp_path: Path, mode: int) -> None:
    """Also where it is written over a file that was."""
    make_key(tmp_path / "site.key")
    out = tmp_path / "out.jsonl"
    args = ["export", "--data", str(golden), "--key", str(tmp_path / "site.key")]
    for _ in range(2):
        assert CliRunner().invoke(main, [*args, "--out", str(out)]).exit_code == 0
        assert out.stat().st_mode & 0o777 == mode
        out.chmod(mode | 0o004)
