"""Pai Gow Poker: seven cards to every position, taken or not, set into two hands (2010)."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from msgspec import structs

from jackpot.rules.cards import rank_of
from jackpot.rules.contest import TwoHands
from jackpot.rules.hands import rank
from jackpot.rules.house_way import kept_by_kind
from jackpot.rules.loader import rules
from jackpot.rules.rankings import RANKINGS
from table_client.table.games.clause_numbers import Letters, Sections, chapter
from table_client.table.games.irregularities import remedies
from table_client.table.games.model import Game, Pass, SetHands, Wave, plans
from table_client.table.ports import Way

_ORDER = RANKINGS["pai-gow"].order


class _Setting:
    """One way to set the cards."""

    def __init__(self, high: tuple[str, ...], low: tuple[str, ...]) -> None:
        self.hands = TwoHands(high, low)
        self.high = rank("pai-gow", high)
        self.low = rank("pai-gow", low)

    def keeps(self, high: str, low: str) -> bool:
        """Whether the hands are of these categories; "" is any."""
        return _ORDER[self.high[0]] == high and low in ("", _ORDER[self.low[0]])


def house_way(cards: tuple[str, ...]) -> TwoHands:
    """High and low hand by the kind of seven cards: of the settings that fit, the highest Low."""
    found = list(_settings(cards))
    counts = Counter(map(rank_of, cards))
    for high, low in kept_by_kind(counts):
        fitting = [each for each in found if each.keeps(high, low)]
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
        cut="PA2010 561.5(e)",
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
