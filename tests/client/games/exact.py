"""Exact returns of games against a dealer, counted without the engine.

All pairs of disjoint hands are counted by inclusion and exclusion over the cards that two hands
share: the pairs of any two hands, less those that share a card, plus those that share two, and so
on. Sets of shared cards that differ only by a change of suits are looked at once, and for each set
only how many hands have which rank matters.
"""

from collections.abc import Callable
from math import comb

import numpy as np
from numpy.typing import NDArray

from jackpot.rules import bulk
from tools.odds.dealer import histogram
from tools.odds.suits import BITS, choices, classes

Floats = NDArray[np.float64]


class Values:
    """What a player's hand is worth, in antes: one array entry for each rank, lowest first."""

    def __init__(
        self,
        codes: NDArray[np.int32],
        *,
        higher: Callable[[int], float],
        tie: Callable[[int], float],
        lower: Callable[[int], float],
        unqualified: Callable[[int], float] | None = None,
        qualifies_from: int = 0,
    ) -> None:
        self.codes = codes
        self.qualified = codes >= qualifies_from
        self.unqualified = _each(unqualified or higher, codes)
        self.higher, self.tie, self.lower = (_each(f, codes) for f in (higher, tie, lower))

    def total(self, player: Floats, dealer: Floats) -> float:
        """The sum over all pairs, given how many hands of each rank the two sides have."""
        out = float(dealer[~self.qualified].sum())
        in_ = np.where(self.qualified, dealer, 0.0)
        below = np.concatenate(([0.0], np.cumsum(in_)[:-1]))
        above = in_.sum() - below - in_
        worth = self.unqualified * out + self.higher * below + self.tie * in_ + self.lower * above
        return float(player @ worth)

    def one_by_one(self, player: NDArray[np.intp], dealer: NDArray[np.intp]) -> Floats:
        """The value of pairs of ranks, each by its place among all ranks."""
        worth = np.select(
            [dealer < player, dealer == player], [self.higher[player], self.tie[player]], 0.0
        )
        worth = np.where(dealer > player, self.lower[player], worth)
        return np.where(self.qualified[dealer], worth, self.unqualified[player])


def _each(worth: Callable[[int], float], codes: NDArray[np.int32]) -> Floats:
    return np.array([worth(int(code)) for code in codes])


def expectation(ranking: str, player: int, dealer: int, values: Values) -> float:
    """What a round is worth on the average; the dealer has as many cards, or one more."""
    total = 0.0
    for size in range(player):
        words, times = classes(size)
        for word, alike in zip(words, times, strict=True):
            mine = histogram(ranking, values.codes, word, player - size)
            same = player == dealer
            theirs = mine if same else histogram(ranking, values.codes, word, dealer - size)
            sign = -1 if size % 2 else 1
            total += sign * int(alike) * values.total(mine, theirs)
    total += (-1 if player % 2 else 1) * _inside(ranking, player, dealer, values)
    return total / (comb(52, player) * comb(52 - player, dealer))


def _inside(ranking: str, player: int, dealer: int, values: Values) -> float:
    """The sum over pairs in which the dealer's hand holds all of the player's."""
    words, times = classes(player)
    mine = np.searchsorted(values.codes, bulk.ranks(ranking, words))
    if player == dealer:
        return float(times @ values.one_by_one(mine, mine))
    total = 0.0
    for bit in BITS:
        free = (words & bit) == 0
        theirs = np.searchsorted(values.codes, bulk.ranks(ranking, words[free] | bit))
        total += float(times[free] @ values.one_by_one(mine[free], theirs))
    return total


_BOARDS = 64  # looked at together


def beaten_with_a_common_board(ranking: str, below: int) -> float:
    """How often one of two hands of two cards beats the other with a rank below a given one.

    Every board of five is looked at, those that differ by a change of suits once. Of each the
    lower hands are counted among all, less those that share a card.
    """
    words, times = classes(5)
    pairs = choices(47, 2).astype(np.intp)
    with_card = np.array([np.flatnonzero((pairs == card).any(axis=1)) for card in range(47)])
    # Where a hand stands among those with its first card, and among those with its second.
    places = [
        np.array([np.searchsorted(with_card[card], hand) for hand, card in enumerate(cards)])
        for cards in pairs.T
    ]
    total = 0.0
    for start in range(0, len(words), _BOARDS):
        boards = words[start : start + _BOARDS]
        rest = np.array([BITS[(BITS & board) == 0] for board in boards])
        hands = boards[:, None] | rest[:, pairs[:, 0]] | rest[:, pairs[:, 1]]
        found = bulk.ranks(ranking, hands.ravel()).reshape(hands.shape)
        lower = np.array([np.searchsorted(np.sort(row), row) for row in found])
        sharing = found[:, with_card]  # board, card, hands that hold it
        fewer = (sharing[..., :, None] > sharing[..., None, :]).sum(axis=-1)
        for card, place in zip(pairs.T, places, strict=True):
            lower -= fewer[:, card, place]
        beaten = np.where(found < below, lower, 0).sum(axis=1)
        total += float(times[start : start + _BOARDS] @ beaten)
    return total / (comb(52, 5) * comb(47, 2) * comb(45, 2))
