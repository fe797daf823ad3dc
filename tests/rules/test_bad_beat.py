"""Poker's Bad Beat payout: posted rules, and the hands that are one."""

import pytest
from msgspec.structs import replace

from jackpot.core.config import PotRules
from jackpot.core.money import parse_dollars
from jackpot.rules.bad_beat import is_bad_beat, violations
from jackpot.rules.cards import parse_cards
from jackpot.rules.loader import rules

POSTED = PotRules(
    minimum_pot_micros=parse_dollars("10"),
    contribution_bps=1_000,
    cap_micros=parse_dollars("1"),
    loser_bps=5_000,
    winner_bps=2_500,
    table_bps=2_500,
    qualifying_hand="four-eights",
    passes_on_to="next-bad-beat",
)


@pytest.mark.parametrize(
    ("change", "clause"),
    [
        pytest.param(change, clause, marks=pytest.mark.rule(clause))
        for change, clause in (
            ({"cap_micros": 0}, "PA2010 553.20(b)(1)"),
            ({"cap_micros": 1}, "PA2010 553.20(b)(1)"),
            ({"contribution_bps": 0}, "PA2010 553.20(b)(1)"),
            ({"minimum_pot_micros": parse_dollars("0.99")}, "PA2010 553.20(b)(2)"),
            ({"qualifying_hand": "something good"}, "PA2010 553.20(b)(3)"),
            ({"loser_bps": 4_999}, "PA2010 553.20(b)(3)"),
            ({"loser_bps": 5_001}, "PA2010 553.20(b)(3)"),
            ({"passes_on_to": ""}, "PA2010 553.20(i)"),
        )
    ],
)
def test_posted_rules_must_say_what_the_text_asks(change: dict[str, object], clause: str) -> None:
    """Each thing that is missing is named with its clause; complete rules have no fault."""
    assert violations(POSTED) == ()
    assert [found for _, found in violations(replace(POSTED, **change))] == [clause]


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


def test_the_rule_file_states_each_duty_with_its_clause() -> None:
    """What no figure can say stands in the rule file in words, under its clause."""
    rule = rules()["pa-2010-poker-bad-beat"]
    cited = {clause for provision in rule.provisions for clause in provision.clauses}
    letters = {clause.removeprefix("PA2010 553.20(")[0] for clause in cited if "553.20(" in clause}
    assert letters == set("abcdefghi")
