"""Every choice of an operator that the law refuses: its line, its reason and its clause."""

from pathlib import Path
from typing import NamedTuple

import pytest

from jackpot.core.money import parse_dollars
from jackpot.rules.toml_section import Violation
from tests.rules.site_files import CARIBBEAN, faults, link, only_link


class Wrong(NamedTuple):
    """A fault that a file must be found to have."""

    line: int
    words: str
    clause: str = ""

    def matches(self, violation: Violation) -> bool:
        """Whether this is the fault that was found."""
        same = (violation.line, violation.clause) == (self.line, self.clause)
        return same and self.words in violation.reason


# Flat minima: rule, bet, paytable, level key, the least in cents, clause.
MINIMA = [
    ("ma-crazy-4-poker", "four-card-progressive", "A", 5_000_00, "MA 11(d)(3)"),
    ("ma-crazy-4-poker", "four-card-progressive", "B", 1_000_00, "MA 11(d)(3)"),
    ("ma-crazy-4-poker", "five-card-progressive", "only", 10_000_00, "MA 11(e)(3)"),
    ("ma-crazy-4-poker", "five-card-hand-bonus", "only", 10_000_00, "MA 11(f)(4)"),
    ("pa-2011-crazy-4-poker", "progressive", "A", 5_000_00, "PA2011 573.12(d)(3)"),
    ("pa-2011-crazy-4-poker", "progressive", "B", 1_000_00, "PA2011 573.12(d)(3)"),
]


@pytest.mark.parametrize("key", ["seed", "reseed"])
@pytest.mark.parametrize("wager", ["$1", "$5"])
@pytest.mark.parametrize("more", [-1, 0, 1])
@pytest.mark.parametrize(
    ("rule", "bet", "table", "cents", "clause"),
    [pytest.param(*one, marks=pytest.mark.rule(one[-1])) for one in MINIMA],
)
def test_seed_and_reset_meet_a_flat_minimum(
    tmp_path: Path,
    rule: str,
    bet: str,
    table: str,
    cents: int,
    clause: str,
    more: int,
    wager: str,
    key: str,
) -> None:
    """A cent below is refused; the minimum and a cent above are not, whatever the wager."""
    amount = f"${(cents + more) // 100}.{(cents + more) % 100:02d}"
    other = "reseed" if key == "seed" else "seed"
    shares = ('magic_share = "0%"', 'lucky_share = "0%"') if bet == "five-card-hand-bonus" else ()
    text = link(
        rule,
        bet,
        f'paytable = "{table}"',
        f'wager = "{wager}"',
        "[links.levels.main]",
        f'{key} = "{amount}"',
        f'{other} = "$20,000"',
        'primary = "20%"',
    ).replace("[links.levels.main]", "\n".join((*shares, "[links.levels.main]")))
    found = faults(tmp_path, text)
    line = text.splitlines().index(f'{key} = "{amount}"') + 1
    expected = (
        [Wrong(line, f"below the minimum of ${cents // 100:,}.00", clause)] if more < 0 else []
    )
    assert len(found) == len(expected)
    assert all(wrong.matches(one) for wrong, one in zip(expected, found, strict=True))


@pytest.mark.rule("MA 11(f)(4)")
def test_a_hand_bonus_reset_of_nothing_is_not_for_massachusetts(tmp_path: Path) -> None:
    """What 657a fixes at $0 must be at least $10,000 there."""
    text = link(
        *("ma-crazy-4-poker", "five-card-hand-bonus", 'wager = "$1"'),
        *('magic_share = "1%"', 'lucky_share = "0%"', "[links.levels.main]"),
        *('seed = "$10,000"', 'reseed = "$0"', 'primary = "13%"', 'reserve = "8%"'),
    )
    (found,) = faults(tmp_path, text)
    assert Wrong(12, "below the minimum of $10,000.00", "MA 11(f)(4)").matches(found)


@pytest.mark.rule("PA2010 555.13(e)")
@pytest.mark.parametrize(("rate", "lawful"), [("69.99%", False), ("70%", True), ("70.01%", True)])
def test_caribbean_stud_s_rate_is_at_least_70_percent(
    tmp_path: Path, rate: str, *, lawful: bool
) -> None:
    """A basis point below is refused."""
    lines = [line.replace("71%", rate) for line in CARIBBEAN]
    found = faults(tmp_path, link("pa-2011-caribbean-stud", "progressive", *lines))
    assert lawful == (not found)
    if found:
        assert Wrong(9, "below the minimum of 70%", "PA2010 555.13(e)").matches(found[0])


@pytest.mark.rule("PA2010 555.13(d)")
@pytest.mark.parametrize(
    ("hand", "pays", "lawful"),
    [
        ("straight-flush", "10% of main", True),
        ("straight-flush", "9% of main", False),
        ("straight-flush", "11% of main", True),
        ("straight-flush", "$5,000", True),
        ("straight-flush", "$4,999.99", False),
        ("straight-flush", "$5,000.01", True),
        ("straight-flush", "5000 for 1", False),
        ("four-of-a-kind", "$499.99", False),
        ("four-of-a-kind", "$500.01", True),
        ("full-house", "$99.99", False),
        ("full-house", "$100.00", True),
        ("flush", "$49.99", False),
        ("flush", "$50.00", True),
        ("royal-flush", "99% of main", False),
        ("royal-flush", "100% of main", True),
        ("royal-flush", "101% of main", False),
    ],
)
def test_caribbean_stud_s_progressive_pays_no_less_than_the_text(
    tmp_path: Path, hand: str, pays: str, *, lawful: bool
) -> None:
    """The operator may pay more than each row says, or the other of the two straight flushes."""
    chosen = {"straight-flush": "10% of main"} | {hand: pays}
    line = "pays = { " + ", ".join(f'{one} = "{pay}"' for one, pay in chosen.items()) + " }"
    text = link("pa-2011-caribbean-stud", "progressive", CARIBBEAN[0], line, CARIBBEAN[2])
    found = faults(tmp_path, text)
    assert lawful == (not found)
    assert all(one.line == 8 and one.clause.startswith("PA2010 555.13(") for one in found)


@pytest.mark.parametrize(
    ("rule", "bet", "lines", "wrong"),
    [
        pytest.param(rule, bet, lines, wrong, marks=pytest.mark.rule(wrong.clause), id=wrong.words)
        for rule, bet, lines, wrong in (
            ("pa-crazy-4-poker", "five-card-progressive",
             ('paytable = "A"', 'wager = "$2"'),
             Wrong(8, "takes $1 or $5", "PA 657a.12(e)(5)")),
            ("pa-crazy-4-poker", "four-card-progressive",
             ('paytable = "A"', 'wager = "$10"'),
             Wrong(8, "takes $1 or $5", "PA 657a.12(d)(5)")),
            ("pa-crazy-4-poker", "five-card-progressive",
             ('paytable = "E"', 'wager = "$1"'),
             Wrong(7, "has no paytable 'E' (it has: A, B, C, D)", "PA 657a.12(e)(1)")),
            ("pa-crazy-4-poker", "five-card-progressive",
             ('paytable = "B"', 'wager = "$1"', "[links.levels.minor]", 'limit = "$9,000"'),
             Wrong(9, "has no level 'minor' (it has: mega, major)", "PA 657a.12(e)(1)")),
            ("pa-crazy-4-poker", "five-card-progressive",
             ('paytable = "A"', 'wager = "$1"', "[links.levels.main]", 'primary = "22%"'),
             Wrong(10, "primary of main is fixed at 21%", "PA 657a.12(e)(3)")),
            ("pa-crazy-4-poker", "five-card-progressive",
             ('paytable = "A"', 'wager = "$5"', "[links.levels.main]", 'seed = "$10,000"'),
             Wrong(10, "seed of main is fixed at $50,000.00", "PA 657a.12(e)(3)")),
            ("pa-crazy-4-poker", "four-card-progressive",
             ('paytable = "A"', 'wager = "$1"', "[links.levels.main]", 'reserve = "5%"'),
             Wrong(10, "reserve of main is fixed at 0%", "PA 657a.12(d)(3)")),
            ("pa-crazy-4-poker", "five-card-progressive",
             ('paytable = "A"', 'wager = "$1"', "[links.levels.main]", 'reserve_mode = "fund"'),
             Wrong(10, "can be set only for a level with a reserve", "PA 657a.12(e)(3)")),
            ("pa-crazy-4-poker", "five-card-progressive",
             ('paytable = "A"', 'wager = "$1"', 'pays = { flush = "41 for 1" }'),
             Wrong(9, "the payment for flush is fixed at 40 for 1", "PA 657a.12(e)(1)")),
            ("pa-crazy-4-poker", "five-card-progressive",
             ('paytable = "A"', 'wager = "$1"', 'pays = { two-pair = "2 for 1" }'),
             Wrong(9, "has no row for 'two-pair'", "PA 657a.12(e)(1)")),
            ("pa-crazy-4-poker", "five-card-progressive",
             ('paytable = "A"', 'wager = "$1"', "fold_forfeits = false"),
             Wrong(9, "the rule decides whether a fold loses the wager; remove fold_forfeits",
                   "PA 657a.11(b)(2)")),
            ("pa-crazy-4-poker", "five-card-hand-bonus",
             ('wager = "$1"', 'lucky_share = "5%"'),
             Wrong(3, "magic_share is missing", "PA 657a.12(f)(3)")),
            ("pa-crazy-4-poker", "five-card-progressive",
             ('paytable = "A"', 'wager = "$1"', 'magic_share = "5%"'),
             Wrong(9, "has no magic-card", "PA 657a.7(d)(4)")),
            ("ma-crazy-4-poker", "five-card-hand-bonus",
             ('wager = "$1"', 'magic_share = "1%"', "[links.levels.main]", 'seed = "$10,000"',
              'reseed = "$10,000"', 'primary = "9%"'),
             Wrong(3, "lucky_share is missing", "MA 11(f)(3)")),
            ("ma-crazy-4-poker", "five-card-progressive",
             ('wager = "$1"', "[links.levels.main]", 'seed = "$10,000"', 'reseed = "$10,000"'),
             Wrong(8, "primary of main must be declared", "MA 11(e)(3)")),
            ("ma-crazy-4-poker", "five-card-progressive",
             ('wager = "$1"', "[links.levels.main]", 'seed = "$10,000"', 'reseed = "$10,000"',
              'primary = "0%"'),
             Wrong(11, "at a rate of 0% the meter of main would never grow", "MA 11(e)(3)")),
            ("ma-crazy-4-poker", "five-card-progressive",
             ('wager = "$1"', "[links.levels.main]", 'seed = "$10,000"', 'primary = "9%"'),
             Wrong(8, "reseed of main must be declared, at least $10,000.00", "MA 11(e)(3)")),
            ("pa-2011-caribbean-stud", "progressive",
             ('wager = "$5"', *CARIBBEAN[1:]),
             Wrong(7, "takes $1", "PA2011 555.7(c)")),
            ("pa-2011-caribbean-stud", "progressive",
             (CARIBBEAN[0], CARIBBEAN[2]),
             Wrong(3, "must be declared: 10% of main or $5,000", "PA2010 555.13(d)")),
            ("pa-2010-let-it-ride", "bonus",
             ('wager = "$5"',),
             Wrong(7, "takes $1", "PA2010 559.8(b)")),
            ("pa-2010-let-it-ride", "bonus",
             ('wager = "$1"', 'pays = { royal-flush = "$24,999.99" }'),
             Wrong(8, "must be at least $25,000", "PA2010 559.14(d)")),
        )
    ],
)  # fmt: skip
def test_what_the_law_forbids_is_named_with_its_clause(
    tmp_path: Path, rule: str, bet: str, lines: tuple[str, ...], wrong: Wrong
) -> None:
    """One unlawful choice is one violation, at its line, with the clause that it violates."""
    (found,) = faults(tmp_path, link(rule, bet, *lines))
    assert wrong.matches(found), found


def test_limit_of_a_level_may_not_be_below_its_seed(tmp_path: Path) -> None:
    """A meter can't start at its own limit or above it."""
    for limit, count in (("$9,999.99", 1), ("$10,000", 1), ("$10,000.01", 0)):
        lines = ('paytable = "A"', 'wager = "$1"', "[links.levels.main]", f'limit = "{limit}"')
        found = faults(tmp_path, link("pa-crazy-4-poker", "five-card-progressive", *lines))
        assert len(found) == count, limit
    assert (
        parse_dollars("10,000.01")
        == only_link(tmp_path, link("pa-crazy-4-poker", "five-card-progressive", *lines))
        .levels[0]
        .limit_micros
    )
