"""Envy bonuses as they are paid: every hand of every schedule, at each wager that has one."""

from pathlib import Path

import pytest

from jackpot.core.commands.table import Wager
from jackpot.rules.hands import names
from jackpot.rules.site import load_site
from tests.core.floor import DOLLAR, Floor
from tests.rules.progressives import FOUR_ACES, FOUR_KINGS, NOTHING, ROYAL, settle

STRAIGHT_FLUSH = ("9s", "8s", "7s", "6s", "5s")
Schedule = dict[int, dict[tuple[str, ...], int]]  # wager -> hand -> dollars
FOUR_A: Schedule = {
    1: {FOUR_ACES: 100, FOUR_KINGS: 10, STRAIGHT_FLUSH: 5},
    5: {FOUR_ACES: 500, FOUR_KINGS: 50, STRAIGHT_FLUSH: 25},
}
FOUR_B: Schedule = {
    1: {FOUR_ACES: 100, FOUR_KINGS: 25, STRAIGHT_FLUSH: 0},
    5: {FOUR_ACES: 500, FOUR_KINGS: 125, STRAIGHT_FLUSH: 0},
}
FIVE: Schedule = {
    1: {ROYAL["h"]: 1_000, STRAIGHT_FLUSH: 300, FOUR_ACES: 0},
    5: {ROYAL["h"]: 5_000, STRAIGHT_FLUSH: 1_500, FOUR_ACES: 0},
}
LEVEL = 'levels.main = { seed = "$50,000", reseed = "$50,000", primary = "20%" }'


def _cases() -> list[object]:
    """Every schedule by wager and hand, marked with the clauses that print it."""
    schedules: list[tuple[str, str, str, Schedule, str, str]] = [
        ("pa-crazy-4-poker", "four-card-progressive", "A", FOUR_A, "PA 657a.12(d)(5)", "(i)"),
        ("pa-crazy-4-poker", "four-card-progressive", "B", FOUR_B, "PA 657a.12(d)(5)", "(ii)"),
        *(
            ("pa-crazy-4-poker", "five-card-progressive", one, FIVE, "PA 657a.12(e)(5)", "")
            for one in "ABCD"
        ),
        ("ma-crazy-4-poker", "four-card-progressive", "A", FOUR_A, "MA 11(d)(5)", "(i)"),
        ("ma-crazy-4-poker", "four-card-progressive", "B", FOUR_B, "MA 11(d)(5)", "(ii)"),
        ("ma-crazy-4-poker", "five-card-progressive", "only", FIVE, "MA 11(e)(5)", ""),
        ("pa-2011-crazy-4-poker", "progressive", "A", FOUR_A, "PA2011 573.12(d)(5)", "(i)"),
        ("pa-2011-crazy-4-poker", "progressive", "B", FOUR_B, "PA2011 573.12(d)(5)", "(ii)"),
    ]
    return [
        pytest.param(
            *(rule, bet, paytable, wager, cards, dollars),
            marks=[pytest.mark.rule(one) for one in sorted({clause, clause + paragraph})],
            id=f"{rule}-{bet}-{paytable}-{wager}-{names('five-card', cards)[0]}",
        )
        for rule, bet, paytable, schedule, clause, paragraph in schedules
        for wager, hands in schedule.items()
        for cards, dollars in hands.items()
    ]


@pytest.mark.parametrize(("rule", "bet", "paytable", "wager", "cards", "dollars"), _cases())
def test_envy_is_paid_by_the_schedule_of_the_wager(
    tmp_path: Path,
    rule: str,
    bet: str,
    paytable: str,
    wager: int,
    cards: tuple[str, ...],
    dollars: int,
) -> None:
    """Seat 2 holds the hand, seat 1 is paid for it, and for a hand beyond the schedule nothing."""
    level = "" if rule == "pa-crazy-4-poker" else LEVEL
    path = tmp_path / "site.toml"
    path.write_text(
        f'[site]\nid = "s"\n[[links]]\nid = "link"\nrule = "{rule}"\nbet = "{bet}"\n'
        f'wager = "${wager}"\npaytable = "{paytable}"\n{level}\n'
        '[[tables]]\nid = "t"\nlinks = ["link"]\nseats = 6\n'
    )
    site = load_site(path)
    floor = Floor(names).open_up(list(site.links), list(site.tables))
    floor.bets_in("t", [Wager(seat, bet, wager * DOLLAR) for seat in (1, 2)])
    event = settle(floor, {1: NOTHING[1], 2: cards}, dealer=("3d", "3h", "Td", "Jd", "6h"))
    envy = [(p.seat, p.amount_micros // DOLLAR) for p in event.payouts if p.kind == "envy"]
    assert envy == ([(1, dollars)] if dollars else [])
