"""Count every deal of a player's hand and a dealer's from one deck, by how the two compare.

All pairs of hands without a common card are counted by inclusion and exclusion over the cards that
two hands share: the pairs of any two hands, less those that share a card, plus those that share
two, and so on. Of sets of shared cards that differ only by a change of suits one is looked at, and
for each set only how many hands have which rank matters.
"""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jackpot.rules import bulk
from jackpot.rules.model import When
from tools.odds.suits import BITS, Words, choices, classes

Floats = NDArray[np.float64]
WHENS: tuple[When, ...] = ("dealer-not-qualified", "player-higher", "tie", "player-lower")
_CHUNK = 500_000  # hands at a time


class Deals(NamedTuple):
    """For each rank of the player's hand, how many deals end in each of `WHENS`."""

    codes: bulk.Codes
    counts: NDArray[np.int64]


@cache
def ranks_of(ranking: str, *sizes: int) -> bulk.Codes:
    """Every rank that hands of these sizes can have, lowest first."""
    found = [np.unique(bulk.ranks(ranking, batch)) for n in sizes for batch in bulk.hand_batches(n)]
    return np.unique(np.concatenate(found))


def histogram(ranking: str, codes: bulk.Codes, shared: np.uint64, more: int) -> Floats:
    """How many hands, made of the shared cards and so many more, have each rank."""
    counts = np.zeros(len(codes))
    rest = BITS[(BITS & shared) == 0]
    for words in _extensions(shared, rest, more):
        found = np.searchsorted(codes, bulk.ranks(ranking, words))
        counts += np.bincount(found, minlength=len(codes))
    return counts


def _extensions(start: np.uint64, rest: Words, more: int) -> Iterator[Words]:
    index = choices(len(rest), more)
    for chunk in np.array_split(index, max(1, len(index) // _CHUNK)):
        words: Words = start | np.bitwise_or.reduce(rest[chunk], axis=1)
        yield words


def count_deals(ranking: str, player: int, dealer: int, qualifies_from: int = 0) -> Deals:
    """All deals of so many cards each; the dealer has as many as the player, or one more."""
    codes = ranks_of(ranking, *{player, dealer})
    qualified = codes >= qualifies_from
    total = np.zeros((len(WHENS), len(codes)))
    for size in range(player):
        words, times = classes(size)
        for word, alike in zip(words, times, strict=True):
            mine = histogram(ranking, codes, word, player - size)
            same = player == dealer
            theirs = mine if same else histogram(ranking, codes, word, dealer - size)
            total += (-1) ** size * alike * mine * _compared(theirs, qualified)
    total += (-1) ** player * _inside(ranking, player, dealer, codes, qualified)
    return Deals(codes, np.rint(total).astype(np.int64))


def _compared(dealer: Floats, qualified: NDArray[np.bool_]) -> Floats:
    """How many of the dealer's hands fall under each of `WHENS`, for each rank of the player's."""
    out = np.full(len(dealer), dealer[~qualified].sum())
    same = np.where(qualified, dealer, 0.0)
    below = np.cumsum(same) - same
    return np.array([out, below, same, same.sum() - below - same])


def _inside(
    ranking: str, player: int, dealer: int, codes: bulk.Codes, qualified: NDArray[np.bool_]
) -> Floats:
    """The pairs in which the dealer's hand holds all of the player's."""
    words, times = classes(player)
    mine = np.searchsorted(codes, bulk.ranks(ranking, words))
    found = np.zeros((len(WHENS), len(codes)))
    for more in [np.uint64(0)] if player == dealer else BITS:
        free = (words & more) == 0
        theirs = np.searchsorted(codes, bulk.ranks(ranking, words[free] | more))
        own = mine[free]
        when = np.where(qualified[theirs], 2 + np.sign(theirs - own), 0)
        np.add.at(found, (when, own), times[free])
    return found
