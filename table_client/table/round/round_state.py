"""What lies on a table during a round: wagers, cards, lamps, the discard rack.

Plain state that the parts of the engine share; it follows no rule by itself.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from msgspec import Struct

from jackpot.core.config import BaseTerms
from jackpot.rules.base_game import fold_forfeits, option_value, paytable_of
from jackpot.rules.model import BetRule, Paytable
from table_client.table.games.model import Cards, Game
from table_client.table.players import Player
from table_client.table.ports import Fate, LinkedBet, SideAward, Way
from table_client.table.trace import Trace

if TYPE_CHECKING:
    from jackpot.rules.contest import TwoHands

Result = Literal["win", "lose", "push", "forfeit", "returned", "withdrawn", "not-settled"]
DEALER = 0
MOST_SEATS = 7  # where a text names no number; no game here has more


class Outcome(Struct, frozen=True):
    """How one wager ended."""

    seat: int
    bet: str
    wager_micros: int
    result: Result
    won_micros: int = 0  # beyond the wager itself
    hand: str = ""
    clause: str = ""

    @property
    def net_micros(self) -> int:
        """What the player has more or less than before."""
        if self.result in ("lose", "forfeit"):
            return -self.wager_micros
        return self.won_micros


class Seat:
    """A box with a player's wagers and cards."""

    def __init__(self, number: int, player: Player) -> None:
        self.number = number
        self.player = player
        self.wagers: dict[str, int] = {}  # on the layout
        self.linked: dict[str, int] = {}  # accepted by the progressive: the lamp is lit
        self.cards: list[str] = []
        self.hands: TwoHands | None = None
        self.fate: Fate = "played"
        self.void = False
        self.collected = False  # the cards are in the discard rack
        self.outcomes: list[Outcome] = []
        self.awards: list[SideAward] = []

    @property
    def open_wagers(self) -> list[str]:
        """Wagers on the layout that are not settled."""
        done = {outcome.bet for outcome in self.outcomes}
        return [bet for bet in self.wagers if bet not in done]


class Bundle(Struct, frozen=True):
    """Cards placed together in the discard rack."""

    owner: str
    cards: tuple[str, ...]


class DiscardRack:
    """The pile of a round, in the order in which it was placed."""

    def __init__(self) -> None:
        self.bundles: list[Bundle] = []

    def place(self, owner: str, cards: Iterable[str]) -> None:
        """Put cards on the pile."""
        self.bundles.append(Bundle(owner, tuple(cards)))


def owner_of(seat: int) -> str:
    """How the rack calls a hand."""
    return "dealer" if seat == DEALER else f"seat {seat}"


class Layout:
    """One round's table."""

    def __init__(
        self,
        game: Game,
        terms: BaseTerms,
        way: Way,
        trace: Trace,
        seats: Mapping[int, Player],
        boxes: int = 1,
    ) -> None:
        most = game.rule.table.seats if game.rule.table else MOST_SEATS
        if any(not 1 <= seat <= most for seat in seats):
            raise ValueError(f"{game.name} has seats 1 to {most}, not {sorted(seats)}")
        self.game = game
        self.rule = game.rule
        self.terms = terms
        self.boxes = boxes  # adjacent ones that a person may play
        self.way = way
        self.trace = trace
        self.seats = {number: Seat(number, seats[number]) for number in sorted(seats)}
        self.linked: Mapping[str, LinkedBet] = {}  # what the progressive takes in this round
        self.dealer: list[str] = []
        self.dealer_up: list[str] = []
        self.dealer_hands: TwoHands | None = None
        self.community: list[str] = []
        self.turned: list[int] = []  # places of community cards that are face up
        self.bonus_card = ""
        self.empty: dict[int, list[str]] = {}  # cards at positions without a wager
        self.rack = DiscardRack()
        self.out = 0  # cards that have left the shoe
        self.set_aside = 0  # found face up

    def active(self) -> Iterator[Seat]:
        """Seats that were dealt in and still play, from the dealer's left."""
        return (seat for seat in self.dealt_in() if seat.fate == "played")

    def dealt_in(self) -> Iterator[Seat]:
        """Seats that receive cards, from the dealer's left."""
        return (seat for seat in self.seats.values() if seat.wagers and not seat.void)

    def has(self, bet: str) -> bool:
        """Whether anybody placed a bet."""
        return any(bet in seat.wagers for seat in self.seats.values())

    def bet(self, bet: str) -> BetRule:
        """A bet of the rule."""
        found = self.rule.bet(bet)
        if found is None:
            raise KeyError(f"{self.rule.id} has no bet {bet}")
        return found

    def paytable(self, bet: BetRule) -> Paytable:
        """The paytable that a bet is settled by."""
        return paytable_of(self.terms, bet)

    def fold_forfeits(self, bet: BetRule) -> bool:
        """Whether a player who folds loses a wager."""
        return fold_forfeits(self.terms, bet)

    def option(self, option_id: str) -> str:
        """What the house chose for an option, as far as the way of dealing allows it."""
        return option_value(self.rule, self.terms, option_id, self.way.value)

    def cards_of(self, own: Sequence[str]) -> Cards:
        """The cards that the wagers on a hand may be about."""
        return Cards(tuple(own), tuple(self.dealer), tuple(self.community), self.bonus_card)
