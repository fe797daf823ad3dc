"""Two lawful submissions of every game, and what a table's own code makes of deals under them."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from jackpot.core.config import BaseTerms
from jackpot.odds.played import Kind, Part, Play, plays_of
from jackpot.rules.base_game import option_value, paytable_of
from jackpot.rules.chances import Tally, kept_tallies, tally_key
from jackpot.rules.contest import HIGH_CARDS, TwoHands
from jackpot.rules.model import BetRule, Rule
from table_client.table.games.catalogue import GAMES
from table_client.table.ports import Way
from table_client.table.round.dealing import Dealing
from table_client.table.round.deciding import Deciding
from table_client.table.round.round_state import Layout, Outcome
from table_client.table.round.verdicts import outcomes, settle_bet
from table_client.table.trace import Trace
from tests.client.games.decks import PlainDeck, stacked
from tests.client.games.tables import (
    CARIBBEAN,
    CRISS,
    DOLLAR,
    FOUR,
    HOLDEM,
    MA,
    PA,
    PA2011,
    PAI_GOW,
    RIDE,
    THREE,
    ULTIMATE,
    Scripted,
    play,
    terms_of,
)

SPARE = ("2c", "2d", "2h", "2s", "3c", "3d", "3h", "3s", "4c", "4d", "4h", "4s")


# A hand for every row of every paytable, and one that none pays; none holds the two of clubs or
# the three of diamonds.
FIVE = (
    *("As Ks Qs Js Ts", "9h 8h 7h 6h 5h", "9c 9d 9h 9s Kd", "8c 8d 8h Ks Kd", "Ah Jh 9h 6h 4h"),
    *("9c 8d 7h 6s 5c", "9c 9d 9h Ks 4d", "9c 9d 4h 4s Kd", "Ac Ad 9h 7s 4d", "Jc Jd 9h 7s 4d"),
    *("Tc Td 9h 7s 4d", "6c 6d 9h Ks 4d", "5c 5d 9h Ks 7d", "Kc Jd 9h 7s 4d", "Ac Kd 9h 7s 4d"),
)
EXAMPLES = {
    "five-card": FIVE,
    "four-card": (
        *("Ac Ad Ah As 5c", "7c 7d 7h 7s 5c", "5c 6c 7c 8c Kd", "9c 9d 9h 4s 5d", "4c 6c 9c Jc Kd"),
        *("5c 6d 7h 8s Kd", "9c 9d 4h 4s 6c", "Ac Ad 9h 7s 4d", "Kc Kd 9h 7s 4d", "Qc Qd 9h 7s 4d"),
        *("Jc Jd 9h 7s 4d", "Kc Jd 9h 6s 4d"),
    ),
    "three-card": (
        *("As Ks Qs", "Ah Kh Qh", "9h 8h 7h", "9c 9d 9h", "9c 8d 7h", "Kh 9h 4h", "9c 9d Kh"),
        "Kc 9d 4h",
    ),
    "six-card-bonus": (
        *("Ad Kd Qd Jd Td 9d", "Ah Kh Qh Jh Th 9h", *(f"{each} 2h" for each in FIVE)),
    ),
    "two-card-bonus": (*("Ac Ad", "As Ks", "Ah Qh", "Ac Kd", "Kc Kd", "Ac Qd", "9c 9d", "Kc 9d"),),
    "two-card-bonus-both": (
        *("Ac Ad Ah As", "Ac Ad Kh 9s", "As Ks 7h 4s", "Ah Qh 7h 4s", "Ac Kd 7h 4s"),
        *("Kc Kd 7h 4s", "Ac Qd 7h 4s", "9c 9d 7h 4s", "Kc 9d 7h 4s"),
    ),
}


class Submission(NamedTuple):
    """What a house files for one game, with an Ante of so many dollars."""

    rule_id: str
    filed: Mapping[str, Any]
    dollars: int = 10

    @property
    def rule(self) -> Rule:
        """The game's rule."""
        return GAMES[self.rule_id].rule

    @property
    def terms(self) -> BaseTerms:
        """The terms that the site file's reader makes of it; it finds no fault."""
        return terms_of(self.rule_id, **self.filed)

    @property
    def unit_micros(self) -> int:
        """An Ante."""
        return self.dollars * DOLLAR

    @property
    def plays(self) -> list[Play]:
        """The plays whose odds hold here."""
        return [each for each in plays_of(self.rule) if self._fits(each)]

    def _fits(self, play: Play) -> bool:
        """Whether it is a play of the game under these terms."""
        terms = self.terms
        bets = [bet for bet in self.rule.bets if bet.id in play.paytables]
        return (
            self.rule.id in play.rules
            and all(option_value(self.rule, terms, name) == v for name, v in play.options.items())
            and all(paytable_of(terms, bet).id == play.paytables[bet.id] for bet in bets)
        )

    @property
    def alone(self) -> list[BetRule]:
        """Wagers that a hand alone decides, whatever is played."""
        terms = self.terms
        played = {bet for each in self.plays for part in each.parts for bet in part.bets}
        return [
            bet
            for bet in self.rule.bets
            if bet.kind == "paytable" and terms.wager(bet.id) and bet.id not in played
        ]


def _queens_up(rule: str, first: str, second: str) -> list[Submission]:
    return [
        Submission(rule, {"paytables": {"queens-up": first}}),
        Submission(rule, {"paytables": {"queens-up": second}, "play_amounts": "any-amount"}),
    ]


SUBMISSIONS = [
    Submission(PA, {"paytables": {"queens-up": "A", "six-card-bonus": "A"}}),
    Submission(PA, {"paytables": {"queens-up": "D", "six-card-bonus": "E"}}),
    *_queens_up(MA, "A", "D"),
    *_queens_up(PA2011, "B", "C"),
    Submission(CARIBBEAN, {"paytables": {"bonus": "A"}}),
    Submission(CARIBBEAN, {"paytables": {"bonus": "C"}}),
    Submission(RIDE, {"paytables": {"three-card-bonus": "A"}}),
    Submission(RIDE, {"paytables": {"three-card-bonus": "F"}, "limit": 75_000}),
    Submission(CRISS, {"pair_of_tens": "push"}),
    Submission(CRISS, {"pair_of_tens": "win"}),
    Submission(FOUR, {"paytables": {"aces-up": "I"}}),
    Submission(FOUR, {"paytables": {"aces-up": "VII"}}),
    Submission(THREE, {"pair_plus": "alone"}),
    Submission(THREE, {"pair_plus": "ante-equal", "paytables": {"ante-bonus": "C"}}),
    Submission(HOLDEM, {"paytables": {"bonus": "standard"}}),
    Submission(HOLDEM, {"paytables": {"ante": "straight-or-higher", "bonus": "with-both-aces"}}),
    Submission(PAI_GOW, {"house_way": "by-kind", "vigorish": "exact"}),
    Submission(PAI_GOW, {"house_way": "highest-high", "vigorish": "rounded-up"}, dollars=7),
    Submission(ULTIMATE, {"count_stub_every": "5"}),
    Submission(ULTIMATE, {"count_stub_every": "1"}),
]


def ids() -> list[str]:
    """What the tests of each are called."""
    return [f"{each.rule_id}-{1 + number % 2}" for number, each in enumerate(SUBMISSIONS)]


async def settled(filed: Submission, part: Part, kind: Kind) -> dict[str, Fraction]:
    """What each wager of a part brings in a deal of a kind, decided and settled by the table."""
    own, dealer, community = kind.cards
    if filed.rule_id == HOLDEM:
        ended = await _holdem(filed, part, kind)
    else:
        layout = _layout(filed, Scripted(decisions={part.asked: kind.times}))
        seat = layout.seats[1]
        seat.wagers = dict.fromkeys(GAMES[filed.rule_id].required, filed.unit_micros)
        seat.cards, layout.dealer, layout.community = list(own), list(dealer), list(community)
        if filed.rule_id == PAI_GOW:
            seat.hands, layout.dealer_hands = (
                TwoHands(cards[:HIGH_CARDS], cards[HIGH_CARDS:]) for cards in (own, dealer)
            )
        else:
            await Deciding(layout, Dealing(layout, PlainDeck(stacked(())))).run()
        ended = [*seat.outcomes, *outcomes(layout, seat)]
    net = dict.fromkeys(part.bets, Fraction(0))
    for each in ended:
        if each.bet in net:
            net[each.bet] += Fraction(each.net_micros, filed.unit_micros)
    return net


async def _holdem(filed: Submission, part: Part, kind: Kind) -> list[Outcome]:
    """A whole round, because the streets are dealt between decisions; a card is burned first."""
    own, dealer, board = kind.cards
    burned = [card for card in SPARE if card not in (*own, *dealer, *board)]
    flop, turn, river = board[:3], board[3:4], board[4:]
    order = (*own, *dealer, burned[0], *flop, burned[1], *turn, burned[2], *river)
    wanted = {"flop": 2, "turn": 0, "river": 0, part.asked: kind.times}
    player = Scripted("p", {"ante": filed.dollars}, wanted)
    result = await play(HOLDEM, order, {1: player}, terms=filed.terms)
    return list(result.seats[1].outcomes)


def _layout(filed: Submission, player: Scripted) -> Layout:
    game = GAMES[filed.rule_id].under(filed.terms)
    return Layout(game, filed.terms, Way.AUTOMATED_SHOE, Trace(), {1: player})


def settled_alone(filed: Submission, bet: BetRule, cards: tuple[str, ...]) -> Fraction:
    """What a wager on a hand alone wins with these cards, settled by the table."""
    layout = _layout(filed, Scripted())
    seat = layout.seats[1]
    seat.wagers = {bet.id: filed.unit_micros}
    place_cards(layout, bet, cards)
    return Fraction(settle_bet(layout, seat, bet).net_micros, filed.unit_micros)


def place_cards(layout: Layout, bet: BetRule, cards: tuple[str, ...]) -> None:
    """Lay an example's cards where the game has those that a bet is about."""
    seat = layout.seats[1]
    own = layout.rule.deal.seat_cards if layout.rule.deal else 0
    seat.cards = list(cards[:own])
    rest = list(cards[own:])
    if bet.id == "six-card-bonus":
        layout.bonus_card = rest[0]
    elif layout.paytable(bet).ranking == "two-card-bonus-both":
        layout.dealer = rest
    elif bet.id == "five-card-bonus":  # on the five cards of the cross
        layout.community = list(cards)
    elif bet.id.endswith("down"):
        layout.community = [rest[0], "", rest[1], "", rest[2]]
    elif layout.rule.id == CRISS:  # the line across, and for the Middle Bet a lower one beside it
        layout.community = ["2c", *rest, "3d"]
    else:
        layout.community = rest


def counted(filed: Submission, bet: BetRule) -> Tally:
    """Every hand of a wager on a hand alone."""
    ranking = paytable_of(filed.terms, bet).ranking or bet.ranking
    return kept_tallies()[tally_key(filed.rule, bet, ranking)]
