"""The PostgreSQL store: durable settings, races and locks of one site, named migrations."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psycopg
import pytest

from jackpot.store import postgres_session
from jackpot.store.journal import (
    GENESIS,
    Entry,
    Head,
    LostRaceError,
    StoredSnapshot,
    StoreError,
)
from jackpot.store.postgres import PostgresJournal
from jackpot.store.postgres_schema import NAMES
from jackpot.store.postgres_session import (
    HELD_LOCK_S,
    TRANSACTION_S,
    without_password,
)
from tests.postgres import Server, free_port
from tests.store.test_journal import append, entries_after
from tests.stores import Stores, schema_of


@pytest.fixture
def address(stores: Stores) -> str:
    """An empty database."""
    return str(stores.new("postgres"))


@contextmanager
def journals(address: str, count: int = 2) -> Iterator[list[PostgresJournal]]:
    """As many controllers' journals on one database."""
    opened = [PostgresJournal.open(address) for _ in range(count)]
    try:
        yield opened
    finally:
        for journal in opened:
            journal.close()


@contextmanager
def server_setting(server: Server, name: str, value: str) -> Iterator[None]:
    """Set something for the whole server for a while."""
    server.query(f"ALTER SYSTEM SET {name} = '{value}'")
    try:
        _reload(server, name, value)
        yield
    finally:
        server.query(f"ALTER SYSTEM RESET {name}")
        before = server.query(f"SELECT reset_val FROM pg_settings WHERE name = '{name}'")
        server.query("SELECT pg_reload_conf()")
        _wait_until(lambda: server.query(f"SHOW {name}") != [(value,)])
        assert before


@contextmanager
def standby_away(server: Server) -> Iterator[None]:
    """Let commits wait for a standby that is not there."""
    with server_setting(server, "synchronous_standby_names", "nobody"):
        # The server's own processes hear of it one after the other: wait until a commit waits.
        probes: list[threading.Thread] = []
        while not server.query(_WAITING):
            probes.append(threading.Thread(target=server.query, args=(_COMMIT,)))
            probes[-1].start()
            probes[-1].join(0.2)
        while any(probe.is_alive() for probe in probes):  # on a busy machine more than one waits
            server.query(f"SELECT pg_cancel_backend(pid) FROM ({_WAITING}) AS found")
            probes[-1].join(0.05)
        yield


_WAITING = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
_COMMIT = "SELECT 1 FROM pg_logical_emit_message(true, 'test', 'test')"


def _reload(server: Server, name: str, value: str) -> None:
    server.query("SELECT pg_reload_conf()")
    _wait_until(lambda: server.query(f"SHOW {name}") == [(value,)])


def _wait_until(holds: Callable[[], object], within_s: float = 10.0) -> None:
    until = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.02)


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


def test_a_lost_race_changes_nothing(address: str) -> None:
    """Of two that build on one head the later commit fails whole; then it waits its turn."""
    with journals(address) as (one, two):
        first = entries_after(2)
        append(one, first)
        two.head("s")
        with one.begin(["s"]) as quick, two.begin(["s"]) as slow:
            follows = entries_after(1, one.head("s"))
            assert quick.head("s").same(slow.head("s"))
            quick.append("s", follows)
            quick.commit()
            slow.append("s", follows)
            with pytest.raises(LostRaceError):
                slow.commit()
        assert [entry.sequence for entry in two.read("s", 0, 9)] == [1, 2, 3]
        with two.begin(["s"]) as turn:
            assert turn.head("s").sequence == 3
            turn.append("s", entries_after(1, turn.head("s")))
            turn.commit()
        assert one.head("s").sequence == 4


def test_an_answer_from_old_news_loses_too(address: str) -> None:
    """A transaction that adds nothing still fails where the head has moved."""
    with journals(address) as (one, two):
        append(one, entries_after(1))
        two.head("s")
        with two.begin(["s"]) as stale:
            append(one, entries_after(1, one.head("s")))
            with pytest.raises(LostRaceError):
                stale.commit()
        with two.begin(["s"]) as fresh:
            assert fresh.head("s").sequence == 2
            fresh.commit()


def test_a_lost_race_saves_no_snapshot(address: str) -> None:
    """A snapshot goes in with the entry that speaks of it, or not at all."""
    with journals(address) as (one, two):
        append(one, entries_after(1))
        two.head("s")
        with two.begin(["s"]) as stale:
            append(one, entries_after(1, one.head("s")))
            stale.append("s", entries_after(1, stale.head("s")))
            stale.save_snapshot("s", StoredSnapshot(1, 1, b"1"))
            with pytest.raises(LostRaceError):
                stale.commit()
        assert list(one.snapshots("s")) == []
        assert one.head("s").sequence == 2


def crowd(one: PostgresJournal, two: PostgresJournal) -> None:
    """Let two controllers see of each other that both write to a site."""
    for journal, other in ((one, two), (two, one)):
        other.head("s")
        append(journal, entries_after(1, journal.head("s")))
        other.head("s")
    one.head("s")


def test_where_others_write_the_head_is_locked_first(address: str) -> None:
    """The second waits until the first has committed, and then has its entries at hand."""
    with journals(address) as (one, two):
        crowd(one, two)
        seen: list[tuple[Head, list[Entry]]] = []

        def wait_for_turn() -> None:
            with two.begin(["s"]) as turn:
                seen.append((turn.head("s"), turn.read("s", 2, 10)))

        with one.begin(["s"]) as holder:
            thread = threading.Thread(target=wait_for_turn)
            thread.start()
            time.sleep(0.2)
            assert not seen
            added = entries_after(2, holder.head("s"))
            holder.append("s", added)
            holder.commit()
        thread.join()
        assert seen == [(Head(4, added[-1].hash, 1), added)]


def test_a_transaction_that_is_left_leaves_the_connection_usable(address: str) -> None:
    """Locked and left, again and again, and then used: every statement still works."""
    with journals(address) as (one, two):
        crowd(one, two)
        for _ in range(3):
            with one.begin(["s"]):
                pass
            append(one, entries_after(1, one.head("s")))
            with one.begin(["s"]) as transaction:
                transaction.save_snapshot("s", StoredSnapshot(1, 1, b"1"))
            append(two, entries_after(1, two.head("s")))
        assert two.head("s").sequence == 8
        assert list(one.snapshots("s")) == []


def test_no_site_waits_for_another(address: str) -> None:
    """While one site is locked, another takes commits; and one transaction can't be about both."""
    with journals(address) as (one, two):
        crowd(one, two)
        with one.begin(["s"]):
            append(two, entries_after(3, site="t"), "t")
        assert two.head("t").sequence == 3
        with pytest.raises(StoreError, match="one site"), two.begin(["s", "t"]):
            pass


def test_a_stopped_holder_loses_its_lock(address: str) -> None:
    """Who holds a lock and does nothing is thrown out; its late commit fails, others go on."""
    with journals(address) as (one, two):
        crowd(one, two)
        began = time.monotonic()
        with one.begin(["s"]) as stopped:
            stopped.append("s", entries_after(1, stopped.head("s")))
            append(two, entries_after(1, two.head("s")))
            assert time.monotonic() - began < HELD_LOCK_S + 1.5
            with pytest.raises(StoreError):
                stopped.commit()
        assert two.head("s").sequence == 3


def test_who_stops_in_the_middle_of_a_message_loses_its_lock(
    address: str, postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A statement whose Sync never comes is not idle to the server, and ends all the same."""
    monkeypatch.setitem(postgres_session.SESSION, "transaction_timeout", "1s")  # ten are long
    one = PostgresJournal.open(address)
    monkeypatch.undo()
    with journals(address, 1) as (two,):
        append(one, entries_after(1))
        half = one._session._pq
        half.send_query_params(b"UPDATE streams SET version = 9", None)
        half.send_flush_request()
        half.flush()
        sent = "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'UPDATE streams SET version = 9%'"
        _wait_until(lambda: postgres.query(sent))
        append(two, entries_after(1, two.head("s")))  # waits for the lock, and gets it
        with pytest.raises(StoreError):
            one.head("s")
        assert two.head("s").version == 1
    one.close()


@pytest.mark.parametrize("crowded", [False, True])
def test_a_commit_outlives_every_timeout(
    address: str, postgres: Server, monkeypatch: pytest.MonkeyPatch, *, crowded: bool
) -> None:
    """While the standby is away a commit waits, far longer than what comes before it may take."""
    monkeypatch.setitem(postgres_session.SESSION, "transaction_timeout", "700ms")
    with journals(address) as (one, two):
        append(one, entries_after(1))
        if crowded:
            crowd(one, two)
        head = one.head("s")
        waiting = threading.Thread(target=append, args=(one, entries_after(1, head)))
        with standby_away(postgres):
            waiting.start()
            time.sleep(1.5)
            assert waiting.is_alive()
        waiting.join()
        assert one.head("s").sequence == head.sequence + 1


def test_a_commit_with_a_warning_is_unknown(address: str, postgres: Server) -> None:
    """When the wait for the standby is cancelled, the commit is not taken for durable."""
    journal = PostgresJournal.open(address)
    append(journal, entries_after(1))
    with standby_away(postgres):
        canceller = threading.Thread(target=_cancel_waiting, args=(postgres,))
        canceller.start()
        with pytest.raises(StoreError, match="not known whether the commit is durable"):
            append(journal, entries_after(1, journal.head("s")))
        canceller.join()
    journal.close()


def _cancel_waiting(server: Server) -> None:
    _wait_until(lambda: server.query(_WAITING))
    server.query(f"SELECT pg_cancel_backend(pid) FROM ({_WAITING}) AS found")


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
    assert shown == "postgresql://db1,db2/jackpot"
    assert "secret" not in without_password("postgresql://me:secret@[bad")
