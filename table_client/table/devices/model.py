"""The words that devices and tables share: settings, states, deliveries, events, limits."""

from enum import StrEnum
from typing import Final

from msgspec import Struct

from table_client.table.devices.device_faults import Fault, Target


class Method(StrEnum):
    """How the cards are dealt."""

    MANUAL_SHOE = "MANUAL_SHOE"
    HAND = "HAND"
    AUTOMATED_SHOE = "AUTOMATED_SHOE"  # dispenses stacks
    CONTINUOUS_SHOE = "CONTINUOUS_SHOE"  # dispenses stacks and reshuffles by itself


AUTOMATED: Final = frozenset({Method.AUTOMATED_SHOE, Method.CONTINUOUS_SHOE})


class ShufflerKind(StrEnum):
    """What shuffles the cards."""

    NONE = "NONE"  # the dealer does
    COUNTING = "COUNTING"
    PLAIN = "PLAIN"  # an automated shuffler that does not count


class Retirement(StrEnum):
    """What has to happen to a device before another way is used in its place."""

    COVER = "COVER"  # covered, or a sign put on it (657a, 573, 592, MA): only if it failed
    REMOVE = "REMOVE"  # taken off the table (the 2010 chapters): always


class Device(StrEnum):
    """Which of a station's two devices."""

    SHUFFLER = "SHUFFLER"
    SHOE = "SHOE"  # whatever deals, the hand included


class DeviceState(StrEnum):
    """What a device is doing. Some states belong to shufflers or to shoes alone."""

    ABSENT = "ABSENT"
    EMPTY = "EMPTY"
    LOADED = "LOADED"
    SHUFFLING = "SHUFFLING"
    READY = "READY"  # shuffled, and the count is right if it counts
    WRONG_COUNT = "WRONG_COUNT"
    DEALING = "DEALING"
    JAMMED = "JAMMED"
    STOPPED = "STOPPED"
    INCOMPLETE = "INCOMPLETE"  # the shuffle cycle was not completed
    FAILED = "FAILED"  # the shoe fails to deal
    OUT_OF_ORDER = "OUT_OF_ORDER"
    COVERED = "COVERED"
    REMOVED = "REMOVED"


# Of a shoe: it gives no more cards until the dealer acts.
MUST_ACT: Final = frozenset(
    {DeviceState.JAMMED, DeviceState.STOPPED, DeviceState.FAILED, DeviceState.OUT_OF_ORDER}
)
RETIRED: Final = frozenset({DeviceState.ABSENT, DeviceState.COVERED, DeviceState.REMOVED})

# Every limit of a station and its process; past one of them the command is refused.
MAX_NAME: Final = 64  # characters of a station's name, a seed, a request id
MAX_BACK: Final = 16  # characters of a back color
MAX_STACK: Final = 10  # cards in one stack; the largest hand of these games has seven
MAX_DELIVERIES: Final = 128  # in one command
MAX_SEAT: Final = 32
MAX_ARMED: Final = 64  # faults waiting for their moment
MAX_SKIP: Final = 10_000  # chances that an injected fault may let pass
MAX_HOURS: Final = 7 * 24  # of a deck's life
MAX_PASS_MS: Final = 7 * 24 * 3_600_000
MAX_EVENTS: Final = 4_096  # events kept for watchers of a station

HOUR_MS: Final = 3_600_000
MIN_CUT: Final = 10


class StationConfig(Struct, frozen=True):
    """How a table's devices are set up."""

    method: Method = Method.AUTOMATED_SHOE
    shuffler: ShufflerKind = ShufflerKind.COUNTING
    joker: bool = False  # a 53rd card, at Pai Gow Poker
    poker: bool = False  # ch. 553: two decks are kept without a shuffler
    retire_by: Retirement = Retirement.COVER
    seed: str = ""  # empty: shuffles are unpredictable
    first_shuffle: int = 1  # resumes a replay: the number of the first shuffle
    rigged_ppm: int = 0  # of players' stacks, so many in a million are made winning hands
    by_hand_hours: int = 0  # the life of a deck by the game's rule; 0: as most rules have it
    by_shoe_hours: int = 0

    @property
    def expected_cards(self) -> int:
        """How many cards a whole deck has."""
        return 53 if self.joker else 52


class Delivery(Struct, frozen=True):
    """Cards asked for: how many, and where they go."""

    target: Target
    count: int = 1
    seat: int = 0  # with a player


class DealtCard(Struct, frozen=True):
    """One card out of the shoe or the deck."""

    card: str
    face_up: bool = False  # found face up: not to be used in this round
    exposed: bool = False  # turned over while it was dealt
    drawn_in_error: bool = False  # was drawn too early, unseen: used as the next card


class Delivered(Struct, frozen=True):
    """What came out for one delivery; it may not be what was asked for.

    `faults` is the emulator's own account, for auditors and for what only players do. A table finds
    an irregularity as a dealer does: from the cards, their marks, and the state of the shoe.
    """

    delivery: Delivery
    cards: tuple[DealtCard, ...]
    faults: tuple[Fault, ...] = ()


class DeckStatus(Struct, frozen=True):
    """A deck at the table."""

    back: str
    number: int  # counts the decks that the station has opened
    age_ms: int
    limit_ms: int  # the age at which it has to be changed
    place: str  # "tray", "shuffler", "shoe" (with what was dealt from it) or "table"

    @property
    def overdue(self) -> bool:
        """Whether the deck has to be changed before it is used again."""
        return self.age_ms >= self.limit_ms


class StationStatus(Struct, frozen=True):
    """Everything that can be seen of a station at one moment; never a card that is face down."""

    sequence: int  # of the last event
    at_ms: int
    method: Method
    shuffler: DeviceState
    shoe: DeviceState
    tray_deck: str
    shuffler_deck: str
    shoe_deck: str
    shoe_cards: int  # left to deal
    dealt_cards: int
    rack_cards: int
    decks: tuple[DeckStatus, ...]
    shuffles: int  # shuffles begun; a replay resumes with one more
    seeded: bool
    rigged: bool


class Dispensed(Struct, frozen=True):
    """The deliveries made. Fewer than asked for: something was seen that the dealer must act on."""

    delivered: tuple[Delivered, ...]
    status: StationStatus


class Stub(Struct, frozen=True):
    """The stub that left the shoe."""

    counted: int | None  # None: placed in the discard rack, or taken in hand, uncounted
    status: StationStatus


class StateChanged(Struct, frozen=True, tag=True):
    """A device changed its state."""

    device: Device
    state: DeviceState
    back: str


class CardsDealt(Struct, frozen=True, tag=True):
    """Cards left the shoe or the deck."""

    delivered: Delivered


class Counted(Struct, frozen=True, tag=True):
    """Cards were counted: a deck by the device that shuffles it, a stub by the dealer."""

    device: Device
    back: str
    counted: int
    expected: int

    @property
    def right(self) -> bool:
        """Whether no card is missing and none too many."""
        return self.counted == self.expected


class FaultOccurred(Struct, frozen=True, tag=True):
    """A fault took effect."""

    fault: Fault
    device: Device
    seat: int = 0


class DeckChanged(Struct, frozen=True, tag=True):
    """A deck was opened at the table, or removed from it."""

    back: str
    number: int
    opened: bool


EventBody = StateChanged | CardsDealt | Counted | FaultOccurred | DeckChanged


class DeviceEvent(Struct, frozen=True):
    """One thing that happened, numbered without gaps from 1."""

    sequence: int
    at_ms: int
    body: EventBody
