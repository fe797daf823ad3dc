"""A writer's copy of one site: the state, and the entry of the journal up to which it goes.

State is only ever what the journal says, so whenever there is doubt the copy is thrown away and
made anew. It starts from the newest snapshot that the chain vouches for.
"""

import logging
from typing import TYPE_CHECKING

from jackpot.core.commands.base import Origin
from jackpot.core.events import AnyEvent, Record, SnapshotTaken
from jackpot.core.evolve import evolve
from jackpot.core.invariants import BrokenInvariantError, check, check_open
from jackpot.core.state import State
from jackpot.engine.meter_board import moves_meters
from jackpot.engine.table_board import EVERY, concerned
from jackpot.store import codec
from jackpot.store.journal import (
    GENESIS,
    Archive,
    Entry,
    Head,
    Reader,
    StoredSnapshot,
    UnsoundError,
    chained,
    verify_link,
)

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = 500  # entries read at a time
_MARK_EVERY = 2_000  # entries; what going back replays at most
_log = logging.getLogger(__name__)


class Replica:
    """A site's state and the head that it belongs to."""

    def __init__(self, site: str) -> None:
        self.site = site
        self.state = State(site)
        self.head = GENESIS
        self.snapshot_sequence = 0  # of the last snapshot that anyone took
        # Whether a frame of it may show something else by now, whoever wrote what moved it.
        self.moved = True
        self.touched = {EVERY}  # the tables about which something may be different by now
        self.heed: Callable[[Entry, AnyEvent], None] | None = None  # told what others wrote
        self._mark: tuple[Head, bytes, int] | None = None  # an earlier state of this copy
        self._since: list[Entry] = []  # what has been applied after the mark
        self._unsealed: list[tuple[Record, int, int]] = []  # added, with sequence and time
        self._durable = GENESIS

    def mark(self) -> None:
        """Note that everything so far is durable, so that `rewind` can come back to here."""
        self._durable = self.head
        if self._mark is None or len(self._since) >= _MARK_EVERY:
            self._mark = (self.head, codec.encode_state(self.state).state, self.snapshot_sequence)
            self._since = []

    def rewind(self) -> None:
        """Forget whatever was added after the last call of `mark`."""
        if self._mark is None or (self.head.same(self._durable) and not self._unsealed):
            return
        self._unsealed.clear()
        since, durable = self._since, self._durable
        self.head, state, self.snapshot_sequence = self._mark
        self.state, self._since = codec.restore_state(state), []
        for entry in since:
            if entry.sequence <= durable.sequence:
                self.follow(entry)

    def catch_up(self, reader: Reader) -> bool:
        """Apply what others appended, a page at most; True when nothing is left.

        An UnsoundError means that this copy and the journal part ways.
        """
        head = reader.head(self.site)
        if head.same(self.head):
            return True
        if head.version > codec.VERSION:
            raise UnsoundError(
                self.site, head.sequence, "a newer version of the program wrote this entry"
            )
        behind = head.sequence - self.head.sequence
        entries = (
            reader.read(self.site, self.head.sequence, min(behind, PAGE)) if behind > 0 else []
        )
        if not entries:
            problem = f"the journal's head is at {head.sequence}, with a different history"
            raise UnsoundError(self.site, min(head.sequence, self.head.sequence) + 1, problem)
        for entry in entries:
            record = self.follow(entry)
            if self.heed is not None:
                self.heed(entry, record.event)
        self.check()
        if behind > len(entries):
            return False
        if self.head.hash != head.hash:
            raise UnsoundError(self.site, head.sequence, "the head is not the last entry")
        return True

    def add(self, origin: Origin, event: AnyEvent, digest: str, time_micros: int) -> int:
        """Apply an event before it is durable; the sequence that its entry will have.

        The caller must then `seal` and commit, or else rewind this copy or throw it away.
        """
        record, sequence = Record(origin, event, digest), self.state.sequence + 1
        self._apply(record, sequence, time_micros)
        self._unsealed.append((record, sequence, time_micros))
        return sequence

    def seal(self) -> list[Entry]:
        """Make the entries of what was added since the last call.

        Many at once: to decide, encode and hash one after the other takes some 5% longer than to
        decide all first. A processor finds code that it has just run in its cache.
        """
        entries: list[Entry] = []
        site, last, encode, version = self.site, self.head.hash, codec.encode_record, codec.VERSION
        for record, sequence, time_micros in self._unsealed:
            kind = type(record.event).__name__
            entry = chained(site, last, sequence, time_micros, kind, version, encode(record))
            last = entry.hash
            entries.append(entry)
        if entries:
            self._unsealed.clear()
            self.head = Head(entries[-1].sequence, last, version)
            if self._mark is not None:
                self._since += entries
        return entries

    def check(self, *, whole: bool = False) -> None:
        """Check the invariants for the entries since the last check, or for everything."""
        try:
            (check if whole else check_open)(self.state)
        except BrokenInvariantError as error:
            raise UnsoundError(self.site, self.state.sequence, str(error)) from error

    def follow(self, entry: Entry) -> Record:
        """Apply the entry that comes next in the chain."""
        head = verify_link(self.site, self.head, entry)
        record = codec.decode_entry(self.site, entry)
        self._apply(record, entry.sequence, entry.time_micros)
        self.head = head
        if self._mark is not None:
            self._since.append(entry)
        return record

    def _apply(self, record: Record, sequence: int, time_micros: int) -> None:
        try:
            evolve(self.state, record, sequence, time_micros)
        except (BrokenInvariantError, LookupError) as error:
            # A row that names what does not exist is as bad as one that breaks conservation.
            raise UnsoundError(self.site, sequence, f"the entry is not valid: {error!r}") from error
        if not self.moved:
            self.moved = moves_meters(record.event)
        if table := concerned(record.event):
            self.touched.add(table)
        if type(record.event) is SnapshotTaken:
            self.snapshot_sequence = sequence


def load(journal: Archive, site: str) -> Replica:
    """Make a site's copy from the journal, or raise UnsoundError where its chain is broken."""
    replica = _from_snapshot(journal, site) or Replica(site)
    while not replica.catch_up(journal):
        pass
    replica.check(whole=True)
    return replica


def _from_snapshot(journal: Archive, site: str) -> Replica | None:
    for snapshot in journal.snapshots(site):
        # The entry that it is a snapshot after, and the one that binds it to the chain.
        around = journal.read(site, snapshot.sequence - 1, 2)
        if _bound(site, snapshot, around) and (state := codec.decode_state(snapshot)):
            replica = Replica(site)
            replica.state = state
            replica.head = Head(snapshot.sequence, around[0].hash, around[0].version)
            return replica
        _log.warning("site %s: the snapshot after %d is not used", site, snapshot.sequence)
    return None


def _bound(site: str, snapshot: StoredSnapshot, around: list[Entry]) -> bool:
    """Whether the entry behind a snapshot vouches for it."""
    if len(around) < 2 or around[0].sequence != snapshot.sequence:  # noqa: PLR2004 - a pair
        return False
    event = codec.decode_entry(site, around[1]).event
    return (
        isinstance(event, SnapshotTaken)
        and event.of_sequence == snapshot.sequence
        and event.state_sha256 == codec.state_digest(snapshot)
    )
