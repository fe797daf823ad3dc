"""Other words for the same terms are journaled; other terms are refused."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from jackpot.core.commands.operator import (
    DescribeLink,
    DescribeTable,
    ResumeLink,
    SetRate,
    SuspendLink,
)
from jackpot.core.config import DeckLife, Link, Table
from jackpot.core.reasons import Reason
from tests.core.floor import Floor, caribbean, five_card_a, ok, reason, table


def worded(link: Link) -> Link:
    """A link with another title and another citation everywhere."""
    bets = tuple(
        replace(
            bet,
            paytable=tuple(replace(line, clause="PA 657a.12(e)(2)") for line in bet.paytable),
            envy=tuple(replace(line, clause="PA 657a.12(e)(5)") for line in bet.envy),
        )
        for bet in link.bets
    )
    return replace(link, title="Another Name", bets=bets)


def floor() -> Floor:
    """A link, and a table on it."""
    return Floor().open_up([five_card_a(fixed="PA 657a.12(e)(3)")], [table("t1", "a")])


def test_a_link_may_have_other_words() -> None:
    """Title and citations take effect, and no account moves."""
    at = floor()
    before = dict(at.state.balances)
    new = worded(at.state.links["a"].config)
    level = replace(new.levels[0], fixed="PA 657a.12(e)(3)(i)")
    ok(at.operate(DescribeLink(replace(new, levels=(level,)))))
    found = at.state.links["a"].config
    assert (found.title, found.levels[0].fixed) == ("Another Name", "PA 657a.12(e)(3)(i)")
    assert at.state.balances == before
    assert at.replayed() == at.state


TERMS: dict[str, Callable[[Link], Link]] = {
    "wager": lambda link: replace(link, wager_micros=5_000_000),
    "rule": lambda link: replace(link, rule="another"),
    "seed": lambda link: replace(link, levels=(replace(link.levels[0], seed_micros=1),)),
    "reseed": lambda link: replace(link, levels=(replace(link.levels[0], reseed_micros=1),)),
    "freed": lambda link: replace(link, levels=(replace(link.levels[0], fixed=""),)),
    "pays": lambda link: _line(link, pays_for=301),
    "share": lambda link: _line(link, share_bps=9_999),
    "envy": lambda link: replace(link, bets=(replace(link.bets[0], envy=()),)),
    "fold": lambda link: replace(link, bets=(replace(link.bets[0], fold_forfeits=False),)),
    "bets": lambda link: replace(link, bets=()),
}


def _line(link: Link, **change: int) -> Link:
    bet = link.bets[0]
    lines = (replace(bet.paytable[0], **change), *bet.paytable[1:])
    return replace(link, bets=(replace(bet, paytable=lines),))


@pytest.mark.parametrize("change", TERMS.values(), ids=list(TERMS))
def test_a_link_keeps_its_terms(change: Callable[[Link], Link]) -> None:
    """Whatever decides what is taken, kept or paid stays as it was journaled."""
    at = floor()
    new = change(worded(at.state.links["a"].config))
    assert reason(at.operate(DescribeLink(new))) == Reason.ALREADY_DEFINED


def test_rates_that_two_people_changed_stay() -> None:
    """A description brings words, not the rates that a file began with, also while they wait."""
    filed = caribbean()
    at = Floor().open_up([filed], [])
    ok(at.operate(SuspendLink("cs")))
    ok(at.operate(SetRate("cs", "main", 7_100, 0, "T-1")))
    ok(at.operate(DescribeLink(worded(filed))))
    link = at.state.links["cs"]
    assert link.next_config is not None
    assert (link.config.levels[0].primary_bps, link.config.title) == (7_000, "Another Name")
    ok(at.operate(ResumeLink("cs")))
    now = at.state.links["cs"].config
    assert (now.levels[0].primary_bps, now.title) == (7_100, "Another Name")


def test_a_table_may_learn_how_long_a_deck_is_used() -> None:
    """A journal from before decks were known gets to know it; seats and links stay."""
    at = floor()
    life = DeckLife(4 * 3_600, 8 * 3_600, "PA 657a.3(c)")
    ok(at.operate(DescribeTable(replace(table("t1", "a"), decks=life))))
    assert at.state.tables["t1"].config.decks == life
    changes: tuple[Table, ...] = (
        replace(table("t1", "a"), seats=5),
        replace(table("t1", "a"), boxes_per_player=1),
        replace(table("t1", "a"), links=()),
    )
    for changed in changes:
        assert reason(at.operate(DescribeTable(changed))) == Reason.ALREADY_DEFINED


def test_only_what_exists_can_be_described() -> None:
    """A description defines nothing."""
    at = floor()
    assert reason(at.operate(DescribeLink(five_card_a("b")))) == Reason.UNKNOWN_LINK
    assert reason(at.operate(DescribeTable(table("t2", "a")))) == Reason.UNKNOWN_TABLE
