"""Rank millions of hands at once, in the order of `jackpot.rules.hands`.

Odds are counted by enumerating every hand, which the readable evaluator is too slow for. A hand is
one 64-bit word, a 16-bit field a suit with a bit a rank, so that a whole array of hands is ranked
with a few bit operations and table look-ups. `pack` of a plain rank gives the same number as
`ranks` does, hand for hand; the tests prove it. There is no joker here.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from jackpot.rules import rankings
from jackpot.rules.cards import DECK, CardError, rank_of
from jackpot.rules.rankings import ACE, Ranking, ranking_of

Words = NDArray[np.uint64]
Masks = NDArray[np.uint16]
Codes = NDArray[np.int32]

_TIES = 5  # a code is a category and up to five ranks of four bits each
_NIBBLE = 4
_CATEGORY_SHIFT = _TIES * _NIBBLE
_CHUNK = 1 << 16  # hands at a time: what the intermediate arrays need stays in the cache
_SETS = 1 << 13  # sets of ranks, the twos in bit 0

_BIT = {card: 1 << (16 * "cdhs".index(card[1]) + rank_of(card) - 2) for card in DECK}
_BITS = np.array([_BIT[card] for card in DECK], dtype=np.uint64)


def word_of(cards: Sequence[str]) -> int:
    """A hand as one word."""
    return sum(_BIT[card] for card in cards)


def cards_of(word: int) -> tuple[str, ...]:
    """The cards of a word, lowest first."""
    return tuple(card for card in DECK if word & _BIT[card])


def pack(rank: Sequence[int]) -> int:
    """A rank of `jackpot.rules.hands` as one number, in the same order."""
    category, *ties = rank
    code = category
    for tie in (*ties, *[0] * (_TIES - len(ties))):
        code = code << _NIBBLE | tie
    return code


def category_of(ranking: str, code: int) -> str:
    """The category of a packed rank."""
    return ranking_of(ranking).order[code >> _CATEGORY_SHIFT]


def all_hands(size: int) -> Words:
    """Every hand of so many cards from one deck, each once."""
    return np.concatenate(list(hand_batches(size)))


def hand_batches(size: int) -> Iterator[Words]:
    """Every hand of so many cards from one deck, each once, by its highest card."""
    if size == 0:
        yield np.zeros(1, dtype=np.uint64)
        return
    fewer = all_hands(size - 1)
    for top in range(size - 1, len(DECK)):
        # Of the smaller hands, those without a card from `top` up come first.
        yield fewer[: comb(top, size - 1)] | _BITS[top]


def ranks(ranking: str, hands: Words) -> Codes:
    """The packed rank of every hand; all must have a number of cards that the ranking knows."""
    rules = ranking_of(ranking)
    if rules.joker or rules.low or ranking == "two-card-bonus-both":
        raise CardError(f"the {ranking} ranking is not for bulk work")
    codes = np.empty(len(hands), dtype=np.int32)
    tables = _tables(rules.sizes[0])
    for start in range(0, len(hands), _CHUNK):
        stop = start + _CHUNK
        codes[start:stop] = _Chunk(hands[start:stop]).codes(rules, tables)
    return codes


def _descending(mask: int) -> int:
    """The five highest ranks of a set, four bits each from the left."""
    return pack((0, *[rank for rank in range(ACE, 1, -1) if mask >> (rank - 2) & 1][:_TIES]))


def _straight_top(mask: int, size: int) -> int:
    """The highest card of the highest straight in a set of ranks, else 0."""
    for top in range(ACE, size, -1):
        run = ((1 << size) - 1) << (top - size - 1)
        if mask & run == run:
            return top
    wheel = 1 << (ACE - 2) | (1 << (size - 1)) - 1
    return size if mask & wheel == wheel else 0


_HIGHEST = np.array([_descending(mask) for mask in range(_SETS)], dtype=np.int32)
_TOP_BIT = np.array([1 << mask.bit_length() >> 1 for mask in range(_SETS)], dtype=np.uint16)
_HELD = np.bitwise_count(np.arange(_SETS, dtype=np.uint16))


def _look_up(table: Codes, masks: Masks) -> Codes:
    """What a table says of each set of ranks."""
    found: Codes = table[masks]
    return found


def _where(found: NDArray[np.bool_], ties: Codes) -> Codes:
    """The ties of those hands that have the category, else 0."""
    chosen: Codes = np.where(found, ties, 0)
    return chosen


class _Tables:
    """What a set of ranks is worth where `size` cards make a hand."""

    def __init__(self, size: int) -> None:
        self.size = size
        # kickers[n]: the n highest ranks of a set.
        self.kickers: list[Codes] = [
            _HIGHEST & -(1 << _NIBBLE * (_TIES - most)) for most in range(size + 1)
        ]
        tops = [pack((0, _straight_top(mask, size))) for mask in range(_SETS)]
        self.straight: Codes = np.array(tops, dtype=np.int32)
        self.flush = _where(size <= _HELD, self.kickers[size])


@cache
def _tables(size: int) -> _Tables:
    return _Tables(size)


class _Chunk:
    """Some hands, as sets of ranks: by suit, and held at least once, twice, three, four times."""

    def __init__(self, hands: Words) -> None:
        fields = hands.astype("<u8").view("<u2").reshape(-1, 4)
        self.suits = [np.ascontiguousarray(fields[:, suit]) for suit in range(4)]
        clubs, diamonds, hearts, spades = self.suits
        minor, major = clubs | diamonds, hearts | spades
        minors, majors = clubs & diamonds, hearts & spades
        self.once = minor | major
        self.twice = minors | majors | minor & major
        self.thrice = minors & major | majors & minor
        self.fourfold = minors & majors

    def codes(self, rules: Ranking, tables: _Tables) -> Codes:
        """Rank by category, lowest first: whoever also has a higher one is ranked anew."""
        codes = np.zeros(len(self.once), dtype=np.int32)
        for place, category in enumerate(rules.order):
            ties = _TIES_OF[category](self, tables)
            codes = np.where(ties > 0, ties + (place << _CATEGORY_SHIFT), codes)
        return codes

    def high_card(self, tables: _Tables) -> Codes:
        return _look_up(tables.kickers[tables.size], self.once)

    def pair(self, tables: _Tables) -> Codes:
        return self._of_a_kind(self.twice, 2, tables)

    def three(self, tables: _Tables) -> Codes:
        return self._of_a_kind(self.thrice, 3, tables)

    def four(self, tables: _Tables) -> Codes:
        return self._of_a_kind(self.fourfold, 4, tables)

    def two_pair(self, tables: _Tables) -> Codes:
        high = _TOP_BIT[self.twice]
        low = _TOP_BIT[self.twice ^ high]
        kicker = tables.kickers[tables.size - 4][self.once ^ high ^ low]
        ties = tables.kickers[2][high | low] + (kicker >> 2 * _NIBBLE)
        return _where(low > 0, ties)

    def full_house(self, tables: _Tables) -> Codes:
        three = _TOP_BIT[self.thrice]
        pair = _TOP_BIT[self.twice ^ three]
        ties = tables.kickers[1][three] + (tables.kickers[1][pair] >> _NIBBLE)
        return _where((three > 0) & (pair > 0), ties)

    def straight(self, tables: _Tables) -> Codes:
        return _look_up(tables.straight, self.once)

    def flush(self, tables: _Tables) -> Codes:
        return self._in_one_suit(tables.flush)

    def straight_flush(self, tables: _Tables) -> Codes:
        return self._in_one_suit(tables.straight)

    def _of_a_kind(self, held: Masks, count: int, tables: _Tables) -> Codes:
        top = _TOP_BIT[held]
        kickers = tables.kickers[tables.size - count][self.once ^ top]
        return _where(top > 0, tables.kickers[1][top] + (kickers >> _NIBBLE))

    def _in_one_suit(self, table: Codes) -> Codes:
        highest: Codes = table[self.suits[0]]
        for suit in self.suits[1:]:
            np.maximum(highest, table[suit], out=highest)
        return highest


_TIES_OF: dict[str, Callable[[_Chunk, _Tables], Codes]] = {
    rankings.HIGH_CARD: _Chunk.high_card,
    rankings.PAIR: _Chunk.pair,
    rankings.TWO_PAIR: _Chunk.two_pair,
    rankings.THREE: _Chunk.three,
    rankings.STRAIGHT: _Chunk.straight,
    rankings.FLUSH: _Chunk.flush,
    rankings.FULL_HOUSE: _Chunk.full_house,
    rankings.FOUR: _Chunk.four,
    rankings.STRAIGHT_FLUSH: _Chunk.straight_flush,
}
