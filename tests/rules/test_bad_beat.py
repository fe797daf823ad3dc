"""Poker's Bad Beat payout: posted rules, and the hands that are one."""

import pytest
from msgspec.structs import replace

from jackpot.core.config import PotRules
from jackpot.core.money import parse_dollars
from jackpot.rules.bad_beat import POKER, violations
from jackpot.rules.cards import DECK, parse_cards
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
            ({"qualifying_hand": "any"}, "PA2010 553.20(b)(3)"),
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
    shown = POKER.showdown("four-eights", parse_cards(losing), parse_cards(winning), ())
    assert (shown.qualifies and shown.beaten) is pays


@pytest.mark.parametrize(
    ("own", "community", "called"),
    [
        pytest.param(own, community, called, marks=pytest.mark.rule(clause))
        for own, community, called, clause in (
            ("2s 3s", "8s 8h 8d 8c As", "four-eights", "PA2010 553.11(j)"),
            ("8s 8h Ks Kh", "8d 8c Kd 2c 3s", "four-eights", "PA2010 553.12(j)"),
            ("2s 2h 3h 4h", "8s 8h 8d 8c Kd", "full-house", "PA2010 553.12(j)"),
            ("8s 8h 8d Ks", "8c 2d 3c 4d 6h", "three-of-a-kind", "PA2010 553.12(j)"),
            ("As Ks Qs Js Ts 2h 2d", "", "royal-flush", "PA2010 553.10(i)"),
            ("8s 8h 8d Ks 2h 3d", "8c", "four-eights", "PA2010 553.10(h)"),
            ("8s 8h 8d Ks 2h", "8c 3d", "four-eights", "PA2010 553.10(h)"),
            ("8s 8h 8d 8c 2s", "", "four-eights", "PA2010 553.13(i)(1)"),
            ("5s 4s 3s 2s As", "", "straight-flush", "PA2010 553.14(h)"),
        )
    ],
)
def test_a_hand_is_made_as_its_game_says(own: str, community: str, called: str) -> None:
    """The best five cards count; in Omaha just two of a player's own and three that all share."""
    held, shared = parse_cards(own), parse_cards(community)
    assert POKER.deals(len(held), len(shared))
    other = tuple(card for card in DECK if card not in held + shared)[: len(held)]
    assert POKER.showdown("four-eights", held, other, shared).losing == called


def test_no_other_deal_is_poker() -> None:
    """A card more or fewer of either kind is a deal of no game."""
    deals = {(own, shared) for own in range(9) for shared in range(8) if POKER.deals(own, shared)}
    assert deals == {(2, 5), (4, 5), (7, 0), (6, 1), (5, 2), (5, 0)}


@pytest.mark.parametrize("name", ["", "any", "something good"])
def test_nothing_qualifies_where_no_hand_is_posted(name: str) -> None:
    """An old journal may have a fund whose posted hand says nothing: no hand is paid by it."""
    royal, quads = parse_cards("As Ks Qs Js Ts"), parse_cards("9s 9h 9d 9c 2h")
    assert not POKER.showdown(name, quads, royal, ()).qualifies


def test_the_rule_file_states_each_duty_with_its_clause() -> None:
    """What no figure can say stands in the rule file in words, under its clause."""
    rule = rules()["pa-2010-poker-bad-beat"]
    cited = {clause for provision in rule.provisions for clause in provision.clauses}
    letters = {clause.removeprefix("PA2010 553.20(")[0] for clause in cited if "553.20(" in clause}
    assert letters == set("abcdefghi")
