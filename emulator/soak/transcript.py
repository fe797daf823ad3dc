"""Record every command and answer of a run, and hand them to the auditor in the journal's order.

A command that is under way was sent when some sequence was already known, so its own will be
higher. What lies below the oldest of those can be audited: nothing earlier can still come. The
transcript is also kept on disk, entry by entry, so that a failed run can be replayed. What is told
a second time is recorded and audited, but counted once.
"""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

import msgspec
from google.protobuf.message import Message

from emulator.soak.audit.auditor import Auditor, ContradictionError
from emulator.soak.audit.entry import FRAME, OBSERVATIONS, RESTORED, Entry, classes_of
from emulator.soak.audit.signs import SignAges
from emulator.soak.audit.terms import SiteTerms
from jackpot.wire.v1 import meter_pb2

_MOST_UNKNOWN = 3  # named in a report
_log = logging.getLogger(__name__)


class Heard(NamedTuple):
    """The first and the last sequence that a table was told, and its round."""

    first: int
    last: int
    round: int


class Transcript:
    """What was sent and told, in the order in which it was told."""

    def __init__(
        self, auditor: Auditor, path: Path | None = None, ages: SignAges | None = None
    ) -> None:
        self.auditor = auditor
        self._ages = ages
        auditor.signs.on_change = ages.changed if ages else None
        self.known = 0
        self.contradiction: ContradictionError | None = None  # the first; nothing more is audited
        self.failed = asyncio.Event()
        self.counts: Counter[str] = Counter()
        self.refusals: Counter[str] = Counter()
        self.wagers = 0  # accepted
        self.unknown: list[str] = []  # the first commands whose client gave up, and why
        self.acknowledged: dict[str, Heard] = {}  # by table: what its client was answered
        self.restores = 0
        self._tickets: dict[int, int] = {}  # what was known when each was sent, oldest first
        self._issued = 0
        self._ended = asyncio.Event()
        self._path = path
        self._file: BinaryIO | None = None

    def begin(self) -> int:
        """Something is about to be sent; the ticket under which it is under way."""
        self._issued += 1
        self._tickets[self._issued] = self.known
        return self._issued

    def end(self, ticket: int, entry: Entry | None) -> None:
        """Its answer is there; None: there is nothing to be known of it."""
        del self._tickets[ticket]
        self._ended.set()
        if entry is not None:
            self.note(entry)

    def give_up(self, what: str) -> None:
        """Its client waits no longer. The ticket stays open: the outcome is unknown."""
        if len(self.unknown) < _MOST_UNKNOWN:
            self.unknown.append(what)

    @property
    def given_up(self) -> str:
        """The first of what clients wait for no longer, for the end of a sentence."""
        return "".join(f"; {what}" for what in self.unknown)

    def note(self, entry: Entry) -> None:
        """Record an entry, and audit what has become complete."""
        if self._ages and entry.sequence > self.known:
            self._ages.reached(entry.sequence, time.monotonic())
        self.known = max(self.known, entry.sequence)
        if self._path and not self._file:
            self._file = self._path.open("wb")
        if self._file and not self._file.closed:
            write_entry(self._file, entry, self.complete)
        if self.contradiction:
            return
        try:
            if self.auditor.feed(entry) and entry.kind not in OBSERVATIONS:
                self._count(entry)
            self.auditor.advance(self.complete)
        except ContradictionError as error:
            self._contradicted(error)
        except Exception as error:  # noqa: BLE001 - what was not audited must not pass
            _log.exception("the auditor failed")
            self._contradicted(ContradictionError(entry, f"the auditor failed: {error!r}"))

    def acknowledge(self, entry: Entry) -> None:
        """Note what a table's own client was told; copies over other ways don't count."""
        if not entry.sequence:
            return
        first, last, round_ = self.acknowledged.get(entry.table, Heard(entry.sequence, 0, 0))
        if entry.kind == "attach":
            round_ = entry.response.round.number
        elif entry.kind == "open_round" and entry.response is not None:
            round_ = entry.response.round
        heard = Heard(first, max(last, entry.sequence), round_)
        self.acknowledged[entry.table] = heard

    def roll_back(self, terms: SiteTerms, common: int, said: Mapping[str, str]) -> dict[str, Heard]:
        """A backup that ends at `common` was restored: what came later never happened.

        The record is rewritten and audited anew up to there, for the auditor has no way back. What
        tables were told of the part that is lost comes back, as they must report it.
        """
        if self._path is None or self._file is None or self.contradiction:
            raise AssertionError("only a run that is on record, and as it must be, goes on")
        self.restores += 1
        self._file.close()
        lost = self._path.with_name(f"{self._path.name}.{self.restores}")
        self._path.rename(lost)
        self._file = self._path.open("wb")
        auditor, last = Auditor(terms, None), {"last_epoch": 0, "last_payout": 0, "last_call": 0}
        with lost.open("rb") as file:
            for offset, row in list(rows(file)):
                entry = entry_at(file, offset)
                last = _greatest(entry, last)
                if 1 <= entry.sequence <= common:
                    complete = min(row.complete, common)
                    write_entry(self._file, entry, complete)
                    auditor.feed(entry)
                    auditor.advance(complete)
        self.known = common
        self._tickets = {ticket: min(at, common) for ticket, at in self._tickets.items()}
        self._take_over(auditor)
        details = {**said, **{name: str(value) for name, value in last.items()}}
        self.note(Entry(common + 1, RESTORED, None, details=details))
        gone = {table: h for table, h in self.acknowledged.items() if h.last > common}
        self.acknowledged = {}
        return {table: h._replace(first=max(h.first, common + 1)) for table, h in gone.items()}

    def _take_over(self, auditor: Auditor) -> None:
        before, self.auditor = self.auditor, auditor
        auditor.on_settled = before.on_settled
        auditor.audited += before.audited
        auditor.observed += before.observed
        if self._ages:
            self._ages.start_over()
            auditor.signs.on_change = self._ages.changed

    def show(self, place: int, link: meter_pb2.LinkMeters) -> None:
        """Record a frame that a sign at the controller of this place was sent."""
        if self._ages:
            self._ages.frame(place, link, time.monotonic())
        self.note(Entry(link.sequence, FRAME, None, link))

    def _contradicted(self, error: ContradictionError) -> None:
        self.contradiction = error
        self.failed.set()

    def _count(self, entry: Entry) -> None:
        self.counts[entry.kind] += 1
        if entry.reason:
            self.refusals[entry.reason] += 1
        elif entry.kind == "place_wagers":
            self.wagers += len(entry.request.wagers)

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


def _greatest(entry: Entry, so_far: dict[str, int]) -> dict[str, int]:
    """The greatest epoch, payout and call that anybody was told of."""
    told = entry.response
    if told is None:
        return so_far
    match entry.kind:
        case "attach":
            name, number = "last_epoch", told.epoch
        case "settle":
            name, number = "last_payout", max((each.id for each in told.payouts), default=0)
        case "call_floor":
            name, number = "last_call", told.call
        case _:
            return so_far
    return so_far | {name: max(so_far[name], number)}


_LENGTH_BYTES = 4


class Row(NamedTuple):
    """An entry as it is written, its messages as bytes."""

    entry: Entry
    complete: int  # up to this sequence nothing was missing any more


def _bytes(message: Message | None) -> bytes | None:
    return None if message is None else message.SerializeToString()


def write_entry(file: BinaryIO, entry: Entry, complete: int) -> None:
    """Put an entry behind the others."""
    request, response = _bytes(entry.request), _bytes(entry.response)
    plain = entry._replace(request=request, response=response, details=dict(entry.details))
    raw = msgspec.msgpack.encode((plain, complete))
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
    entry = row.entry
    asked, answered = classes_of(entry.kind)
    return entry._replace(
        request=asked.FromString(entry.request) if asked else None,
        response=None if entry.response is None else answered.FromString(entry.response),
    )


def _read(file: BinaryIO) -> Row | None:
    head = file.read(_LENGTH_BYTES)
    if not head:
        return None
    entry, complete = msgspec.msgpack.decode(file.read(int.from_bytes(head, "big")))
    return Row(Entry(*entry), complete)
