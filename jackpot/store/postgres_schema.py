"""The tables of the PostgreSQL store, as named steps that each run once.

Everything is keyed by site first, nothing refers to another site's rows, and no number comes from
a sequence: databases that speak PostgreSQL and spread rows over machines take it as it is.
"""

from typing import LiteralString

from jackpot.store.journal import StoreError
from jackpot.store.postgres_wire import Session

_LOCK_KEY = 0x4A41434B  # "JACK": whoever changes the tables holds this advisory lock
_NAMES = "SELECT name FROM jackpot_migrations"
_STEPS: dict[str, tuple[LiteralString, ...]] = {
    # Bodies are text, so that any browser shows them and SQL can look into them. A head is
    # changed at every commit: room in its page keeps the new versions there, out of the index.
    "m001_streams_events_snapshots": (
        """CREATE TABLE streams (
               site text PRIMARY KEY,
               sequence bigint NOT NULL,
               hash bytea NOT NULL,
               version integer NOT NULL
           ) WITH (fillfactor = 20)""",
        """CREATE TABLE events (
               site text NOT NULL,
               sequence bigint NOT NULL,
               time_micros bigint NOT NULL,
               kind text NOT NULL,
               version integer NOT NULL,
               body text NOT NULL,
               hash bytea NOT NULL,
               PRIMARY KEY (site, sequence)
           )""",
        """CREATE TABLE snapshots (
               site text NOT NULL,
               sequence bigint NOT NULL,
               version integer NOT NULL,
               state bytea NOT NULL,
               PRIMARY KEY (site, sequence)
           )""",
    ),
}
NAMES = frozenset(_STEPS)


def has_tables(session: Session) -> bool:
    """Whether a controller has ever used this database."""
    (table,) = session.one("SELECT to_regclass('jackpot_migrations')::text")
    return table is not None


def migrate(session: Session) -> None:
    """Run the steps that have not run here; refuse a database that a newer program has changed."""
    done = _done(session)
    if not done >= NAMES:
        # Two controllers may start on a new database at the same moment.
        with session.transaction():
            session.execute("SELECT pg_advisory_xact_lock($1)", _LOCK_KEY)
            session.execute(
                """CREATE TABLE IF NOT EXISTS jackpot_migrations (
                       name text PRIMARY KEY,
                       applied_at timestamptz NOT NULL DEFAULT now()
                   )"""
            )
            done = _done(session)
            for name, statements in _STEPS.items():
                if name not in done:
                    for statement in statements:
                        session.execute(statement)
                    session.execute("INSERT INTO jackpot_migrations VALUES ($1)", name)
    if unknown := done - NAMES:
        raise StoreError(f"a newer program has changed the journal: {', '.join(sorted(unknown))}")


def _done(session: Session) -> frozenset[str]:
    if not has_tables(session):
        return frozenset()
    return frozenset(name for (name,) in session.execute(_NAMES))
