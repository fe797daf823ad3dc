"""Whole columns as PostgreSQL arrays in binary: one parameter each, however many rows there are.

psycopg's own lists look at every element to find its type; these columns have theirs by name.
"""

import struct
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from psycopg.adapt import Dumper
from psycopg.pq import Format

if TYPE_CHECKING:
    from psycopg import Connection

_HEADER = struct.Struct("!iiIii")  # dimensions, whether there are nulls, type, length, first index
_LENGTH = struct.Struct("!i")


class BigintArray(bytes):
    """Integers."""

    OID, ELEMENT_OID = 1016, 20

    @classmethod
    def of(cls, values: Sequence[int]) -> "BigintArray":
        """A column of integers."""
        pairs = [number for value in values for number in (8, value)]
        body = struct.pack("!" + "iq" * len(values), *pairs)
        return cls(_HEADER.pack(1, 0, cls.ELEMENT_OID, len(values), 1) + body)


class ByteaArray(bytes):
    """Bytes."""

    OID, ELEMENT_OID = 1001, 17

    @classmethod
    def of(cls, values: Sequence[bytes]) -> "ByteaArray":
        """A column of bytes."""
        return cls(_HEADER.pack(1, 0, cls.ELEMENT_OID, len(values), 1) + _prefixed(values))


class TextArray(bytes):
    """Texts, already encoded as UTF-8."""

    OID, ELEMENT_OID = 1009, 25

    @classmethod
    def of(cls, values: Sequence[bytes]) -> "TextArray":
        """A column of texts."""
        return cls(_HEADER.pack(1, 0, cls.ELEMENT_OID, len(values), 1) + _prefixed(values))


def _prefixed(values: Iterable[bytes]) -> bytes:
    return b"".join(part for value in values for part in (_LENGTH.pack(len(value)), value))


class _AsItIs(Dumper):
    format = Format.BINARY

    def dump(self, obj: bytes) -> bytes:
        return obj


def register(connection: "Connection[object]") -> None:
    """Let a connection take these arrays as parameters."""
    for array in (BigintArray, ByteaArray, TextArray):
        dumper = type(f"{array.__name__}Dumper", (_AsItIs,), {"oid": array.OID})
        connection.adapters.register_dumper(array, dumper)
