"""Rank a hand and name it, for every ranking that the regulations define.

This is the readable evaluator: the controller settles rounds with it. `jackpot.rules.bulk` ranks
millions of hands in the same order by other means. Nothing here knows a game, a bet or a paytable.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from jackpot.rules.cards import DECK, JOKER, CardError, rank_of, verify_distinct
from jackpot.rules.naming import ANY_HAND, four_name, known_names, pair_names, specific_names
from jackpot.rules.rankings import (
    ACE,
    FIVE_ACES,
    FLUSH,
    FOUR,
    FULL_HOUSE,
    HIGH_CARD,
    KING,
    PAIR,
    RANKINGS,
    STRAIGHT,
    STRAIGHT_FLUSH,
    THREE,
    TWO_PAIR,
    Ranking,
    ranking_of,
)

__all__ = ["RANKINGS", "at_least", "best", "known_names", "names", "rank"]

# How many cards of each rank make up a category; whatever is not here is a high card.
_BY_COUNTS = {
    (5,): FIVE_ACES,
    **dict.fromkeys(((4, 1), (4,)), FOUR),
    (3, 2): FULL_HOUSE,
    **dict.fromkeys(((3, 1, 1), (3, 1), (3,)), THREE),
    **dict.fromkeys(((2, 2, 1), (2, 2)), TWO_PAIR),
    **dict.fromkeys(((2, 1, 1, 1), (2, 1, 1), (2, 1), (2,)), PAIR),
}


class _Made(NamedTuple):
    """A made hand. Compared as a tuple, the higher rank comes first."""

    rank: tuple[int, ...]
    category: str
    cards: tuple[str, ...]


def rank(ranking: str, cards: Sequence[str]) -> tuple[int, ...]:
    """A hand's place in the order: the higher tuple is the higher hand, equal tuples are a tie.

    The first number is the category's place in the ranking; the others are the ranks that decide
    between hands of one category, the highest odd card first.
    """
    return _best(ranking, cards).rank


def best(ranking: str, cards: Sequence[str]) -> tuple[str, ...]:
    """The cards that make the highest hand."""
    return _best(ranking, cards).cards


def names(ranking: str, cards: Sequence[str]) -> tuple[str, ...]:
    """All that a hand may be called under a ranking, most specific first."""
    made = _best(ranking, cards)
    specific = specific_names(ranking, made.category, made.rank[1:], cards)
    return (*specific, made.category, ANY_HAND)


def at_least(ranking: str, cards: Sequence[str], name: str) -> bool:
    """Whether a hand is of this name or higher: "king-high", "pair-of-aces", "straight"."""
    return rank(ranking, cards) >= _lowest(ranking, name)


def _lowest(ranking: str, name: str) -> tuple[int, ...]:
    """Where the hands of a name begin: a tuple below each that it begins, above all lower ones."""
    order = ranking_of(ranking).order
    if name in order:
        return (order.index(name),)
    if name == "ace-king-high":  # what a Caribbean Stud dealer needs to qualify
        return (order.index(HIGH_CARD), ACE, KING)
    if name == "royal-flush" and name in known_names(ranking):
        return (order.index(STRAIGHT_FLUSH), ACE + bool(ranking_of(ranking).wheel))
    for value in range(2, ACE + 1):
        if name in specific_names("five-card", HIGH_CARD, (value,), ()):
            return (order.index(HIGH_CARD), value)
        if name in pair_names(value)[:2]:
            return (order.index(PAIR), value)
        if FOUR in order and name == four_name(value):
            return (order.index(FOUR), value)
    raise CardError(f"{name!r} is not a hand of the {ranking} ranking")


def _best(ranking: str, cards: Sequence[str]) -> _Made:
    """The highest hand among all that the cards can make."""
    return _best_of(ranking, tuple(cards))


@lru_cache(maxsize=1024)  # a round asks for the same few hands again and again
def _best_of(ranking: str, cards: tuple[str, ...]) -> _Made:
    rules = ranking_of(ranking)
    verify_distinct(cards)
    if JOKER in cards and not rules.joker:
        raise CardError(f"the {ranking} ranking has no joker")
    if len(cards) not in rules.dealt:
        raise CardError(f"a {ranking} hand cannot be made of {len(cards)} cards")
    if ranking == "two-card-bonus-both":
        return _make(rules, cards[:2])
    size = len(cards) if len(cards) in rules.sizes else rules.sizes[0]
    make = _make_with_joker if JOKER in cards else _make
    return max(make(rules, chosen) for chosen in combinations(cards, size))


def _make_with_joker(rules: Ranking, cards: tuple[str, ...]) -> _Made:
    """The highest hand with the joker as an ace or, completing a straight or flush, any card.

    "Any card" is one that the hand doesn't hold: there is no second ace of spades to stand for.
    """
    rest = tuple(card for card in cards if card != JOKER)
    standing_in = (_make(rules, (*rest, card)) for card in DECK if card not in rest)
    completed = (made for made in standing_in if made.category in (STRAIGHT, FLUSH, STRAIGHT_FLUSH))
    return max((_make(rules, cards), *completed))._replace(cards=cards)


def _make(rules: Ranking, cards: tuple[str, ...]) -> _Made:
    """Rank exactly the cards given."""
    values = [rank_of(card) for card in cards]
    if rules.low:
        values = [1 if value == ACE else value for value in values]
    groups = sorted(((values.count(value), value) for value in set(values)), reverse=True)
    ties = tuple(value for _, value in groups)
    category = _BY_COUNTS.get(tuple(count for count, _ in groups), HIGH_CARD)
    if category == HIGH_CARD and STRAIGHT in rules.order and len(cards) in (3, 4, 5):
        flush = len({card[1] for card in cards}) == 1
        if top := _straight_top(rules, ties):
            category, ties = STRAIGHT_FLUSH if flush else STRAIGHT, (top,)
        elif flush:
            category = FLUSH
    if rules.low:
        # PA2010 553.4(c) to (e), as low poker is played: the hand whose highest odd card is lower
        # is the better one.
        ties = tuple(-value for value in ties)
    return _Made((rules.order.index(category), *ties), category, cards)


def _straight_top(rules: Ranking, descending: tuple[int, ...]) -> int:
    """What a straight is ranked by: its highest card. 0 if the ranks don't follow each other.

    The ace is low only in the lowest straight, whose highest card is then the next. Pai Gow places
    that straight directly below the ace-high one, which makes room for it.
    """
    size = len(descending)
    if descending == (ACE, *range(size, 1, -1)):
        return rules.wheel or size
    if descending[0] - descending[-1] != size - 1:
        return 0
    return descending[0] + (1 if rules.wheel and descending[0] == ACE else 0)
