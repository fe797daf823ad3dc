"""The record of a run on disk: entry behind entry as they were told, to be read one at a time."""

from collections.abc import Iterator
from typing import BinaryIO

import msgspec

from emulator.audit.entry import Entry, classes_of

_LENGTH_BYTES = 4


class Row(msgspec.Struct, array_like=True):
    """An entry as it is written."""

    sequence: int
    kind: str
    request: bytes
    response: bytes | None
    reason: str
    details: dict[str, str]
    table: str
    epoch: int
    number: int
    since: int
    complete: int  # up to this sequence nothing was missing any more


_decoder = msgspec.msgpack.Decoder(Row)


def write_entry(file: BinaryIO, entry: Entry, complete: int) -> None:
    """Put an entry behind the others."""
    row = Row(
        sequence=entry.sequence,
        kind=entry.kind,
        request=entry.request.SerializeToString() if entry.request is not None else b"",
        response=None if entry.response is None else entry.response.SerializeToString(),
        reason=entry.reason,
        details=dict(entry.details),
        table=entry.table,
        epoch=entry.epoch,
        number=entry.number,
        since=entry.since,
        complete=complete,
    )
    raw = msgspec.msgpack.encode(row)
    file.write(len(raw).to_bytes(_LENGTH_BYTES, "big") + raw)


def rows(file: BinaryIO) -> Iterator[tuple[int, Row]]:
    """All that was written, each with where it lies, in the order in which it was told."""
    offset = 0
    while row := _read(file):
        yield offset, row
        offset = file.tell()


def entry_at(file: BinaryIO, offset: int) -> Entry:
    """The entry that lies there."""
    file.seek(offset)
    row = _read(file)
    if row is None:
        raise AssertionError("an offset of `rows`")
    asked, answered = classes_of(row.kind)
    return Entry(
        row.sequence,
        row.kind,
        asked.FromString(row.request) if asked else None,
        None if row.response is None else answered.FromString(row.response),
        row.reason,
        row.details,
        row.table,
        row.epoch,
        row.number,
        row.since,
    )


def _read(file: BinaryIO) -> Row | None:
    head = file.read(_LENGTH_BYTES)
    return _decoder.decode(file.read(int.from_bytes(head, "big"))) if head else None
