"""What a round needs of the world: a source of cards and a progressive.

The round engine knows neither device processes nor gRPC. It speaks to these two small interfaces;
`devices` gives cards, `progressive` the link. What goes wrong with cards reaches the
engine as a dealer would see it: as marks on the cards, or as a shoe that no longer deals.
"""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final, Literal, Protocol

from msgspec import Struct

from jackpot.core.config import Medium
from jackpot.wire.errors import PlainError

Fate = Literal["played", "folded", "abandoned", "forfeited"]


class Way(StrEnum):
    """How the cards are dealt."""

    MANUAL_SHOE = "MANUAL_SHOE"
    HAND = "HAND"
    AUTOMATED_SHOE = "AUTOMATED_SHOE"  # dispenses stacks
    CONTINUOUS_SHOE = "CONTINUOUS_SHOE"  # dispenses stacks and reshuffles by itself


class Spot(StrEnum):
    """Where a card goes."""

    SEAT = "PLAYER"
    DEALER = "DEALER"
    COMMUNITY = "COMMUNITY"
    OTHER = "OTHER"  # a burn card, a side bet's card, a position without a wager


class Conduct(StrEnum):
    """What a player does that the rules forbid."""

    TALKS = "TALKS"
    LEAVES = "LEAVES"


class Dealer(Protocol):
    """Whose hands handle the cards that lie face down while players decide."""

    def exposes(self) -> bool:
        """Whether such a card is seen now; asked after every decision, and before the reveal."""


class _Careful:
    def exposes(self) -> bool:
        """Never."""
        return False


CAREFUL: Final = _Careful()


class Deal(Struct, frozen=True):
    """Cards asked of the shoe or the hand: one, or a stack."""

    spot: Spot
    count: int = 1
    seat: int = 0


class Drawn(Struct, frozen=True):
    """One card that came out, with what the dealer saw of it."""

    card: str
    face_up: bool = False  # found face up in the shoe or the deck
    exposed: bool = False  # turned over while it was dealt
    drawn_in_error: bool = False


class Dealt(Struct, frozen=True):
    """What came out for one request, the top card of a stack first."""

    deal: Deal
    cards: tuple[Drawn, ...]
    conduct: Conduct | None = None
    out_of_turn: bool = False  # the dealer did not deal in the order prescribed


class Made(StrEnum):
    """What was done to have cards ready."""

    DECK_OPENED = "DECK_OPENED"
    DECK_CHANGED = "DECK_CHANGED"  # too old
    DECK_REMOVED = "DECK_REMOVED"  # miscounted by the shuffler
    SHUFFLED = "SHUFFLED"
    SHUFFLED_AGAIN = "SHUFFLED_AGAIN"  # the shuffler failed
    CUT = "CUT"
    DEVICE_RETIRED = "DEVICE_RETIRED"  # out of order, covered or off the table


class DeckInUse(Struct, frozen=True):
    """A deck at the table."""

    back: str
    number: int  # another one for another deck with the same backs
    used_s: int


class ShoeFailedError(Exception):
    """An automated shoe jammed, stopped or failed to deal: the round is void."""


class DeckLostError(PlainError):
    """The devices are gone with their cards: the round is void."""


class ProgressiveLostError(Exception):
    """The progressive can't be reached: it is out of service until it can."""


class DeckSource(Protocol):
    """Where a table's cards come from and go back to."""

    @property
    def way(self) -> Way:
        """How cards are dealt now."""

    @property
    def counts(self) -> bool:
        """Whether a device counts the deck at each shuffle, so that no stub need be counted."""

    async def prepare(self) -> tuple[Made, ...]:
        """Have a shuffled deck ready; the cards of the last round are gathered."""

    async def in_use(self) -> tuple[DeckInUse, ...]:
        """The decks at the table, as far as it is known for how long."""

    async def deal(self, deals: Sequence[Deal]) -> tuple[Dealt, ...]:
        """Deal in order. Fewer answers than requests: the dealer saw something and stopped."""

    async def take_in_hand(self) -> None:
        """Take the stub out of an automated shoe, to go on dealing from the hand."""

    async def remove_stub(self, *, count: bool) -> int | None:
        """Put the stub in the discard rack; says how many cards if they are counted."""

    async def remove_deck(self) -> None:
        """Take the deck in play off the table for good."""


class SideWager(Struct, frozen=True):
    """A wager behind a lock-out."""

    seat: int
    bet: str
    amount_micros: int
    player: str = ""
    account: str = ""  # the game account that an electronic wager is debited from


class LinkedBet(Struct, frozen=True):
    """A bet that the table's links carry."""

    amount_micros: int
    medium: Medium = "chips"
    fold_forfeits: bool = True
    divided: frozenset[str] = frozenset()  # hands whose winners at the table divide one award


class LockedOut(Struct, frozen=True):
    """What the progressive has accepted, and what it drew."""

    wagers: tuple[SideWager, ...] = ()
    magic_card: str = ""
    lucky_position: int | None = None


class SeatHand(Struct, frozen=True):
    """How a seat ended the round, with its cards as far as they were seen."""

    seat: int
    cards: tuple[str, ...] = ()
    fate: Fate = "played"
    player: str = ""


class SideAward(Struct, frozen=True):
    """Money that the progressive has decided for a player."""

    seat: int
    bet: str
    kind: Literal["share", "fixed", "envy", "magic", "lucky", "bad-beat"]
    hand: str
    amount_micros: int
    source: Literal["inventory", "account", "cage"] = "inventory"
    needs_floorperson: bool = True
    holder: int = 0
    payout: int = 0


class Mismatch(Struct, frozen=True):
    """The chips counted are not the wagers accepted."""

    bet: str
    counted: int
    accepted: int


class Progressive(Protocol):
    """The lamps, the lock-out and the awards of a table's links.

    From the lock-out on, any call may raise `ProgressiveLostError`. Before the deal the wagers then
    go back; after it they stand, and their awards follow when the progressive is back.
    """

    @property
    def bets(self) -> Mapping[str, LinkedBet]:
        """What the table's links take."""

    async def open_round(self) -> bool:
        """Take wagers for a new round; False where the progressive is out of service."""

    async def use_decks(self, decks: Sequence[DeckInUse], *, by_hand: bool) -> None:
        """Have it on record which decks are in use now; the game goes on without."""

    async def place(self, wagers: Sequence[SideWager]) -> tuple[SideWager, ...]:
        """Try to place wagers of one seat, all or none; answers those whose lamps are lit."""

    async def lock_out(self) -> LockedOut:
        """No more bets."""

    async def remove_wager(self, wager: SideWager) -> None:
        """Have a floorperson remove an accepted wager that has no chip."""

    async def confirm_collection(self, chips: Mapping[str, int]) -> Mismatch | None:
        """The dealer's count; a mismatch leaves everything as it was."""

    async def settle(
        self, hands: Sequence[SeatHand], dealer: Sequence[str], community: Sequence[str]
    ) -> tuple[SideAward, ...]:
        """Every hand; answers the awards in payment order."""

    async def pay(self, award: SideAward) -> None:
        """Have an award validated where it must be, and paid, with its documentation complete."""

    async def void_round(self, irregularity: str) -> None:
        """Return the round's wagers; once they are collected, by a floorperson."""

    async def void_seat(self, seat: int, irregularity: str) -> None:
        """Have a floorperson return one seat's wagers."""


class Floorperson(Protocol):
    """Who does for a table what it may not do alone, with a credential of their own."""

    async def pay(self, award: SideAward) -> None:
        """Validate an award where it must be, and have it paid."""

    async def approve(self, call: int) -> object:
        """Do what a table has asked for."""
