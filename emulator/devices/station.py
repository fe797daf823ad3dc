"""The devices of one table put together: which deck is where, and what may be done with it.

Pure but for its own state: time and randomness come in. A command first checks, and refuses without
having changed anything; then it acts, advances `now_ms` by the time it takes, and leaves what
happened in `events`. The shell that owns the station (LocalDevices) makes time pass.

The usual round: load_deck, shuffle, eject (or, shuffled by hand, cut), dispense, remove_stub; with
two decks the next is loaded and shuffled while the first is in play.
"""

from collections.abc import Mapping

from emulator.devices import timing
from emulator.devices.deck import Deck
from emulator.devices.shoe import Shoe
from emulator.devices.state import StationState
from table_client.table.devices.device_faults import FAULT_RULES, PPM, Chance, Fault, Target
from table_client.table.devices.model import (
    AUTOMATED,
    MAX_ARMED,
    MAX_BACK,
    MAX_PASS_MS,
    MAX_SEAT,
    MAX_SKIP,
    MAX_STACK,
    MIN_CUT,
    CardsDealt,
    Counted,
    DeckChanged,
    Delivered,
    Delivery,
    Device,
    DeviceState,
    Method,
    Retirement,
    ShufflerKind,
)
from table_client.table.devices.refusals import DeviceRefused, Reason


class Station(StationState):
    """The commands that a table gives to its devices."""

    def pass_time(self, ms: int) -> None:
        """Let time pass in which nobody touches the devices."""
        if not 0 <= ms <= MAX_PASS_MS:
            raise DeviceRefused(Reason.INVALID_COMMAND, ms=ms, most=MAX_PASS_MS)
        self.advance(self.now_ms + ms)

    # Decks

    def load_deck(self, back: str) -> None:
        """Bring a new deck to the table, or gather a known one, ready to be shuffled."""
        if not (back.isascii() and back.isalnum() and len(back) <= MAX_BACK):
            raise DeviceRefused(Reason.INVALID_COMMAND, back=back)
        deck = self.decks.get(back)
        if deck is None:
            self.verify_open()
        else:
            self.verify_gather(deck)
        self.verify_place_for_deck(deck)
        if deck is None:
            deck = self._open(back)
        elif deck is self.shoe.deck:
            self.shoe.gather()
        match self.faults.draw(Chance.LOAD):
            case Fault.CARD_MISSING:
                deck.lose_card(self.faults.stream)
            case Fault.CARD_TOO_MANY:
                deck.gain_card(self.faults.stream)
        if self.shoe.method is Method.CONTINUOUS_SHOE:
            self._feed(deck)
            return
        self.spend(timing.GATHER_MS)
        if self.shuffler.in_service:
            self.shuffler.load(deck)
        else:
            self.stacked = deck

    def remove_deck(self, back: str) -> None:
        """Take a deck off the table for good."""
        deck = self.known(back)
        if deck is self.shoe.deck:
            if self.shoe.left and self.shoe.method is not Method.CONTINUOUS_SHOE:
                raise DeviceRefused(Reason.STUB_IN_SHOE, deck=back)
            self.shoe.gather()
        elif deck in (self.shuffler.tray, self.shuffler.inside):
            self.shuffler.remove(deck)
        elif deck is self.stacked:
            self.stacked = None
        elif deck is self.uncut:
            self.uncut = None
        del self.decks[back]
        self.spend(timing.REMOVE_DECK_MS)
        self.emit(DeckChanged(back, deck.number, opened=False))

    # Shuffling

    def shuffle(self) -> None:
        """Begin to shuffle the loaded deck; by hand, shuffle it."""
        if self.shoe.method is Method.CONTINUOUS_SHOE:
            raise DeviceRefused(Reason.NOT_APPLICABLE, shoe="shuffles by itself")
        if not self.shuffler.in_service:
            self._shuffle_by_hand()
            return
        self.shuffler.verify_shuffle()
        fault = self.faults.draw(Chance.SHUFFLE)
        self.shuffler.shuffle(self.now_ms, self.next_shuffle(), fault, self.faults.stream)

    def eject(self) -> None:
        """Move the shuffled deck from the shuffler to where it is dealt from."""
        if not self.shuffler.in_service:
            raise DeviceRefused(Reason.NOT_APPLICABLE, device="shuffler")
        self.shuffler.verify_eject()
        self.shoe.verify_insert()
        deck = self.shuffler.inside
        if deck is not None:
            self.verify_age(deck)
        self.spend(timing.EJECT_MS)
        self.shoe.insert(self.shuffler.eject())

    def cut(self, cards_from_top: int) -> None:
        """Cut the cards and have them ready to be dealt; again, as long as none was dealt."""
        deck = self.uncut or self.shoe.deck
        if deck is None or self.shoe.method is Method.CONTINUOUS_SHOE:
            raise DeviceRefused(Reason.NOT_LOADED)
        if deck is not self.uncut and self.shoe.state is not DeviceState.LOADED:
            raise DeviceRefused(Reason.ALREADY_DEALT)
        # 561.5(e): at Pai Gow Poker ten cards remain below the cover card too.
        most = len(deck.cards) - (MIN_CUT if self.config.joker else 1)
        if not MIN_CUT <= cards_from_top <= most:
            raise DeviceRefused(Reason.CUT_TOO_SHALLOW, cards_from_top=cards_from_top, most=most)
        if deck is self.uncut:
            self.shoe.verify_insert()
            self.verify_age(deck)
            self.uncut = None
        else:
            self.shoe.gather()
            deck.cards.reverse()  # the shoe keeps its top card last
        self.spend(timing.CUT_MS)
        deck.cards = deck.cards[cards_from_top:] + deck.cards[:cards_from_top]
        self.shoe.insert(deck)

    # Dealing

    def dispense(self, delivery: Delivery) -> Delivered:
        """Deal the cards of one delivery."""
        if not (0 < delivery.count <= MAX_STACK and 0 <= delivery.seat <= MAX_SEAT):
            raise DeviceRefused(
                Reason.INVALID_COMMAND, count=delivery.count, most=MAX_STACK, seat=delivery.seat
            )
        if self.uncut is not None and self.shoe.deck is None:
            raise DeviceRefused(Reason.CUT_REQUIRED)
        self.shoe.verify_deal(delivery)
        fault = self.faults.draw(
            Chance.DELIVERY,
            delivery.target,
            seat=delivery.seat,
            automated=self.shoe.stacks,
            by_hand=self.shoe.method is Method.HAND,
        )
        if self.shoe.stacks:
            if delivery.target is Target.PLAYER:
                self.rig.stack(self.shoe.cards, delivery.count)
            self.spend(timing.STACK_MS + timing.STACK_CARD_MS * delivery.count)
        else:
            self.spend(timing.CARD_MS)
        delivered = self.shoe.deal(delivery, fault, self.faults.stream)
        self.emit(CardsDealt(delivered))
        return delivered

    def remove_stub(self, *, count: bool, to_hand: bool = False) -> int | None:
        """Take what is left out of the shoe; says how many cards if the dealer counts them."""
        if to_hand:
            self.shoe.take_in_hand()
            self.spend(timing.REMOVE_STUB_MS)
            return None
        expected = self.config.expected_cards - len(self.shoe.dealt)
        stub = self.shoe.remove_stub()
        self.spend(timing.REMOVE_STUB_MS + (timing.COUNT_CARD_MS * stub if count else 0))
        if not count:
            return None
        back = self.shoe.deck.back if self.shoe.deck else ""
        self.emit(Counted(Device.SHOE, back, stub, expected))
        return stub

    # Devices out of order

    def retire(self, device: Device, how: Retirement) -> None:
        """Cover a device, or take it off the table, so that another way can be used."""
        if device is Device.SHUFFLER:
            self.shuffler.retire(how)
        else:
            if self.shoe.method not in AUTOMATED:
                raise DeviceRefused(Reason.NOT_APPLICABLE, device="shoe")
            if self.shoe.left:
                raise DeviceRefused(Reason.STUB_IN_SHOE)
            covered = how is Retirement.COVER
            self.shoe.set_aside(DeviceState.COVERED if covered else DeviceState.REMOVED)
        self.spend(timing.RETIRE_MS)

    def restore(self, device: Device) -> None:
        """Bring a repaired device back to the table, empty."""
        if device is Device.SHUFFLER:
            self.verify_nothing_stacked()
            self.shuffler.restore()
        elif self.shoe.state in (DeviceState.COVERED, DeviceState.REMOVED):
            self.shoe.set_aside(DeviceState.EMPTY)
        elif self.shoe_set_aside is not None:
            self.shoe_set_aside = None
        else:
            raise DeviceRefused(Reason.NOT_APPLICABLE, device="shoe")
        self.spend(timing.RETIRE_MS)

    def change_method(self, method: Method) -> None:
        """Deal in another way from now on, once the device used so far is out of the way."""
        if method in AUTOMATED and (
            method is not self.config.method or self.shoe_set_aside is not None
        ):
            raise DeviceRefused(Reason.NOT_APPLICABLE, method=method)
        if method is Method.HAND and not (self.config.poker or self.shuffler.in_service):
            raise DeviceRefused(Reason.SHUFFLER_REQUIRED)
        shoe = self.shoe
        if shoe.left:
            raise DeviceRefused(Reason.STUB_IN_SHOE)
        if shoe.method in AUTOMATED and method is not shoe.method:
            self.verify_out_of_the_way(shoe.state, Device.SHOE)
            put_away = shoe.state in (DeviceState.COVERED, DeviceState.REMOVED)
            self.shoe_set_aside = shoe.state if put_away else None
        if shoe.deck is not None:
            shoe.gather()
        if method is not shoe.method:
            self.shoe = Shoe(method, self.emit)
            self.shoe.set_aside(DeviceState.EMPTY)

    # Faults

    def inject_fault(self, fault: Fault, *, skip: int = 0, seat: int = 0) -> None:
        """Have a fault take effect at its next chance, or after some chances."""
        if not (0 <= skip <= MAX_SKIP and 0 <= seat <= MAX_SEAT):
            raise DeviceRefused(Reason.INVALID_COMMAND, skip=skip, seat=seat)
        if self.faults.armed >= MAX_ARMED:
            raise DeviceRefused(Reason.TOO_MANY, faults=self.faults.armed)
        rule = FAULT_RULES[fault]
        if rule.chance is Chance.SHUFFLE and self.config.shuffler is ShufflerKind.NONE:
            raise DeviceRefused(Reason.NOT_APPLICABLE, fault=fault)
        if rule.automated_only and self.shoe.method not in AUTOMATED:
            raise DeviceRefused(Reason.NOT_APPLICABLE, fault=fault)
        if rule.by_hand_only and self.shoe.method is not Method.HAND:
            raise DeviceRefused(Reason.NOT_APPLICABLE, fault=fault)
        self.faults.inject(fault, skip=skip, seat=seat)

    def set_fault_rates(self, rates_ppm: Mapping[Fault, int]) -> None:
        """Have faults happen at random, each so many times in a million chances."""
        for fault, rate_ppm in rates_ppm.items():
            if not 0 <= rate_ppm <= PPM:
                raise DeviceRefused(Reason.INVALID_COMMAND, fault=fault, rate_ppm=rate_ppm)
        self.faults.set_rates(rates_ppm)

    def _shuffle_by_hand(self) -> None:
        if self.stacked is None:
            raise DeviceRefused(Reason.NO_DECK)
        if self.shoe.method is Method.HAND and not self.config.poker:
            raise DeviceRefused(Reason.SHUFFLER_REQUIRED)
        if len(self.decks) > 1 and not self.config.poker:
            raise DeviceRefused(Reason.TWO_DECKS_NEED_SHUFFLER)
        deck, self.stacked = self.stacked, None
        deck.cards = deck.shuffled(self.next_shuffle())
        self.uncut = deck
        self.spend(timing.MANUAL_SHUFFLE_MS)

    def _feed(self, deck: Deck) -> None:
        """A continuous shoe takes the cards back, counts them, and goes on shuffling."""
        self.spend(timing.FEED_CARD_MS * len(deck.cards))
        count = Counted(Device.SHOE, deck.back, len(deck.cards), self.config.expected_cards)
        deck.cards.sort()  # as in Deck.shuffled: the draws alone decide
        self.shoe.insert(deck, draws=self.next_shuffle())
        self.emit(count)
        if not count.right:
            self.shoe.refuse_to_deal()

    def _open(self, back: str) -> Deck:
        self.opened += 1
        deck = Deck(back, self.opened, self.now_ms, joker=self.config.joker)
        self.decks[back] = deck
        self.emit(DeckChanged(back, deck.number, opened=True))
        self.spend(timing.OPEN_DECK_MS)
        return deck
