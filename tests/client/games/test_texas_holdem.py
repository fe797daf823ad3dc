"""Texas Hold 'Em Bonus by its clauses: streets and burned cards, wagers, comparison, Bonus."""

import pytest

from jackpot.rules.cards import parse_cards
from table_client.table.ports import Way
from tests.client.games.tables import (
    DOLLAR,
    HOLDEM,
    Scripted,
    clauses,
    play,
    reconstructed,
    results,
    steps,
    terms_of,
)


@pytest.mark.parametrize(
    ("way", "section"),
    [
        pytest.param(
            Way.MANUAL_SHOE,
            "PA2010 563.8(d)",
            marks=[pytest.mark.rule(f"PA2010 563.8(d)({n})") for n in range(1, 5)],
        ),
        pytest.param(
            Way.HAND,
            "PA2010 563.9(b)",
            marks=[pytest.mark.rule(f"PA2010 563.9(b)({n})") for n in range(1, 5)],
        ),
    ],
)
async def test_two_cards_each_and_a_burn_before_each_street(way: Way, section: str) -> None:
    """Players, dealer, players, dealer; then burn three, burn one, burn one."""
    result = await play(HOLDEM, players={1: Scripted("a"), 2: Scripted("b")}, way=way)
    told = [(r.seat, r.clause) for r in steps(result, "deal")]
    numbers = [(1, 1), (2, 1), (0, 2), (1, 3), (2, 3), (0, 4)]
    assert told == [(seat, f"{section}({n})") for seat, n in numbers]
    streets = [(r.step, len(r.cards)) for r in result.records if r.step in ("burn", "turn")]
    assert streets == [("burn", 1), ("turn", 3), ("burn", 1), ("turn", 1), ("burn", 1), ("turn", 1)]
    assert len(reconstructed(result)["burned"]) == 3


@pytest.mark.rule("PA2010 563.1")
@pytest.mark.rule("PA2010 563.11(b)")
@pytest.mark.rule("PA2010 563.11(d)")
@pytest.mark.rule("PA2010 563.11(f)")
async def test_burned_cards_are_not_used() -> None:
    """From the shoe: two stacks, then burn, three, burn, one, burn, one from the hand."""
    result = await play(HOLDEM, "As Ah Ks Kh 2c Qd Qc Qh 3c 4c 5c 6c")
    assert result.community == parse_cards("Qd Qc Qh 4c 6c")
    assert reconstructed(result)["burned"] == parse_cards("2c 3c 5c")
    assert clauses(result, "turn") == [f"PA2010 563.11({x})" for x in "bdf"]


@pytest.mark.rule("PA2011 563.10(b)")
async def test_from_the_shoe_two_cards_are_a_stack() -> None:
    """To each player from the left who has an Ante, and the last one to the dealer."""
    players = {2: Scripted("a"), 3: Scripted("b", wagers={}), 5: Scripted("c")}
    result = await play(HOLDEM, players=players)
    told = [(record.seat, len(record.cards)) for record in steps(result, "deal")]
    assert told == [(2, 2), (5, 2), (0, 2)]


@pytest.mark.rule("PA2011 563.10(c)")
async def test_the_stub_of_the_shoe_is_dealt_on_from_the_hand() -> None:
    """After the stacks the rest is taken in hand; the stub goes away only after the river."""
    result = await play(HOLDEM)
    assert clauses(result, "stub") == ["PA2011 563.10(c)", "PA2011 563.10(c)"]
    order = [record.step for record in result.records]
    assert order[::-1].index("stub") < order[::-1].index("turn")


@pytest.mark.rule("PA2011 563.10(g)")
async def test_a_shoe_that_reshuffles_gives_the_community_cards_first() -> None:
    """Five cards before the players'; they are shown street by street, and none is burned."""
    result = await play(HOLDEM, way=Way.CONTINUOUS_SHOE)
    first = steps(result, "deal")[0]
    assert (len(first.cards), first.clause) == (5, "PA2011 563.10(g)")
    assert [len(record.cards) for record in steps(result, "turn")] == [3, 1, 1]
    assert not steps(result, "burn")


@pytest.mark.rule("PA2010 563.11(a)")
@pytest.mark.rule("PA2010 563.11(c)")
@pytest.mark.rule("PA2010 563.11(e)")
async def test_flop_turn_and_river_wagers() -> None:
    """Twice the Ante, then once each or a check."""
    player = Scripted(decisions={"turn": 0})
    result = await play(HOLDEM, players={1: player})
    amounts = {o.bet: o.wager_micros for o in result.seats[1].outcomes}
    assert amounts == {"ante": 5 * DOLLAR, "flop": 10 * DOLLAR, "river": 5 * DOLLAR}


BOARD = "2c Qd 8c 7h 3c 4s 5c 2d"  # burn, flop, burn, turn, burn, river


@pytest.mark.parametrize(
    ("own", "dealer", "flop", "ante"),
    [
        pytest.param(
            "As Ah", "Ks Kh", "win", "push", marks=pytest.mark.rule("PA2010 563.11(h)(2)")
        ),
        pytest.param(
            "Ks Kh", "As Ah", "lose", "lose", marks=pytest.mark.rule("PA2010 563.11(h)(1)")
        ),
        pytest.param(
            "As Kh", "Ad Kc", "push", "push", marks=pytest.mark.rule("PA2010 563.11(h)(3)")
        ),
    ],
)
async def test_holdem_hands_are_compared(own: str, dealer: str, flop: str, ante: str) -> None:
    """The Ante of a winner below a flush only comes back."""
    result = await play(HOLDEM, f"{own} {dealer} {BOARD}")
    assert results(result)["flop"][0] == flop
    assert results(result)["ante"][0] == ante


@pytest.mark.rule("PA2010 563.11(h)(2)")
@pytest.mark.rule("PA2010 563.12(b)")
@pytest.mark.parametrize(
    ("paytable", "ante"), [("flush-or-higher", "push"), ("straight-or-higher", "win")]
)
async def test_the_ante_is_paid_from_a_straight_or_a_flush(paytable: str, ante: str) -> None:
    """A winning straight, under both choices of the operator."""
    terms = terms_of(HOLDEM, paytables={"ante": paytable})
    result = await play(HOLDEM, f"6s 5h Ks Kh {BOARD}", terms=terms)
    assert results(result)["ante"][0] == ante


@pytest.mark.rule("PA2010 563.11(a)(2)")
@pytest.mark.rule("PA2010 563.11(a)(2)(i)")
@pytest.mark.rule("PA2010 563.11(a)(2)(ii)")
@pytest.mark.rule("PA2010 563.11(h)(4)")
@pytest.mark.rule("PA2010 563.12(c)")
async def test_the_bonus_survives_a_fold() -> None:
    """Folded aces win 30 to 1 on the Bonus and stay on the table; others are collected at once."""
    players = {
        1: Scripted("a", wagers={"ante": 5, "bonus": 5}, decisions={"flop": 0}),
        2: Scripted("b", decisions={"flop": 0}),
    }
    result = await play(HOLDEM, f"As Ah 3s 7d Ks Kh {BOARD}", players)
    assert results(result, 1) == {"ante": ("forfeit", 0), "bonus": ("win", 15_000)}
    assert [record.says[:6] for record in steps(result, "collect-hand")] == ["Seat 2"]


@pytest.mark.rule("PA2010 563.12(d)")
async def test_aces_against_aces_pay_a_thousand_to_one() -> None:
    """Where the operator offers it."""
    terms = terms_of(HOLDEM, paytables={"bonus": "with-both-aces"})
    players = {1: Scripted(wagers={"ante": 5, "bonus": 5})}
    result = await play(HOLDEM, f"As Ah Ac Ad {BOARD}", players, terms=terms)
    assert results(result)["bonus"] == ("win", 500_000)
