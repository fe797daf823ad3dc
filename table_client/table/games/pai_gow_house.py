"""A house way to set seven Pai Gow cards, as an operator would submit it.

PA2010 561.13(d) leaves the way to the operator. This one names, for each kind of seven cards, which
category the high hand keeps; among the settings that fit, the highest low hand is chosen.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations

from jackpot.rules.cards import rank_of
from jackpot.rules.contest import TwoHands
from jackpot.rules.hands import rank
from jackpot.rules.rankings import (
    ACE,
    FIVE_ACES,
    FLUSH,
    FOUR,
    FULL_HOUSE,
    HIGH_CARD,
    PAIR,
    RANKINGS,
    STRAIGHT,
    STRAIGHT_FLUSH,
    THREE,
    TWO_PAIR,
)

_ORDER = RANKINGS["pai-gow"].order
_SEVEN, _JACK, _SIX = 7, 11, 6
_PAIRS_MANY = 3


class _Setting:
    """One way to set the cards."""

    def __init__(self, high: tuple[str, ...], low: tuple[str, ...]) -> None:
        self.hands = TwoHands(high, low)
        self.high = rank("pai-gow", high)
        self.low = rank("pai-gow", low)

    @property
    def kinds(self) -> tuple[str, str]:
        return _ORDER[self.high[0]], _ORDER[self.low[0]]


def house_way(cards: tuple[str, ...]) -> TwoHands:
    """High and low hand."""
    found = list(_settings(cards))
    counts = Counter(map(rank_of, cards))
    for wanted in _wanted(counts):
        fitting = [each for each in found if wanted(each)]
        if fitting:
            return max(fitting, key=lambda each: (each.low, each.high)).hands
    return max(found, key=lambda each: (each.low, each.high)).hands


def _settings(cards: tuple[str, ...]) -> Iterator[_Setting]:
    """Every setting in which the high hand is not lower than the low one."""
    for low in combinations(cards, 2):
        each = _Setting(tuple(card for card in cards if card not in low), low)
        if each.high >= each.low:
            yield each


def _keeps(high: str, low: str = "") -> Callable[[_Setting], bool]:
    return lambda each: each.kinds[0] == high and low in ("", each.kinds[1])


def _wanted(counts: "Counter[int]") -> Iterator[Callable[[_Setting], bool]]:
    """What to look for, best first, by how often each rank is held (the joker as an ace)."""
    by_count: dict[int, list[int]] = {}
    for value, count in counts.items():
        by_count.setdefault(count, []).append(value)
    pairs = sorted(by_count.get(2, []), reverse=True)
    threes = by_count.get(3, [])
    if 5 in by_count:  # noqa: PLR2004 - five aces: a pair of them to the low hand
        yield _keeps(THREE, PAIR)
    if fours := by_count.get(4):
        yield from _four(fours[0], counts)
    if len(threes) > 1 or (threes and pairs):
        # The pair, or the higher three's pair, to the low hand.
        yield _keeps(THREE, PAIR)
    if len(pairs) >= _PAIRS_MANY:
        yield _keeps(TWO_PAIR, PAIR)
    if len(pairs) == 2:  # noqa: PLR2004 - two pairs
        yield from _two_pair(pairs, counts)
    yield from map(_keeps, (STRAIGHT_FLUSH, FLUSH, STRAIGHT))
    if threes:
        yield _keeps(PAIR) if threes[0] == ACE else _keeps(THREE)
    yield from map(_keeps, (PAIR, HIGH_CARD, FULL_HOUSE, FIVE_ACES))


def _four(value: int, counts: "Counter[int]") -> Iterator[Callable[[_Setting], bool]]:
    """Twos to sixes stay together, jacks and higher part, the others part without an ace."""
    apart = value >= _JACK or (value >= _SEVEN and counts[ACE] == 0)
    if apart:
        yield _keeps(PAIR, PAIR)
        yield _keeps(TWO_PAIR, PAIR)
    yield _keeps(FOUR)


def _two_pair(pairs: list[int], counts: "Counter[int]") -> Iterator[Callable[[_Setting], bool]]:
    """Low pairs stay together behind an ace; all others part."""
    if pairs[0] <= _SIX or (counts[ACE] == 1 and pairs[0] < _JACK):
        yield _keeps(TWO_PAIR)
    yield _keeps(PAIR, PAIR)
