"""Deal Pai Gow Poker by chance, millions of times, both sides set in one house way.

Two hands of seven of 53 cards can be dealt in more ways than can be looked at, so here the odds are
simulated, and have an error. Both sides set alike, so each deal is looked at from both: as often as
the player wins, the dealer would. Only copies, which count for the dealer, tell them apart, and the
error of the return is theirs.

A hand's rank follows from the ranks of its cards and from whether it is of one suit. A table of all
such kinds is filled by `jackpot.rules.hands`, and every setting of a hand is looked up there.
"""

from collections import Counter
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb

import numpy as np
from numpy.typing import NDArray

from jackpot.odds.played import Ends
from jackpot.rules import bulk
from jackpot.rules.cards import DECK, JOKER, RANKS, SUITS
from jackpot.rules.contest import HIGH_CARDS, LOW_CARDS
from jackpot.rules.hands import rank
from jackpot.rules.house_way import kept_by_kind
from jackpot.rules.rankings import PAIR, ranking_of

RANKING = "pai-gow"
WAYS = ("by-kind", "highest-high")
_CARDS = 7
_JOKER = len(DECK)  # after all other cards
_JOKER_RANK, _ACE = len(RANKS), len(RANKS) - 1
_CODE = 24  # bits of a packed rank
_BATCH = 1 << 15

Cards = NDArray[np.uint8]
Codes = NDArray[np.int64]

_LOWS = np.array(list(combinations(range(_CARDS), LOW_CARDS)))
_HIGHS = np.array([[n for n in range(_CARDS) if n not in low] for low in _LOWS.tolist()])


# A choice with repetition of k ranks, lowest first, has the number sum(C(rank[i] + i, i + 1)).
_NUMBERS = np.array([[comb(value + i, i + 1) for value in range(14)] for i in range(_CARDS)])


def _number(ranks: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The number of each sorted choice of ranks, along the last axis."""
    found: NDArray[np.int64] = _NUMBERS[np.arange(ranks.shape[-1]), ranks].sum(axis=-1)
    return found


def _cards(ranks: tuple[int, ...], *, one_suit: bool) -> tuple[str, ...]:
    """Cards of these ranks, of one suit or of several."""
    suits = ["c"] * len(ranks) if one_suit else [SUITS[n % 4] for n in range(len(ranks))]
    return tuple(
        JOKER if value == _JOKER_RANK else RANKS[value] + suit
        for value, suit in zip(ranks, suits, strict=True)
    )


@cache
def _high_codes() -> Codes:
    """The packed rank of every High hand, by whether it is of one suit, then by its ranks."""
    many = comb(_JOKER_RANK + HIGH_CARDS, HIGH_CARDS)
    codes = np.zeros((2, many), dtype=np.int64)
    for ranks in combinations_with_replacement(range(_JOKER_RANK + 1), HIGH_CARDS):
        held = Counter(ranks)
        if max(held.values()) > 4 or held[_JOKER_RANK] > 1:  # noqa: PLR2004 - suits
            continue
        at = _number(np.array(ranks, dtype=np.uint8))
        codes[0, at] = bulk.pack(rank(RANKING, _cards(ranks, one_suit=False)))
        if max(held.values()) == 1:
            codes[1, at] = bulk.pack(rank(RANKING, _cards(ranks, one_suit=True)))
    return codes


@cache
def _low_codes() -> Codes:
    """The packed rank of every Low hand, by its two ranks."""
    codes = np.zeros((_JOKER_RANK + 1, _JOKER_RANK + 1), dtype=np.int64)
    for low, high in combinations_with_replacement(range(_JOKER_RANK + 1), LOW_CARDS):
        if (low, high) != (_JOKER_RANK, _JOKER_RANK):
            codes[low, high] = bulk.pack(rank(RANKING, _cards((low, high), one_suit=False)))
    return codes


@cache
def _preferred() -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Which list of preferences each choice of seven ranks has, and what each list prefers.

    The second is by list, category of the High hand, and whether the Low hand is a pair; a higher
    number is preferred, 0 is not on the list.
    """
    order = ranking_of(RANKING).order
    lists: dict[tuple[tuple[str, str], ...], int] = {}
    which = np.zeros(comb(_ACE + _CARDS, _CARDS), dtype=np.uint8)
    for ranks in combinations_with_replacement(range(_ACE + 1), _CARDS):
        held = Counter(value + 2 for value in ranks)
        if all(count <= 4 + (value == _ACE + 2) for value, count in held.items()):
            wanted = tuple(kept_by_kind(held))
            at = _number(np.array(ranks, dtype=np.uint8))
            which[at] = lists.setdefault(wanted, len(lists))
    prefers = np.zeros((len(lists), len(order), 2), dtype=np.uint8)
    for wanted, number in lists.items():
        for place, (high, low) in reversed(list(enumerate(wanted))):
            pairs = (0, 1) if not low else (int(low == PAIR),)
            prefers[number, order.index(high), pairs] = len(wanted) - place
    return which, prefers


def set_hands(cards: Cards, way: str) -> tuple[Codes, Codes]:
    """The packed ranks of High and Low hand, of each seven cards as numbers 0 to 52."""
    cards = np.sort(cards, axis=1)
    ranks, suits = cards // 4, np.where(cards == _JOKER, 15, 1 << cards % 4).astype(np.uint8)
    one_suit = np.bitwise_and.reduce(suits[:, _HIGHS], axis=-1) > 0
    high = _high_codes()[one_suit.astype(np.intp), _number(ranks[:, _HIGHS])]
    low = _low_codes()[ranks[:, _LOWS[:, 0]], ranks[:, _LOWS[:, 1]]]
    if way == "by-kind":
        which, prefers = _preferred()
        mine = which[_number(np.minimum(ranks, _ACE))][:, None]
        first = prefers[mine, high >> 20, low >> 20].astype(np.int64)
        key = first << 2 * _CODE | low << _CODE | high
        best = np.where(high >= low, key, -1).max(axis=1)
        return best & (1 << _CODE) - 1, best >> _CODE & (1 << _CODE) - 1
    best = np.where(high >= low, high << _CODE | low, -1).max(axis=1)
    return best >> _CODE, best & (1 << _CODE) - 1


def _deal(random: np.random.Generator, deals: int) -> Cards:
    """Fourteen distinct cards a row, by a partial shuffle."""
    deck = np.tile(np.arange(_JOKER + 1, dtype=np.uint8), (deals, 1))
    rows = np.arange(deals)
    for place in range(2 * _CARDS):
        other = random.integers(place, _JOKER + 1, size=deals)
        chosen = deck[rows, other]
        deck[rows, other] = deck[:, place]
        deck[:, place] = chosen
    return deck[:, : 2 * _CARDS]


def simulate(way: str, deals: int, seed: int) -> Ends:
    """How so many deals end, in whole batches of 32,768."""
    random = np.random.default_rng(seed)
    decided = split = copies = twice = dealt = 0
    while dealt < deals:
        cards = _deal(random, _BATCH)
        one, other = (set_hands(cards[:, part], way) for part in (slice(7), slice(7, 14)))
        high, low = (np.sign(a - b) for a, b in zip(one, other, strict=True))
        decided += int((high * low > 0).sum())
        split += int((high * low < 0).sum())
        twice += int(((high == 0) & (low == 0)).sum())
        copies += int(((high == 0) ^ (low == 0)).sum())
        dealt += _BATCH
    return Ends(decided, split, copies, twice)
