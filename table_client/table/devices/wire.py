"""Between the devices' own words and protobuf: both have the same names and the same fields.

An enum's names have a prefix on the wire; an unknown or unspecified value is refused as malformed.
"""

import re
from enum import StrEnum
from functools import cache
from typing import Any, Final, TypeVar, get_args

from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2
from msgspec import Struct, structs

from jackpot.wire.refusals import to_status, trailers_of
from table_client.table.devices.device_faults import Fault, Target
from table_client.table.devices.model import (
    Device,
    DeviceEvent,
    DeviceState,
    EventBody,
    Method,
    Retirement,
    ShufflerKind,
)
from table_client.table.devices.refusals import DeviceRefused, Reason
from table_client.table.devices.v1 import devices_pb2 as pb

DOMAIN: Final = "devices.v1"

E = TypeVar("E", bound=StrEnum)
S = TypeVar("S", bound=Struct)

ENUMS: Final[tuple[type[StrEnum], ...]] = (
    *(Method, ShufflerKind, Retirement, Device, DeviceState, Target, Fault),
)


def _snake(kind: type) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).lower()


_NUMBERS: Final[dict[StrEnum, int]] = {
    member: getattr(pb, f"{_snake(kind).upper()}_{member.name}")
    for kind in ENUMS
    for member in kind
}
_MEMBERS: Final[dict[type[StrEnum], dict[int, StrEnum]]] = {
    kind: {_NUMBERS[member]: member for member in kind} for kind in ENUMS
}
_BODIES: Final[dict[str, type[Struct]]] = {_snake(kind): kind for kind in get_args(EventBody)}


def number(member: StrEnum) -> Any:
    """An enum's value on the wire."""
    return _NUMBERS[member]


def member(kind: type[E], value: int) -> E:
    """The enum that a value on the wire means."""
    found = _MEMBERS[kind].get(value)
    if not isinstance(found, kind):
        raise DeviceRefused(Reason.INVALID_COMMAND, field=kind.__name__, value=value)
    return found


def to_wire(value: Struct) -> Any:
    """The message that has the struct's name, with the struct's values."""
    return getattr(pb, type(value).__name__)(**_plain(value))


def _plain(value: Any) -> Any:
    """A value as the constructors of messages take it."""
    if isinstance(value, Struct):
        return {name: _plain(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return _NUMBERS[value] if isinstance(value, StrEnum) else value


def from_wire(kind: type[S], message: Message) -> S:
    """A struct as it was sent."""
    return kind(*(_read(of, getattr(message, name)) for name, of in _fields(kind)))


def _read(kind: Any, value: Any) -> Any:
    if not isinstance(kind, type):  # tuple[Each, ...]
        return tuple(_read(get_args(kind)[0], each) for each in value)
    if issubclass(kind, Struct):
        return from_wire(kind, value)
    return member(kind, value) if issubclass(kind, StrEnum) else value


@cache
def _fields(kind: type[Struct]) -> tuple[tuple[str, Any], ...]:
    return tuple((field.name, field.type) for field in structs.fields(kind))


def event_to_wire(event: DeviceEvent) -> pb.DeviceEvent:
    """An event for the wire; what happened is one of several bodies."""
    body = {_snake(type(event.body)): _plain(event.body)}
    return pb.DeviceEvent(sequence=event.sequence, at_ms=event.at_ms, **body)


def event_from_wire(message: pb.DeviceEvent) -> DeviceEvent:
    """An event as it was sent."""
    which = message.WhichOneof("body")
    if which is None:
        raise DeviceRefused(Reason.INVALID_COMMAND, event=message.sequence)
    body: Any = from_wire(_BODIES[which], getattr(message, which))
    return DeviceEvent(message.sequence, message.at_ms, body)


def refusal_to_wire(refusal: DeviceRefused) -> tuple[tuple[str, bytes]]:
    """What gRPC sends behind a call that is refused."""
    why = refusal.reason
    return trailers_of(to_status(why.code, str(refusal), why.name, refusal.details, None, DOMAIN))


def refusal_from_wire(details: bytes) -> DeviceRefused | None:
    """The refusal in the details of a gRPC status; None if it is not one of these devices'."""
    info = error_details_pb2.ErrorInfo()
    for detail in status_pb2.Status.FromString(details).details:
        if detail.Unpack(info) and info.domain == DOMAIN and info.reason in Reason.__members__:
            return DeviceRefused(Reason[info.reason], **info.metadata)
    return None
