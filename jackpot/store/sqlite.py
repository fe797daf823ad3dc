"""The embedded store: one SQLite file for all sites of a controller.

PyPI's pysqlite3 carries its own, recent SQLite: distributions still ship releases whose WAL can
lose a commit when it is reset. One process must use one SQLite library only, and nothing may open
the file beside it: closing any descriptor of a file drops all of the process's POSIX locks on it.
"""

import os
import time
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Self

import pysqlite3

from jackpot.store.folder_lock import share
from jackpot.store.journal import (
    GENESIS,
    Entry,
    Head,
    StoredSnapshot,
    StoreError,
    UnsoundError,
)
from jackpot.store.migrations import LIBRARY, NAMES, migrate
from jackpot.store.private_file import make_private
from jackpot.store.sqlite_schema import damage, foreign_object

FILE_NAME = "journal.sqlite"
MINIMUM_SQLITE = (3, 51, 3)
KEPT_SNAPSHOTS = 3
BUSY_TIMEOUT_S = 3.0
# Of a new file; an older one keeps its own. With smaller pages a commit of many entries writes more
# of them, and a step of SQLite's for each; with larger ones a commit of few writes more bytes.
PAGE_BYTES = 8_192
CHECKPOINT_PAGES = 500  # a commit waits for a checkpoint: rather some milliseconds now and then
SETTINGS: Mapping[str, object] = {
    "journal_mode": "wal",
    "synchronous": 2,  # FULL: a commit has reached the disk
    "fullfsync": 1,  # macOS: an fsync that reaches the platter
    "checkpoint_fullfsync": 1,
    "wal_autocheckpoint": CHECKPOINT_PAGES,
    "journal_size_limit": 64 << 20,
    "cell_size_check": 1,
    "trusted_schema": 0,
}
_AGAIN_S = 0.01
_APPLICATION_ID = 0x4A41434B  # "JACK": `file` and an operator can tell what this is

_HEAD = "SELECT id, sequence, hash, version FROM streams WHERE site = ?"
# A damaged text need not be UTF-8 any more, so texts are read as bytes and judged by their hash.
_READ = """
    SELECT sequence, time_micros, CAST(kind AS BLOB), version, CAST(body AS BLOB), hash
    FROM events WHERE stream = ? AND sequence > ? ORDER BY sequence LIMIT ?
"""
_ROW = "(?, ?, ?, ?, ?, CAST(? AS TEXT), ?)"
_MOST_ROWS = 64  # of one statement
_STATEMENTS = 128  # kept prepared: one for every number of rows, and the others


class SqliteJournal:
    """A journal in one SQLite file. Used by the thread that opened it, and by no other."""

    shared = False

    def __init__(
        self, connection: Any, untouched: Path | None = None, lock: int | None = None
    ) -> None:
        """`untouched` is the log that nobody may begin to write while this reads.

        `lock` is the descriptor that keeps the file from being replaced.
        """
        self._connection = connection
        self._untouched = untouched
        self._lock = lock

    @classmethod
    def open(cls, directory: Path, *, busy_timeout_s: float = BUSY_TIMEOUT_S) -> Self:
        """Open the journal of a data directory, creating both; assert every setting."""
        with _AsStoreError(f"can't open the journal in {directory}"):
            until_s = time.monotonic() + busy_timeout_s
            directory.mkdir(parents=True, exist_ok=True)
            lock = _share(directory, until_s)
            try:
                make_private(directory / FILE_NAME)  # its log gets the same mode
                connection = _connect(directory / FILE_NAME, "rwc", busy_timeout_s)
                try:
                    _make_ready(connection, until_s)
                except BaseException:
                    connection.close()
                    raise
            except BaseException:
                os.close(lock)
                raise
        return cls(connection, lock=lock)

    @classmethod
    def open_to_read(cls, directory: Path) -> Self:
        """Open a journal that exists, without changing anything in it."""
        path = directory / FILE_NAME
        with _AsStoreError(f"can't read the journal in {directory}"):
            if not path.is_file():
                raise StoreError(f"there is no journal in {directory}")
            # Without a log nobody has the file open. It is then read as it lies, as on a disk that
            # can't be written: else SQLite would make a log and leave it there.
            log = path.with_name(f"{FILE_NAME}-wal")
            alone = not log.exists()
            connection = _connect(path, "ro&immutable=1" if alone else "ro", BUSY_TIMEOUT_S)
            # One snapshot for everything that is read, whatever is written meanwhile.
            connection.execute("BEGIN")
        return cls(connection, log if alone else None)

    def close(self) -> None:
        """Let go of the file; the last one to do so folds the WAL into it."""
        with _AsStoreError("can't close the journal"):
            self._connection.close()
        lock, self._lock = self._lock, None
        if lock is not None:
            os.close(lock)
        if self._untouched and self._untouched.exists():
            raise StoreError("a controller has begun to write to the journal meanwhile: try again")

    def heads(self, sites: Collection[str] = ()) -> dict[str, Head]:
        """Where every stream ends, or each of some."""
        with _AsStoreError("can't read the heads"):
            rows = self._connection.execute("SELECT site, sequence, hash, version FROM streams")
            return {site: Head(*head) for site, *head in rows if not sites or site in sites}

    def head(self, site: str) -> Head:
        """Where the stream ends, whoever wrote it."""
        return _stream(self._connection, site)[1]

    def read(self, site: str, after: int, limit: int) -> list[Entry]:
        """Entries after a sequence, in order."""
        stream, _ = _stream(self._connection, site)
        with _AsStoreError("can't read events"):
            rows = self._connection.execute(_READ, (stream, after, limit)).fetchall()
        return [_entry(site, row) for row in rows]

    def read_each(self, after: Mapping[str, int], limit: int) -> dict[str, list[Entry]]:
        """Entries of several streams, each after its sequence and so many at most."""
        return {site: self.read(site, sequence, limit) for site, sequence in after.items()}

    def snapshots(self, site: str) -> Iterator[StoredSnapshot]:
        """The snapshots there are, newest first."""
        stream, _ = _stream(self._connection, site)
        query = """SELECT sequence, version, state FROM snapshots
                   WHERE stream = ? ORDER BY sequence DESC"""
        with _AsStoreError("can't read snapshots"):
            # A handful by construction, and the caller may write before it has seen them all.
            rows = self._connection.execute(query, (stream,)).fetchall()
        return (StoredSnapshot(*row) for row in rows)

    def begin(self, _sites: Collection[str] = ()) -> "SqliteTransaction":
        """Lock the file for writing; waits a bounded time, then raises StoreError."""
        return SqliteTransaction(self, self._connection)

    def backup(self, target: Path) -> None:
        """Copy the journal while it is in use."""
        with _AsStoreError(f"can't back up to {target}"):
            make_private(target)
            copy = pysqlite3.connect(str(target))
            try:
                self._connection.backup(copy)
            finally:
                copy.close()

    def setting(self, name: str) -> object:
        """A setting as SQLite has it."""
        with _AsStoreError(f"can't read {name}"):
            return self._connection.execute(f"PRAGMA {name}").fetchone()[0]

    def damage(self) -> str:
        """What is wrong with the file beyond any one stream, or nothing."""
        with _AsStoreError("can't check the file"):
            return damage(self._connection)


class SqliteTransaction:
    """The write lock on the file."""

    def __init__(self, journal: SqliteJournal, connection: Any) -> None:
        self._connection = connection
        self._streams: dict[str, tuple[int, Head]] = {}  # under the lock nobody else moves them
        self.read = journal.read

    def __enter__(self) -> Self:
        """Take the lock."""
        with _AsStoreError("can't lock the journal"):
            self._connection.execute("BEGIN IMMEDIATE")
        return self

    def __exit__(self, *_: object) -> None:
        """Take back what was not committed."""
        if self._connection.in_transaction:
            with _AsStoreError("can't roll back"):
                self._connection.execute("ROLLBACK")

    def head(self, site: str) -> Head:
        """Where the stream ends, whoever wrote it."""
        return self._stream(site)[1]

    def append(self, site: str, entries: list[Entry]) -> None:
        """Add entries that follow the head."""
        stream, head = self._stream(site)
        if not entries or entries[0].sequence != head.sequence + 1:
            raise StoreError(f"the entries do not follow sequence {head.sequence} of {site}")
        last = entries[-1]
        version = max(head.version, *(entry.version for entry in entries))
        with _AsStoreError("can't append"):
            if stream:
                self._connection.execute(
                    "UPDATE streams SET sequence = ?, hash = ?, version = ? WHERE id = ?",
                    (last.sequence, last.hash, version, stream),
                )
            else:
                stream = self._connection.execute(
                    "INSERT INTO streams (site, sequence, hash, version) VALUES (?, ?, ?, ?)",
                    (site, last.sequence, last.hash, version),
                ).lastrowid
            for first in range(0, len(entries), _MOST_ROWS):
                rows = entries[first : first + _MOST_ROWS]
                self._connection.execute(_append(len(rows)), _values(stream, rows))
        self._streams[site] = (stream, Head(last.sequence, last.hash, version))

    def save_snapshot(self, site: str, snapshot: StoredSnapshot) -> None:
        """Keep a snapshot, and drop all but the last few."""
        stream, _ = self._stream(site)
        with _AsStoreError("can't save a snapshot"):
            self._connection.execute(
                "INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?)", (stream, *snapshot)
            )
            self._connection.execute(
                """DELETE FROM snapshots WHERE stream = ?1 AND sequence NOT IN (
                       SELECT sequence FROM snapshots WHERE stream = ?1
                       ORDER BY sequence DESC LIMIT ?2)""",
                (stream, KEPT_SNAPSHOTS),
            )

    def commit(self) -> None:
        """Make it durable. After a StoreError it is unknown whether it is."""
        with _AsStoreError("can't commit"):
            self._connection.execute("COMMIT")

    def _stream(self, site: str) -> tuple[int, Head]:
        found = self._streams.get(site)
        if found is None:
            found = self._streams[site] = _stream(self._connection, site)
        return found


def _share(directory: Path, until_s: float) -> int:
    try:
        return share(directory, until_s)
    except BlockingIOError:
        raise StoreError(f"a restore into {directory} is under way; wait for it") from None


def is_in_use(directory: Path) -> bool:
    """Whether a process has the journal of a data directory open.

    Every connection to a file with a log holds a lock on it, also while it does nothing.
    """
    path = directory / FILE_NAME
    if not path.is_file():
        return False
    try:
        connection = _connect(path, "rw", 0)
        try:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE").fetchall()
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("ROLLBACK")
        finally:
            connection.close()
    except pysqlite3.Error as error:
        return "locked" in str(error)  # any other way in which it can't be used is nobody's lock
    return False


@cache
def _append(rows: int) -> str:
    """A statement that adds so many rows.

    Between any two statements the interpreter may let another thread go first, and a writer that
    has to wait for a busy loop after each row is many times slower.
    """
    return f"INSERT INTO events VALUES {', '.join([_ROW] * rows)}"  # noqa: S608 - nothing but marks


def _values(stream: int, entries: list[Entry]) -> list[object]:
    """Rows as they are bound.

    The library looks for an adapter for every bytes, which takes longer than to store them. It
    takes a bytearray as it is.
    """
    values: list[object] = []
    for entry in entries:
        values += (
            stream,
            entry.sequence,
            entry.time_micros,
            entry.kind,
            entry.version,
            bytearray(entry.body),
            bytearray(entry.hash),
        )
    return values


class _AsStoreError:
    """Around what the store does: where that fails, a StoreError says what was being done.

    A commit passes through several. As a generator, each cost more than a row.
    """

    __slots__ = ("_doing",)

    def __init__(self, doing: str) -> None:
        self._doing = doing

    def __enter__(self) -> None:
        """Nothing to prepare."""

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if error is not None and isinstance(error, (pysqlite3.Error, OSError)):
            raise StoreError(f"{self._doing}: {error}") from error


def _stream(connection: Any, site: str) -> tuple[int, Head]:
    with _AsStoreError("can't read the head"):
        row = connection.execute(_HEAD, (site,)).fetchone()
    return (row[0], Head(*row[1:])) if row else (0, GENESIS)


def _connect(path: Path, mode: str, busy_timeout_s: float) -> Any:
    return pysqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=busy_timeout_s,
        cached_statements=_STATEMENTS,
        isolation_level=None,  # transactions are begun and ended by name, here only
    )


def _entry(site: str, row: tuple[int, int, bytes, int, bytes, bytes]) -> Entry:
    sequence, time_micros, kind, version, body, hash_ = row
    try:
        return Entry(sequence, time_micros, kind.decode(), version, body, hash_)
    except UnicodeDecodeError as error:
        raise UnsoundError(site, sequence, "the entry's kind is no text") from error


def _make_ready(connection: Any, until: float) -> None:
    """Configure, migrate and harden, again and again while another controller does the same.

    SQLite waits for most locks by itself, but not for the one that makes a new file a WAL.
    """
    while True:
        try:
            _configure(connection)
            _migrate(connection)
            _harden(connection)
        except pysqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(_AGAIN_S)
        else:
            return


def _configure(connection: Any) -> None:
    """Set what durability depends on, and believe only what is read back."""
    if LIBRARY is not pysqlite3:  # pragma: no cover - guards an upgrade
        raise StoreError("sqlite-utils uses another SQLite library than the journal")
    if pysqlite3.sqlite_version_info < MINIMUM_SQLITE:  # pragma: no cover - guards an upgrade
        raise StoreError(f"SQLite {pysqlite3.sqlite_version} is too old")
    connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
    for name, wanted in SETTINGS.items():
        connection.execute(f"PRAGMA {name} = {wanted}").fetchall()
        (found,) = connection.execute(f"PRAGMA {name}").fetchone()
        if found != wanted:
            raise StoreError(f"SQLite's {name} is {found}, not {wanted}")


def _migrate(connection: Any) -> None:
    # One lock around all steps: two controllers may start on a new file at the same moment.
    connection.execute("BEGIN IMMEDIATE")
    try:
        migrate(connection)
        if connection.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION_ID:
            connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    rows = connection.execute("SELECT name FROM _sqlite_migrations WHERE migration_set = 'jackpot'")
    if unknown := {name for (name,) in rows} - NAMES:
        raise StoreError(f"a newer program has changed the journal: {', '.join(sorted(unknown))}")
    if foreign := foreign_object(connection):
        raise StoreError(
            f"the journal's tables are not as controllers make them: {foreign}; "
            "find out who changed them, or restore a backup"
        )


def _harden(connection: Any) -> None:
    """Fold what a crash left in the WAL into the file.

    Frames whose fsync failed can be read back from the cache though no disk has them. Copying
    them into the file and syncing that makes them durable before anything is built on them.
    Another controller at work keeps parts of the WAL to itself; it has synced them.
    """
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
