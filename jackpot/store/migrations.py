"""The tables of the SQLite store, as named steps that each run once."""

import sys
from typing import Any

# sqlite-utils loads numpy wherever it is installed, for types that no journal has: a quarter of a
# controller's start. None is Python's own way to say that a module can't be imported.
sys.modules.setdefault("numpy", None)  # type: ignore[arg-type]
try:
    import sqlite_utils.utils
    from sqlite_utils import Database, Migrations
finally:
    if sys.modules["numpy"] is None:
        del sys.modules["numpy"]

LIBRARY = vars(sqlite_utils.utils)["sqlite3"]  # what the steps are run with
migrations = Migrations("jackpot")


def migrate(connection: Any) -> None:
    """Run the steps that this file has not seen."""
    migrations.apply(Database(connection, execute_plugins=False))


@migrations()
def m001_streams_events_snapshots(db: Database) -> None:
    """One row a stream (its head), one row a command, and a few snapshots.

    Rows of `events` lie in the order in which they were written: a commit fills pages at the end,
    and a catch-up reads neighboring ones. Files made before 0.2.0 keep this table WITHOUT ROWID,
    and are read and written by the same statements. There a page of the index holds whole rows, a
    dozen of them, and a commit rewrites three times as many pages. Bodies are TEXT, so that a
    browser shows them and SQL can look into them; they are written and read as bytes.
    """
    db.executescript(
        """
        CREATE TABLE streams (
            id INTEGER PRIMARY KEY,
            site TEXT NOT NULL UNIQUE,
            sequence INTEGER NOT NULL,
            hash BLOB NOT NULL,
            version INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE events (
            stream INTEGER NOT NULL REFERENCES streams (id),
            sequence INTEGER NOT NULL,
            time_micros INTEGER NOT NULL,
            kind TEXT NOT NULL,
            version INTEGER NOT NULL,
            body TEXT NOT NULL,
            hash BLOB NOT NULL,
            PRIMARY KEY (stream, sequence)
        ) STRICT;
        CREATE TABLE snapshots (
            stream INTEGER NOT NULL REFERENCES streams (id),
            sequence INTEGER NOT NULL,
            version INTEGER NOT NULL,
            state BLOB NOT NULL,
            PRIMARY KEY (stream, sequence)
        ) STRICT;
        """
    )


NAMES = frozenset({m001_streams_events_snapshots.__name__})
