"""The orders of hands that the regulations define, as data.

One row a ranking: how many cards make a hand, from how many they are chosen, and which category
beats which, with the clauses that say so. `jackpot.rules.hands` and `jackpot.rules.bulk` both read
this table, each in its own way; nothing here evaluates a hand.
"""

from typing import NamedTuple

from jackpot.rules.cards import CardError

HIGH_CARD = "high-card"
PAIR = "pair"
TWO_PAIR = "two-pair"
THREE = "three-of-a-kind"
STRAIGHT = "straight"
FLUSH = "flush"
FULL_HOUSE = "full-house"
FOUR = "four-of-a-kind"
STRAIGHT_FLUSH = "straight-flush"
FIVE_ACES = "five-aces"

ACE = 14
KING = 13


class Ranking(NamedTuple):
    """An order of hands.

    `sizes` says how many cards make a hand, `dealt` how many they may be chosen from, the highest
    hand counting.
    """

    sizes: tuple[int, ...]
    dealt: tuple[int, ...]
    order: tuple[str, ...]  # lowest category first
    clauses: tuple[str, ...]
    wheel: int = 0  # what the straight with a low ace is ranked by; 0: by its own highest card
    joker: bool = False
    low: bool = False  # the lowest hand is the best, the ace is low


_FIVE = (HIGH_CARD, PAIR, TWO_PAIR, THREE, STRAIGHT, FLUSH, FULL_HOUSE, FOUR, STRAIGHT_FLUSH)
_FOUR = (HIGH_CARD, PAIR, TWO_PAIR, STRAIGHT, FLUSH, THREE, STRAIGHT_FLUSH, FOUR)
_THREE = (HIGH_CARD, PAIR, FLUSH, STRAIGHT, THREE, STRAIGHT_FLUSH)
_TWO = (HIGH_CARD, PAIR)

RANKINGS: dict[str, Ranking] = {
    # Of seven cards (Texas Hold 'Em) the best five count.
    "five-card": Ranking(
        sizes=(5,),
        dealt=(5, 6, 7),
        order=_FIVE,
        clauses=(
            *("PA 657a.6(d)", "MA 5(d)", "PA2010 553.4(b)", "PA2010 555.6(b)"),
            *("PA2010 559.6(b)", "PA2010 563.6(b)", "PA2014 592.6(b)"),
        ),
    ),
    # Crazy 4 Poker chooses from five cards, a Four Card Poker dealer from six.
    "four-card": Ranking(
        sizes=(4,),
        dealt=(4, 5, 6),
        order=_FOUR,
        clauses=("PA 657a.6(b)", "MA 5(b)", "PA2011 573.6(b)", "PA2010 557.6(b)"),
    ),
    "three-card": Ranking(
        sizes=(3,), dealt=(3,), order=_THREE, clauses=("PA2010 565.6(b)", "PA2010 559.6(c)")
    ),
    "six-card-bonus": Ranking(sizes=(5,), dealt=(6,), order=_FIVE, clauses=("PA 657a.6(e)",)),
    "two-card-bonus": Ranking(sizes=(2,), dealt=(2,), order=_TWO, clauses=("PA2010 563.12(c)",)),
    # The player's two cards, which are ranked, then the dealer's two.
    "two-card-bonus-both": Ranking(
        sizes=(2,), dealt=(4,), order=_TWO, clauses=("PA2010 563.12(d)",)
    ),
    # Five cards are a High hand, two a Low hand. Both are ranked in one order, because a High hand
    # may not be lower than its Low hand (PA2010 561.13(a)).
    "pai-gow": Ranking(
        sizes=(5, 2),
        dealt=(5, 2),
        order=(*_FIVE, FIVE_ACES),
        clauses=("PA2010 561.6(b)",),
        wheel=ACE,
        joker=True,
    ),
    "low-hand": Ranking(
        sizes=(5,),
        dealt=(5, 6, 7),
        order=(FOUR, FULL_HOUSE, THREE, TWO_PAIR, PAIR, HIGH_CARD),
        clauses=("PA2010 553.4(d)",),
        low=True,
    ),
}


def ranking_of(name: str) -> Ranking:
    """A ranking by its id."""
    try:
        return RANKINGS[name]
    except KeyError:
        raise CardError(f"{name!r} is not a ranking; there are {', '.join(RANKINGS)}") from None
