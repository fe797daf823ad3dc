"""A restore is alone with the journal that it replaces, and a witness stays where it was put."""

import os
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import click
import pytest

from jackpot import restoring
from jackpot.cli.serve import _verify_sites, _witness_path
from jackpot.engine.replica import load
from jackpot.engine.witness import default_path, read_witness
from jackpot.restoring import RestoreError, begin_incarnations, restore
from jackpot.store.journal import StoreError
from jackpot.store.opening import journal_opener
from jackpot.store.sqlite import FILE_NAME, SqliteJournal
from jackpot.verify import verify
from tests.engine.pit import SITE
from tests.engine.test_witness import copy_of, engine_on, play


async def played(tmp_path: Path) -> tuple[Path, Path]:
    """A journal, and a backup from before its last round."""
    data = tmp_path / "data"
    await play(engine_on(data, tmp_path / "witness"), "t1")
    backup = copy_of(data, tmp_path / "backup")
    await play(engine_on(data, tmp_path / "witness"))
    return data, backup


def meanwhile(monkeypatch: pytest.MonkeyPatch, happens: Any) -> None:
    """Let something happen while a restore is at work."""

    def begin(*args: Any, **options: Any) -> Any:
        monkeypatch.setattr(restoring, "begin_incarnations", begin_incarnations)
        happens()
        return begin_incarnations(*args, **options)

    monkeypatch.setattr(restoring, "begin_incarnations", begin)


async def test_a_controller_that_starts_meanwhile_keeps_its_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A backup takes long to copy; the journal is not taken away from whoever began to use it."""
    data, backup = await played(tmp_path)
    inode, opened = (data / FILE_NAME).stat().st_ino, list[SqliteJournal]()
    meanwhile(monkeypatch, lambda: opened.append(SqliteJournal.open(data)))
    put_back = partial(restore, backup, data, reason="x", by="ann", discard_newer=True)
    with pytest.raises(RestoreError, match="began to use the journal"):
        put_back()
    assert (data / FILE_NAME).stat().st_ino == inode
    assert not list(data.glob("replaced-*"))
    opened[0].close()
    assert put_back()[0].kept


async def test_no_controller_starts_while_the_files_are_swapped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would go on with the journal that is put aside, and lose what it then commits."""
    data, backup = await played(tmp_path)
    real, refused = restoring._put_in_place, list[str]()

    def start_then_swap(staged: Path, into: Path) -> Any:
        with pytest.raises(StoreError) as caught:
            SqliteJournal.open(into, busy_timeout_s=0.1)
        refused.append(str(caught.value))
        return real(staged, into)

    monkeypatch.setattr(restoring, "_put_in_place", start_then_swap)
    done = restore(backup, data, reason="x", by="ann", discard_newer=True)
    assert "a restore into" in refused[0]
    with closing(SqliteJournal.open(data)) as journal:
        assert journal.head(SITE).sequence == done[0].common_sequence + 1


async def test_of_two_restores_one_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Or the second would take away what the first has staged, and leave no journal at all."""
    data, backup = await played(tmp_path)
    put_back = partial(restore, backup, data, reason="x", by="ann", discard_newer=True)

    def again() -> None:
        with pytest.raises(RestoreError, match="another restore into"):
            put_back()

    meanwhile(monkeypatch, again)
    assert put_back()[0].ordinal == 2
    with closing(SqliteJournal.open_to_read(data)) as journal:
        assert SITE in journal.heads()


class Stopped(BaseException):
    """The machine stops: nothing is done after this."""


def fail_at(monkeypatch: pytest.MonkeyPatch, step: int, problem: BaseException) -> None:
    """Let one of the steps fail in which files are swapped: the first is 0."""
    left = iter([False] * step + [True])

    def spoiled(act: Any) -> Any:
        def do(*args: Any, **options: Any) -> Any:
            if next(left, False):
                raise problem
            return act(*args, **options)

        return do

    steps = ((os, "link"), (os, "replace"), (os, "fsync"), (Path, "unlink"), (Path, "rename"))
    for module, name in steps:
        monkeypatch.setattr(module, name, spoiled(getattr(module, name)))


@pytest.mark.parametrize("step", range(7))
@pytest.mark.parametrize("problem", [OSError(28, "No space left on device"), Stopped()])
async def test_a_swap_that_fails_leaves_the_old_journal_or_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int, problem: BaseException
) -> None:
    """At whichever step: a whole journal is in place, and another try succeeds."""
    data, backup = await played(tmp_path)
    with closing(SqliteJournal.open(data)) as journal:
        before = journal.head(SITE)
    put_back = partial(restore, backup, data, reason="x", by="ann", discard_newer=True)
    real = restoring._put_in_place

    def swap(staged: Path, into: Path) -> Any:
        (into / f"{FILE_NAME}-shm").touch()  # as a journal that can't be read leaves one
        with monkeypatch.context() as patch:
            fail_at(patch, step, problem)
            return real(staged, into)

    with monkeypatch.context() as patch:
        patch.setattr(restoring, "_put_in_place", swap)
        with suppress(RestoreError, Stopped):
            put_back()
    assert verify(data).ok
    with closing(SqliteJournal.open(data)) as journal:
        after = journal.head(SITE)
        is_new = bool(load(journal, SITE).state.incarnations)
    assert after.same(before) != is_new
    if isinstance(problem, OSError) and not is_new:
        assert not list(data.glob("replaced-*"))
    assert put_back()[0].kept
    # What a stop left half put aside is the journal itself under a second name, and is forgotten.
    kept = [path.stat().st_ino for path in data.glob(f"replaced-*/{FILE_NAME}")]
    assert len({*kept, (data / FILE_NAME).stat().st_ino}) == len(kept) + 1


async def test_a_witness_behind_a_link_stays_there(tmp_path: Path) -> None:
    """The disk elsewhere is written to; a file in the link's place would be on this one."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "witness").symlink_to(elsewhere / "witness")
    await play(engine_on(tmp_path / "data", tmp_path / "witness"), "t1")
    assert (tmp_path / "witness").is_symlink()
    assert SITE in read_witness(elsewhere / "witness")


def test_no_link_leads_a_witness_into_the_folder(tmp_path: Path) -> None:
    """Put back with the journal, it would say what the journal says."""
    data = tmp_path / "data"
    default_path(data).symlink_to(data / "witness")
    with pytest.raises(click.UsageError, match="is inside the data directory"):
        _witness_path(None, str(data), tmp_path / "site.toml")


async def test_a_start_says_that_its_witness_is_gone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever rolls a journal back can take the witness away too, but not unnoticed."""
    data, witness = tmp_path / "data", tmp_path / "witness"
    await play(engine_on(data, witness), "t1")
    check = partial(_verify_sites, journal_opener(data), [SITE], (), witness)
    check()
    assert not capsys.readouterr().err
    witness.unlink()
    check()
    assert f"the witness {witness} has no record of {SITE}" in capsys.readouterr().err
