"""The interface of a store: one gap-free, hash-chained stream of entries for each site.

Every store runs the same commit: begin, look at the head, append, commit durably. Where a store
does not lock from the beginning, it compares the head with the commit and says that a race was
lost. The hash covers the exact stored bytes, each field prefixed with its length, so no two rows
have the same preimage.
"""

import hashlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import NamedTuple, Protocol

from msgspec import Struct
from msgspec.structs import astuple

from jackpot.wire.errors import PlainError


class Head(Struct, frozen=True, gc=False):
    """Where a stream ends, and the greatest version of its entries.

    Whoever does not know that version can't read the stream, and must not write to it.
    """

    sequence: int
    hash: bytes
    version: int = 0

    def same(self, other: "Head") -> bool:
        """Whether both are the same place of the same history."""
        return self.sequence == other.sequence and self.hash == other.hash


GENESIS = Head(0, bytes(32))


class Entry(Struct, frozen=True, gc=False):
    """One row of the journal: one command's event. A struct takes a quarter of a tuple's time."""

    sequence: int
    time_micros: int
    kind: str
    version: int
    body: bytes
    hash: bytes


class StoredSnapshot(NamedTuple):
    """A site's state as bytes, after `sequence`."""

    sequence: int
    version: int
    state: bytes


class StoreError(PlainError):
    """The store failed; the operation may or may not have happened."""


class LostRaceError(StoreError):
    """Another controller moved the head first: nothing of the transaction happened."""


class UnsoundError(PlainError):
    """A stream is not what the controllers wrote: nothing more may be appended to it."""

    def __init__(self, site: str, sequence: int, problem: str) -> None:
        super().__init__(f"site {site}, sequence {sequence}: {problem}")
        self.site = site
        self.sequence = sequence
        self.problem = problem


class Reader(Protocol):
    """Reads streams, inside or outside a transaction."""

    def head(self, site: str) -> Head:
        """Where the stream ends, whoever wrote it."""

    def read(self, site: str, after: int, limit: int) -> list[Entry]:
        """Entries after a sequence, in order."""


class Transaction(Reader, Protocol):
    """Changes streams all at once; without `commit`, nothing happens."""

    def append(self, site: str, entries: list[Entry]) -> None:
        """Add entries that follow the head."""

    def save_snapshot(self, site: str, snapshot: StoredSnapshot) -> None:
        """Keep a snapshot, and drop all but the last few."""

    def commit(self) -> None:
        """Make it durable.

        After a LostRaceError it is known not to be; after any other StoreError it is unknown.
        """


class Archive(Reader, Protocol):
    """A store of streams to be read."""

    def heads(self, sites: Collection[str] = ()) -> dict[str, Head]:
        """Where every stream ends, or each of some."""

    def snapshots(self, site: str) -> Iterator[StoredSnapshot]:
        """The snapshots there are, newest first."""

    def damage(self) -> str:
        """What is wrong with the store beyond any one stream, or nothing."""

    def close(self) -> None:
        """Let go of the store."""


class Journal(Archive, Protocol):
    """A store of streams. Used by one thread, the one that opened it."""

    # Whether other controllers keep streams here as well. Then a transaction is about one site
    # only, so that no site waits for another, and its commit may lose a race.
    shared: bool

    def read_each(self, after: Mapping[str, int], limit: int) -> dict[str, list[Entry]]:
        """Entries of several streams, each after its sequence and so many at most."""

    def begin(self, sites: Collection[str]) -> AbstractContextManager[Transaction]:
        """Make ready to write to some streams; waits a bounded time, then raises StoreError."""


def chained(
    site: str,
    previous: bytes,
    sequence: int,
    time_micros: int,
    kind: str,
    version: int,
    body: bytes,
) -> Entry:
    """An entry with the hash that binds it to the one before it."""
    preimage = b"%b%d:%d:%b%d:%d:%b%b" % (
        _measured(site),
        sequence,
        time_micros,
        _measured(kind),
        version,
        len(body),
        body,
        previous,
    )
    digest = hashlib.sha256(preimage).digest()
    return Entry(sequence, time_micros, kind, version, body, digest)


@lru_cache(maxsize=4_096)  # the same sites and kinds in every entry
def _measured(text: str) -> bytes:
    """A text behind its length."""
    return b"%d:%b" % (len(encoded := text.encode()), encoded)


def verify_link(site: str, previous: Head, entry: Entry) -> Head:
    """Return the head after an entry that follows `previous`; raise if it does not follow."""
    if entry.sequence != previous.sequence + 1:
        problem = f"the entry after {previous.sequence} is numbered {entry.sequence}"
        raise UnsoundError(site, previous.sequence + 1, problem)
    *said, _ = astuple(entry)
    if chained(site, previous.hash, *said) != entry:
        raise UnsoundError(site, entry.sequence, "the entry is not what its hash was made of")
    return Head(entry.sequence, entry.hash, max(previous.version, entry.version))
