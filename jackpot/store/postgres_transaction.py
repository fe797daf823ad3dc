"""One site's next entries in PostgreSQL, from a look at its head to the commit."""

import time
from collections.abc import Sequence
from typing import Any

from psycopg.errors import SerializationFailure

from jackpot.store.journal import (
    GENESIS,
    Entry,
    Head,
    LostRaceError,
    Reader,
    StoredSnapshot,
    StoreError,
)
from jackpot.store.postgres_session import as_store_error
from jackpot.store.postgres_wire import Result, Session, Statement, bigints, byteas, texts

KEPT_SNAPSHOTS = 3
CROWDED_S = 5.0  # how long a site is locked first, after others were seen to write to it
_PAGE = 500  # entries that are read together with a lock

READ = """
    SELECT sequence, time_micros, kind, version, body, hash FROM events
    WHERE site = $1 AND sequence > $2 ORDER BY sequence LIMIT $3
"""
_BEGIN_STREAM = "INSERT INTO streams VALUES ($1, 0, $2, 0) ON CONFLICT DO NOTHING"
_LOCK = "SELECT sequence, hash, version FROM streams WHERE site = $1 FOR UPDATE"
# The comparison waits for whoever holds the head, and then looks at what they left.
_APPEND = """
    WITH moved AS (
        UPDATE streams SET sequence = $1, hash = $2, version = $3
        WHERE site = $4 AND sequence = $5 AND hash = $6
        RETURNING site
    )
    INSERT INTO events (site, sequence, time_micros, kind, version, body, hash)
    SELECT moved.site, added.* FROM moved, unnest(
        $7::bigint[], $8::bigint[], $9::text[], $10::bigint[], $11::text[], $12::bytea[]
    ) AS added
"""
_SAVE = """
    INSERT INTO snapshots VALUES ($1, $2, $3, $4)
    ON CONFLICT (site, sequence) DO UPDATE SET version = excluded.version, state = excluded.state
"""
_PRUNE = """
    DELETE FROM snapshots WHERE site = $1 AND sequence NOT IN (
        SELECT sequence FROM snapshots WHERE site = $1 ORDER BY sequence DESC LIMIT $2)
"""


class Seen:
    """Where streams ended when they were last looked at, and which of them others write to."""

    def __init__(self) -> None:
        self.heads: dict[str, Head] = {}  # what a transaction without a lock builds on
        self._crowded_until: dict[str, float] = {}

    def see(self, site: str, head: Head) -> Head:
        """Note a head that was read; one that this controller did not write is another's."""
        if not head.same(self.heads.get(site, head)):
            self.crowd(site)
        self.heads[site] = head
        return head

    def crowd(self, site: str) -> None:
        """Note that others write to a site."""
        self._crowded_until[site] = time.monotonic() + CROWDED_S

    def crowded(self, site: str) -> bool:
        """Whether others wrote to a site a moment ago."""
        return self._crowded_until.get(site, 0.0) > time.monotonic()


class PostgresTransaction:
    """One site's next entries, on top of a head that is either locked or compared."""

    def __init__(self, journal: Reader, session: Session, seen: Seen, site: str) -> None:
        self._journal = journal
        self._session = session
        self._seen = seen
        self._site = site
        self._base = GENESIS
        self._begun = False
        self._news: tuple[int, list[Entry]] | None = None  # read together with the lock
        self._entries: list[Entry] = []
        self._snapshot: StoredSnapshot | None = None

    def look(self) -> None:
        """Find where the stream ends."""
        base = self._seen.heads.get(self._site) or self._journal.head(self._site)
        if not base.sequence:
            with as_store_error("can't begin a stream"):
                self._session.execute(_BEGIN_STREAM, self._site, GENESIS.hash)
        self._base = self._lock(base) if self._seen.crowded(self._site) else base

    def head(self, site: str) -> Head:
        """Where the stream ends: for certain where it is locked, else as it was last seen."""
        return self._base if site == self._site else self._journal.head(site)

    def read(self, site: str, after: int, limit: int) -> list[Entry]:
        """Entries after a sequence, in order."""
        if self._news is not None and (site, after) == (self._site, self._news[0]):
            return self._news[1][:limit]
        return self._journal.read(site, after, limit)

    def append(self, site: str, entries: list[Entry]) -> None:
        """Add entries that follow the head."""
        last = self._entries[-1].sequence if self._entries else self._base.sequence
        if site != self._site or not entries or entries[0].sequence != last + 1:
            raise StoreError(f"the entries do not follow sequence {last} of {self._site}")
        self._entries += entries

    def save_snapshot(self, site: str, snapshot: StoredSnapshot) -> None:
        """Keep a snapshot, and drop all but the last few."""
        if site != self._site:
            raise StoreError(f"the transaction is about {self._site}, not {site}")
        self._snapshot = snapshot

    def commit(self) -> None:
        """Make it durable; LostRaceError where another controller was quicker."""
        if not self._site:
            return
        self._session.warnings.clear()
        with as_store_error("can't commit"):
            try:
                if self._begun or self._snapshot:
                    self._commit_begun()
                else:
                    self._commit_at_once()
            except SerializationFailure as error:
                raise LostRaceError(str(error)) from error
        if self._session.warnings:
            # Such as: the commit no longer waits for the standby.
            warning = self._session.warnings[0]
            raise StoreError(f"it is not known whether the commit is durable: {warning}")
        if self._entries:
            self._seen.heads[self._site] = self._next()

    def leave(self) -> None:
        """Undo what was begun and not committed."""
        if self._begun and not self._session.closed:
            self._begun = False
            with as_store_error("can't roll back"):
                self._session.execute("ROLLBACK")

    def _lock(self, known: Head) -> Head:
        """Lock the head and read what is new; three statements, each with a view of its own."""
        self._begun = True
        with as_store_error("can't lock the journal"):
            _, locked, news = self._session.together(
                ("BEGIN",),
                (_LOCK, self._site),
                (READ, self._site, known.sequence, _PAGE),
            )
            (row,) = locked.rows
            self._news = (known.sequence, [entry_of(row) for row in news.rows])
        return self._seen.see(self._site, Head(*row))

    def _commit_at_once(self) -> None:
        """Compare, append and commit by one statement; or only compare."""
        if self._entries:
            self._verify_won(*self._session.together(self._appending()))
        elif not self._journal.head(self._site).same(self._base):
            raise LostRaceError(f"the head of {self._site} has moved")

    def _commit_begun(self) -> None:
        if not self._begun:
            self._begun = True
            self._session.execute("BEGIN")
        statements = [self._appending()] if self._entries else []
        if self._snapshot:
            # It must not go in without the entry that speaks of it.
            if statements:
                self._verify_won(*self._session.together(*statements))
            statements = [
                (_SAVE, self._site, *self._snapshot),
                (_PRUNE, self._site, KEPT_SNAPSHOTS),
            ]
        *first, done = self._session.together(*statements, ("COMMIT",))
        self._begun = False
        if done.tag != "COMMIT":
            raise StoreError(f"the commit ended as {done.tag}")
        if first and not self._snapshot:
            self._verify_won(first[0])

    def _appending(self) -> Statement:
        head, base, entries = self._next(), self._base, self._entries
        return (
            _APPEND,
            head.sequence,
            head.hash,
            head.version,
            self._site,
            base.sequence,
            base.hash,
            bigints([entry.sequence for entry in entries]),
            bigints([entry.time_micros for entry in entries]),
            texts([entry.kind for entry in entries]),
            bigints([entry.version for entry in entries]),
            texts([entry.body for entry in entries]),
            byteas([entry.hash for entry in entries]),
        )

    def _verify_won(self, appended: Result) -> None:
        if appended.affected != len(self._entries):
            self._seen.crowd(self._site)
            raise LostRaceError(f"the head of {self._site} has moved")

    def _next(self) -> Head:
        last = self._entries[-1]
        version = max(self._base.version, *(entry.version for entry in self._entries))
        return Head(last.sequence, last.hash, version)


def entry_of(row: Sequence[Any]) -> Entry:
    """An entry as `READ` finds it."""
    sequence, time_micros, kind, version, body, hash_ = row
    return Entry(sequence, time_micros, kind, version, body.encode(), hash_)
