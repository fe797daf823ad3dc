"""Between the devices' own words and protobuf: one function each way, and nothing decided.

The enums have the same names on both sides, with a prefix on the wire; an unknown or unspecified
value is refused as malformed.
"""

import re
from enum import StrEnum
from typing import Any, Final, TypeVar

from google.rpc import code_pb2, error_details_pb2, status_pb2

from table_client.table.devices.faults import Fault, Target
from table_client.table.devices.model import (
    CardsDealt,
    Counted,
    DealtCard,
    DeckChanged,
    DeckStatus,
    Delivered,
    Delivery,
    Device,
    DeviceEvent,
    DeviceState,
    EventBody,
    FaultOccurred,
    Method,
    Retirement,
    ShufflerKind,
    StateChanged,
    StationConfig,
    StationStatus,
)
from table_client.table.devices.refusals import EXPLANATIONS, DeviceRefused, Reason
from table_client.table.devices.v1 import devices_pb2 as pb

DOMAIN: Final = "devices.v1"
DETAILS_KEY: Final = "grpc-status-details-bin"

E = TypeVar("E", bound=StrEnum)

ENUMS: Final[tuple[type[StrEnum], ...]] = (
    *(Method, ShufflerKind, Retirement, Device, DeviceState, Target, Fault),
)


def _prefix(kind: type[StrEnum]) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind.__name__).upper() + "_"


_NUMBERS: Final[dict[StrEnum, int]] = {
    member: getattr(pb, _prefix(kind) + member.name) for kind in ENUMS for member in kind
}
_MEMBERS: Final[dict[type[StrEnum], dict[int, StrEnum]]] = {
    kind: {_NUMBERS[member]: member for member in kind} for kind in ENUMS
}


def number(member: StrEnum) -> Any:
    """An enum's value on the wire."""
    return _NUMBERS[member]


def member(kind: type[E], value: int) -> E:
    """The enum that a value on the wire means."""
    found = _MEMBERS[kind].get(value)
    if not isinstance(found, kind):
        raise DeviceRefused(Reason.INVALID_COMMAND, field=kind.__name__, value=value)
    return found


def config_to_wire(config: StationConfig) -> pb.StationConfig:
    """Settings for the wire."""
    return pb.StationConfig(
        method=number(config.method),
        shuffler=number(config.shuffler),
        joker=config.joker,
        poker=config.poker,
        retire_by=number(config.retire_by),
        seed=config.seed,
        first_shuffle=config.first_shuffle,
        rigged_ppm=config.rigged_ppm,
    )


def config_from_wire(config: pb.StationConfig) -> StationConfig:
    """Settings as a caller sent them."""
    return StationConfig(
        method=member(Method, config.method),
        shuffler=member(ShufflerKind, config.shuffler),
        joker=config.joker,
        poker=config.poker,
        retire_by=member(Retirement, config.retire_by),
        seed=config.seed,
        first_shuffle=config.first_shuffle,
        rigged_ppm=config.rigged_ppm,
    )


def status_to_wire(status: StationStatus) -> pb.StationStatus:
    """A station's status for the wire."""
    return pb.StationStatus(
        sequence=status.sequence,
        at_ms=status.at_ms,
        method=number(status.method),
        shuffler=number(status.shuffler),
        shoe=number(status.shoe),
        tray_deck=status.tray_deck,
        shuffler_deck=status.shuffler_deck,
        shoe_deck=status.shoe_deck,
        shoe_cards=status.shoe_cards,
        dealt_cards=status.dealt_cards,
        rack_cards=status.rack_cards,
        decks=[
            pb.DeckStatus(
                back=deck.back,
                number=deck.number,
                age_ms=deck.age_ms,
                limit_ms=deck.limit_ms,
                place=deck.place,
            )
            for deck in status.decks
        ],
        shuffles=status.shuffles,
        seeded=status.seeded,
        rigged=status.rigged,
    )


def status_from_wire(status: pb.StationStatus) -> StationStatus:
    """A station's status as it was sent."""
    return StationStatus(
        sequence=status.sequence,
        at_ms=status.at_ms,
        method=member(Method, status.method),
        shuffler=member(DeviceState, status.shuffler),
        shoe=member(DeviceState, status.shoe),
        tray_deck=status.tray_deck,
        shuffler_deck=status.shuffler_deck,
        shoe_deck=status.shoe_deck,
        shoe_cards=status.shoe_cards,
        dealt_cards=status.dealt_cards,
        rack_cards=status.rack_cards,
        decks=tuple(
            DeckStatus(deck.back, deck.number, deck.age_ms, deck.limit_ms, deck.place)
            for deck in status.decks
        ),
        shuffles=status.shuffles,
        seeded=status.seeded,
        rigged=status.rigged,
    )


def delivery_to_wire(delivery: Delivery) -> pb.Delivery:
    """A delivery for the wire."""
    return pb.Delivery(target=number(delivery.target), count=delivery.count, seat=delivery.seat)


def delivery_from_wire(delivery: pb.Delivery) -> Delivery:
    """A delivery as it was sent."""
    return Delivery(member(Target, delivery.target), delivery.count, delivery.seat)


def delivered_to_wire(delivered: Delivered) -> pb.Delivered:
    """Cards dealt, for the wire."""
    return pb.Delivered(
        delivery=delivery_to_wire(delivered.delivery),
        cards=[
            pb.DealtCard(
                card=card.card,
                face_up=card.face_up,
                exposed=card.exposed,
                drawn_in_error=card.drawn_in_error,
            )
            for card in delivered.cards
        ],
        faults=[number(fault) for fault in delivered.faults],
    )


def delivered_from_wire(delivered: pb.Delivered) -> Delivered:
    """Cards dealt, as they were sent."""
    return Delivered(
        delivery_from_wire(delivered.delivery),
        tuple(
            DealtCard(card.card, card.face_up, card.exposed, card.drawn_in_error)
            for card in delivered.cards
        ),
        tuple(member(Fault, fault) for fault in delivered.faults),
    )


def event_to_wire(event: DeviceEvent) -> pb.DeviceEvent:
    """An event for the wire."""
    wire = pb.DeviceEvent(sequence=event.sequence, at_ms=event.at_ms)
    match event.body:
        case StateChanged(device, state, back):
            wire.state_changed.CopyFrom(
                pb.StateChanged(device=number(device), state=number(state), back=back)
            )
        case CardsDealt(delivered):
            wire.cards_dealt.delivered.CopyFrom(delivered_to_wire(delivered))
        case Counted(device, back, counted, expected):
            wire.counted.CopyFrom(
                pb.Counted(device=number(device), back=back, counted=counted, expected=expected)
            )
        case FaultOccurred(fault, device, seat):
            wire.fault_occurred.CopyFrom(
                pb.FaultOccurred(fault=number(fault), device=number(device), seat=seat)
            )
        case DeckChanged(back, deck_number, opened):
            wire.deck_changed.CopyFrom(pb.DeckChanged(back=back, number=deck_number, opened=opened))
    return wire


def event_from_wire(wire: pb.DeviceEvent) -> DeviceEvent:
    """An event as it was sent."""
    body: EventBody
    match wire.WhichOneof("body"):
        case "state_changed":
            state = wire.state_changed
            body = StateChanged(
                member(Device, state.device), member(DeviceState, state.state), state.back
            )
        case "cards_dealt":
            body = CardsDealt(delivered_from_wire(wire.cards_dealt.delivered))
        case "counted":
            count = wire.counted
            body = Counted(member(Device, count.device), count.back, count.counted, count.expected)
        case "fault_occurred":
            fault = wire.fault_occurred
            body = FaultOccurred(
                member(Fault, fault.fault), member(Device, fault.device), fault.seat
            )
        case "deck_changed":
            deck = wire.deck_changed
            body = DeckChanged(deck.back, deck.number, deck.opened)
        case _:
            raise DeviceRefused(Reason.INVALID_COMMAND, event=wire.sequence)
    return DeviceEvent(wire.sequence, wire.at_ms, body)


def refusal_to_wire(refusal: DeviceRefused) -> bytes:
    """A refusal as the details of a gRPC status."""
    status = status_pb2.Status(
        code=code_pb2.Code.Value(EXPLANATIONS[refusal.reason].code), message=str(refusal)
    )
    info = error_details_pb2.ErrorInfo(
        reason=refusal.reason, domain=DOMAIN, metadata=refusal.details
    )
    status.details.add().Pack(info)
    return bytes(status.SerializeToString())


def refusal_from_wire(details: bytes) -> DeviceRefused | None:
    """The refusal in the details of a gRPC status; None if it is not one of these devices'."""
    info = error_details_pb2.ErrorInfo()
    for detail in status_pb2.Status.FromString(details).details:
        if detail.Unpack(info) and info.domain == DOMAIN and info.reason in Reason.__members__:
            return DeviceRefused(Reason(info.reason), **info.metadata)
    return None
