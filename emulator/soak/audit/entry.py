"""Hold what one client sent and was told: the only thing that the auditor knows of a run."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from google.protobuf.message import Message

from jackpot.wire.v1 import meter_pb2, operator_pb2, table_pb2

_NOTHING: Mapping[str, str] = MappingProxyType({})
RESTORED = "Restored"  # a backup was put in place; the details say what it began
FRAME = "Frame"  # a link as a watcher was shown it
OBSERVATIONS = frozenset({FRAME, "ListLinks", "ListPayouts", "ListTables", "GetAccount"})


class Entry(NamedTuple):
    """A request with its answer, or something that was observed."""

    sequence: int  # where the journal has it; 0: a refusal that was not journaled
    kind: str  # the command's field on a Play stream, or the RPC, or "Frame"
    request: Any
    response: Any = None  # None: refused
    reason: str = ""
    details: Mapping[str, str] = _NOTHING
    table: str = ""
    epoch: int = 0
    number: int = 0
    since: int = 0  # of a view: what was known when it was asked for

    def __str__(self) -> str:
        who = f"{self.table} {self.epoch}.{self.number} " if self.table else ""
        told = self.reason or flat(self.response)
        return f"{self.sequence}: {who}{self.kind} {flat(self.request)} -> {told}"


def flat(message: Any) -> str:
    """A message in one line."""
    return " ".join(str(message).split()) if message is not None else "{}"


def classes_of(kind: str) -> tuple[type[Message] | None, type[Message]]:
    """The messages in which a kind of entry is sent and answered."""
    if kind in (FRAME, RESTORED):
        return None, meter_pb2.LinkMeters
    name = "".join(part.capitalize() for part in kind.split("_")) if "_" in kind else kind
    if name[0].islower():
        name = name.capitalize()
    module: Any = table_pb2 if hasattr(table_pb2, f"{name}Response") else operator_pb2
    if kind[0].islower() and kind != "attach":
        return getattr(table_pb2, name), getattr(table_pb2, f"{name}Response")
    return getattr(module, f"{name}Request"), getattr(module, f"{name}Response")
