"""The PostgreSQL store: durable settings, named migrations, its hosts, lost connections."""

import threading
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from emulator.linux_process import free_port
from jackpot.cli.main import main
from jackpot.store.journal import GENESIS, Head, StoreError
from jackpot.store.opening import Address, weakness
from jackpot.store.postgres import PostgresJournal
from jackpot.store.postgres_schema import NAMES
from jackpot.store.postgres_session import TRANSACTION_S, without_password
from tests.postgres import Server
from tests.server.house import site_text, write_site
from tests.store.entries import append, entries_after
from tests.store.server_settings import server_setting
from tests.stores import schema_of


def test_a_commit_is_never_timed_out(address: str) -> None:
    """Whatever a role or an address sets, a commit may take its time; what comes before it not."""
    journal = PostgresJournal.open(address + "%20-cstatement_timeout%3D5000")
    assert journal.setting("statement_timeout") == "0"
    assert journal.setting("idle_in_transaction_session_timeout") == "2s"
    assert journal.setting("lock_timeout") == "4s"
    assert journal.setting("transaction_timeout") == f"{TRANSACTION_S:.0f}s"
    assert journal.setting("default_transaction_isolation") == "read committed"
    journal.close()


def test_commits_that_do_not_wait_for_the_disk_are_refused(address: str) -> None:
    """synchronous_commit = off is refused by name, and accepted in so many words."""
    careless = address + "%20-csynchronous_commit%3Doff"
    with pytest.raises(StoreError, match="synchronous_commit is off, not on: it can lose commits"):
        PostgresJournal.open(careless)
    PostgresJournal.open(careless, accept_lost_commits=True).close()


@pytest.mark.parametrize("name", ["fsync", "full_page_writes"])
def test_a_server_that_can_lose_commits_is_refused(
    address: str, postgres: Server, name: str
) -> None:
    """A server without fsync or full page writes is refused by name."""
    with server_setting(postgres, name, "off"):
        with pytest.raises(StoreError, match=f"{name} is off"):
            PostgresJournal.open(address)
        PostgresJournal.open(address, accept_lost_commits=True).close()
    PostgresJournal.open(address).close()


def test_a_lost_connection_is_a_store_error(address: str, postgres: Server) -> None:
    """A connection that is cut ends in one line, whatever was going on."""
    journal = PostgresJournal.open(address)
    append(journal, entries_after(1))
    schema = schema_of(address)
    postgres.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        f"WHERE query LIKE '%streams%' AND pid <> pg_backend_pid() AND '{schema}' <> ''"
    )
    with pytest.raises(StoreError) as caught:
        append(journal, entries_after(1, Head(1, GENESIS.hash)))
    assert "\n" not in str(caught.value)
    journal.close()


def test_many_create_one_database(address: str) -> None:
    """Opening an empty database from many threads at once runs every migration once."""
    failures: list[BaseException] = []

    def open_and_close() -> None:
        try:
            PostgresJournal.open(address).close()
        except StoreError as error:
            failures.append(error)

    threads = [threading.Thread(target=open_and_close) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    with psycopg.connect(address) as database:
        rows = database.execute("SELECT name FROM jackpot_migrations").fetchall()
    assert sorted(name for (name,) in rows) == sorted(NAMES)


def test_a_newer_programs_database_is_refused(address: str) -> None:
    """A database that a later version has migrated is not opened by this one."""
    PostgresJournal.open(address).close()
    with psycopg.connect(address) as database:
        database.execute("INSERT INTO jackpot_migrations VALUES ('m999_from_the_future')")
    with pytest.raises(StoreError, match="m999_from_the_future"):
        PostgresJournal.open(address)


def test_of_several_hosts_the_one_that_answers_is_used(address: str) -> None:
    """A host that is down is passed over."""
    host = address.partition("@")[2].partition("/")[0]
    several = address.replace(host, f"127.0.0.1:{free_port()},{host}")
    journal = PostgresJournal.open(several)
    append(journal, entries_after(1))
    journal.close()


def test_a_standby_is_passed_over(address: str, postgres: Server) -> None:
    """A host that takes no writes is not used for writing."""
    with (
        server_setting(postgres, "default_transaction_read_only", "on"),
        pytest.raises(StoreError, match="read-only"),
    ):
        PostgresJournal.open(address)


def test_an_address_is_shown_without_its_password() -> None:
    """What goes into messages and logs has no secret in it."""
    shown = without_password("postgresql://me:secret@db1:5432,db2:5433/jackpot")
    assert shown == "postgresql://db1:5432,db2:5433/jackpot"
    assert without_password("postgresql://db1,db2/jackpot") == "postgresql://db1,db2/jackpot"
    assert "secret" not in without_password("postgresql://me:secret@[bad")


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://u:s3cr%ZZet@db/jackpot",
        "postgresql://u:s3/cret@db/jackpot",
        "postgresql://u:12/s3cret@db/jackpot",
        "postgresql://u:s3cret@word@db/jackpot",
        "postgresql://u:s3 cret@db/jackpot",
        "postgresql://u:a/b?s3cret@db/jackpot",
        "postgresql://u:a?b/s3cret@db/jackpot?s3cret",
        "postgresql://u:/s3cret@db:5432,db2/jackpot",
        "postgresql://u:x@db/jackpot?s3cret=%ZZ",
        "postgresql://u:s3cret/jackpot",  # somebody forgot the host
    ],
)
@pytest.mark.parametrize("command", ["verify", "serve"])
def test_a_password_that_spills_over_is_not_told(
    tmp_path: Path, address: str, command: str
) -> None:
    """One line says how to write it, and nothing of it is in any message or log."""
    site = write_site(tmp_path, site_text())
    args = ["serve", "--site", str(site)] if command == "serve" else [command]
    result = CliRunner().invoke(main, [*args, "--store", address])
    assert result.exit_code == 1
    (line,) = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    assert "the PostgreSQL address can't be read; expected" in line
    for secret in ("s3", "cret", "word", "ZZ"):
        assert secret not in result.output.replace("PGPASSFILE", "").replace("password", "")
    assert "cret" not in str(result.exception.__cause__)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("address", "hosts"),
    [
        ("postgresql://jackpot@db1,db2/jackpot", "db1, db2"),
        ("postgresql://jackpot@127.0.0.1,10.0.0.5/jackpot?sslmode=require", "10.0.0.5"),
        ("postgresql://db1/jackpot?sslmode=verify-ca", "db1"),
        ("postgresql://db1/jackpot?sslmode=verify-full", ""),
        ("postgresql://localhost/jackpot", ""),
        ("postgresql://[::1]/jackpot", ""),
        ("postgresql:///jackpot", ""),
        ("postgresql://%2Fvar%2Frun/jackpot", ""),
        (Path("data"), ""),
    ],
)
def test_a_database_that_need_not_prove_who_it_is_is_warned_about(
    address: Address, hosts: str
) -> None:
    """Over a network only `verify-full` compares the name in the server's certificate."""
    found = weakness(address)
    assert bool(found) is bool(hosts)
    if hosts:
        assert f"between this machine and {hosts} could pose as it" in found
        assert "sslmode=verify-full" in found


def test_a_setting_of_the_environment_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it does for the connection itself."""
    monkeypatch.setenv("PGSSLMODE", "verify-full")
    assert weakness("postgresql://db1/jackpot") == ""
    assert weakness("postgresql://db1/jackpot?sslmode=prefer") != ""


def test_a_controller_warns_when_it_starts(tmp_path: Path) -> None:
    """Before it even knows whether the database is there."""
    site = write_site(tmp_path, site_text())
    address = "postgresql://no-such-host.invalid/jackpot"
    result = CliRunner().invoke(main, ["serve", "--site", str(site), "--store", address])
    assert result.exit_code == 1
    assert result.stderr.startswith("warning: the database does not prove who it is: ")
