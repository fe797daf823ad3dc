"""The record of a run: every command and answer, handed to the auditor in the journal's order.

A command that is under way was sent when some sequence was already known, so its own will be
higher. What lies below the oldest of those can be audited: nothing earlier can still come. The
record is also kept on disk, so that a failed run can be gone through again.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import msgspec

from emulator.audit.entry import OBSERVATIONS, Entry, classes_of
from emulator.auditor import Auditor, ContradictionError

_MOST_UNKNOWN = 3  # named in a report
_LENGTH_BYTES = 4


class Ticket(NamedTuple):
    """A command under way."""

    number: int
    known: int  # the highest sequence that was known when it was sent


class Tape:
    """What was sent and told, in the order in which it was told."""

    def __init__(self, auditor: Auditor, path: Path | None = None) -> None:
        self.auditor = auditor
        self.known = 0
        self.contradiction: ContradictionError | None = None  # the first; nothing more is audited
        self.failed = asyncio.Event()
        self.counts: Counter[str] = Counter()
        self.refusals: Counter[str] = Counter()
        self.wagers = 0  # accepted
        self.unknown: list[str] = []  # the first commands whose client gave up, and why
        self._tickets: dict[int, int] = {}
        self._issued = 0
        self._ended = asyncio.Event()
        self._path = path
        self._file: BinaryIO | None = None

    def begin(self) -> Ticket:
        """A command is about to be sent."""
        self._issued += 1
        self._tickets[self._issued] = self.known
        return Ticket(self._issued, self.known)

    def end(self, ticket: Ticket, entry: Entry | None) -> None:
        """Its answer is there; None: it was never sent after all."""
        self._tickets.pop(ticket.number, None)
        self._ended.set()
        if entry is not None:
            self.note(entry)

    def give_up(self, what: str) -> None:
        """Its client waits no longer. The ticket stays open: the outcome is unknown."""
        if len(self.unknown) < _MOST_UNKNOWN:
            self.unknown.append(what)

    def note(self, entry: Entry, since: int = 0) -> None:
        """Record an entry, and audit what has become complete.

        `since` is what was known when it was asked for.
        """
        if self._path and not self._file:
            self._file = self._path.open("wb")
        if self._file and not self._file.closed:
            _write(self._file, entry)
        if entry.kind not in OBSERVATIONS:
            self.counts[entry.kind] += 1
            if entry.reason:
                self.refusals[entry.reason] += 1
            elif entry.kind == "place_wagers":
                self.wagers += len(entry.request.wagers)
        self.known = max(self.known, entry.sequence)
        if self.contradiction:
            return
        try:
            self.auditor.feed(entry, since)
            self.auditor.advance(self.complete)
        except ContradictionError as error:
            self.contradiction = error
            self.failed.set()

    async def all_answered(self, timeout_s: float) -> None:
        """Wait until nothing is under way, at most so long."""
        until = asyncio.get_running_loop().time() + timeout_s
        while self._tickets and asyncio.get_running_loop().time() < until:
            self._ended.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._ended.wait(), 1)

    @property
    def complete(self) -> int:
        """Up to this sequence nothing is missing."""
        return next(iter(self._tickets.values()), self.known)

    @property
    def under_way(self) -> int:
        """Commands without an answer."""
        return len(self._tickets)

    def close(self) -> None:
        """No more is recorded."""
        if self._file:
            self._file.close()


def _write(file: BinaryIO, entry: Entry) -> None:
    row = (
        entry.sequence,
        entry.kind,
        entry.request.SerializeToString() if entry.request is not None else b"",
        None if entry.response is None else entry.response.SerializeToString(),
        entry.reason,
        dict(entry.details),
        entry.table,
        entry.epoch,
        entry.number,
    )
    raw = msgspec.msgpack.encode(row)
    file.write(len(raw).to_bytes(_LENGTH_BYTES, "big") + raw)


def read_tape(path: Path) -> Iterator[Entry]:
    """The entries of a record, in the order in which they were told."""
    with path.open("rb") as file:
        while head := file.read(_LENGTH_BYTES):
            row: list[Any] = msgspec.msgpack.decode(file.read(int.from_bytes(head, "big")))
            sequence, kind, request, response, *rest = row
            asked, answered = classes_of(kind)
            yield Entry(
                sequence,
                kind,
                asked.FromString(request) if asked else None,
                None if response is None else answered.FromString(response),
                *rest,
            )
