"""What the engine asks of a store: one gap-free, hash-chained stream of entries for each site.

Every store runs the same commit: lock, look at the head, append, commit durably. The hash covers
the exact stored bytes, each field prefixed with its length, so no two rows have the same preimage.
"""

import hashlib
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol


class Head(NamedTuple):
    """Where a stream ends."""

    sequence: int
    hash: bytes


GENESIS = Head(0, bytes(32))


class Entry(NamedTuple):
    """One row of the journal: one command's event."""

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


class StoreError(Exception):
    """The store did not do it, or it is not known whether it did."""


class Transaction(Protocol):
    """A lock on the streams, from its opening until `commit`; left without it, nothing happened."""

    def head(self, site: str) -> Head:
        """Where the stream ends, whoever wrote it."""

    def read(self, site: str, after: int, limit: int) -> list[Entry]:
        """Entries after a sequence, in order."""

    def append(self, site: str, entries: list[Entry]) -> None:
        """Add entries that follow the head."""

    def commit(self) -> None:
        """Make it durable. After a StoreError it is unknown whether it is."""


class Journal(Protocol):
    """A store of streams."""

    def head(self, site: str) -> Head:
        """Where the stream ends."""

    def read(self, site: str, after: int, limit: int) -> list[Entry]:
        """Entries after a sequence, in order."""

    def begin(self) -> AbstractContextManager[Transaction]:
        """Lock for writing; waits a bounded time, then raises StoreError."""

    def save_snapshot(self, site: str, snapshot: StoredSnapshot) -> None:
        """Keep a snapshot, durably, and drop all but the last few."""

    def snapshots(self, site: str) -> list[StoredSnapshot]:
        """The snapshots there are, newest first."""

    def sites(self) -> list[str]:
        """The sites that have a stream here."""

    def close(self) -> None:
        """Let go of the store."""


def chain_hash(site: str, entry: Entry, previous: bytes) -> bytes:
    """The hash that binds an entry (its own `hash` aside) to the one before it."""
    site_bytes, kind = site.encode(), entry.kind.encode()
    return hashlib.sha256(
        b"%d:%b%d:%d:%d:%b%d:%d:%b%b"
        % (
            len(site_bytes),
            site_bytes,
            entry.sequence,
            entry.time_micros,
            len(kind),
            kind,
            entry.version,
            len(entry.body),
            entry.body,
            previous,
        )
    ).digest()
