"""What is wrong with an SQLite store beyond any one stream: its file, its tables, stray rows.

A view in place of a table, a trigger or another table can show a reader something else than what
the controllers wrote, or change what they write next.
"""

from functools import cache
from typing import Any

import pysqlite3
from sqlite_utils import Database

from jackpot.store.migrations import migrations

# Without what a table's own statement brings with it: the indexes of its keys have none.
_OBJECTS = """
    SELECT type, name, tbl_name, sql FROM sqlite_master WHERE type <> 'index' OR sql IS NOT NULL
"""
_RECORD = "_sqlite_migrations"  # the table in which sqlite-utils notes the steps, in its own words
_FORMERLY = ", WITHOUT ROWID"  # how `events` ends in a file made before 0.2.0
# Rows of a stream without a head, and rows before the first that a stream can have.
_STRAY = """
    SELECT 'events' FROM events WHERE stream NOT IN (SELECT id FROM streams) OR sequence < 1
    UNION ALL
    SELECT 'snapshots' FROM snapshots WHERE stream NOT IN (SELECT id FROM streams) OR sequence < 1
    LIMIT 1
"""


def damage(connection: Any) -> str:
    """What is wrong with a file, or nothing."""
    found = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if found != "ok":
        return str(found)
    if foreign := foreign_object(connection):
        return f"its tables are not as controllers make them: {foreign}"
    stray = connection.execute(_STRAY).fetchone()
    return f"there are {stray[0]} that no head speaks of" if stray else ""


def foreign_object(connection: Any) -> str:
    """What in a file's schema is not what the migrations make, or nothing."""
    found, expected = _objects(connection), _expected()
    for name, (kind, *rest) in expected.items():
        if name not in found:
            return f"the {kind} {name!r} is missing"
        if found[name][0] != kind:
            return f"{name!r} is a {found[name][0]}, not a {kind}"
        if [*found[name][1:]] != rest:
            return f"the {kind} {name!r} was altered"
    for name, (kind, of, _) in found.items():
        if name not in expected:
            return f"{kind} {name!r} was added" + (f" to {of!r}" if of != name else "")
    return ""


@cache
def _expected() -> dict[str, tuple[str, str, str]]:
    connection = pysqlite3.connect(":memory:", isolation_level=None)
    try:
        migrations.apply(Database(connection, execute_plugins=False))
        return _objects(connection)
    finally:
        connection.close()


def _objects(connection: Any) -> dict[str, tuple[str, str, str]]:
    rows = connection.execute(_OBJECTS).fetchall()
    return {name: (kind, of, _statement(name, sql or "")) for kind, name, of, sql in rows}


def _statement(name: str, sql: str) -> str:
    """What made an object, as far as it matters."""
    if name == _RECORD:
        return ""
    statement = " ".join(sql.split())
    return statement.removesuffix(_FORMERLY) if name == "events" else statement
