"""What a house files for the wagers on a layout: read, checked by its clause, and kept."""

from pathlib import Path

import msgspec
import pytest

from jackpot.core.config import BaseTerms, Table
from jackpot.rules.site import check_site, load_site
from tests.rules.site_files import written

RIDE, HOLDEM, THREE = (
    "pa-2010-let-it-ride",
    "pa-2011-texas-holdem-bonus",
    "pa-2010-three-card-poker",
)
CRAZY, PAI_GOW, CRISS = "pa-crazy-4-poker", "pa-2010-pai-gow-poker", "pa-2014-criss-cross-poker"


def table(rule: str, *lines: str) -> str:
    """A file with one table, whose own lines begin at line 6."""
    own = "\n".join(lines)
    return f'[site]\nid = "s"\n[[tables]]\nid = "t"\nrule = "{rule}"\n{own}\n'


def base(tmp_path: Path, rule: str, *lines: str) -> BaseTerms:
    """The base game of a lawful file."""
    found = load_site(written(tmp_path, table(rule, *lines))).tables[0].base
    assert found
    return found


_ALONE = "PA2010 565.7(a)(2); PA2010 565.12(e)"
UNLAWFUL = [
    (RIDE, 'payout_limit = "$49,999.99"', "below the least of $50,000.00", "PA2010 559.14(c)"),
    (RIDE, 'payout_limit = "$10"', "below the least of $50,000.00", "PA2010 559.14(c)"),
    (HOLDEM, 'payout_limit = "$50,000.01"', "fixed at $50,000.00", "PA2010 563.12(e)"),
    (CRAZY, 'payout_limit = "$50,000"', "has no limit on payouts", ""),
    (HOLDEM, 'wagers.bonus.minimum = "$0.50"', "below the least of $1.00", "PA2010 563.7(c)"),
    (CRAZY, 'wagers.queens-up.paytable = "E"', "one of: A, B, C, D", "PA 657a.12(c)"),
    (CRAZY, "wagers.queens-up.offered = false", "must be offered", "PA 657a.7(d)(2)"),
    (CRAZY, "wagers.ante.offered = false", "must be offered", "PA 657a.7(d)(1)"),
    (CRAZY, 'wagers.six-card-bonus.paytable = "F"', "one of: A, B, C, D, E", "PA 657a.12(g)"),
    (CRAZY, 'wagers.super-bonus.pays.flush = "1 to 1"', "is fixed at 3 to 2", "PA 657a.12(b)"),
    (RIDE, 'wagers.bet-1.pays.flush = "7 to 1"', "at least 8 to 1", "PA2010 559.14(b)"),
    (THREE, 'wagers.ante-bonus.paytable = "A"', "expected standard", _ALONE),
    (THREE, 'options.pair-plus = "free"', "alone, ante-equal, ante-half, both", "PA2010 565.7(f)"),
    (PAI_GOW, 'options.vigorish = "10%"', "exact, rounded-up", "PA2010 561.13(m)"),
    (PAI_GOW, 'options.house-way = "mine"', "by-kind, highest-high", "PA2010 561.13(d)"),
    (PAI_GOW, 'options.start = "wheel"', "dice, number, button", "PA2010 561.12(a)"),
    (CRAZY, 'options.play-amounts = "half"', "whole-multiples, any-amount", "PA 657a.11(b)"),
    (CRAZY, 'options.count-stub-every = "6"', "5, 4, 3, 2, 1", "PA 657a.8(f)"),
    (CRAZY, 'options.play-amount = "any-amount"', "did you mean 'play-amounts'", ""),
    (CRAZY, 'wagers.queen-up.paytable = "A"', "did you mean 'queens-up'", ""),
    (CRAZY, 'wagers.five-card-progressive.paytable = "A"', "a linked wager", "PA 657a.7(d)(4)"),
    (CRAZY, "wagers.queens-up.fold_forfeits = false", "the rule decides", "PA 657a.11(b)(1)"),
    (CRAZY, 'wagers.ante.minimum = "$10"', "set it for the table", "PA 657a.7(d)(1)"),
    (CRAZY, 'maximum = "$4"', "below the minimum of $5.00", ""),
    (CRAZY, 'minimum = "$0"', "more than $0", ""),
    (CRISS, 'wagers.across.paytable = "tens-win"', "expected only", "PA2014 592.12(b)"),
]


@pytest.mark.parametrize(
    ("rule", "line", "words", "clause"),
    [
        pytest.param(*each, marks=[pytest.mark.rule(one) for one in each[3].split("; ") if one])
        for each in UNLAWFUL
    ],
)
def test_an_unlawful_choice_is_one_fault_with_its_clause(
    tmp_path: Path, rule: str, line: str, words: str, clause: str
) -> None:
    """At its own line, with what is expected."""
    (found,) = check_site(written(tmp_path, table(rule, line))).violations
    assert (found.line, found.clause) == (6, clause), found
    assert words in found.reason, found


@pytest.mark.rule("PA2010 565.12(f)")
@pytest.mark.rule("PA2010 565.7(f)(2)")
def test_an_option_brings_its_paytables_and_folds(tmp_path: Path) -> None:
    """With Pair Plus tied to the Ante, table B may be chosen, and a fold loses Pair Plus."""
    found = base(
        tmp_path, THREE, 'options.pair-plus = "ante-half"', 'wagers.ante-bonus.paytable = "B"'
    )
    bonus, plus = found.wager("ante-bonus"), found.wager("pair-plus")
    assert bonus
    assert plus
    assert (bonus.paytable, plus.fold_forfeits) == ("B", True)
    first = base(tmp_path, THREE, 'options.pair-plus = "both"').wager("ante-bonus")
    assert first
    assert first.paytable == "A"


@pytest.mark.rule("PA 657a.7(d)(6)")
def test_an_optional_wager_is_offered_where_the_file_specifies_it(tmp_path: Path) -> None:
    """And not otherwise; Queens Up always is."""
    silent = base(tmp_path, CRAZY)
    assert silent.wager("queens-up")
    assert not silent.wager("six-card-bonus")
    assert base(tmp_path, CRAZY, 'wagers.six-card-bonus.paytable = "E"').wager("six-card-bonus")
    refused = "wagers.six-card-bonus.offered = false"
    assert not base(tmp_path, CRAZY, refused).wager("six-card-bonus")


@pytest.mark.rule("PA2010 559.14(c)")
def test_a_limit_is_measured_by_the_minimum_and_the_odds_of_the_same_table(tmp_path: Path) -> None:
    """Three bets of $20 at 1,200 to 1 could win $72,000."""
    better = [f'wagers.bet-{n}.pays.royal-flush = "1,200 to 1"' for n in (1, 2, 3)]
    lines = ('minimum = "$20"', *better, 'payout_limit = "$71,999"')
    (found,) = check_site(written(tmp_path, table(RIDE, *lines))).violations
    assert found.line == 10
    assert "$72,000.00" in found.reason
    lawful = base(tmp_path, RIDE, *lines[:-1], 'payout_limit = "$72,000"')
    assert lawful.payout_limit_micros == 72_000 * 1_000_000


def test_a_table_without_a_link_names_its_game(tmp_path: Path) -> None:
    """Or nobody would know what it plays."""
    text = '[site]\nid = "s"\n[[tables]]\nid = "t"\nlinks = []\n'
    (found,) = check_site(written(tmp_path, text)).violations
    assert (found.line, "rule" in found.reason) == (5, True)


def test_terms_are_json_and_come_back(tmp_path: Path) -> None:
    """As the journal keeps them, and a table is told them."""
    (found,) = load_site(written(tmp_path, table(THREE, 'options.pair-plus = "both"'))).tables
    assert msgspec.json.decode(msgspec.json.encode(found), type=Table) == found
