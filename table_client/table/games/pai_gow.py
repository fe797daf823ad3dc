"""Pai Gow Poker: seven cards to every position, taken or not, set into two hands (2010)."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations

from msgspec import structs

from jackpot.rules.cards import rank_of
from jackpot.rules.contest import TwoHands
from jackpot.rules.hands import rank
from jackpot.rules.loader import rules
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
from table_client.table.games.clause_numbers import Letters, Sections, chapter
from table_client.table.games.irregularities import remedies
from table_client.table.games.model import Game, Pass, SetHands, Wave, plans
from table_client.table.ports import Way

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
    """High and low hand, as an operator would submit it: PA2010 561.13(d) leaves the way open.

    For each kind of seven cards it names which category the high hand keeps; among the settings
    that fit, the highest low hand is chosen.
    """
    found = list(_settings(cards))
    counts = Counter(map(rank_of, cards))
    for wanted in _wanted(counts):
        fitting = [each for each in found if wanted(each)]
        if fitting:
            return max(fitting, key=lambda each: (each.low, each.high)).hands
    return max(found, key=lambda each: (each.low, each.high)).hands


def highest_high(cards: tuple[str, ...]) -> TwoHands:
    """The highest High hand that there is, and of those that tie the highest Low hand."""
    return max(_settings(cards), key=lambda each: (each.high, each.low)).hands


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


_CARD_BY_CARD = (Pass("positions"),) * 7
# By hand the row of stacks is dealt from left to right, then back.
_BY_HAND = tuple(Pass("positions", right_to_left=bool(number % 2)) for number in range(7))


_SECTIONS = Sections(before="PA2010 561.", manual=9, hand=10, automated=11, completion=13)
_REST = "cddefg"
_AUTOMATED = _SECTIONS.way(_SECTIONS.automated, "a1", "a2", _REST)
_CLAUSES = chapter(
    _SECTIONS,
    Letters(boxes="d", collect_folds=("e",), reveal=("c",), turn_up=("f",), discard=("n",)),
)

_RULE = rules()["pa-2010-pai-gow-poker"]
GAME = Game(
    rule=_RULE,
    clauses=structs.replace(
        _CLAUSES,
        # This chapter has no section on a count by the shuffler: one joker, and four cards left.
        wrong_count="PA2010 561.3(a)",
        deal_after_machine="PA2010 561.5(b)(1)",
        cut="PA2010 561.5(e)",
        recut="PA2010 561.5(f)",
        idle="PA2010 561.5(g)",
        ways={
            Way.MANUAL_SHOE: _SECTIONS.way(_SECTIONS.manual, "a", "a", _REST),
            Way.HAND: _SECTIONS.way(_SECTIONS.hand, "a2", "a3", _REST),
            Way.AUTOMATED_SHOE: _AUTOMATED,
            Way.CONTINUOUS_SHOE: _AUTOMATED,
        },
    ),
    irregularities=remedies(_RULE),
    plans=plans(_CARD_BY_CARD, (Pass("positions", 7),), hand=_BY_HAND),
    required=("pai-gow",),
    script=(SetHands("PA2010 561.13(a)", surrender="PA2010 561.13(e)"),),
    house_ways={"by-kind": house_way, "highest-high": highest_high},
    folds_at_once=True,
    collects_each=True,
    settles=(Wave(results=("lose", "push")), Wave(results=("win",))),
    counts_every_stub=True,
    removes_devices=True,
)
