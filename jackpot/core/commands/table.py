"""What a table asks for, in the order of a round."""

from typing import Literal

from msgspec import Struct

from jackpot.core.commands.base import Command
from jackpot.core.reasons import Reason

# Who a seat's cards belong to at the end of a round. A folded hand is not looked at unless a bet
# that a fold does not forfeit rides on it.
Fate = Literal["played", "folded", "abandoned", "forfeited"]
Dealing = Literal["hand", "shoe"]
# What a table can't take back by itself.
FloorAct = Literal["void-round", "void-seat", "remove-wager"]


class OpenRound(Command, frozen=True):
    """Begin the next round at the table."""


class Wager(Struct, frozen=True, gc=False, omit_defaults=True, cache_hash=True):
    """A seat's wager on a bet. `player` tells apart who plays two boxes; "" means the seat."""

    seat: int
    bet: str
    amount_micros: int
    player: str = ""
    account: str = ""  # the game account that an electronic wager is debited from


class PlaceWagers(Command, frozen=True, cache_hash=True):  # `digest` looks it up
    """Accept wagers, all of them or none."""

    wagers: tuple[Wager, ...]


class Placed(Struct, frozen=True, gc=False):
    """Names a wager that was accepted."""

    seat: int
    bet: str


class WithdrawWagers(Command, frozen=True):
    """Give wagers back while the round is open, all of them or none."""

    wagers: tuple[Placed, ...]


class LockOut(Command, frozen=True):
    """No more bets."""


class ConfirmCollection(Command, frozen=True):
    """The dealer's count of chips for each chip bet; a bet that is not named counts none."""

    chips: dict[str, int]


class SeatHand(Struct, frozen=True, gc=False):
    """How a seat ended the round, and its cards as far as they were seen.

    `player` says who played it, where no wager of the seat does.
    """

    seat: int
    cards: tuple[str, ...] = ()
    fate: Fate = "played"
    player: str = ""


class Settle(Command, frozen=True):
    """Every hand of the round."""

    hands: tuple[SeatHand, ...]
    dealer: tuple[str, ...] = ()
    community: tuple[str, ...] = ()


class VoidRound(Command, frozen=True):
    """Undo the round before its collection: wagers returned, increments reversed."""

    irregularity: str


class CallFloor(Command, frozen=True):
    """Ask a floorperson for what the table may not do alone. Nothing else changes by it."""

    act: FloorAct
    round: int
    seat: int = 0  # of a seat or a wager
    bet: str = ""  # of a wager
    irregularity: str = ""  # of a void


class WithdrawCall(Command, frozen=True):
    """The table needs its call for the floor no longer."""

    call: int


class ContributePot(Command, frozen=True):
    """A Poker pot after its rake: the contribution goes into the table's Bad Beat box."""

    pot_micros: int


class PlaceDeck(Command, frozen=True):
    """A deck is in use from now on; one with the same backs is out."""

    back: str  # the color, or whatever tells it from the table's other decks
    dealing: Dealing
    used_s: int = 0  # for how long it has been in use already


class RemoveDeck(Command, frozen=True):
    """A deck is off the table and no other in its place."""

    back: str


class Malformed(Command, frozen=True):
    """A command whose identity is readable but whose content is not.

    It is refused, and uses its number like any other: what the table sent behind it goes on.
    """

    command: str  # what it was meant to be
    content: str  # a digest of what was sent
    reason: Reason
    details: dict[str, str]


TableCommand = (
    OpenRound
    | PlaceWagers
    | WithdrawWagers
    | LockOut
    | ConfirmCollection
    | Settle
    | VoidRound
    | CallFloor
    | WithdrawCall
    | ContributePot
    | PlaceDeck
    | RemoveDeck
    | Malformed
)
