"""Count hands: how many of all that can be dealt bear each name, by full enumeration.

Nothing here is a formula from a book: every hand is ranked by `jackpot.rules.bulk` and named by
`jackpot.rules.hands`, so that the odds speak of exactly the hands that the controller would pay.
"""

from collections.abc import Iterator
from functools import cache
from math import comb

import numpy as np

from jackpot.rules import bulk
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
