"""Cards from shuffler and shoe: a table's devices as a round sees them.

What the devices do is turned into what a dealer sees. A device out of order is covered, or taken
off the table, before another way is used; devices that are gone void the round.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from table_client.table.devices.api import Devices
from table_client.table.devices.device_faults import Fault, Target
from table_client.table.devices.model import (
    AUTOMATED,
    MUST_ACT,
    Delivered,
    Delivery,
    Device,
    DeviceState,
    Method,
    ShufflerKind,
    StationConfig,
    StationStatus,
)
from table_client.table.devices.procedure import Step, prepare_round
from table_client.table.devices.refusals import DeviceLost, DeviceRefused, Reason
from table_client.table.ports import (
    Conduct,
    Deal,
    Dealt,
    DeckInUse,
    DeckLostError,
    Drawn,
    Made,
    ShoeFailedError,
    Way,
)

_MADE: Final = {
    Step.DECK_CHANGED_FOR_AGE: Made.DECK_CHANGED,
    Step.DECK_CHANGED_FOR_COUNT: Made.DECK_REMOVED,
    Step.SHUFFLED_AGAIN: Made.SHUFFLED_AGAIN,
    Step.CUT: Made.CUT,
}
_MS_PER_S: Final = 1_000
_CONDUCT: Final = {Fault.PLAYER_TALKS: Conduct.TALKS, Fault.SEAT_ABANDONED: Conduct.LEAVES}


class DeviceDeck:
    """The devices of a table as its source of cards."""

    def __init__(self, devices: Devices, config: StationConfig) -> None:
        self._devices = devices
        self._config = config
        self._way = Way(config.method.value)
        self._counts = (
            config.shuffler is ShufflerKind.COUNTING or config.method is Method.CONTINUOUS_SHOE
        )

    @property
    def way(self) -> Way:
        """How cards are dealt now."""
        return self._way

    @property
    def counts(self) -> bool:
        """Whether a device counts the deck at each shuffle."""
        return self._counts

    async def prepare(self) -> tuple[Made, ...]:
        """Have a shuffled deck ready, with whatever devices still work."""
        made: list[Made] = []
        with _lost(DeviceLost, DeviceRefused):  # devices that refuse for good are no use either
            await self._retire(made)
            try:
                steps = await prepare_round(self._devices)
            except DeviceRefused as refusal:
                if refusal.reason is not Reason.DEVICE_OUT_OF_ORDER:
                    raise
                await self._retire(made)
                steps = await prepare_round(self._devices)
        # A shuffler may have been at work during the last round: what it gives out is shuffled.
        done = Step.EJECTED if Step.EJECTED in steps else Step.SHUFFLED
        told = _MADE | {done: Made.SHUFFLED}
        return (*made, *(told[step] for step in steps if step in told))

    async def in_use(self) -> tuple[DeckInUse, ...]:
        """The decks that the devices know of."""
        return tuple(
            DeckInUse(deck.back, deck.number, deck.age_ms // _MS_PER_S)
            for deck in (await self._status()).decks
        )

    async def deal(self, deals: Sequence[Deal]) -> tuple[Dealt, ...]:
        """Deal in order; fewer answers than requests where the dealer must act."""
        asked = [Delivery(Target(deal.spot.value), deal.count, deal.seat) for deal in deals]
        try:
            with _lost(DeviceLost):
                dispensed = await self._devices.dispense(asked)
        except DeviceRefused as refusal:
            raise ShoeFailedError(str(refusal)) from refusal
        if dispensed.status.shoe in MUST_ACT:
            what = dispensed.status.shoe.replace("_", " ").lower()
            raise ShoeFailedError(f"The shoe is {what}.")
        return tuple(
            _dealt(deal, delivered)
            for deal, delivered in zip(deals, dispensed.delivered, strict=False)
        )

    async def take_in_hand(self) -> None:
        """Go on from the hand."""
        await self._stub(count=False, to_hand=True)

    async def remove_stub(self, *, count: bool) -> int | None:
        """Put the stub in the discard rack, if it is still in the shoe."""
        return await self._stub(count=count)

    async def remove_deck(self) -> None:
        """Take the deck in play off the table."""
        back = (await self._status()).shoe_deck
        with _lost(DeviceLost):
            await self._devices.remove_deck(back)

    async def _status(self) -> StationStatus:
        with _lost(DeviceLost):
            return await self._devices.status()

    async def _stub(self, *, count: bool, to_hand: bool = False) -> int | None:
        try:
            with _lost(DeviceLost):
                stub = await self._devices.remove_stub(count=count, to_hand=to_hand)
        except DeviceRefused as refusal:
            if refusal.reason is Reason.NOT_LOADED:  # no card was dealt, or it is gone already
                return None
            raise
        return stub.counted

    async def _retire(self, made: list[Made]) -> None:
        """Put devices out of order out of use, and go on without them."""
        status = await self._devices.status()
        if status.shuffler is DeviceState.OUT_OF_ORDER:
            await self._devices.retire(Device.SHUFFLER, self._config.retire_by)
            made.append(Made.DEVICE_RETIRED)
            self._counts = self._way is Way.CONTINUOUS_SHOE
            if status.method is Method.HAND:  # a deck shuffled by hand is not dealt from the hand
                status = await self._change(Method.MANUAL_SHOE)
        if status.shoe is DeviceState.OUT_OF_ORDER and status.method in AUTOMATED:
            await self._devices.retire(Device.SHOE, self._config.retire_by)
            made.append(Made.DEVICE_RETIRED)
            self._counts = self._counts and status.method is not Method.CONTINUOUS_SHOE
            await self._change(Method.MANUAL_SHOE)

    async def _change(self, method: Method) -> StationStatus:
        status = await self._devices.change_method(method)
        self._way = Way(method.value)
        return status


@contextmanager
def _lost(*kinds: type[Exception]) -> Iterator[None]:
    """What leaves a table without cards, in the words of a round."""
    try:
        yield
    except kinds as error:
        raise DeckLostError(str(error)) from error


def _dealt(deal: Deal, delivered: Delivered) -> Dealt:
    cards = tuple(
        Drawn(card.card, card.face_up, card.exposed, card.drawn_in_error)
        for card in delivered.cards
    )
    conduct = next((_CONDUCT[fault] for fault in delivered.faults if fault in _CONDUCT), None)
    return Dealt(deal, cards, conduct, Fault.DEALT_OUT_OF_TURN in delivered.faults)
