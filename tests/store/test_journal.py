"""What every store promises: a chain that follows, commits that are whole, few snapshots."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from jackpot.store.journal import (
    GENESIS,
    Head,
    Journal,
    StoredSnapshot,
    StoreError,
    UnsoundError,
    verify_link,
)
from jackpot.store.opening import Address, journal_opener, open_to_read
from tests.store.entries import append, entries_after

KEPT_SNAPSHOTS = 3


def open_journal(store: Address) -> Journal:
    """The journal of a store."""
    return journal_opener(store)()


def test_what_is_appended_is_read(store: Address) -> None:
    """Entries come back as they were put in, by page, and survive a reopening."""
    journal = open_journal(store)
    entries = entries_after(5)
    append(journal, entries[:2])
    append(journal, entries[2:])
    journal.close()
    journal = open_journal(store)
    assert journal.read("s", 0, 10) == entries
    assert journal.read("s", 2, 2) == entries[2:4]
    assert journal.heads() == {"s": Head(5, entries[-1].hash, 1)}
    assert journal.head("unknown") == GENESIS
    journal.close()


@pytest.mark.parametrize("count", [1, 63, 64, 65, 128, 129, 200])
def test_any_number_is_appended_at_once(store: Address, count: int) -> None:
    """One transaction takes as many entries as it is given: all are read, the last is the head."""
    journal = open_journal(store)
    entries = entries_after(count)
    append(journal, entries)
    journal.close()
    journal = open_journal(store)
    assert journal.read("s", 0, count + 1) == entries
    assert journal.head("s") == Head(count, entries[-1].hash, 1)
    journal.close()


def test_left_without_commit_nothing_happened(store: Address) -> None:
    """A transaction that is left early leaves nothing, and lets go of the lock."""
    journal = open_journal(store)
    with journal.begin(["s"]) as transaction:
        transaction.append("s", entries_after(3))
    assert journal.heads() == {}
    append(journal, entries_after(1))
    assert journal.head("s").sequence == 1
    journal.close()


@pytest.mark.parametrize("first", [1, 3])
def test_entries_must_follow_the_head(store: Address, first: int) -> None:
    """Neither the number of the head again nor one beyond the next is appended."""
    journal = open_journal(store)
    entries = entries_after(3)
    append(journal, entries[:1])
    with pytest.raises(StoreError, match="do not follow"):
        append(journal, entries[first - 1 : first])
    append(journal, entries[1:2])
    journal.close()


def test_only_the_last_snapshots_are_kept(store: Address) -> None:
    """Old snapshots are dropped; the newest comes first."""
    journal = open_journal(store)
    append(journal, entries_after(9))
    for sequence in range(1, 8):
        with journal.begin(["s"]) as transaction:
            transaction.save_snapshot("s", StoredSnapshot(sequence, 1, b"%d" % sequence))
            transaction.commit()
    kept = [snapshot.sequence for snapshot in journal.snapshots("s")]
    assert kept == list(range(7, 7 - KEPT_SNAPSHOTS, -1))
    journal.close()


def test_reading_needs_a_journal(store: Address) -> None:
    """A store without a journal is said to have none, and none is made there."""
    with pytest.raises(StoreError, match="there is no journal"):
        open_to_read(store)
    if isinstance(store, Path):
        assert list(store.iterdir()) == []


@pytest.mark.parametrize(
    "change",
    [
        {"time_micros": 2},
        {"kind": "Probee"},
        {"version": 2},
        {"body": b'{"n":2}'},
        {"hash": bytes(32)},
        {"sequence": 2},
    ],
    ids=lambda change: next(iter(change)),
)
def test_every_field_is_in_the_hash(change: dict[str, object]) -> None:
    """An entry with any field changed does not follow; nor does it at another site."""
    (entry,) = entries_after(1)
    assert verify_link("s", GENESIS, entry).sequence == 1
    with pytest.raises(UnsoundError):
        verify_link("s", GENESIS, replace(entry, **change))
    with pytest.raises(UnsoundError):
        verify_link("t", GENESIS, entry)
    with pytest.raises(UnsoundError):
        verify_link("s", Head(0, b"\1" * 32), entry)


def test_a_reader_sees_one_moment(store: Address) -> None:
    """What is appended after a reader has opened the journal is not there for it."""
    journal = open_journal(store)
    append(journal, entries_after(2))
    reader = open_to_read(store)
    assert reader.head("s").sequence == 2
    append(journal, entries_after(3, journal.head("s")))
    assert reader.heads() == {"s": reader.head("s")}
    assert [entry.sequence for entry in reader.read("s", 0, 10)] == [1, 2]
    reader.close()
    journal.close()


def test_heads_of_some(store: Address) -> None:
    """All heads are told, or those of the sites that are asked for."""
    journal = open_journal(store)
    for site in ("a", "b", "c"):
        append(journal, entries_after(1, site=site), site)
    assert sorted(journal.heads()) == ["a", "b", "c"]
    assert sorted(journal.heads(["c", "a", "nowhere"])) == ["a", "c"]
    journal.close()


def test_news_of_several_streams(store: Address) -> None:
    """Each stream is read on from its own place, in order, and so far at most."""
    journal = open_journal(store)
    for site, count in (("a", 5), ("b", 2), ("c", 1)):
        append(journal, entries_after(count, site=site), site)
    found = journal.read_each({"c": 1, "a": 1, "nowhere": 0, "b": 0}, 3)
    sequences = {site: [entry.sequence for entry in entries] for site, entries in found.items()}
    assert sequences == {"a": [2, 3, 4], "b": [1, 2], "c": [], "nowhere": []}
    assert found["a"] == journal.read("a", 1, 3)
    journal.close()
