"""The progressives of the chapters, each with the clauses that its tests carry out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from jackpot.core.commands.table import SeatHand, Settle, Wager
from jackpot.core.events.table import RoundSettled
from jackpot.rules.hands import names
from jackpot.rules.site import load_site
from tests.core.floor import DOLLAR, Floor

ROYAL = {suit: tuple(f"{rank}{suit}" for rank in "AKQJT") for suit in "cdhs"}
FOUR_ACES = ("As", "Ah", "Ad", "Ac", "2s")
FOUR_KINGS = ("Ks", "Kh", "Kd", "Kc", "3s")
NOTHING = {
    1: ("9c", "7d", "5h", "4s", "2c"),
    2: ("9d", "7h", "5s", "4c", "2d"),
    3: ("9h", "7s", "5c", "4d", "2h"),
    4: ("8c", "6d", "5d", "4h", "3c"),
    0: ("8d", "6h", "8h", "6c", "3d"),
}
OPEN = 'levels.main = { seed = "$10,000", reseed = "$10,000", primary = "%s" }'


@dataclass(frozen=True)
class Chapter:
    """A progressive of one chapter, and the clauses of that chapter by what a test shows."""

    rule: str
    bet: str
    link: str  # further lines of the link
    top: tuple[str, ...]  # a hand that wins the whole meter
    per_wager: str  # what six wagers of $1 add to the meter
    clauses: dict[str, str] = field(default_factory=dict)
    seats: int = 6

    def floor(self, folder: Path) -> Floor:
        """A floor with one table on one link of the chapter."""
        path = folder / "site.toml"
        path.write_text(
            f'[site]\nid = "s"\n[[links]]\nid = "link"\nrule = "{self.rule}"\nbet = "{self.bet}"\n'
            f'wager = "$1"\n{self.link}\n'
            f'[[tables]]\nid = "t"\nlinks = ["link"]\nseats = {self.seats}\n'
        )
        site = load_site(path)
        return Floor(names).open_up(list(site.links), list(site.tables))

    def wagers(self, *seats: int) -> list[Wager]:
        """A wager from each of these seats."""
        return [Wager(seat, self.bet, DOLLAR) for seat in seats]


PA_FIVE = Chapter(
    "pa-crazy-4-poker", "five-card-progressive", 'paytable = "A"', ROYAL["s"], "1.26",
    {
        "lock-out": "PA 657a.2(c)(1); PA 657a.2(c)(2); PA 657a.7(c); PA 657a.8(b); "
                    "PA 657a.9(a)(3); PA 657a.10(a)(2)",
        "validation": "PA 657a.11(e)(1); PA 657a.11(e)(2); PA 657a.11(e)(3); PA 657a.11(e)(4)",
        "any dealer": "PA 657a.11(e)",
        "envy": "PA 657a.11(e)(5); PA 657a.11(e)(5)(ii); PA 657a.1",
        "fold": "PA 657a.11(b)(2)", "abandoned": "PA 657a.7(b)", "deck": "PA 657a.3(a)",
        "turn": "PA 657a.12(e)(4); PA 657a.11(c)",
        "void": "PA 657a.8(h); PA 657a.9(f); PA 657a.10(f)",
    },
)  # fmt: skip
PA_FOUR = Chapter(
    "pa-crazy-4-poker", "four-card-progressive", 'paytable = "A"', FOUR_ACES, "1.74",
    {
        "lock-out": "PA 657a.7(c)", "validation": "PA 657a.11(e)(4)", "any dealer": "PA 657a.11(e)",
        "envy": "PA 657a.11(e)(5)(i); PA 657a.1", "fold": "PA 657a.11(b)(2)",
        "abandoned": "PA 657a.7(b)", "void": "PA 657a.13(c)",
    },
)  # fmt: skip
MA_FIVE = Chapter(
    "ma-crazy-4-poker", "five-card-progressive", OPEN % "21%", ROYAL["s"], "1.26",
    {
        "lock-out": "MA 6(c); MA 7(b); MA 8(a)(3); MA 9(a)(2)",
        "validation": "MA 10(e)(1); MA 10(e)(2); MA 10(e)(3); MA 10(e)(4)",
        "any dealer": "MA 10(e)", "envy": "MA 10(e)(5); MA 10(e)(5)(ii); MA 1",
        "fold": "MA 10(b)(2)", "abandoned": "MA 6(b)", "deck": "MA 2(a)",
        "turn": "MA 11(e)(4); MA 10(c)",
        "void": "MA 7(h); MA 8(f); MA 9(f)",
    },
)  # fmt: skip
MA_FOUR = Chapter(
    "ma-crazy-4-poker", "four-card-progressive", 'paytable = "B"\n' + OPEN % "29%", FOUR_ACES,
    "1.74",
    {
        "lock-out": "MA 6(c)", "validation": "MA 10(e)(4)", "any dealer": "MA 10(e)",
        "envy": "MA 10(e)(5)(i); MA 1", "fold": "MA 10(b)(2)", "abandoned": "MA 6(b)",
        "void": "MA 12(c)",
    },
)  # fmt: skip
PA_2011 = Chapter(
    "pa-2011-crazy-4-poker", "progressive", 'paytable = "A"\n' + OPEN % "29%", FOUR_ACES, "1.74",
    {
        "lock-out": "PA2011 573.2(c); PA2011 573.2(c)(1); PA2011 573.2(c)(2); PA2011 573.7(c); "
                    "PA2011 573.8(b); PA2011 573.9(a)(3); PA2011 573.10(a)(2)",
        "validation": "PA2011 573.11(e)(1); PA2011 573.11(e)(2); PA2011 573.11(e)(3); "
                      "PA2011 573.11(e)(4)",
        "any dealer": "PA2011 573.11(e)", "envy": "PA2011 573.11(e)(5); PA2011 573.1(i)",
        "fold": "PA2011 573.11(b)(2)", "abandoned": "PA2011 573.7(b)", "deck": "PA2011 573.3(a)",
        "void": "PA2011 573.8(h); PA2011 573.9(f); PA2011 573.10(f)",
    },
)  # fmt: skip
CARIBBEAN = Chapter(
    "pa-2011-caribbean-stud", "progressive",
    'pays = { straight-flush = "$5,000" }\n' + OPEN % "70%", ROYAL["s"], "4.20",
    {
        "lock-out": "PA2010 555.2(f)(1); PA2010 555.2(f)(2); PA2011 555.7(b); PA2010 555.8(b); "
                    "PA2010 555.9(a)(3); PA2010 555.10(a)(2)",
        "validation": "PA2010 555.12(a); PA2010 555.12(b)(1); PA2010 555.12(b)(2); "
                      "PA2010 555.12(b)(3); PA2011 555.11(f)(4)",
        "any dealer": "PA2010 555.12(c); PA2011 555.11(f)(1)",
        "fold": "PA2011 555.11(a)", "abandoned": "PA2011 555.7(g)", "deck": "PA2010 555.3(a)",
        "void": "PA2010 555.8(h); PA2010 555.9(f); PA2010 555.10(f)",
    },
)  # fmt: skip
ALL = (PA_FIVE, PA_FOUR, MA_FIVE, MA_FOUR, PA_2011, CARIBBEAN)


def by(subject: str) -> list[Any]:
    """The chapters that speak of a subject, each marked with its clauses."""
    return [
        pytest.param(
            chapter,
            id=f"{chapter.rule}-{chapter.bet}",
            marks=[pytest.mark.rule(one) for one in chapter.clauses[subject].split("; ")],
        )
        for chapter in ALL
        if subject in chapter.clauses
    ]


def settle(
    floor: Floor,
    hands: Mapping[int, tuple[str, ...]],
    fates: Mapping[int, Any] | None = None,
    dealer: tuple[str, ...] = NOTHING[0],
) -> RoundSettled:
    """Settle with these hands."""
    seats = tuple(
        SeatHand(seat, cards, (fates or {}).get(seat, "played")) for seat, cards in hands.items()
    )
    event = floor.play("t", Settle(seats, dealer))
    assert isinstance(event, RoundSettled), event
    return event
