"""The tables of the SQLite store, as named steps that each run once.

Which steps it has seen a file says as sqlite-utils would, with which the first were made.
"""

import datetime as dt
from typing import Any

RECORD = "_sqlite_migrations"
_SET = "jackpot"
_RECORD_TABLE = (
    f"""CREATE TABLE "{RECORD}" (
            "id" INTEGER PRIMARY KEY,
            "migration_set" TEXT,
            "name" TEXT,
            "applied_at" TEXT
        )""",
    f"""CREATE UNIQUE INDEX "idx_{RECORD}_migration_set_name"
            ON "{RECORD}" ("migration_set", "name")""",
)
_STEPS: dict[str, tuple[str, ...]] = {
    # One row a stream (its head), one row a command, and a few snapshots. The rows of `events` are
    # clustered by stream and sequence: appends go to the end, and a catch-up reads neighboring
    # pages. Bodies are TEXT, so that a browser shows them and SQL can look into them; they are
    # written and read as bytes.
    "m001_streams_events_snapshots": (
        """CREATE TABLE streams (
               id INTEGER PRIMARY KEY,
               site TEXT NOT NULL UNIQUE,
               sequence INTEGER NOT NULL,
               hash BLOB NOT NULL,
               version INTEGER NOT NULL
           ) STRICT""",
        """CREATE TABLE events (
               stream INTEGER NOT NULL REFERENCES streams (id),
               sequence INTEGER NOT NULL,
               time_micros INTEGER NOT NULL,
               kind TEXT NOT NULL,
               version INTEGER NOT NULL,
               body TEXT NOT NULL,
               hash BLOB NOT NULL,
               PRIMARY KEY (stream, sequence)
           ) STRICT, WITHOUT ROWID""",
        """CREATE TABLE snapshots (
               stream INTEGER NOT NULL REFERENCES streams (id),
               sequence INTEGER NOT NULL,
               version INTEGER NOT NULL,
               state BLOB NOT NULL,
               PRIMARY KEY (stream, sequence)
           ) STRICT""",
    ),
}
NAMES = frozenset(_STEPS)


def migrate(connection: Any) -> None:
    """Run the steps that this file has not seen; the caller holds the lock, and commits."""
    known = "SELECT 1 FROM sqlite_master WHERE name = ?"
    if connection.execute(known, (RECORD,)).fetchone() is None:
        for statement in _RECORD_TABLE:
            connection.execute(statement)
    for name in [each for each in _STEPS if each not in seen(connection)]:
        for statement in _STEPS[name]:
            connection.execute(statement)
        connection.execute(
            f"INSERT INTO {RECORD} (migration_set, name, applied_at) VALUES (?, ?, ?)",  # noqa: S608 - a constant
            (_SET, name, str(dt.datetime.now(dt.UTC))),
        )


def seen(connection: Any) -> frozenset[str]:
    """The steps that have run on this file, also those of newer programs."""
    rows = connection.execute(f"SELECT name FROM {RECORD} WHERE migration_set = ?", (_SET,))  # noqa: S608 - a constant
    return frozenset(name for (name,) in rows)
