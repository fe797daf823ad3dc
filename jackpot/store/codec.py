"""Turn records and states into the bytes that a journal keeps, and back.

Bodies are JSON: any database browser shows them. Fields are only ever added with a default, so
an old row reads as it always did; a kind or a version that is not known here stops the reader.
"""

import hashlib
from typing import get_args

import msgspec

from jackpot.core.events import AnyEvent, Record
from jackpot.core.state import STATE_VERSION, State
from jackpot.store.journal import Entry, StoredSnapshot, UnsoundError

VERSION = 1  # of an entry's form
KINDS: frozenset[str] = frozenset(event.__name__ for event in get_args(AnyEvent))

encode_record = msgspec.json.Encoder().encode
_decode_record = msgspec.json.Decoder(Record).decode
_encode_state = msgspec.json.Encoder().encode
_decode_state = msgspec.json.Decoder(State).decode


def decode_entry(site: str, entry: Entry) -> Record:
    """What a row says, or why this version of the program can't tell."""
    if entry.version > VERSION or entry.kind not in KINDS:
        problem = f"{entry.kind} of version {entry.version} is not known to this program"
        raise UnsoundError(site, entry.sequence, problem)
    try:
        record = _decode_record(entry.body)
    except msgspec.DecodeError as error:
        raise UnsoundError(site, entry.sequence, f"the entry can't be read: {error}") from error
    if type(record.event).__name__ != entry.kind:
        raise UnsoundError(site, entry.sequence, f"the entry is no {entry.kind}")
    return record


def encode_state(state: State) -> StoredSnapshot:
    """A state as a snapshot of itself."""
    return StoredSnapshot(state.sequence, STATE_VERSION, _encode_state(state))


def decode_state(snapshot: StoredSnapshot) -> State | None:
    """The state that a snapshot holds, or None where it can't be used."""
    if snapshot.version != STATE_VERSION:
        return None
    try:
        return _decode_state(snapshot.state)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def restore_state(state: bytes) -> State:
    """The state that this very program has encoded."""
    return _decode_state(state)


def state_digest(snapshot: StoredSnapshot) -> str:
    """What `SnapshotTaken` says of a snapshot."""
    return hashlib.sha256(snapshot.state).hexdigest()
