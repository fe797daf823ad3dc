"""The SQLite store: durable settings, one lock, named migrations, backups."""

import threading
from pathlib import Path

import pysqlite3
import pytest

from jackpot.store.journal import StoreError
from jackpot.store.migrations import LIBRARY, NAMES
from jackpot.store.sqlite import FILE_NAME, PAGE_BYTES, SETTINGS, SqliteJournal
from tests.store.entries import append, entries_after


def test_durability_is_asserted(tmp_path: Path) -> None:
    """The write-ahead log is synced at every commit, in a library that has no known WAL bug."""
    journal = SqliteJournal.open(tmp_path)
    assert journal.setting("journal_mode") == "wal"
    assert journal.setting("synchronous") == 2
    assert {name: journal.setting(name) for name in SETTINGS} == SETTINGS
    assert pysqlite3.sqlite_version_info > (3, 51, 3)
    journal.close()


def test_a_file_keeps_the_pages_that_it_was_made_with(tmp_path: Path) -> None:
    """A new file has large pages; one that an older version made is used as it is."""
    new = SqliteJournal.open(tmp_path / "new")
    assert new.setting("page_size") == PAGE_BYTES
    new.close()
    (tmp_path / "old").mkdir()
    made = pysqlite3.connect(str(tmp_path / "old" / FILE_NAME))
    made.execute("PRAGMA page_size = 4096")
    made.execute("PRAGMA journal_mode = wal")
    made.executescript("CREATE TABLE other (id INTEGER); DROP TABLE other")
    made.close()
    old = SqliteJournal.open(tmp_path / "old")
    append(old, entries_after(1))
    assert old.setting("page_size") == 4_096
    assert old.head("s").sequence == 1
    old.close()


def test_a_file_keeps_the_table_that_it_was_made_with(tmp_path: Path) -> None:
    """Entries of a file from before 0.2.0 lie in another way, and are read and written the same."""
    SqliteJournal.open(tmp_path).close()
    made = pysqlite3.connect(str(tmp_path / FILE_NAME))
    (now,) = made.execute("SELECT sql FROM sqlite_master WHERE name = 'events'").fetchone()
    assert now.endswith(") STRICT")
    made.executescript(f"DROP TABLE events; {now}, WITHOUT ROWID")
    made.close()
    old = SqliteJournal.open(tmp_path)
    append(old, entries_after(3))
    assert [entry.sequence for entry in old.read("s", 1, 9)] == [2, 3]
    assert old.damage() == ""
    old.close()
    again = SqliteJournal.open_to_read(tmp_path)
    assert again.head("s").sequence == 3
    assert again.damage() == ""
    again.close()


def test_one_sqlite_library() -> None:
    """The migrations run on the same SQLite library as the journal."""
    assert LIBRARY is pysqlite3


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
