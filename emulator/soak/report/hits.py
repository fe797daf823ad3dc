"""Test whether hands were paid as often as the exact odds say, by chi-square.

A test a bet, each at a level such that a controller that is right fails any of them in one run of a
thousand (Bonferroni). Only hands left to chance count, and only those whose bettor stayed. Hands of
one round are taken as independent: that they come from one deck, and in some games share cards,
changes the rate by a few hundredths.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from emulator.soak.audit.terms import BetTerms, SiteTerms, TableTerms
from jackpot.rules.chances import kept_tally

FAMILY_ERROR = 0.001  # of all tests of a run together
LEAST_EXPECTED = 5.0  # in a cell; rarer rows are put together
NOTHING = "nothing"
_DOUBTFUL = 0.01
_DRAWN, _AT_A_TIME = 1_000_000, 50_000
_ROUNDING = 1e-9
LEAST_P = 1 / (1 + _DRAWN)  # none of them was as high


class Cell(NamedTuple):
    """Some rows of a paytable together."""

    hands: str
    seen: int
    expected: float


class Verdict(NamedTuple):
    """One test."""

    link: str
    bet: str
    trials: int
    cells: tuple[Cell, ...]
    statistic: float
    p_value: float
    passed: bool


class Hits:
    """Counts hands by the row that was paid."""

    def __init__(self, terms: SiteTerms) -> None:
        self._terms = terms
        self._rows: dict[tuple[str, str], Counter[str]] = {}
        self._dealt: dict[tuple[str, str], int] = {}
        self._magic: Counter[tuple[str, bool]] = Counter()
        self._lucky: dict[tuple[str, int], Counter[int]] = {}

    def note_round(self, table: TableTerms, paid: Iterable[tuple[BetTerms, str]]) -> None:
        """A round's bets, each with the row that was paid for a hand, "" for none.

        The dealer's hand is one hand, however many bet on it.
        """
        of_dealer: set[str] = set()
        for bet, hand in paid:
            if bet.id in of_dealer:
                continue
            if bet.on_dealer:
                of_dealer.add(bet.id)
            key = (bet.link, bet.id)
            of_seat = table.seat_cards + table.community_cards
            self._dealt[key] = table.dealer_cards if bet.on_dealer else of_seat
            self._rows.setdefault(key, Counter())[hand or NOTHING] += 1

    def note_draws(self, link: str, seats: int, *, magic: bool, lucky: int) -> None:
        """What a lock-out drew; lucky is -1 for none."""
        self._magic[link, magic] += 1
        self._lucky.setdefault((link, seats), Counter())[lucky] += 1

    @property
    def seen(self) -> dict[tuple[str, str], Counter[str]]:
        """Link and bet -> rows -> how often."""
        return self._rows

    def verdicts(self) -> list[Verdict]:
        """All tests."""
        tests = [*self._hand_tests(), *self._draw_tests()]
        tests = [test for test in tests if len(test[3]) > 1]
        level = FAMILY_ERROR / max(1, len(tests))
        found = []
        for link, bet, trials, cells in tests:
            statistic = sum((c.seen - c.expected) ** 2 / c.expected for c in cells)
            p_value = tail(cells, statistic)
            passed = p_value >= level
            found.append(Verdict(link, bet, trials, cells, statistic, p_value, passed))
        return found

    def expected(self, link: str, bet: str) -> dict[str, float]:
        """How often each row must come by on average."""
        found = next(b for b in self._terms.links[link].bets if b.id == bet)
        seen = self._rows[link, bet]
        hands = [row.hand for row in found.rows]
        counted = kept_tally(found.ranking, self._dealt[link, bet])
        trials = seen.total()
        rows = zip(hands, counted.row_counts(hands), strict=True)
        expected = {hand: trials * count / counted.total for hand, count in rows}
        expected[NOTHING] = trials - sum(expected.values())
        return expected

    def _hand_tests(self) -> list[tuple[str, str, int, tuple[Cell, ...]]]:
        found = []
        for (link, bet), seen in sorted(self._rows.items()):
            expected = self.expected(link, bet)
            cells = gather([(hand, seen[hand], expected[hand]) for hand in expected])
            found.append((link, bet, seen.total(), cells))
        return found

    def _draw_tests(self) -> list[tuple[str, str, int, tuple[Cell, ...]]]:
        found = []
        for name in sorted({link for link, _ in self._magic}):
            terms = self._terms.links[name]
            yes, no = self._magic[name, True], self._magic[name, False]
            share = terms.magic_bps / 10_000
            rows = [
                ("drawn", yes, (yes + no) * share),
                ("not drawn", no, (yes + no) * (1 - share)),
            ]
            found.append((name, "magic card", yes + no, gather(rows)))
        for (name, seats), seen in sorted(self._lucky.items()):
            share = self._terms.links[name].lucky_bps / 10_000
            trials = seen.total()
            rows = [("not drawn", seen[-1], trials * (1 - share))]
            each = trials * share / (seats + 1)
            rows += [(f"position {place}", seen[place], each) for place in range(seats + 1)]
            found.append((name, f"lucky of {seats}", trials, gather(rows)))
        return found


def gather(rows: list[tuple[str, int, float]]) -> tuple[Cell, ...]:
    """Cells of enough expected hands each: rare rows are put together with their neighbors."""
    cells: list[Cell] = []
    names: list[str] = []
    seen, expected = 0, 0.0
    for hand, count, mean in rows:
        names.append(hand)
        seen, expected = seen + count, expected + mean
        if expected >= LEAST_EXPECTED:
            cells.append(Cell(" + ".join(names), seen, expected))
            names, seen, expected = [], 0, 0.0
    if names and cells:
        last = cells.pop()
        hands = " + ".join([last.hands, *names])
        cells.append(Cell(hands, last.seen + seen, last.expected + expected))
    return tuple(cells)


def tail(cells: Sequence[Cell], statistic: float) -> float:
    """The chance of a statistic at least so high, where the odds are as they must be.

    By the distribution that it tends to, where that leaves no doubt. Far out, with cells of a few
    hands, it is several times too small: there so many runs are drawn that it need not be trusted.
    """
    p_value = chi_square_tail(statistic, len(cells) - 1)
    if p_value >= _DOUBTFUL:
        return p_value
    expected = np.array([cell.expected for cell in cells])
    trials, drawn, higher = sum(cell.seen for cell in cells), np.random.default_rng(_DRAWN), 0
    for _ in range(_DRAWN // _AT_A_TIME):
        counts = drawn.multinomial(trials, expected / expected.sum(), _AT_A_TIME)
        statistics = ((counts - expected) ** 2 / expected).sum(axis=1)
        higher += int((statistics >= statistic * (1 - _ROUNDING)).sum())
    return (1 + higher) / (1 + _DRAWN)


def chi_square_tail(statistic: float, degrees: int) -> float:
    """The chance of a statistic at least so high: the upper incomplete gamma function."""
    a, x = degrees / 2, statistic / 2
    if x <= 0:
        return 1.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:  # the series of the lower function
        term = total = 1 / a
        n = a
        while abs(term) > abs(total) * 1e-15:
            n += 1
            term *= x / n
            total += term
        return max(0.0, 1 - scale * total)
    # Lentz's continued fraction of the upper function.
    tiny = 1e-300
    b = x + 1 - a
    c, d = 1 / tiny, 1 / b
    result = d
    for i in range(1, 10_000):
        step = -i * (i - a)
        b += 2
        d = 1 / (step * d + b or tiny)
        c = b + step / c or tiny
        result *= d * c
        if abs(d * c - 1) < 1e-15:  # noqa: PLR2004 - as exact as a float is
            break
    return scale * result
