"""Count hands: how many of all that can be dealt bear each name, by full enumeration.

Nothing here is a formula from a book: every hand is ranked by `jackpot.rules.bulk` and named by
`jackpot.rules.hands`, so that the odds speak of exactly the hands that the controller would pay.
"""

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from jackpot.rules import bulk
from jackpot.rules.cards import DECK
from jackpot.rules.chances import Tally
from jackpot.rules.hands import names
from jackpot.rules.rankings import STRAIGHT_FLUSH, ranking_of

_PLAIN_LIMIT = 25_000  # up to so many hands, each is named by itself
_BOTH = "two-card-bonus-both"


@cache
def tally(ranking: str, dealt: int) -> Tally:
    """Every hand of so many cards under a ranking."""
    if dealt not in ranking_of(ranking).dealt:
        raise ValueError(f"the {ranking} ranking is not for {dealt} cards")
    if ranking == _BOTH:
        groups = _against_the_dealer()
    elif comb(52, dealt) <= _PLAIN_LIMIT:
        groups = _one_by_one(ranking, dealt)
    else:
        groups = _by_rank(ranking, dealt)
    found: dict[tuple[str, ...], int] = {}
    for given, count in groups:
        found[given] = found.get(given, 0) + count
    return Tally(sum(found.values()), tuple(found.items()))


def _one_by_one(ranking: str, dealt: int) -> Iterator[tuple[tuple[str, ...], int]]:
    """Name each hand by itself."""
    for word in bulk.all_hands(dealt).tolist():
        yield names(ranking, bulk.cards_of(word)), 1


def _by_rank(ranking: str, dealt: int) -> Iterator[tuple[tuple[str, ...], int]]:
    """Name one hand of each rank: hands of equal rank bear the same names.

    Suits make a difference only in the names of straight flushes, which are few: those are named
    one by one.
    """
    counts: dict[int, int] = {}
    samples: dict[int, int] = {}
    for hands in bulk.hand_batches(dealt):
        codes = bulk.ranks(ranking, hands)
        found, first, times = np.unique(codes, return_index=True, return_counts=True)
        for code, at, count in zip(found.tolist(), first.tolist(), times.tolist(), strict=True):
            if bulk.category_of(ranking, code) == STRAIGHT_FLUSH:
                for word in hands[codes == code].tolist():
                    yield names(ranking, bulk.cards_of(word)), 1
            else:
                counts[code] = counts.get(code, 0) + count
                samples[code] = int(hands[at])
    for code, word in samples.items():
        yield names(ranking, bulk.cards_of(word)), counts[code]


def _against_the_dealer() -> Iterator[tuple[tuple[str, ...], int]]:
    """The player's two cards with the dealer's two, whose cards matter only to a pair of aces."""
    two = [bulk.cards_of(word) for word in bulk.all_hands(2).tolist()]
    for mine in two:
        theirs = [other for other in two if not set(mine) & set(other)]
        if names("two-card-bonus", mine)[0] == "pair-of-aces":
            for other in theirs:
                yield names(_BOTH, (*mine, *other)), 1
        else:
            yield names(_BOTH, (*mine, *theirs[0])), len(theirs)


_RANKING = "five-card"
_SHARED = 3
_SUIT_MASK = (1 << 16) - 1


@cache
def tally_higher_of_two() -> Tally:
    """Every deal of two hands with three cards in common, by the names of the higher hand.

    Criss-Cross Poker's Middle Bet: the player's two cards and the middle card belong to both hands;
    two more cards complete each. Of the 22,100 triples that can be shared, those that differ only
    in suits count alike. For one triple every pair of the other 49 cards makes a hand, and two
    hands are dealt together when their pairs have no card in common, so that no list of all 28
    billion deals is needed.
    """
    codes, groups = _groups()
    counts = [0] * len(groups)
    for word, alike in _triples():
        for group, count in enumerate(_deals(word, codes).tolist()):
            counts[group] += alike * count
    return Tally(sum(counts), tuple(zip(groups, counts, strict=True)))


@cache
def _groups() -> tuple[bulk.Codes, tuple[tuple[str, ...], ...]]:
    """Where each group of hands with the same names begins, lowest first, and those names."""
    hands = bulk.all_hands(5)
    codes, first = np.unique(bulk.ranks(_RANKING, hands), return_index=True)
    starts: list[int] = []
    groups: list[tuple[str, ...]] = []
    for code, word in zip(codes.tolist(), hands[first].tolist(), strict=True):
        given = names(_RANKING, bulk.cards_of(word))
        if not groups or groups[-1] != given:
            starts.append(code)
            groups.append(given)
    if set(groups) != {given for given, _ in tally(_RANKING, 5).groups}:
        raise AssertionError("hands of one name don't stand together in the order of ranks")
    return np.array(starts, dtype=np.int32), tuple(groups)


def _triples() -> list[tuple[int, int]]:
    """One triple of each kind, with how many are like it but for their suits."""
    kinds: dict[tuple[int, ...], list[int]] = {}
    for word in bulk.all_hands(_SHARED).tolist():
        suits = sorted(word >> 16 * suit & _SUIT_MASK for suit in range(4))
        kinds.setdefault(tuple(suits), []).append(word)
    return [(alike[0], len(alike)) for alike in kinds.values()]


def _deals(shared: int, starts: bulk.Codes) -> NDArray[np.int64]:
    """For each group, in how many deals with these shared cards the higher hand belongs to it."""
    rest = [bulk.word_of((card,)) for card in DECK if not bulk.word_of((card,)) & shared]
    cards = np.array(rest, dtype=np.uint64)
    one, other = np.array(list(combinations(range(len(rest)), 2)), dtype=np.int64).T
    codes = bulk.ranks(_RANKING, cards[one] | cards[other] | np.uint64(shared))
    group = np.searchsorted(starts, codes, side="right") - 1
    # held[c, g]: pairs with the card c that make a hand of at most group g.
    held = np.zeros((len(rest), len(starts)), dtype=np.int64)
    np.add.at(held, (one, group), 1)
    np.add.at(held, (other, group), 1)
    held = held.cumsum(axis=1)
    pairs = np.bincount(group, minlength=len(starts)).cumsum()
    # Of all ordered choices of two such pairs, those that meet in a card can't be dealt; a pair
    # with itself meets in two.
    at_most = pairs**2 - (held**2).sum(axis=0) + pairs
    exactly: NDArray[np.int64] = np.diff(at_most, prepend=0)
    return exactly
