"""The store for many controllers: one PostgreSQL database, or several that stand in for it.

A transaction is about one site. While nobody else writes to it, nothing is locked: one statement
compares the head, appends and is durable, in one round trip. After a lost race, or when others
were seen to write, the head is locked first, and what they wrote is read in the same round trip.
A controller that stops in between loses its lock within seconds, and can't append when it wakes.
"""

import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from psycopg.errors import SerializationFailure

from jackpot.store.journal import (
    GENESIS,
    Entry,
    Head,
    LostRaceError,
    StoredSnapshot,
    StoreError,
)
from jackpot.store.postgres_arrays import BigintArray, ByteaArray, TextArray
from jackpot.store.postgres_schema import has_tables, migrate
from jackpot.store.postgres_session import (
    Session,
    as_store_error,
    connected,
    verify_durable,
    without_password,
)

if TYPE_CHECKING:
    from psycopg import Cursor

KEPT_SNAPSHOTS = 3
CROWDED_S = 5.0  # how long a site is locked first, after others were seen to write to it
_PAGE = 500  # entries that are read together with a lock

_BEGIN_STREAM = "INSERT INTO streams VALUES (%s, 0, %s, 0) ON CONFLICT DO NOTHING"
_HEADS = "SELECT site, sequence, hash, version FROM streams WHERE sequence > 0"
_HEADS_OF = _HEADS + " AND site = ANY(%s)"
_HEAD = "SELECT sequence, hash, version FROM streams WHERE site = %s"
_LOCK = "SELECT sequence, hash, version FROM streams WHERE site = %s FOR UPDATE"
_READ = """
    SELECT sequence, time_micros, kind, version, body, hash FROM events
    WHERE site = %s AND sequence > %s ORDER BY sequence LIMIT %s
"""
# The comparison waits for whoever holds the head, and then looks at what they left.
_APPEND = """
    WITH moved AS (
        UPDATE streams SET sequence = %s, hash = %s, version = %s
        WHERE site = %s AND sequence = %s AND hash = %s
        RETURNING site
    )
    INSERT INTO events (site, sequence, time_micros, kind, version, body, hash)
    SELECT moved.site, added.* FROM moved, unnest(
        %s::bigint[], %s::bigint[], %s::text[], %s::bigint[], %s::text[], %s::bytea[]
    ) AS added
"""
_SNAPSHOTS = """
    SELECT sequence, version, state FROM snapshots
    WHERE site = %s AND sequence < %s ORDER BY sequence DESC
"""
_SAVE = """
    INSERT INTO snapshots VALUES (%s, %s, %s, %s)
    ON CONFLICT (site, sequence) DO UPDATE SET version = excluded.version, state = excluded.state
"""
_PRUNE = """
    DELETE FROM snapshots WHERE site = %s AND sequence NOT IN (
        SELECT sequence FROM snapshots WHERE site = %s ORDER BY sequence DESC LIMIT %s)
"""
# Sites with events that no head speaks of; one look into the index a site.
_STRAY = """
    WITH RECURSIVE found AS (
        (SELECT site FROM events ORDER BY site LIMIT 1)
        UNION ALL
        SELECT (SELECT e.site FROM events e WHERE e.site > found.site ORDER BY e.site LIMIT 1)
        FROM found WHERE found.site IS NOT NULL
    )
    SELECT found.site FROM found LEFT JOIN streams USING (site)
    WHERE found.site IS NOT NULL AND EXISTS (
        SELECT 1 FROM events e
        WHERE e.site = found.site AND e.sequence > coalesce(streams.sequence, 0))
    LIMIT 1
"""


class _Seen:
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


class PostgresJournal:
    """A journal in PostgreSQL. Used by the thread that opened it, and by no other."""

    shared = True

    def __init__(self, session: Session, *, frozen: bool = False) -> None:
        """A frozen journal stays as it is now, whatever is written meanwhile."""
        self._session = session
        self._seen = _Seen()
        # A long transaction would keep the old versions of every head alive, so it is the heads
        # that are held on to: entries up to them never change.
        self._frozen: dict[str, Head] | None = None
        if frozen:
            self._frozen = self.heads()

    @classmethod
    def open(cls, address: str, *, accept_lost_commits: bool = False) -> Self:
        """Open the journal of a database, creating its tables; assert that commits are durable."""
        with connected(address, "open") as session:
            if not accept_lost_commits:
                verify_durable(session)
            migrate(session)
            return cls(session)

    @classmethod
    def open_to_read(cls, address: str) -> Self:
        """Open a journal that exists, as it stands now, without changing anything in it."""
        with connected(address, "read") as session:
            session.execute("SET default_transaction_read_only = on")
            if not has_tables(session):
                raise StoreError(f"there is no journal in {without_password(address)}")
            return cls(session, frozen=True)

    def close(self) -> None:
        """Let go of the database."""
        self._session.close()

    def heads(self, sites: Collection[str] = ()) -> dict[str, Head]:
        """Where every stream ends, or each of some."""
        if self._frozen is not None:
            return dict(self._frozen)
        with as_store_error("can't read the heads"):
            rows = self._session.execute(_HEADS_OF, list(sites)) if sites else self._all_heads()
            return {site: self._seen.see(site, Head(*head)) for site, *head in rows}

    def head(self, site: str) -> Head:
        """Where the stream ends, whoever wrote it."""
        if self._frozen is not None:
            return self._frozen.get(site, GENESIS)
        with as_store_error("can't read the head"):
            row = self._session.one(_HEAD, site)
        return self._seen.see(site, Head(*row) if row else GENESIS)

    def read(self, site: str, after: int, limit: int) -> list[Entry]:
        """Entries after a sequence, in order."""
        if self._frozen is not None:
            limit = max(0, min(limit, self.head(site).sequence - after))
        with as_store_error("can't read events"):
            return [_entry(row) for row in self._session.execute(_READ, site, after, limit)]

    def snapshots(self, site: str) -> Iterator[StoredSnapshot]:
        """The snapshots there are, newest first."""
        before = self.head(site).sequence  # an entry behind each speaks of it
        with as_store_error("can't read snapshots"):
            rows = self._session.execute(_SNAPSHOTS, site, before).fetchall()
        return (StoredSnapshot(*row) for row in rows)

    def damage(self) -> str:
        """What is wrong beyond any one stream, or nothing."""
        with as_store_error("can't check the tables"):
            row = self._session.one(_STRAY)
        return f"there are events of {row[0]} that its head does not speak of" if row else ""

    def setting(self, name: str) -> str:
        """A setting of the session."""
        with as_store_error(f"can't read {name}"):
            return str(self._session.one("SELECT current_setting(%s)", name)[0])

    @contextmanager
    def begin(self, sites: Collection[str]) -> Iterator["PostgresTransaction"]:
        """Make ready to write to one site: locked where others write to it as well."""
        if len(sites) > 1:
            raise StoreError("a transaction is about one site, so that none waits for another")
        transaction = PostgresTransaction(self, self._session, self._seen, next(iter(sites), ""))
        try:
            if sites:
                transaction.look()
            yield transaction
        finally:
            transaction.leave()

    def _all_heads(self) -> Iterable[Any]:
        return self._session.execute(_HEADS)


class PostgresTransaction:
    """One site's next entries, on top of a head that is either locked or compared."""

    def __init__(self, journal: PostgresJournal, session: Session, seen: _Seen, site: str) -> None:
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
        if self._begun and not self._session.connection.closed:
            self._begun = False
            with as_store_error("can't roll back"):
                self._session.execute("ROLLBACK")

    def _lock(self, known: Head) -> Head:
        """Lock the head and read what is new; three statements, each with a view of its own."""
        with as_store_error("can't lock the journal"), self._session.connection.pipeline():
            self._begin()
            head_row = self._session.execute(_LOCK, self._site)
            news = self._session.execute(_READ, self._site, known.sequence, _PAGE)
            head = Head(*head_row.fetchall()[0])
            self._news = (known.sequence, [_entry(row) for row in news])
        return self._seen.see(self._site, head)

    def _begin(self) -> None:
        self._begun = True
        self._session.execute("BEGIN")

    def _commit_at_once(self) -> None:
        """Compare, append and commit by one statement; or only compare."""
        if self._entries:
            self._verify_won(self._append())
        elif not self._journal.head(self._site).same(self._base):
            raise LostRaceError(f"the head of {self._site} has moved")

    def _commit_begun(self) -> None:
        appended = None
        with self._session.connection.pipeline() as pipeline:
            if not self._begun:
                self._begin()
            if self._entries:
                appended = self._append()
            if self._snapshot:
                pipeline.sync()
                if appended:
                    self._verify_won(appended)
                self._session.execute(_SAVE, self._site, *self._snapshot)
                self._session.execute(_PRUNE, self._site, self._site, KEPT_SNAPSHOTS)
            done = self._session.execute("COMMIT")
        self._begun = False
        if done.statusmessage != "COMMIT":
            raise StoreError(f"the commit ended as {done.statusmessage}")
        if appended:
            self._verify_won(appended)

    def _append(self) -> "Cursor[Any]":
        head, base, entries = self._next(), self._base, self._entries
        return self._session.execute(
            _APPEND,
            *head,
            self._site,
            base.sequence,
            base.hash,
            BigintArray.of([entry.sequence for entry in entries]),
            BigintArray.of([entry.time_micros for entry in entries]),
            TextArray.of([entry.kind.encode() for entry in entries]),
            BigintArray.of([entry.version for entry in entries]),
            TextArray.of([entry.body for entry in entries]),
            ByteaArray.of([entry.hash for entry in entries]),
        )

    def _verify_won(self, appended: "Cursor[Any]") -> None:
        if appended.rowcount != len(self._entries):
            self._seen.crowd(self._site)
            raise LostRaceError(f"the head of {self._site} has moved")

    def _next(self) -> Head:
        last = self._entries[-1]
        version = max(self._base.version, *(entry.version for entry in self._entries))
        return Head(last.sequence, last.hash, version)


def _entry(row: tuple[int, int, str, int, str, bytes]) -> Entry:
    sequence, time_micros, kind, version, body, hash_ = row
    return Entry(sequence, time_micros, kind, version, body.encode(), hash_)
