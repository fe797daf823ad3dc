"""The store for many controllers: one PostgreSQL database, or several that stand in for it.

A transaction is about one site. While nobody else writes to it, nothing is locked: one statement
compares the head, appends and is durable, in one round trip. After a lost race, or when others
were seen to write, the head is locked first, and what they wrote is read in the same round trip.
A controller that stops in between loses its lock within seconds, and can't append when it wakes.
"""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import Self

from jackpot.store.journal import (
    GENESIS,
    Entry,
    Head,
    StoredSnapshot,
    StoreError,
)
from jackpot.store.postgres_check import damage
from jackpot.store.postgres_schema import has_tables, migrate
from jackpot.store.postgres_session import (
    as_store_error,
    connected,
    verify_durable,
    without_password,
)
from jackpot.store.postgres_transaction import READ, PostgresTransaction, Seen, entry_of
from jackpot.store.postgres_wire import Session, bigints, texts

_HEADS = "SELECT site, sequence, hash, version FROM streams WHERE sequence > 0"
_HEADS_OF = _HEADS + " AND site = ANY($1::text[])"
_HEAD = "SELECT sequence, hash, version FROM streams WHERE site = $1"
_SNAPSHOTS = """
    SELECT sequence, version, state FROM snapshots
    WHERE site = $1 ORDER BY sequence DESC
"""
_READ_EACH = """
    SELECT of.site, found.* FROM unnest($1::text[], $2::bigint[]) AS of(site, after),
    LATERAL (
        SELECT sequence, time_micros, kind, version, body, hash FROM events
        WHERE site = of.site AND sequence > of.after ORDER BY sequence LIMIT $3
    ) AS found
    ORDER BY of.site, found.sequence
"""


class PostgresJournal:
    """A journal in PostgreSQL. Used by the thread that opened it, and by no other."""

    shared = True

    def __init__(self, session: Session, *, frozen: bool = False) -> None:
        """A frozen journal stays as it is now, whatever is written meanwhile."""
        self._session = session
        self._seen = Seen()
        # A long transaction would keep the old versions of every head alive, so it is the heads
        # that are held on to: entries up to them never change.
        self._frozen: dict[str, Head] | None = None
        self._frozen_snapshots: list[tuple[str, int]] = []
        if frozen:
            self._freeze()

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
            rows = self._session.execute(*((_HEADS_OF, texts(sites)) if sites else (_HEADS,)))
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
            return [entry_of(row) for row in self._session.execute(READ, site, after, limit)]

    def read_each(self, after: Mapping[str, int], limit: int) -> dict[str, list[Entry]]:
        """Entries of several streams, each after its sequence and so many at most."""
        found: dict[str, list[Entry]] = {site: [] for site in after}
        with as_store_error("can't read events"):
            for site, *row in self._session.execute(
                _READ_EACH, texts(after), bigints([*after.values()]), limit
            ):
                found[site].append(entry_of(row))
        return found

    def snapshots(self, site: str) -> Iterator[StoredSnapshot]:
        """The snapshots there are, newest first."""
        with as_store_error("can't read snapshots"):
            rows = self._session.execute(_SNAPSHOTS, site)
        found = [StoredSnapshot(*row) for row in rows]
        if self._frozen is not None:
            found = [each for each in found if (site, each.sequence) in self._frozen_snapshots]
        return iter(found)

    def damage(self) -> str:
        """What is wrong beyond any one stream, or nothing."""
        with as_store_error("can't check the tables"):
            return damage(self._session)

    @property
    def backend_pid(self) -> int:
        """The server's process on the other end."""
        return self._session.backend_pid

    def setting(self, name: str) -> str:
        """A setting of the session."""
        with as_store_error(f"can't read {name}"):
            return str(self._session.one("SELECT current_setting($1)", name)[0])

    @contextmanager
    def begin(self, sites: Collection[str]) -> Iterator[PostgresTransaction]:
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

    def _freeze(self) -> None:
        """Note heads and snapshots as of one moment."""
        with self._session.transaction():
            self._session.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            heads = self.heads()
            rows = self._session.execute("SELECT site, sequence FROM snapshots")
        self._frozen, self._frozen_snapshots = heads, rows
