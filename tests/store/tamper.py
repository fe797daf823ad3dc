"""A store as anybody could open it who has the file or the database's password."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psycopg
import pysqlite3

from jackpot.store.opening import Address
from jackpot.store.sqlite import FILE_NAME


def change(store: Address, sql: str, *values: object) -> int:
    """Change rows behind the controllers' backs; how many. What the database won't take is none.

    Two rows can't have one number, and PostgreSQL keeps no text that is not UTF-8: such a flip
    the tables themselves keep out.
    """
    if isinstance(store, Path):
        connection = pysqlite3.connect(str(store / FILE_NAME))
        try:
            count: int = connection.execute(sql, values).rowcount
            connection.commit()
        except pysqlite3.IntegrityError:
            count = 0
        finally:
            connection.close()
        return count
    try:
        with psycopg.connect(store) as opened:
            return opened.execute(_dialect(sql), values).rowcount
    except (psycopg.errors.UniqueViolation, psycopg.DataError):
        return 0


def rows(store: Address, sql: str) -> Sequence[tuple[Any, ...]]:
    """What a query gives."""
    if isinstance(store, Path):
        connection = pysqlite3.connect(str(store / FILE_NAME))
        found: list[tuple[Any, ...]] = connection.execute(sql).fetchall()
        connection.close()
        return found
    with psycopg.connect(store) as opened:
        return opened.execute(_dialect(sql)).fetchall()


def _dialect(sql: str) -> bytes:
    """The same statement for PostgreSQL."""
    changes = {
        "CAST(? AS TEXT)": "convert_from(?, 'UTF8')",
        "zeroblob(32)": "decode(repeat('00', 32), 'hex')",
        "SET stream = 2": "SET site = 'two'",
        "?": "%s",
    }
    for here, there in changes.items():
        sql = sql.replace(here, there)
    return sql.encode()
