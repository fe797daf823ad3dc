"""An address names a directory or a PostgreSQL database; what only looks like one is refused."""

import os
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from jackpot.cli.main import main
from jackpot.signing import make_key
from jackpot.store.opening import (
    Address,
    StoreAddressError,
    is_postgres,
    journal_opener,
    open_to_read,
)
from tests.server.house import site_text, write_site

# Every command that reads a journal, as far as it must be written out to get to the store.
READERS = {
    "verify": (),
    "backup": ("copy",),
    "report daily": (),
    "slip": ("1",),
    "audit": (),
    "export": ("--key", "site.key", "--out", "out.jsonl"),
}


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("Postgresql://db/jackpot", "did you mean postgresql://…?"),
        ("POSTGRES://db/jackpot", "did you mean postgres://…?"),
        ("postgressql://db/jackpot", "did you mean postgresql://…?"),
        ("ostgresql://db/jackpot", "did you mean postgresql://…?"),
        ("postgresql:/db/jackpot", "did you mean postgresql://…?"),
        (" postgresql://db/jackpot", "did you mean postgresql://…?"),
        ("sqlite:///var/lib/jackpot", "expected a directory"),
        ("mysql://db/jackpot", "expected a directory"),
        ("://db/jackpot", "expected a directory"),
        (Path("postgresql://db/jackpot"), "expected a directory"),
        ("postgresql:db/jackpot", "did you mean postgresql://…?"),
        ("postgresql//db/jackpot", "did you mean postgresql://…?"),
        ("postgresql;//db/jackpot", "did you mean postgresql://…?"),
        ("POSTGRES:db", "did you mean postgres://…?"),
        ("host=db dbname=jackpot", "expected a directory"),
        ("", "expected a directory"),
    ],
)
def test_what_looks_like_a_url_is_no_directory(address: Address, words: str) -> None:
    """It is refused with what was probably meant, before anything is made."""
    for attempt in (
        partial(is_postgres, address),
        journal_opener(address),
        partial(open_to_read, address),
    ):
        with pytest.raises(StoreAddressError, match="expected") as caught:
            attempt()
        assert words in str(caught.value)
        assert "\n" not in str(caught.value)


def test_a_refused_address_keeps_its_password() -> None:
    """What stands after the scheme may be a secret, and is not repeated."""
    with pytest.raises(StoreAddressError) as caught:
        is_postgres("Postgresql://ann:secret@db/jackpot")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("address", ["data", "/var/lib/jackpot", "./a:b/c", "C:/data", Path("x:y")])
def test_a_directory_may_have_a_colon(address: Address) -> None:
    """Only what begins like a URL is taken for one."""
    assert not is_postgres(address)


@pytest.mark.parametrize("name", ["gone", "Postgresql://db/jackpot"])
@pytest.mark.parametrize("command", READERS)
def test_a_reader_makes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, name: str
) -> None:
    """Where there is no journal it says so in one line and leaves the disk as it was."""
    monkeypatch.chdir(tmp_path)
    make_key(tmp_path / "site.key")
    before = sorted(os.walk(tmp_path))
    arguments = [*command.split(), *READERS[command], "--store", name]
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 1, result.output
    assert len((result.stderr or result.stdout).splitlines()) == 1
    assert sorted(os.walk(tmp_path)) == before


@pytest.mark.parametrize("command", ["serve", "demo"])
def test_a_controller_makes_no_folder_of_a_mistyped_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """It starts nothing, and no fresh journal hides the real one."""
    monkeypatch.chdir(tmp_path)
    site = write_site(tmp_path, site_text())
    options = ["--site", str(site), "--grpc", "127.0.0.1:0"] if command == "serve" else []
    result = CliRunner().invoke(main, [command, *options, "--data", "Postgresql://db/jackpot"])
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: no store's address begins with 'Postgresql'")
    assert [path.name for path in tmp_path.iterdir()] == ["site.toml"]
