"""The dealer's way to set seven Pai Gow cards, as an operator would submit it.

PA2010 561.13(d) leaves the way to the house. For each kind of seven cards it is said here which
category the High hand keeps, and where it matters which the Low hand; of the settings that fit, the
one with the highest Low hand is taken. The table client sets by it, and the odds count by it. Pure.
"""

from collections.abc import Iterator, Mapping

from jackpot.rules.rankings import (
    ACE,
    FIVE_ACES,
    FLUSH,
    FOUR,
    FULL_HOUSE,
    HIGH_CARD,
    PAIR,
    STRAIGHT,
    STRAIGHT_FLUSH,
    THREE,
    TWO_PAIR,
)

_SEVEN, _JACK, _SIX = 7, 11, 6
_PAIRS_MANY = 3

Kept = tuple[str, str]  # the category of the High hand, and of the Low hand; "" is any


def kept_by_kind(counts: Mapping[int, int]) -> Iterator[Kept]:
    """What to look for, best first, by how often each rank is held (the joker as an ace)."""
    by_count: dict[int, list[int]] = {}
    for value, count in counts.items():
        by_count.setdefault(count, []).append(value)
    pairs = sorted(by_count.get(2, []), reverse=True)
    threes = by_count.get(3, [])
    if 5 in by_count:  # noqa: PLR2004 - five aces: a pair of them to the low hand
        yield THREE, PAIR
    if fours := by_count.get(4):
        yield from _four(fours[0], counts)
    if len(threes) > 1 or (threes and pairs):
        # The pair, or the higher three's pair, to the low hand.
        yield THREE, PAIR
    if len(pairs) >= _PAIRS_MANY:
        yield TWO_PAIR, PAIR
    if len(pairs) == 2:  # noqa: PLR2004 - two pairs
        yield from _two_pair(pairs, counts)
    yield from ((kept, "") for kept in (STRAIGHT_FLUSH, FLUSH, STRAIGHT))
    if threes:
        yield PAIR if threes[0] == ACE else THREE, ""
    yield from ((kept, "") for kept in (PAIR, HIGH_CARD, FULL_HOUSE, FIVE_ACES))


def _four(value: int, counts: Mapping[int, int]) -> Iterator[Kept]:
    """Twos to sixes stay together, jacks and higher part, the others part without an ace."""
    apart = value >= _JACK or (value >= _SEVEN and counts.get(ACE, 0) == 0)
    if apart:
        yield PAIR, PAIR
        yield TWO_PAIR, PAIR
    yield FOUR, ""


def _two_pair(pairs: list[int], counts: Mapping[int, int]) -> Iterator[Kept]:
    """Low pairs stay together behind an ace; all others part."""
    if pairs[0] <= _SIX or (counts.get(ACE, 0) == 1 and pairs[0] < _JACK):
        yield TWO_PAIR, ""
    yield PAIR, PAIR
