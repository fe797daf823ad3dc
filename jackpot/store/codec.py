"""Turn records and states into the bytes that a journal keeps, and back.

Bodies are JSON: any database browser shows them. Fields are only ever added with a default, so
an old row reads as it always did; a kind or a version that is not known here stops the reader.

A snapshot of version 3 is converted: to replay a long journal instead would take minutes. There
all principals shared one memory of requests, tables that attached among them, and newer hits could
push one that was not yet paid off its sign.
"""

import hashlib
from typing import get_args

import msgspec

from jackpot.core.commands.operator import AttachTable
from jackpot.core.events import AnyEvent, Record
from jackpot.core.evolve_awards import show_due
from jackpot.core.identity import digest
from jackpot.core.request_memory import keep, remember_request
from jackpot.core.state import RECENT_ATTACHES, STATE_VERSION, Answer, State
from jackpot.store.journal import Entry, StoredSnapshot, UnsoundError

VERSION = 1  # of an entry's form
KINDS: frozenset[str] = frozenset(event.__name__ for event in get_args(AnyEvent))

encode_record = msgspec.json.Encoder().encode
_decode_record = msgspec.json.Decoder(Record).decode
_encode_state = msgspec.json.Encoder().encode
_decode_state = msgspec.json.Decoder(State).decode
_SHARED_MEMORY = 3  # the version in which all principals had one memory of requests
READABLE = frozenset({_SHARED_MEMORY, STATE_VERSION})


class _SharedRequests(msgspec.Struct):
    """What version 3 had of requests and today's state has not."""

    requests: dict[str, Answer] = {}  # "request id principal"


_decode_requests = msgspec.json.Decoder(_SharedRequests).decode


def decode_entry(site: str, entry: Entry) -> Record:
    """Decode a row; raise if this version of the program can't."""
    if entry.version > VERSION or entry.kind not in KINDS:
        problem = f"{entry.kind!r} of version {entry.version} is not known to this program"
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
    if snapshot.version not in READABLE:
        return None
    try:
        state = _decode_state(snapshot.state)
        if snapshot.version == _SHARED_MEMORY:
            _divide(state, _decode_requests(snapshot.state).requests)
            show_due(state)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return state


def _divide(state: State, requests: dict[str, Answer]) -> None:
    """Give each principal and each table what the shared memory had of them.

    What was dropped from it, up to `forgotten_request`, may have been anybody's. An attachment is
    known by the digest of its command.
    """
    for table in state.tables.values():
        table.attaches.forgotten = state.forgotten_request
    attaches = {digest(AttachTable(name)): table.attaches for name, table in state.tables.items()}
    for key, answer in requests.items():
        request_id, _, principal = key.partition(" ")
        if memory := attaches.get(answer.digest):
            keep(memory, request_id, answer, RECENT_ATTACHES)
        else:
            remember_request(state, principal, request_id, answer)
    state.converted_at = state.sequence


def restore_state(state: bytes) -> State:
    """The state that this very program has encoded."""
    return _decode_state(state)


def state_digest(snapshot: StoredSnapshot) -> str:
    """The digest of a snapshot, as `SnapshotTaken` records it."""
    return hashlib.sha256(snapshot.state).hexdigest()
