"""What a house has to post is there to be printed: `jackpot rules show` says every odds."""

import pytest
from click.testing import CliRunner

from jackpot.cli.main import main
from jackpot.rules.loader import rules

POSTED = {
    "pa-crazy-4-poker": "PA 657a.2(b)(6)",
    "pa-2011-crazy-4-poker": "PA2011 573.2(b)(4)",
    "pa-2014-criss-cross-poker": "PA2014 592.2(b)(5)",
    "pa-2011-caribbean-stud": "PA2010 555.2(b)(5); PA2010 555.2(c); PA2010 555.13(a)",
    "pa-2010-four-card-poker": "PA2010 557.2(b)(5); PA2010 557.2(c)",
    "pa-2010-let-it-ride": "PA2010 559.2(b)(5); PA2010 559.2(c); PA2010 559.14(a)",
    "pa-2011-texas-holdem-bonus": "PA2010 563.2(c); PA2010 563.12(a)",
    "pa-2010-three-card-poker": "PA2010 565.2(b)(5); PA2010 565.2(c)",
}
# Where the chapter says that odds are stated with "to".
NEVER_FOR = ("pa-2011-caribbean-stud", "pa-2010-let-it-ride", "pa-2011-texas-holdem-bonus")


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param(rule, marks=[pytest.mark.rule(one) for one in clauses.split("; ")])
        for rule, clauses in POSTED.items()
    ],
)
def test_the_odds_of_all_wagers_can_be_printed(rule: str) -> None:
    """Every wager by its title, and what every row of its paytables pays."""
    shown = CliRunner().invoke(main, ["rules", "show", rule])
    assert shown.exit_code == 0, shown.output
    for bet in rules()[rule].bets:
        assert bet.title in shown.output
        for table in bet.paytables:
            assert all(row.pays.partition(" of ")[0] in shown.output for row in table.rows)
    if rule in NEVER_FOR:
        assert " for 1" not in shown.output
