"""What a game is to the round engine: how it is dealt, decided and settled, as data.

Odds, wagers and seats are in the rule files; here is the procedure of a chapter. A game is one
`Game` value. What differs between two games is a different value, not different code; where words
and numbers don't suffice, a small function stands in (which cards make a hand, how to play it).
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from jackpot.core.config import BaseTerms
from jackpot.rules.base_game import option_value
from jackpot.rules.contest import TwoHands
from jackpot.rules.model import Rule
from table_client.table.games.irregularities import Irregularity, Remedy
from table_client.table.ports import Way

Goes = Literal["seats", "dealer", "community", "bonus-card", "positions"]
# Of a stack: all cards; the top or the bottom one; or, spread with the bottom card at the dealer's
# left, that card discarded and the other two from left to right.
Keep = Literal["all", "top", "bottom", "two-from-left"]
Declining = Literal["fold", "check", "withdraw"]


class Pass(Struct, frozen=True):
    """One pass of the dealer's hand: cards to every player, to the dealer, or to the middle."""

    to: Goes
    cards: int = 1
    shows: Literal["none", "all", "bottom"] = "none"  # which of the cards are turned up
    keep: Keep = "all"  # which cards of a stack are used; the rest goes to the discard rack
    if_bet: str = ""  # only when somebody placed this bet
    right_to_left: bool = False  # Pai Gow by hand turns at each end of the row
    clause: str = ""  # where a pass has its own; else the way's clause for dealing
    shows_clause: str = ""


def numbered(section: str, passes: int, to: Goes) -> tuple[Pass, ...]:
    """Card by card, each pass under its own number: the second and the fourth go elsewhere."""
    return tuple(
        Pass(to if number in (2, 4) else "seats", clause=f"{section}({number})")
        for number in range(1, passes + 1)
    )


def plans(
    manual: tuple[Pass, ...],
    stacks: tuple[Pass, ...],
    *,
    hand: tuple[Pass, ...] = (),
    continuous: tuple[Pass, ...] = (),
) -> dict[Way, tuple[Pass, ...]]:
    """How a game is dealt each way: by hand as from a manual shoe, unless it is said otherwise."""
    return {
        Way.MANUAL_SHOE: manual,
        Way.HAND: hand or manual,
        Way.AUTOMATED_SHOE: stacks,
        Way.CONTINUOUS_SHOE: continuous or stacks,
    }


class WayClauses(Struct, frozen=True):
    """Where a chapter speaks of one way of dealing."""

    load: str
    no_more_bets: str
    deal: str
    stub: str
    count: str
    count_right: str
    count_wrong: str
    no_wager: str = ""  # where positions without a wager are dealt to


class Clauses(Struct, frozen=True, kw_only=True):
    """Where a chapter speaks of each step of a round; "" where no text is at hand."""

    ways: Mapping[Way, WayClauses]
    inspect: str = ""
    spread: str = ""
    wash: str = ""
    decks_two: str = ""
    shuffle: str = ""
    wrong_count: str = ""
    cut: str = ""
    idle: str = ""
    deck_age: str = ""
    late: str = ""
    abandoned: str = ""
    boxes: str = ""
    examine: str = ""
    collect_folds: str = ""
    reveal: str = ""
    turn_up: str = ""  # each player's cards
    discard: str = ""
    award_checks: tuple[str, ...] = ()  # hand, lamp, floorperson, payment
    envy: str = ""
    hand_bonus: tuple[str, ...] = ()  # hand, floorperson, payment
    talking: str = ""
    collection: str = ""  # where it is not that of "no more bets"
    continuous: str = ""


class Ask(Struct, frozen=True, kw_only=True):
    """A decision asked of each player in turn, from the dealer's left."""

    bet: str  # the wager that is placed, or withdrawn
    call: str
    clause: str
    of: str = "ante"  # the wager of which it is a multiple
    least: int = 1
    most: int = 1
    better: tuple[str, str, int] | None = None  # (ranking, hand, multiple) that a high hand allows
    declining: Declining = "fold"


def asked(rule: Rule, bet: str, *, call: str, clause: str, declining: Declining = "fold") -> Ask:
    """The decision about a bet whose amount its rule gives."""
    found = rule.bet(bet)
    wager = found.wager if found else None
    if found is None or wager is None:
        raise ValueError(f"{rule.id} does not say how much {bet} is")
    return Ask(
        bet=bet,
        call=call,
        clause=clause,
        of=wager.of or bet,
        least=wager.least,
        most=wager.most,
        better=(found.ranking, *wager.better) if wager.better else None,
        declining=declining,
    )


class Turn(Struct, frozen=True):
    """Community cards that lie face down are turned up."""

    places: tuple[int, ...]
    call: str
    clause: str


class Draw(Struct, frozen=True):
    """Community cards are dealt face up, after a card is burned."""

    burn: int
    cards: int
    call: str
    clause: str


class SetHands(Struct, frozen=True):
    """Players set two hands."""

    clause: str
    surrender: str


Act = Ask | Turn | Draw | SetHands


class Wave(Struct, frozen=True):
    """One walk around the table, from the dealer's right, that settles some of the wagers."""

    results: tuple[Literal["lose", "push", "win"], ...] = ("lose", "push", "win")
    side_bets: bool | None = None  # only those, only the others, or all
    call: str = ""
    clause: str = ""


ONE_BY_ONE = (Wave(),)


class Cards(Struct, frozen=True):
    """The cards that a wager may be about, when the round is settled."""

    own: tuple[str, ...]
    dealer: tuple[str, ...] = ()
    community: tuple[str, ...] = ()
    bonus_card: str = ""


class View(Struct, frozen=True):
    """What a player sees when deciding."""

    own: tuple[str, ...]
    dealer: tuple[str, ...]  # what is face up
    community: tuple[str, ...]  # what is face up, in the order in which it was shown
    most: int  # the multiple that may be wagered


HouseWay = Callable[[tuple[str, ...]], TwoHands]
HandsOf = Callable[[Cards], tuple[tuple[str, ...], ...]]
Times = int | Fraction  # of the wager asked about; 0 declines
Strategy = Callable[[Ask, View], Times]


def own_cards(cards: Cards) -> tuple[tuple[str, ...], ...]:
    """The player's own cards."""
    return (cards.own,)


def with_community(cards: Cards) -> tuple[tuple[str, ...], ...]:
    """The player's own cards with all community cards."""
    return ((*cards.own, *cards.community),)


def dealer_cards(cards: Cards) -> tuple[tuple[str, ...], ...]:
    """The dealer's own cards."""
    return (cards.dealer,)


def nothing_asked(_ask: Ask, _view: View) -> Times:
    """How to play where nothing is wagered after the deal."""
    return 0


class Game(Struct, frozen=True, kw_only=True):
    """One game of one jurisdiction."""

    rule: Rule
    clauses: Clauses
    irregularities: Mapping[Irregularity, Remedy]
    plans: Mapping[Way, tuple[Pass, ...]]
    required: tuple[str, ...]  # wagers of equal amount that take part against dealer or paytable
    strategy: Strategy = nothing_asked
    alone: tuple[str, ...] = ()  # side bets that may be placed without the required ones
    script: tuple[Act, ...] = ()
    hands: HandsOf = own_cards
    hands_for: Mapping[str, HandsOf] = {}
    dealer_hand: HandsOf = dealer_cards
    settle_clauses: Mapping[str, str] = {}
    without_own_cards: frozenset[str] = frozenset()  # bets on community cards alone
    folds_at_once: bool = False  # folded hands are collected at once, not after all decided
    collects_each: bool = False  # a hand is collected when it is settled, not at the end
    settles: tuple[Wave, ...] = ONE_BY_ONE
    losers_first: bool = False  # at each turn, losing wagers are collected before any is paid
    shows_all_first: bool = False  # every hand is turned up before any wager is settled
    settles_unqualified: tuple[Wave, ...] = ()  # where a dealer who does not qualify changes it
    stub_after_script: bool = False  # the stub is needed for community cards
    counts_every_stub: bool = False
    settlement_known: bool = True
    removes_devices: bool = False  # a device out of order leaves the table; else it is covered
    verify: Callable[[Mapping[str, int], BaseTerms], str] | None = None  # "" or why not
    house_ways: Mapping[str, HouseWay] = {}  # by the rule's option; the first is the usual one

    @property
    def name(self) -> str:
        """The rule's id, which is also the game's."""
        return self.rule.id

    @property
    def house_way(self) -> HouseWay | None:
        """How the dealer's two hands are set."""
        return next(iter(self.house_ways.values()), None)

    def under(self, terms: BaseTerms) -> "Game":
        """The game with the house way that a table's terms name."""
        if not self.house_ways:
            return self
        chosen = option_value(self.rule, terms, "house-way")
        return replace(self, house_ways={chosen: self.house_ways[chosen]})

    def hands_of(self, bet: str, ranking: str = "") -> HandsOf:
        """Which cards make the hand of a bet; of several hands the highest counts."""
        return self.hands_for.get(ranking) or self.hands_for.get(bet, self.hands)
