"""Whole columns as PostgreSQL arrays in binary: one parameter each, however many rows there are."""

import struct
from collections.abc import Collection, Iterable, Sequence

_HEADER = struct.Struct("!iiIii")  # dimensions, whether there are nulls, type, length, first index
_LENGTH = struct.Struct("!i")
_BIGINT, _BYTEA, _TEXT = 20, 17, 25  # the types' numbers in the catalogue


def bigints(values: Sequence[int]) -> bytes:
    """A column of integers."""
    pairs = [number for value in values for number in (8, value)]
    return _header(_BIGINT, values) + struct.pack("!" + "iq" * len(values), *pairs)


def byteas(values: Sequence[bytes]) -> bytes:
    """A column of bytes."""
    return _header(_BYTEA, values) + _prefixed(values)


def texts(values: Collection[str | bytes]) -> bytes:
    """A column of texts, some of them perhaps encoded already."""
    encoded = [each if isinstance(each, bytes) else each.encode() for each in values]
    return _header(_TEXT, values) + _prefixed(encoded)


def _header(element: int, values: Collection[object]) -> bytes:
    return _HEADER.pack(1, 0, element, len(values), 1)


def _prefixed(values: Iterable[bytes]) -> bytes:
    return b"".join(part for value in values for part in (_LENGTH.pack(len(value)), value))
