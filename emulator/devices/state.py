"""What a station has on its table and what can be seen of it: devices, decks, time, events.

The part of a station that commands read and change; the commands themselves are in `station`.
"""

from collections import deque

from emulator.devices.deck import Deck, Rig, limit_ms
from emulator.devices.shoe import Shoe
from emulator.devices.shuffler import Shuffler
from table_client.table.devices.device_faults import PPM, FaultPlan
from table_client.table.devices.model import (
    MAX_EVENTS,
    MAX_HOURS,
    RETIRED,
    DeckStatus,
    Device,
    DeviceEvent,
    DeviceState,
    EventBody,
    Method,
    Retirement,
    ShufflerKind,
    StationConfig,
    StationStatus,
)
from table_client.table.devices.refusals import DeviceRefused, Reason
from table_client.table.randomness import RandomStream, stream

MAX_DECKS = 2


def verify_config(config: StationConfig) -> None:
    """Refuse a set-up that no table may have."""
    if config.first_shuffle < 1:
        raise DeviceRefused(Reason.INVALID_COMMAND, first_shuffle=config.first_shuffle)
    if not 0 <= config.rigged_ppm <= PPM:
        raise DeviceRefused(Reason.INVALID_COMMAND, rigged_ppm=config.rigged_ppm, most=PPM)
    for hours in (config.by_hand_hours, config.by_shoe_hours):
        if not 0 <= hours <= MAX_HOURS:
            raise DeviceRefused(Reason.INVALID_COMMAND, hours=hours, most=MAX_HOURS)
    if config.rigged_ppm and config.method is not Method.AUTOMATED_SHOE:
        raise DeviceRefused(Reason.INVALID_COMMAND, rigged="only an automated shoe can be")
    continuous = config.method is Method.CONTINUOUS_SHOE
    if continuous and config.shuffler is not ShufflerKind.NONE:
        raise DeviceRefused(Reason.INVALID_COMMAND, continuous_shoe="needs no shuffler")
    if config.method is Method.HAND and config.shuffler is ShufflerKind.NONE and not config.poker:
        raise DeviceRefused(Reason.SHUFFLER_REQUIRED)


class StationState:
    """A table's shuffler, its way of dealing and its decks, with the checks that commands share."""

    def __init__(self, name: str, config: StationConfig, now_ms: int = 0) -> None:
        verify_config(config)
        self.name = name
        self.config = config
        self.now_ms = now_ms
        self.shuffles = config.first_shuffle - 1
        self.sequence = 0
        self.events: deque[DeviceEvent] = deque(maxlen=MAX_EVENTS)
        self.shuffler = Shuffler(config.shuffler, config.expected_cards, self.emit)
        self.shoe = Shoe(config.method, self.emit)
        self.faults = FaultPlan(stream(config.seed, name, "faults", config.first_shuffle))
        rigging = stream(config.seed, name, "rigging", config.first_shuffle)
        self.rig = Rig(rigging, config.rigged_ppm)
        self.shoe_set_aside: DeviceState | None = None  # an automated shoe no longer used
        self.decks: dict[str, Deck] = {}
        self.opened = 0
        self.stacked: Deck | None = None  # before the dealer, to be shuffled by hand
        self.uncut: Deck | None = None  # shuffled by hand, to be cut

    # Time

    @property
    def due_ms(self) -> int | None:
        """When something will happen by itself; None if nothing will."""
        return self.shuffler.due_ms

    def advance(self, now_ms: int) -> None:
        """Let time pass, and what is due happen; time never goes back."""
        due_ms = self.shuffler.due_ms
        if due_ms is not None and due_ms <= now_ms:
            self.now_ms = max(self.now_ms, due_ms)
            self.shuffler.finish()
        self.now_ms = max(self.now_ms, now_ms)

    # What can be seen

    def status(self) -> StationStatus:
        """Everything that can be seen now."""
        shoe, shuffler = self.shoe, self.shuffler
        return StationStatus(
            sequence=self.sequence,
            at_ms=self.now_ms,
            method=shoe.method,
            shuffler=shuffler.state,
            shoe=shoe.state,
            tray_deck=shuffler.tray.back if shuffler.tray else "",
            shuffler_deck=shuffler.inside.back if shuffler.inside else "",
            shoe_deck=shoe.deck.back if shoe.deck else "",
            shoe_cards=shoe.left,
            dealt_cards=len(shoe.dealt),
            rack_cards=len(shoe.rack),
            decks=tuple(self._deck_status(deck) for deck in self.decks.values()),
            shuffles=self.shuffles,
            seeded=bool(self.config.seed),
            rigged=bool(self.config.rigged_ppm),
        )

    def _deck_status(self, deck: Deck) -> DeckStatus:
        places = {
            id(self.shuffler.tray): "tray",
            id(self.shuffler.inside): "shuffler",
            id(self.shoe.deck): "shoe",
        }
        return DeckStatus(
            back=deck.back,
            number=deck.number,
            age_ms=self.now_ms - deck.opened_ms,
            limit_ms=limit_ms(self.config, self.shoe.method),
            place=places.get(id(deck), "table"),
        )

    # Checks

    def known(self, back: str) -> Deck:
        """The deck with such backs at the table."""
        if back not in self.decks:
            raise DeviceRefused(Reason.DECK_UNKNOWN, deck=back)
        return self.decks[back]

    def verify_open(self) -> None:
        """Refuse a deck more than the table may have: two with a shuffler, else one."""
        two = self.config.poker or self.shuffler.in_service
        if len(self.decks) >= (MAX_DECKS if two else 1):
            raise DeviceRefused(Reason.TOO_MANY_DECKS, decks=len(self.decks))

    def verify_gather(self, deck: Deck) -> None:
        """Refuse to gather a deck that is in a device, still in the shoe, or too old."""
        if deck in (self.shuffler.tray, self.shuffler.inside):
            raise DeviceRefused(Reason.DECK_ELSEWHERE, deck=deck.back)
        self.verify_age(deck)
        continuous = self.shoe.method is Method.CONTINUOUS_SHOE
        if deck is self.shoe.deck and self.shoe.left and not continuous:
            raise DeviceRefused(Reason.STUB_IN_SHOE, deck=deck.back)

    def verify_age(self, deck: Deck) -> None:
        """Refuse a deck that has to be changed."""
        age_ms, most_ms = self.now_ms - deck.opened_ms, limit_ms(self.config, self.shoe.method)
        if age_ms >= most_ms:
            raise DeviceRefused(
                Reason.DECK_OVERDUE, deck=deck.back, age_ms=age_ms, limit_ms=most_ms
            )

    def verify_place_for_deck(self, deck: Deck | None) -> None:
        """Refuse a deck that the next device on its way cannot take."""
        if self.shoe.method is Method.CONTINUOUS_SHOE:
            works = (
                self.shoe.state is not DeviceState.OUT_OF_ORDER and self.shoe.state not in RETIRED
            )
            if not works or deck is None or deck is not self.shoe.deck:
                self.shoe.verify_insert()
        elif self.shuffler.in_service:
            self.shuffler.verify_load()
        else:
            self.verify_out_of_the_way(self.shuffler.state, Device.SHUFFLER)
            self.verify_nothing_stacked()

    def verify_nothing_stacked(self) -> None:
        """Refuse while another deck lies before the dealer to be shuffled or cut."""
        waiting = self.stacked or self.uncut
        if waiting is not None:
            raise DeviceRefused(Reason.OTHER_DECK_ON_TABLE, deck=waiting.back)

    def verify_out_of_the_way(self, state: DeviceState, device: Device) -> None:
        """Another way is used only once the device is covered, or off the table."""
        if self.config.retire_by is Retirement.REMOVE:
            done = state in (DeviceState.REMOVED, DeviceState.ABSENT)
        else:
            done = state is not DeviceState.OUT_OF_ORDER
        if not done:
            raise DeviceRefused(
                Reason.DEVICE_STILL_IN_PLACE, device=device, by=self.config.retire_by
            )

    # Steps that commands share

    def next_shuffle(self) -> RandomStream:
        """The randomness of the next shuffle, named by its number alone."""
        self.shuffles += 1
        return stream(self.config.seed, self.name, "shuffle", self.shuffles)

    def spend(self, ms: int) -> None:
        """Let the time pass that a command takes."""
        self.advance(self.now_ms + ms)

    def emit(self, body: EventBody) -> None:
        """Number and keep an event; the oldest are forgotten."""
        self.sequence += 1
        self.events.append(DeviceEvent(self.sequence, self.now_ms, body))
