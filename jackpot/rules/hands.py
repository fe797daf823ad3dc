"""Rank hands and name them, one hand at a time, for every ranking that the regulations define.

This is the readable evaluator: the controller settles rounds with it. `jackpot.rules.bulk` ranks
millions of hands in the same order. A ranking is a row of data in `RANKINGS`; nothing here knows a
game, a bet or a paytable.

`names` is how a paytable finds its row: the first row, from the top, whose hand is among the
names. A hand's names never reach below its own category (a royal flush is also a straight flush,
never a flush), so that a row stands for exactly the hands that its regulation lists.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from jackpot.rules.cards import (
    DECK,
    JOKER,
    RANK_PLURALS,
    RANK_WORDS,
    SUIT_WORDS,
    CardError,
    rank_of,
    verify_distinct,
)

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
ANY_HAND = "any-hand"  # last among the names of every hand: for a row such as "one pair or less"

ACE = 14

# How many cards of each rank make up a category that is neither straight nor flush.
_BY_COUNTS = {
    (5,): FIVE_ACES,
    (4, 1): FOUR,
    (4,): FOUR,
    (3, 2): FULL_HOUSE,
    (3, 1, 1): THREE,
    (3, 1): THREE,
    (3,): THREE,
    (2, 2, 1): TWO_PAIR,
    (2, 2): TWO_PAIR,
    (2, 1, 1, 1): PAIR,
    (2, 1, 1): PAIR,
    (2, 1): PAIR,
    (2,): PAIR,
}


class Ranking(NamedTuple):
    """An order of hands: how many cards make one, from how many they are chosen, what beats what.

    `sizes` has the number of cards that a hand is made of; `most` is the most cards that it may be
    chosen from, the best hand counting.
    """

    sizes: tuple[int, ...]
    most: int
    order: tuple[str, ...]  # lowest category first
    clauses: tuple[str, ...]
    wheel: int = 0  # where the lowest ranks with an ace stand among straights; 0: at the bottom
    joker: bool = False
    low: bool = False  # the lowest hand is the best, the ace is low


_FIVE = (HIGH_CARD, PAIR, TWO_PAIR, THREE, STRAIGHT, FLUSH, FULL_HOUSE, FOUR, STRAIGHT_FLUSH)
_FOUR = (HIGH_CARD, PAIR, TWO_PAIR, STRAIGHT, FLUSH, THREE, STRAIGHT_FLUSH, FOUR)
_THREE = (HIGH_CARD, PAIR, FLUSH, STRAIGHT, THREE, STRAIGHT_FLUSH)

RANKINGS: dict[str, Ranking] = {
    # From six or seven cards (Let It Ride, Texas Hold 'Em) the best five count.
    "five-card": Ranking(
        (5,),
        7,
        _FIVE,
        (
            "PA 657a.6(d)",
            "MA 5(d)",
            "PA2010 553.4(b)",
            "PA2010 555.6(b)",
            "PA2010 559.6(b)",
            "PA2010 563.6(b)",
            "PA2014 592.6(b)",
        ),
    ),
    # Crazy 4 Poker chooses from five cards; a Four Card Poker dealer from six.
    "four-card": Ranking(
        (4,), 6, _FOUR, ("PA 657a.6(b)", "MA 5(b)", "PA2011 573.6(b)", "PA2010 557.6(b)")
    ),
    "three-card": Ranking((3,), 3, _THREE, ("PA2010 565.6(b)", "PA2010 559.6(c)")),
    "six-card-bonus": Ranking((5,), 6, _FIVE, ("PA 657a.6(e)",)),
    "two-card-bonus": Ranking((2,), 2, (HIGH_CARD, PAIR), ("PA2010 563.12(c)",)),
    # The player's two cards, then the dealer's two.
    "two-card-bonus-both": Ranking((4,), 4, (HIGH_CARD, PAIR), ("PA2010 563.12(d)",)),
    # Five cards are a High hand, two a Low hand; both are ranked in one order, because a High hand
    # may not be lower than its Low hand.
    "pai-gow": Ranking((5, 2), 5, (*_FIVE, FIVE_ACES), ("PA2010 561.6(b)",), wheel=ACE, joker=True),
    "low-hand": Ranking((5,), 7, _FIVE, ("PA2010 553.4(d)",), low=True),
}


class _Made(NamedTuple):
    """A made hand: its full rank, and the cards it is made of."""

    rank: tuple[int, ...]
    category: str
    cards: tuple[str, ...]


def rank(ranking: str, cards: Sequence[str]) -> tuple[int, ...]:
    """A hand's place in the order: the higher tuple is the higher hand, equal tuples are a tie."""
    return _best(ranking, cards).rank


def best(ranking: str, cards: Sequence[str]) -> tuple[str, ...]:
    """The cards that make the highest hand."""
    return _best(ranking, cards).cards


def names(ranking: str, cards: Sequence[str]) -> tuple[str, ...]:
    """All that a hand may be called under a ranking, most specific first."""
    made = _best(ranking, cards)
    return (*_specific(ranking, made, cards), made.category, ANY_HAND)


def known_names(ranking: str) -> frozenset[str]:
    """Every name that a paytable's row may use under a ranking."""
    order = set(_ranking(ranking).order)
    found = {*order, ANY_HAND, *(f"{word}-high" for word in RANK_WORDS)}
    if PAIR in order:
        found.update(name for value in range(2, ACE + 1) for name in _pair_names(value))
    if FOUR in order:
        found.update(f"four-{plural}" for plural in RANK_PLURALS)
    suits = SUIT_WORDS.values()
    match ranking:
        case "five-card" | "pai-gow":
            found.add("royal-flush")
        case "three-card":
            found.update(("mini-royal", *(f"mini-royal-{suit}" for suit in suits)))
        case "six-card-bonus":
            found.update(("royal-flush", "six-card-royal-flush"))
            found.update(f"six-card-royal-flush-{suit}" for suit in suits)
        case "two-card-bonus" | "two-card-bonus-both":
            for how in ("suited", "offsuit"):
                found.update(f"ace-{other}-{how}" for other in RANK_WORDS[:-1])
                found.add(f"ace-queen-or-jack-{how}")
            if ranking == "two-card-bonus-both":
                found.add("aces-against-aces")
        case "low-hand":
            found.add("eight-or-better")
    return frozenset(found)


def at_least(ranking: str, cards: Sequence[str], name: str) -> bool:
    """Whether a hand is of this name or higher: "king-high", "pair-of-aces", "straight"."""
    return rank(ranking, cards) >= _floor(ranking, name)


def _floor(ranking: str, name: str) -> tuple[int, ...]:
    """The lowest rank that bears a name; a shorter tuple is below all that it begins."""
    order = _ranking(ranking).order
    if name in order:
        return (order.index(name),)
    for value, (word, plural) in enumerate(zip(RANK_WORDS, RANK_PLURALS, strict=True), start=2):
        if name == f"{word}-high":
            return (order.index(HIGH_CARD), value)
        if name in (f"pair-of-{plural}", f"pair-of-{plural}-or-better"):
            return (order.index(PAIR), value)
        if name == f"four-{plural}" and FOUR in order:
            return (order.index(FOUR), value)
    if name == "ace-king-high":  # what a Caribbean Stud dealer needs (PA2010 555.11)
        return (order.index(HIGH_CARD), ACE, ACE - 1)
    if name == "royal-flush":
        return (order.index(STRAIGHT_FLUSH), ACE)
    raise CardError(f"{name!r} is no hand of the {ranking} ranking")


def _ranking(ranking: str) -> Ranking:
    try:
        return RANKINGS[ranking]
    except KeyError:
        raise CardError(f"{ranking!r} is not a ranking; there are {', '.join(RANKINGS)}") from None


def _best(ranking: str, cards: Sequence[str]) -> _Made:
    """The highest hand among all that the cards can make."""
    rules = _ranking(ranking)
    verify_distinct(cards)
    if JOKER in cards and not rules.joker:
        raise CardError(f"the {ranking} ranking has no joker")
    count = len(cards)
    if count in rules.sizes:
        size = count
    elif rules.sizes[0] < count <= rules.most:
        size = rules.sizes[0]
    else:
        raise CardError(f"a {ranking} hand cannot be made of {count} cards")
    if ranking == "six-card-bonus" and count != rules.most:
        raise CardError(f"a {ranking} hand is made of six cards, not {count}")
    if ranking == "two-card-bonus-both":
        return _make(rules, cards[:2])
    return max(
        (_make_with_joker(rules, chosen) for chosen in combinations(cards, size)),
        key=lambda made: made.rank,
    )


def _make_with_joker(rules: Ranking, cards: Sequence[str]) -> _Made:
    """The highest hand with the joker as an ace or, completing a straight or flush, any card."""
    made = _make(rules, cards)
    if JOKER not in cards:
        return made
    rest = [card for card in cards if card != JOKER]
    for stand_in in _stand_ins(rest):
        other = _make(rules, [*rest, stand_in])
        if other.category in (STRAIGHT, FLUSH, STRAIGHT_FLUSH) and other.rank > made.rank:
            made = _Made(other.rank, other.category, tuple(cards))
    return made


def _stand_ins(rest: Sequence[str]) -> Iterator[str]:
    """Every card that the joker may stand for: any that the hand doesn't hold."""
    return (card for card in DECK if card not in rest)


def _make(rules: Ranking, cards: Sequence[str]) -> _Made:
    """Rank exactly the cards given."""
    values = [rank_of(card) for card in cards]
    if rules.low:
        return _make_low(rules, values, cards)
    groups = sorted(((values.count(value), value) for value in set(values)), reverse=True)
    category = _BY_COUNTS.get(tuple(count for count, _ in groups), HIGH_CARD)
    ties = tuple(value for _, value in groups)
    if category == HIGH_CARD and STRAIGHT in rules.order and len(values) > 2:  # noqa: PLR2004 - a Low hand has two cards and neither straights nor flushes
        flush = len({card[1] for card in cards}) == 1
        top = _straight_top(rules, ties)
        if top:
            category, ties = (STRAIGHT_FLUSH if flush else STRAIGHT), (top,)
        elif flush:
            category = FLUSH
    return _Made((rules.order.index(category), *ties), category, tuple(cards))


def _straight_top(rules: Ranking, descending: tuple[int, ...]) -> int:
    """What a straight is ranked by: its highest card. 0 if the ranks don't follow each other.

    The ace is low only in the lowest straight, which therefore ranks by its second card, except
    where a ranking places it elsewhere: Pai Gow puts it directly below the ace-high straight.
    """
    size = len(descending)
    if descending[0] - descending[-1] == size - 1:
        return descending[0] + (rules.wheel and descending[0] == ACE)
    if descending == (ACE, *range(size, 1, -1)):
        return rules.wheel or size
    return 0


def _make_low(rules: Ranking, values: Sequence[int], cards: Sequence[str]) -> _Made:
    """Rank a low hand: the order of high hands upside down, ace low, no straights or flushes.

    PA2010 553.4(c) to (e), read as low poker is played: of two hands of one category the better is
    that whose highest odd card is lower.
    """
    lows = [1 if value == ACE else value for value in values]
    groups = sorted(((lows.count(value), value) for value in set(lows)), reverse=True)
    category = _BY_COUNTS.get(tuple(count for count, _ in groups), HIGH_CARD)
    full = (rules.order.index(category), *(value for _, value in groups))
    return _Made(tuple(-part for part in full), category, tuple(cards))


def _specific(ranking: str, made: _Made, cards: Sequence[str]) -> tuple[str, ...]:
    """The names within a category, most specific first."""
    top = made.rank[1]
    match made.category:
        case "straight-flush":
            return _royal_names(ranking, top, cards)
        case "four-of-a-kind":
            return (f"four-{RANK_PLURALS[abs(top) - 2]}",) if not RANKINGS[ranking].low else ()
        case "pair" if ranking == "two-card-bonus-both" and top == ACE == _pair_of(cards[2:]):
            return ("aces-against-aces", *_pair_names(top))
        case "pair" if not RANKINGS[ranking].low:
            return _pair_names(top)
        case "high-card" if ranking.startswith("two-card-bonus"):
            return (*_ace_names(made.cards), f"{RANK_WORDS[top - 2]}-high")
        case "high-card" if RANKINGS[ranking].low:
            return ("eight-or-better",) if -top <= 8 else ()  # noqa: PLR2004 - PA2010 553.10(j)
        case "high-card":
            return (f"{RANK_WORDS[top - 2]}-high",)
    return ()


def _royal_names(ranking: str, top: int, cards: Sequence[str]) -> tuple[str, ...]:
    """What the highest straight flush is called besides."""
    if top < ACE + (RANKINGS[ranking].wheel > 0):
        return ()
    suit = SUIT_WORDS.get(cards[0][1], "")
    match ranking:
        case "three-card":
            return (f"mini-royal-{suit}", "mini-royal")
        case "six-card-bonus":
            if len({card[1] for card in cards}) == 1 and min(map(rank_of, cards)) == 9:  # noqa: PLR2004 - ace to nine of one suit
                return (f"six-card-royal-flush-{suit}", "six-card-royal-flush", "royal-flush")
            return ("royal-flush",)
        case "five-card" | "pai-gow":
            return ("royal-flush",)
    return ()


def _pair_of(cards: Sequence[str]) -> int:
    """The rank of two cards that are a pair, else 0."""
    first, second = map(rank_of, cards)
    return first if first == second else 0


def _pair_names(value: int) -> tuple[str, ...]:
    """A pair's names: "pair-of-queens", then "pair-of-queens-or-better" down to the twos."""
    own = f"pair-of-{RANK_PLURALS[value - 2]}"
    return (own, *(f"pair-of-{RANK_PLURALS[low - 2]}-or-better" for low in range(value, 1, -1)))


def _ace_names(cards: Sequence[str]) -> tuple[str, ...]:
    """The names of an ace with a lower card (PA2010 563.12(c))."""
    high, low = sorted(map(rank_of, cards), reverse=True)
    if high != ACE:
        return ()
    how = "suited" if cards[0][1] == cards[1][1] else "offsuit"
    own = (f"ace-{RANK_WORDS[low - 2]}-{how}",)
    return (*own, f"ace-queen-or-jack-{how}") if low in (11, 12) else own
