"""What the cards are dealt from: a manual shoe, the hand, an automated or a continuous shoe.

The manual shoe and the hand give one card at a time and cannot fail; automated shoes dispense
stacks, and jam. A continuous shoe keeps no order: each card is drawn at random from those inside.
Cards never vanish: what was dealt, the stub and the discards are together the deck.
"""

from collections.abc import Callable
from typing import Final

from msgspec import structs

from emulator.devices.deck import Deck
from table_client.table.devices.device_faults import Fault
from table_client.table.devices.model import (
    AUTOMATED,
    RETIRED,
    DealtCard,
    Delivered,
    Delivery,
    Device,
    DeviceState,
    EventBody,
    FaultOccurred,
    Method,
    StateChanged,
)
from table_client.table.devices.refusals import DeviceRefused, Reason
from table_client.table.randomness import RandomStream

Emit = Callable[[EventBody], None]

_FAILURES: Final = {
    Fault.SHOE_JAM: DeviceState.JAMMED,
    Fault.SHOE_STOP: DeviceState.STOPPED,
    Fault.SHOE_FAILS_TO_DEAL: DeviceState.FAILED,
    Fault.SHOE_OUT_OF_ORDER: DeviceState.OUT_OF_ORDER,
}
_FAILED: Final = frozenset(_FAILURES.values())
_SHORT: Final = {Fault.PLAYER_ONE_SHORT, Fault.DEALER_ONE_SHORT, Fault.COMMUNITY_ONE_SHORT}
_EXTRA: Final = {Fault.PLAYER_ONE_EXTRA, Fault.DEALER_ONE_EXTRA, Fault.COMMUNITY_ONE_EXTRA}
_EXPOSE: Final = {
    Fault.PLAYER_CARD_EXPOSED,
    Fault.DEALER_CARD_EXPOSED,
    Fault.COMMUNITY_CARD_EXPOSED,
}
_FACE_UP: Final = {Fault.CARD_FACE_UP: 1, Fault.TWO_CARDS_FACE_UP: 2}


class Shoe:
    """The state machine of one way of dealing, with the cards of the round under way."""

    def __init__(self, method: Method, emit: Emit) -> None:
        self.method = method
        self.state = DeviceState.EMPTY
        self.deck: Deck | None = None  # in the shoe, dealt from it or in the discard rack
        self.cards: list[str] = []  # left to deal; the top card is the last
        self.held: list[str] = []  # drawn in error, unseen
        self.dealt: list[str] = []
        self.rack: list[str] = []
        self.in_hand = False  # the stub was taken out and is dealt from the hand
        self._face_up_next = 0
        self._draws: RandomStream | None = None
        self._emit = emit

    @property
    def stacks(self) -> bool:
        """Whether the cards now come in stacks."""
        return self.method in AUTOMATED and not self.in_hand

    @property
    def left(self) -> int:
        """How many cards can still be dealt."""
        return len(self.cards) + len(self.held)

    def verify_insert(self) -> None:
        """Refuse cards while others are there, or the device is out of order."""
        if self.state is DeviceState.OUT_OF_ORDER or self.state in RETIRED:
            raise DeviceRefused(Reason.DEVICE_OUT_OF_ORDER, device="shoe")
        if self.deck is not None:
            reason = Reason.STUB_IN_SHOE if self.left else Reason.OTHER_DECK_ON_TABLE
            raise DeviceRefused(reason, deck=self.deck.back)

    def insert(self, deck: Deck, draws: RandomStream | None = None) -> None:
        """Take a shuffled deck; with `draws` the shoe goes on shuffling by itself."""
        self.verify_insert()
        self.deck = deck
        self.cards = deck.cards[::-1]
        self.dealt, self.rack, self.held = [], [], []
        self.in_hand = False
        self._face_up_next = 0
        self._draws = draws
        self._become(DeviceState.LOADED)

    def refuse_to_deal(self) -> None:
        """The count was wrong: hold the cards until the deck is removed."""
        self._become(DeviceState.WRONG_COUNT)

    def verify_deal(self, delivery: Delivery) -> None:
        """Refuse what the device cannot give."""
        match self.state:
            case DeviceState.OUT_OF_ORDER:
                raise DeviceRefused(Reason.DEVICE_OUT_OF_ORDER, device="shoe")
            case DeviceState.WRONG_COUNT:
                raise DeviceRefused(Reason.WRONG_COUNT)
            case state if state in _FAILED:
                raise DeviceRefused(Reason.SHOE_FAILED, state=state)
            case state if state not in (DeviceState.LOADED, DeviceState.DEALING):
                raise DeviceRefused(Reason.NOT_LOADED)
        if delivery.count > 1 and not self.stacks:
            raise DeviceRefused(Reason.ONE_CARD_AT_A_TIME, asked=delivery.count)
        if delivery.count > self.left:
            raise DeviceRefused(Reason.NOT_ENOUGH_CARDS, asked=delivery.count, left=self.left)

    def deal(self, delivery: Delivery, fault: Fault | None, chance: RandomStream) -> Delivered:
        """Give out the cards of one delivery, as the fault, if any, would have it."""
        self.verify_deal(delivery)
        if self.state is DeviceState.LOADED:
            self._become(DeviceState.DEALING)
        if fault:
            self._emit(FaultOccurred(fault, Device.SHOE, delivery.seat))
        count = delivery.count
        if fault in _FAILURES:
            # A jam may let a part of the stack through; otherwise nothing comes.
            count = chance.below(count) if fault is Fault.SHOE_JAM else 0
        elif fault in _SHORT:
            count -= 1
        elif fault in _EXTRA:
            count += 1
        self._face_up_next += _FACE_UP.get(fault, 0) if fault else 0
        cards = [self._draw() for _ in range(min(count, self.left))]
        if fault in _EXPOSE and cards:
            place = chance.below(len(cards))
            cards[place] = structs.replace(cards[place], exposed=True)
        if fault is Fault.CARD_DRAWN_IN_ERROR and self.cards:
            self.held.append(self._pull())
        delivered = Delivered(delivery, tuple(cards), (fault,) if fault else ())
        if fault in _FAILURES:
            self._become(_FAILURES[fault])
        return delivered

    def remove_stub(self) -> int:
        """Take what is left out of the shoe and into the discard rack; says how many cards."""
        self._verify_holds_cards()
        stub = self.left
        self.rack += self.cards + self.held
        self.cards, self.held = [], []
        self.in_hand = False
        if self.state is not DeviceState.OUT_OF_ORDER:
            self._become(DeviceState.EMPTY)
        return stub

    def take_in_hand(self) -> None:
        """Take what is left out of the shoe, to go on dealing from the hand."""
        self._verify_holds_cards()
        if self.state in _FAILED:
            raise DeviceRefused(Reason.SHOE_FAILED, state=self.state)
        self.in_hand = True

    def gather(self) -> Deck:
        """Bring together all cards of the deck: dealt, discarded, and left in a continuous shoe."""
        deck = self.deck
        if deck is None:
            raise AssertionError("no deck is in play")
        deck.cards = self.dealt + self.rack + self.cards + self.held
        self.deck = None
        self.dealt, self.rack, self.cards, self.held = [], [], [], []
        if self.state is not DeviceState.OUT_OF_ORDER and self.state not in RETIRED:
            self._become(DeviceState.EMPTY)
        return deck

    def set_aside(self, state: DeviceState) -> None:
        """Cover the device, take it off the table, or bring it back empty."""
        self._become(state)

    def _verify_holds_cards(self) -> None:
        if self.deck is None or self.state is DeviceState.EMPTY or self.state in RETIRED:
            raise DeviceRefused(Reason.NOT_LOADED)

    def _pull(self) -> str:
        if self._draws is not None:
            place = self._draws.below(len(self.cards))
            self.cards[place], self.cards[-1] = self.cards[-1], self.cards[place]
        return self.cards.pop()

    def _draw(self) -> DealtCard:
        drawn_in_error = bool(self.held)
        card = self.held.pop() if self.held else self._pull()
        self.dealt.append(card)
        face_up = self._face_up_next > 0 and not drawn_in_error
        self._face_up_next -= face_up
        return DealtCard(card, face_up=face_up, drawn_in_error=drawn_in_error)

    def _become(self, state: DeviceState) -> None:
        self.state = state
        self._emit(StateChanged(Device.SHOE, state, self.deck.back if self.deck else ""))
