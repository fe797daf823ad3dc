"""Poker's Bad Beat payout: posted rules, contributions from pots, and shares."""

import pytest
from msgspec.structs import replace

from jackpot.core.money import parse_dollars
from jackpot.rules.bad_beat import (
    BadBeat,
    contribution_micros,
    is_bad_beat,
    shares_micros,
    violations,
)
from jackpot.rules.cards import parse_cards
from jackpot.rules.loader import rules

POSTED = BadBeat(
    qualifying_hand="four-eights",
    contribution_micros=parse_dollars("1"),
    minimum_pot_micros=parse_dollars("10"),
    shares_bps={"losing hand": 5_000, "winning hand": 2_500, "others at the table": 2_500},
    passes_on_to="next-bad-beat",
)


@pytest.mark.parametrize(
    ("change", "clause"),
    [
        pytest.param(change, clause, marks=pytest.mark.rule(clause))
        for change, clause in (
            ({"contribution_micros": 0}, "PA2010 553.20(b)(1)"),
            ({"contribution_micros": 1}, "PA2010 553.20(b)(1)"),
            ({"minimum_pot_micros": parse_dollars("0.99")}, "PA2010 553.20(b)(2)"),
            ({"qualifying_hand": "something good"}, "PA2010 553.20(b)(3)"),
            ({"shares_bps": {"losing hand": 9_999}}, "PA2010 553.20(b)(3)"),
            ({"shares_bps": {"losing hand": 10_001}}, "PA2010 553.20(b)(3)"),
            ({"passes_on_to": ""}, "PA2010 553.20(i)"),
        )
    ],
)
def test_posted_rules_must_say_what_the_text_asks(change: dict[str, object], clause: str) -> None:
    """Each thing that is missing is named with its clause; complete rules have no fault."""
    assert violations(POSTED) == ()
    assert [found for _, found in violations(replace(POSTED, **change))] == [clause]


@pytest.mark.rule("PA2010 553.20(c)")
@pytest.mark.rule("PA2010 553.7(e)(6)(iv)")
@pytest.mark.parametrize(
    ("pot", "rake", "gives"),
    [
        ("9.99", "0", "0"),
        ("10.00", "1", "1"),
        ("10.01", "1", "1"),
        ("10.00", "9.50", "0.50"),
        ("10.00", "10.00", "0"),
    ],
)
def test_a_pot_contributes_after_the_rake(pot: str, rake: str, gives: str) -> None:
    """From the smallest pot upward, never more than the rake leaves."""
    amount = contribution_micros(POSTED, parse_dollars(pot), parse_dollars(rake))
    assert amount == parse_dollars(gives)


@pytest.mark.rule("PA2010 553.1")
@pytest.mark.rule("PA2010 553.20(a)")
@pytest.mark.parametrize(
    ("losing", "winning", "pays"),
    [
        ("8s 8h 8d 8c 2s", "9s 9h 9d 9c 2h", True),
        ("8s 8h 8d 8c 2s", "As Ks Qs Js Ts", True),
        ("7s 7h 7d 7c 2s", "9s 9h 9d 9c 2h", False),
        ("8s 8h 8d 8c 2s", "7s 7h 7d 7c As", False),
        ("As Ah Ad Kc Ks", "9s 9h 9d 9c 2h", False),
    ],
)
def test_a_bad_beat_is_a_named_hand_that_loses(losing: str, winning: str, *, pays: bool) -> None:
    """The hand must reach what was posted, and must have lost."""
    assert is_bad_beat(POSTED, parse_cards(losing), parse_cards(winning)) is pays


@pytest.mark.rule("PA2010 553.20(b)(3)")
def test_shares_are_whole_cents_and_never_more_than_the_fund() -> None:
    """Half to the loser, a quarter to the winner, the rest in equal parts; cents left over stay."""
    fund = parse_dollars("1000.03")
    assert shares_micros(POSTED, fund, others=7) == {
        "losing hand": parse_dollars("500.01"),
        "winning hand": parse_dollars("250.00"),
        "others at the table": parse_dollars("35.71"),
    }
    for others in range(9):
        paid = shares_micros(POSTED, fund, others)
        total = paid["losing hand"] + paid["winning hand"]
        total += others * paid.get("others at the table", 0)
        assert 0 <= fund - total < parse_dollars("0.12")


@pytest.mark.rule("PA2010 553.20(i)")
def test_nothing_of_a_fund_goes_to_the_house() -> None:
    """Two players only: the others' share is the loser's, so all still goes to players."""
    paid = shares_micros(POSTED, parse_dollars("100"), others=0)
    assert paid == {"losing hand": parse_dollars("75"), "winning hand": parse_dollars("25")}


def test_the_rule_file_states_each_duty_with_its_clause() -> None:
    """What no figure can say stands in the rule file in words, under its clause."""
    rule = rules()["pa-2010-poker-bad-beat"]
    cited = {clause for provision in rule.provisions for clause in provision.clauses}
    letters = {clause.removeprefix("PA2010 553.20(")[0] for clause in cited if "553.20(" in clause}
    assert letters == set("abcdefghi")
