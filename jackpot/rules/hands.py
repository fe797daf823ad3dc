"""Rank a hand and name it, for every ranking that the regulations define.

This is the readable evaluator: the controller settles rounds with it. `jackpot.rules.bulk` ranks
millions of hands in the same order by other means. Nothing here knows a game, a bet or a paytable.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from jackpot.rules.cards import (
    DECK,
    JOKER,
    RANK_PLURALS,
    RANK_WORDS,
    SUIT_WORDS,
    SUITS,
    CardError,
    rank_of,
    verify_distinct,
)
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

ANY_HAND = "any"  # every hand's last name: for a row such as "one pair or less"
LOWEST_OF_SIX_CARD_ROYAL = 9
EIGHT = 8  # the highest card of a low hand that qualifies, PA2010 553.10(j)


def known_names(ranking: str) -> frozenset[str]:
    """Every name that a paytable's row may use under a ranking."""
    order = ranking_of(ranking).order
    found = {*order, ANY_HAND}
    if ranking_of(ranking).low:
        return frozenset({*found, "eight-or-better"})
    found.update(f"{word}-high" for word in RANK_WORDS)
    for value in range(2, ACE + 1):
        found.update(pair_names(value))
        if FOUR in order:
            found.add(four_name(value))
    for suit in SUIT_WORDS.values():
        found.update(_royals(ranking, suit, six=True))
    if ranking.startswith("two-card-bonus"):
        for how in ("suited", "offsuit"):
            for value in range(2, ACE):
                found.update(_ace_names(value, how))
    if ranking == "two-card-bonus-both":
        found.add("aces-against-aces")
    return frozenset(found)


def specific_names(
    ranking: str, category: str, ties: Sequence[int], cards: Sequence[str]
) -> tuple[str, ...]:
    """A made hand's names within its category, most specific first."""
    rules = ranking_of(ranking)
    top = ties[0]
    if rules.low:
        return ("eight-or-better",) if category == HIGH_CARD and -top <= EIGHT else ()
    if category == STRAIGHT_FLUSH:
        royal = top == ACE + bool(rules.wheel)
        return _royals(ranking, _suit(cards), six=_is_six_card_royal(cards)) if royal else ()
    if category == FOUR:
        return (four_name(top),)
    if category == PAIR:
        both = ranking == "two-card-bonus-both" and top == ACE and _all_aces(cards)
        return ("aces-against-aces", *pair_names(top)) if both else pair_names(top)
    if category == HIGH_CARD:
        high = f"{RANK_WORDS[top - 2]}-high"
        if ranking.startswith("two-card-bonus") and top == ACE:
            how = "suited" if cards[0][1] == cards[1][1] else "offsuit"
            return (*_ace_names(ties[1], how), high)
        return (high,)
    return ()


def four_name(value: int) -> str:
    """Four of a kind by rank: "four-aces"."""
    return f"four-{RANK_PLURALS[value - 2]}"


def pair_names(value: int) -> tuple[str, ...]:
    """A pair's names: "pair-of-queens", then "pair-of-queens-or-better" down to the twos."""
    own = f"pair-of-{RANK_PLURALS[value - 2]}"
    return (own, *(f"pair-of-{RANK_PLURALS[low - 2]}-or-better" for low in range(value, 1, -1)))


def _royals(ranking: str, suit: str, *, six: bool) -> tuple[str, ...]:
    """What the highest straight flush is called besides."""
    match ranking:
        case "three-card":
            return (f"mini-royal-{suit}", "mini-royal")
        case "six-card-bonus" if six:
            return (f"six-card-royal-flush-{suit}", "six-card-royal-flush", "royal-flush")
        case "five-card" | "six-card-bonus" | "pai-gow":
            return ("royal-flush",)
    return ()


def _suit(cards: Sequence[str]) -> str:
    return SUIT_WORDS.get(cards[0][1], "")


def _is_six_card_royal(cards: Sequence[str]) -> bool:
    """Whether a hand that holds a royal flush is ace to nine of one suit and nothing else."""
    lowest = min(map(rank_of, cards))
    return len({card[1] for card in cards}) == 1 and lowest == LOWEST_OF_SIX_CARD_ROYAL


def _all_aces(cards: Sequence[str]) -> bool:
    return all(rank_of(card) == ACE for card in cards)


def _ace_names(low: int, how: str) -> tuple[str, ...]:
    """The names of an ace with a lower card (PA2010 563.12(c))."""
    other = RANK_WORDS[low - 2]
    shared = (f"ace-queen-or-jack-{how}",) if other in ("queen", "jack") else ()
    return (f"ace-{other}-{how}", *shared)


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

# What a card adds to the shape of a hand: one to the count of its rank and one to the count of its
# suit, three bits each.
_SUITS_FROM = 3 * (ACE + 1)
_IN_SHAPE = {
    card: (1 << 3 * rank_of(card)) + (1 << _SUITS_FROM + 3 * SUITS.index(card[1])) for card in DECK
}
_in_shape = _IN_SHAPE.__getitem__
_RANKS = (1 << _SUITS_FROM) - 1
_ONE_SUIT = frozenset(size << 3 * place for size in range(1, 8) for place in range(len(SUITS)))
# By ranking and by ranks, with the suit if there is only one: that is all that the names of a hand
# depend on if its cards need not be chosen. There are some thousands for each ranking, filled in as
# they come.
_NAMES: dict[str, dict[int, tuple[str, ...]]] = {ranking: {} for ranking in RANKINGS}


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
    shape = _shape(cards)
    known = _NAMES.get(ranking, {})
    found = known.get(shape)
    if found is None:
        made = _best(ranking, cards)
        specific = specific_names(ranking, made.category, made.rank[1:], cards)
        found = (*specific, made.category, ANY_HAND)
        if shape and len(cards) in ranking_of(ranking).sizes:
            known[shape] = found
    return found


def _shape(cards: Sequence[str]) -> int:
    """What the names of a hand depend on; 0 where it holds a joker, or is no hand."""
    try:
        shape = sum(map(_in_shape, cards))
    except KeyError:
        return 0
    if len(set(cards)) < len(cards):
        return 0
    return shape if shape >> _SUITS_FROM in _ONE_SUIT else shape & _RANKS


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
