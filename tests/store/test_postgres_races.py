"""Controllers on one PostgreSQL database: races, locks, and commits that wait for a standby."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from jackpot.store import postgres_session
from jackpot.store.journal import Entry, Head, LostRaceError, StoredSnapshot, StoreError
from jackpot.store.postgres import PostgresJournal
from jackpot.store.postgres_session import HELD_LOCK_S
from tests.postgres import Server
from tests.store.entries import append, entries_after
from tests.store.server_settings import WAITING, standby_away, wait_until


@contextmanager
def journals(address: str, count: int = 2) -> Iterator[list[PostgresJournal]]:
    """As many controllers' journals on one database."""
    opened = [PostgresJournal.open(address) for _ in range(count)]
    try:
        yield opened
    finally:
        for journal in opened:
            journal.close()


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
            assert time.monotonic() - began < HELD_LOCK_S + 20
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
        wait_until(lambda: postgres.query(sent))
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
    wait_until(lambda: server.query(WAITING))
    server.query(f"SELECT pg_cancel_backend(pid) FROM ({WAITING}) AS found")
