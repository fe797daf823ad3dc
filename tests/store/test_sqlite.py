"""The SQLite store: durable settings, one lock, named migrations, a chain that follows."""

import threading
from pathlib import Path

import pysqlite3
import pytest
import sqlite_utils.utils

from jackpot.store.journal import (
    GENESIS,
    Entry,
    Head,
    StoredSnapshot,
    StoreError,
    UnsoundError,
    chained,
    verify_link,
)
from jackpot.store.migrations import NAMES
from jackpot.store.sqlite import FILE_NAME, KEPT_SNAPSHOTS, SETTINGS, SqliteJournal


def entries_after(count: int, head: Head = GENESIS, site: str = "s") -> list[Entry]:
    """Entries that follow a head."""
    entries = []
    for sequence in range(head.sequence + 1, head.sequence + 1 + count):
        entry = chained(site, head.hash, sequence, sequence, "Probed", 1, b'{"n":%d}' % sequence)
        head = verify_link(site, head, entry)
        entries.append(entry)
    return entries


def append(journal: SqliteJournal, entries: list[Entry], site: str = "s") -> None:
    """Commit entries."""
    with journal.begin() as transaction:
        transaction.append(site, entries)
        transaction.commit()


def test_what_is_appended_is_read(tmp_path: Path) -> None:
    """Entries come back as they were put in, by page, and survive a reopening."""
    journal = SqliteJournal.open(tmp_path)
    entries = entries_after(5)
    append(journal, entries[:2])
    append(journal, entries[2:])
    journal.close()
    journal = SqliteJournal.open(tmp_path)
    assert journal.read("s", 0, 10) == entries
    assert journal.read("s", 2, 2) == entries[2:4]
    assert journal.heads() == {"s": Head(5, entries[-1].hash, 1)}
    assert journal.head("unknown") == GENESIS
    journal.close()


def test_left_without_commit_nothing_happened(tmp_path: Path) -> None:
    """A transaction that is left early leaves nothing, and lets go of the lock."""
    journal = SqliteJournal.open(tmp_path)
    with journal.begin() as transaction:
        transaction.append("s", entries_after(3))
    assert journal.heads() == {}
    append(journal, entries_after(1))
    assert journal.head("s").sequence == 1
    journal.close()


@pytest.mark.parametrize("first", [1, 3])
def test_entries_must_follow_the_head(tmp_path: Path, first: int) -> None:
    """Neither the number of the head again nor one beyond the next is appended."""
    journal = SqliteJournal.open(tmp_path)
    entries = entries_after(3)
    append(journal, entries[:1])
    with pytest.raises(StoreError, match="do not follow"):
        append(journal, entries[first - 1 : first])
    append(journal, entries[1:2])
    journal.close()


def test_durability_is_asserted(tmp_path: Path) -> None:
    """The write-ahead log is synced at every commit, in a library that has no known WAL bug."""
    journal = SqliteJournal.open(tmp_path)
    assert journal.setting("journal_mode") == "wal"
    assert journal.setting("synchronous") == 2
    assert {name: journal.setting(name) for name in SETTINGS} == SETTINGS
    assert pysqlite3.sqlite_version_info > (3, 51, 3)
    journal.close()


def test_one_sqlite_library() -> None:
    """The migrations run on the same SQLite library as the journal."""
    assert vars(sqlite_utils.utils)["sqlite3"] is pysqlite3


def test_the_lock_is_waited_for_a_bounded_time(tmp_path: Path) -> None:
    """While another holds the lock a writer waits, and then says that it can't."""
    holder = SqliteJournal.open(tmp_path)
    waiter = SqliteJournal.open(tmp_path, busy_timeout_s=0.05)
    with holder.begin():
        assert waiter.heads() == {}  # reading goes on
        with pytest.raises(StoreError, match="locked"), waiter.begin():
            pass
    append(waiter, entries_after(1))
    assert holder.head("s").sequence == 1
    holder.close()
    waiter.close()


def test_two_controllers_create_one_file(tmp_path: Path) -> None:
    """Opening a new file from many threads at once runs every migration once."""
    failures: list[BaseException] = []

    def open_and_close() -> None:
        try:
            SqliteJournal.open(tmp_path).close()
        except StoreError as error:
            failures.append(error)

    threads = [threading.Thread(target=open_and_close) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    database = pysqlite3.connect(str(tmp_path / FILE_NAME))
    names = [name for (name,) in database.execute("SELECT name FROM _sqlite_migrations")]
    database.close()
    assert sorted(names) == sorted(NAMES)


def test_a_newer_programs_file_is_refused(tmp_path: Path) -> None:
    """A file that a later version has migrated is not opened by this one."""
    SqliteJournal.open(tmp_path).close()
    database = pysqlite3.connect(str(tmp_path / FILE_NAME))
    database.execute(
        "INSERT INTO _sqlite_migrations (migration_set, name, applied_at) VALUES (?, ?, ?)",
        ("jackpot", "m999_from_the_future", "2099-01-01"),
    )
    database.commit()
    database.close()
    with pytest.raises(StoreError, match="m999_from_the_future"):
        SqliteJournal.open(tmp_path)


def test_only_the_last_snapshots_are_kept(tmp_path: Path) -> None:
    """Old snapshots are dropped; the newest comes first."""
    journal = SqliteJournal.open(tmp_path)
    append(journal, entries_after(9))
    for sequence in range(1, 8):
        with journal.begin() as transaction:
            transaction.save_snapshot("s", StoredSnapshot(sequence, 1, b"%d" % sequence))
            transaction.commit()
    kept = [snapshot.sequence for snapshot in journal.snapshots("s")]
    assert kept == list(range(7, 7 - KEPT_SNAPSHOTS, -1))
    journal.close()


def test_backup_while_in_use(tmp_path: Path) -> None:
    """A backup taken while the journal is open holds what was committed."""
    journal = SqliteJournal.open(tmp_path)
    append(journal, entries_after(4))
    target = tmp_path / "copy"
    target.mkdir()
    journal.backup(target / FILE_NAME)
    append(journal, entries_after(1, journal.head("s")))
    journal.close()
    copy = SqliteJournal.open_to_read(target)
    assert copy.head("s").sequence == 4
    copy.close()


def test_reading_needs_a_journal(tmp_path: Path) -> None:
    """A directory without a journal is said to have none, and none is made there."""
    with pytest.raises(StoreError, match="there is no journal"):
        SqliteJournal.open_to_read(tmp_path)
    assert list(tmp_path.iterdir()) == []


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
        verify_link("s", GENESIS, entry._replace(**change))  # type: ignore[arg-type]
    with pytest.raises(UnsoundError):
        verify_link("t", GENESIS, entry)
    with pytest.raises(UnsoundError):
        verify_link("s", Head(0, b"\1" * 32), entry)
