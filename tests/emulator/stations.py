"""Stations and rounds that several tests use."""

import pytest

from emulator.devices.station import Station
from table_client.table.devices.device_faults import Target
from table_client.table.devices.model import (
    CardsDealt,
    Counted,
    Delivered,
    Delivery,
    DeviceState,
    FaultOccurred,
    Method,
    ShufflerKind,
    StateChanged,
    StationConfig,
)
from table_client.table.devices.refusals import DeviceRefused, Reason

STACK = Delivery(Target.PLAYER, 5, 1)
CARD = Delivery(Target.PLAYER, 1, 1)
DEALER_STACK = Delivery(Target.DEALER, 5)
BY_HAND = [Method.MANUAL_SHOE, Method.HAND]
STACKS = [Method.AUTOMATED_SHOE, Method.CONTINUOUS_SHOE]


def refused(reason: Reason) -> pytest.RaisesExc[DeviceRefused]:
    """Expect a refusal for one reason."""
    return pytest.RaisesExc(DeviceRefused, check=lambda refusal: refusal.reason is reason)


def station(
    method: Method = Method.AUTOMATED_SHOE,
    shuffler: ShufflerKind = ShufflerKind.COUNTING,
    **settings: object,
) -> Station:
    """A station with a seed."""
    settings.setdefault("seed", "tests")
    return Station("t", StationConfig(method=method, shuffler=shuffler, **settings))  # type: ignore[arg-type]


def shuffler_for(method: Method) -> ShufflerKind:
    """A continuous shoe shuffles by itself."""
    continuous = method is Method.CONTINUOUS_SHOE
    return ShufflerKind.NONE if continuous else ShufflerKind.COUNTING


def shuffle_through(devices: Station) -> None:
    """Shuffle, and wait for the shuffler."""
    devices.shuffle()
    if devices.due_ms is not None:
        devices.advance(devices.due_ms)


def loaded(
    method: Method = Method.AUTOMATED_SHOE,
    shuffler: ShufflerKind = ShufflerKind.COUNTING,
    **settings: object,
) -> Station:
    """A station with a shuffled deck ready to be dealt."""
    devices = station(method, shuffler, **settings)
    ready(devices, "red")
    return devices


def ready(devices: Station, back: str) -> None:
    """Bring a deck from wherever it is to where it is dealt from."""
    devices.load_deck(back)
    if devices.shoe.method is Method.CONTINUOUS_SHOE:
        return
    shuffle_through(devices)
    if devices.shuffler.in_service:
        devices.eject()
    else:
        devices.cut(26)


def cards_of(delivered: Delivered) -> list[str]:
    """The cards of a delivery."""
    return [card.card for card in delivered.cards]


def counts(devices: Station) -> list[Counted]:
    """The counts that a station reported."""
    return [event.body for event in devices.events if isinstance(event.body, Counted)]


def faults(devices: Station) -> list[FaultOccurred]:
    """The faults that a station reported."""
    return [event.body for event in devices.events if isinstance(event.body, FaultOccurred)]


def states(devices: Station) -> list[DeviceState]:
    """The states that a station's devices went through."""
    return [event.body.state for event in devices.events if isinstance(event.body, StateChanged)]


def dealt(devices: Station) -> list[str]:
    """Every card that left the shoe."""
    bodies = [event.body for event in devices.events]
    return [
        card for body in bodies if isinstance(body, CardsDealt) for card in cards_of(body.delivered)
    ]
