"""Sets of cards that differ only by a change of suits count alike, so one of them is looked at.

A word (`jackpot.rules.bulk`) has a field of 16 bits a suit, so a change of suits is a change of
fields. Of all words that are alike, the lowest stands for them.
"""

from functools import cache
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from jackpot.rules import bulk
from jackpot.rules.cards import DECK

Words = NDArray[np.uint64]
BITS: Words = np.array([bulk.word_of((card,)) for card in DECK], dtype=np.uint64)
# For each change of suits: which suit of a word becomes the first, the second, ...
ORDERS: tuple[tuple[int, ...], ...] = tuple(permutations(range(4)))


def lowest_alike(words: Words) -> tuple[Words, NDArray[np.intp]]:
    """For each word the lowest that is like it, and which of `ORDERS` leads there."""
    fields = words.astype("<u8").view("<u2").reshape(-1, 4)
    changed = np.array(
        [np.ascontiguousarray(fields[:, list(order)]).view("<u8").ravel() for order in ORDERS]
    )
    which = changed.argmin(axis=0)
    return changed[which, np.arange(len(words))].astype(np.uint64), which


@cache
def classes(size: int) -> tuple[Words, NDArray[np.float64]]:
    """One of each kind of so many cards that no change of suits makes alike, and how many are."""
    lowest = [lowest_alike(words)[0] for words in bulk.hand_batches(size)]
    found, times = np.unique(np.concatenate(lowest), return_counts=True)
    return found, times.astype(np.float64)


@cache
def choices(n: int, k: int) -> NDArray[np.uint8]:
    """All ways to choose k of n, a row each."""
    if k == 1:
        return np.arange(n, dtype=np.uint8)[:, None]
    fewer = choices(n, k - 1)
    last = fewer[:, -1].astype(np.int64)
    times = n - 1 - last
    left = np.repeat(fewer, times, axis=0)
    steps = np.arange(len(left)) - np.repeat(np.cumsum(times) - times, times)
    right = np.repeat(last + 1, times) + steps
    return np.column_stack([left, right.astype(np.uint8)])
