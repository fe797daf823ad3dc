"""A range of the journal as JSON Lines that can be checked where there is no database.

The first line says what follows, then one line an entry with the exact bytes that its hash covers,
and at the end a signature over where the range begins and ends. A line that was changed, added or
left out breaks the chain; a tail that was cut off has no signature. A file has one spelling only:
a field that is not known or stands twice, or a byte that `write_export` would not have written, is
found.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from msgspec import Struct
from msgspec.structs import astuple, replace

from jackpot.engine.replica import Replica
from jackpot.reports.walk import Walk
from jackpot.signing import fingerprint, is_signed, sign
from jackpot.store import codec
from jackpot.store.journal import GENESIS, Entry, Head, StoreError, UnsoundError, verify_link
from jackpot.wire.ids import is_id

FORMAT = "jackpot-export/1"
MAX_LINE = 16 << 20  # characters; far more than an entry has


class Start(Struct, frozen=True, tag="start"):
    """The first line."""

    format: str
    site: str
    after: int  # the sequence before the first entry
    previous_hash: str


class Line(Struct, frozen=True, tag="entry"):
    """An entry; the body is text, because its very bytes count."""

    sequence: int
    time_micros: int
    kind: str
    version: int
    body: str
    hash: str


class End(Struct, frozen=True, tag="end"):
    """The last line; the signature is over `Signed`."""

    sequence: int
    hash: str
    key: str  # the fingerprint of the key that signed
    signature: str


class Signed(Struct, frozen=True):
    """What a signature is over: a range, by both its ends."""

    format: str
    site: str
    after: int
    previous_hash: str
    sequence: int
    hash: str


_decode_start = msgspec.json.Decoder(Start).decode
_decode = msgspec.json.Decoder(Line | End).decode
_RESPELLED = (
    "this line is not as jackpot export writes it: a field was added, repeated or rewritten"
)


class Findings(Struct, frozen=True):
    """What was found of an export."""

    ok: bool
    site: str = ""
    first: int = 0
    last: int = 0
    hash: str = ""
    key: str = ""
    problem: str = ""


def write_export(
    walk: Walk, file: IO[str], key: Ed25519PrivateKey, first: int = 1, last: int = 0
) -> Findings:
    """Write entries from `first` to `last` (0: to the head), checked as they go out."""
    last = last or walk.head.sequence
    if not 1 <= first <= last <= walk.head.sequence:
        raise StoreError(
            f"the journal has entries 1 to {walk.head.sequence}; can't export {first} to {last}"
        )
    head = GENESIS
    if first > 1:
        before = next(walk.entries(first - 2))
        head = Head(before.sequence, before.hash)
    start = Start(FORMAT, walk.site, head.sequence, head.hash.hex())
    file.write(_written(start))
    for entry in walk.entries(first - 1):
        if entry.sequence > last:
            break
        head = verify_link(walk.site, head, entry)
        file.write(_written(_line(entry)))
    name = fingerprint(key.public_key())
    signature = sign(key, _statement(start, head))
    file.write(_written(End(head.sequence, head.hash.hex(), name, signature)))
    return Findings(ok=True, site=walk.site, first=first, last=last, hash=head.hash.hex(), key=name)


def verify_export(path: Path, key: Ed25519PublicKey) -> Findings:
    """Check every line of an export and its signature, without the journal."""
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            return _verify(file, key)
    except OSError as error:
        raise StoreError(f"can't read {path}: {error.strerror}") from error
    except (UnicodeDecodeError, msgspec.DecodeError) as error:
        return Findings(ok=False, problem=f"this file is not an export: {error}")
    except UnsoundError as error:
        return Findings(ok=False, site=error.site, first=error.sequence, problem=error.problem)


def _verify(file: IO[str], key: Ed25519PublicKey) -> Findings:
    lines = _lines(file)
    first_line = next(lines, "")
    start = _decode_start(first_line)
    if problem := _start_problem(start, first_line):
        return Findings(ok=False, problem=problem)
    head = Head(start.after, bytes.fromhex(start.previous_hash))
    # From the first entry on, everything can be replayed; later, only the chain can be told.
    replica = Replica(start.site) if head.same(GENESIS) else None
    end: End | None = None
    for text in lines:
        if end is not None:
            return _findings(start, head, "the file has more lines after the signature")
        found = _decode(text)
        if _written(found) != text:
            return _findings(start, head, f"after sequence {head.sequence}: {_RESPELLED}")
        if isinstance(found, End):
            end = found
            continue
        head = _follow(start.site, replica, head, found)
    if problem := _end_problem(start, head, end, key):
        return _findings(start, head, problem)
    if replica:
        replica.check(whole=True)
    found = _findings(start, head)
    return replace(found, ok=True, hash=head.hash.hex(), key=fingerprint(key))


def _start_problem(start: Start, text: str) -> str:
    if start.format != FORMAT:
        return f"the format is {start.format!r}; expected {FORMAT!r}"
    if not is_id(start.site):
        return f"{start.site!r} is not a valid site id"
    if _written(start) != text:
        return _RESPELLED
    try:
        bytes.fromhex(start.previous_hash)
    except ValueError:
        return "the hash before the first entry is not a hexadecimal number"
    return ""


def _end_problem(start: Start, head: Head, end: End | None, key: Ed25519PublicKey) -> str:
    if end is None:
        return "the file has no signature at its end; its last lines may be missing"
    if (end.sequence, end.hash) != (head.sequence, head.hash.hex()):
        return "the signature is for a different last entry"
    if not is_signed(key, _statement(start, head), end.signature):
        return "this key did not sign the file"
    if end.key != fingerprint(key):
        return f"key {fingerprint(key)} signed the file, but the file names another key"
    return ""


def _follow(site: str, replica: Replica | None, head: Head, line: Line) -> Head:
    try:
        hash_ = bytes.fromhex(line.hash)
    except ValueError:
        raise UnsoundError(
            site, line.sequence, "the hash of this entry is not a hexadecimal number"
        ) from None
    entry = Entry(
        line.sequence, line.time_micros, line.kind, line.version, line.body.encode(), hash_
    )
    if _line(entry) != line:  # capitals and blanks make no other hash
        raise UnsoundError(site, line.sequence, _RESPELLED)
    if replica:
        replica.follow(entry)
        return replica.head
    after = verify_link(site, head, entry)
    postings = getattr(codec.decode_entry(site, entry).event, "postings", ())
    if sum(micros for _, micros in postings):
        raise UnsoundError(site, line.sequence, "the postings of this entry do not sum to zero")
    return after


def _findings(start: Start, head: Head, problem: str = "") -> Findings:
    first, last = start.after + 1, head.sequence
    return Findings(ok=False, site=start.site, first=first, last=last, problem=problem)


def _lines(file: IO[str]) -> Iterator[str]:
    while text := file.readline(MAX_LINE):
        yield text


def _line(entry: Entry) -> Line:
    sequence, time_micros, kind, version, body, hash_ = astuple(entry)
    return Line(sequence, time_micros, kind, version, body.decode(), hash_.hex())


def _statement(start: Start, head: Head) -> bytes:
    begins = (start.format, start.site, start.after, start.previous_hash)
    return msgspec.json.encode(Signed(*begins, head.sequence, head.hash.hex()))


def _written(line: Struct) -> str:
    return msgspec.json.encode(line).decode() + "\n"
