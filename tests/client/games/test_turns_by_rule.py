"""In which order each chapter deals, asks and settles: around the table, seat by seat."""

import pytest

from jackpot.rules.compile_link import LevelChoice
from table_client.table.games.catalogue import GAMES
from table_client.table.games.model import Ask
from table_client.table.ports import Way
from tests.client.games.tables import (
    CARIBBEAN,
    CRISS,
    DOLLAR,
    FOUR,
    HOLDEM,
    MA,
    PA,
    PA2011,
    RIDE,
    THREE,
    Scripted,
    link_for,
    play,
    results,
    steps,
)

DEALT = [
    # rule, cards in a stack, clauses by manual shoe, hand and automated shoe
    (PA, 5, "PA 657a.8(d)", "PA 657a.9(b)", "PA 657a.10(b)"),
    (MA, 5, "MA 7(d)", "MA 8(b)", "MA 9(b)"),
    (PA2011, 5, "PA2011 573.8(d)", "PA2011 573.9(b)", "PA2011 573.10(b)"),
    (CARIBBEAN, 5, "PA2010 555.8(d)", "PA2010 555.9(b)", "PA2010 555.10(b)"),
    (RIDE, 3, "PA2010 559.10(d)", "PA2010 559.11(b)", "PA2010 559.12(b)"),
    (FOUR, 5, "PA2010 557.8(d)", "PA2010 557.9(b)", "PA2010 557.10(b)"),
    (THREE, 3, "PA2010 565.8(d)", "PA2010 565.9(b)", "PA2010 565.10(b)"),
    (HOLDEM, 2, "PA2010 563.8(d)", "PA2010 563.9(b)", "PA2011 563.10(b)"),
    (CRISS, 2, "PA2014 592.8(d)", "PA2014 592.9(b)", "PA2014 592.10(b)"),
]


@pytest.mark.parametrize(
    ("rule", "way", "cards", "stacks"),
    [
        pytest.param(rule, way, cards, way is Way.AUTOMATED_SHOE, marks=pytest.mark.rule(clause))
        for rule, cards, *clauses in DEALT
        for way, clause in zip(
            (Way.MANUAL_SHOE, Way.HAND, Way.AUTOMATED_SHOE), clauses, strict=True
        )
    ],
)
async def test_players_are_dealt_to_clockwise_from_the_left(
    rule: str, way: Way, cards: int, stacks: bool
) -> None:
    """Only who has placed the wagers, seat after seat; by stacks once around, else card by card."""
    players = {5: Scripted("c"), 2: Scripted("a"), 3: Scripted("b", wagers={})}
    result = await play(rule, players=players, way=way)
    seats = [record.seat for record in steps(result, "deal") if record.seat]
    assert seats == [2, 5] * (1 if stacks else cards)
    held = {seat: each.cards for seat, each in result.seats.items() if each.cards}
    assert {seat: len(own) for seat, own in held.items()} == {2: cards, 5: cards}


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param(rule, marks=[pytest.mark.rule(one) for one in clauses.split("; ")])
        for rule, clauses in (
            (PA, "PA 657a.11(b)"),
            (MA, "MA 10(b)"),
            (PA2011, "PA2011 573.11(b)"),
            (RIDE, "PA2010 559.13(b); PA2010 559.13(d)"),
            (FOUR, "PA2010 557.11(c)"),
            (THREE, "PA2010 565.11(b)"),
            (HOLDEM, "PA2010 563.11(c); PA2010 563.11(e)"),
            (CRISS, "PA2014 592.11(b); PA2014 592.11(d); PA2014 592.11(f)"),
        )
    ],
)
async def test_every_decision_is_asked_clockwise_from_the_left(rule: str) -> None:
    """Each question goes once around the table before the next."""
    players = {seat: Scripted(f"p{seat}") for seat in (6, 1, 3)}
    result = await play(rule, players=players)
    questions = sum(isinstance(act, Ask) for act in GAMES[rule].script)
    assert questions
    assert [record.seat for record in steps(result, "decide")] == [1, 3, 6] * questions


@pytest.mark.parametrize(
    ("rule", "side"),
    [
        pytest.param(FOUR, "aces-up", marks=pytest.mark.rule("PA2010 557.11(d)")),
        pytest.param(THREE, "pair-plus", marks=pytest.mark.rule("PA2010 565.11(c)")),
        pytest.param(PA, "six-card-bonus", marks=pytest.mark.rule("PA 657a.11(c)")),
        pytest.param(MA, "", marks=pytest.mark.rule("MA 10(c)")),
        pytest.param(PA2011, "", marks=pytest.mark.rule("PA2011 573.11(c)")),
    ],
)
async def test_folded_cards_are_collected_before_the_dealer_reveals(rule: str, side: str) -> None:
    """Unless a wager that a fold does not lose still needs them."""
    first = dict.fromkeys(GAMES[rule].required, 5)
    players = {
        1: Scripted("a", wagers=first, decisions={"play": 0}),
        2: Scripted("b", wagers=first | ({side: 5} if side else {}), decisions={"play": 0}),
        3: Scripted("c"),
    }
    result = await play(rule, players=players)
    told = [record.says[:6] for record in steps(result, "collect-hand")]
    assert told == (["Seat 1"] if side else ["Seat 1", "Seat 2"])
    order = [record.step for record in result.records]
    assert order.index("collect-hand") < order.index("reveal")
    assert results(result, 1) == dict.fromkeys(first, ("forfeit", 0))


@pytest.mark.rule("PA2011 555.11(f)(1)")
@pytest.mark.rule("PA2011 555.11(f)(2)")
@pytest.mark.rule("PA2011 555.11(f)(3)")
async def test_without_a_qualified_dealer_side_wagers_come_first_then_antes() -> None:
    """Bonus and progressive of the hands that have them, then every Ante, from the right."""
    level = LevelChoice(10_000 * DOLLAR, 10_000 * DOLLAR, 7_000)
    pays = {"straight-flush": "10% of main"}
    link = link_for(CARIBBEAN, "progressive", "only", levels={"main": level}, pays=pays)
    players = {
        1: Scripted("a", wagers={"ante": 5, "bonus": 5}),
        2: Scripted("b"),
        3: Scripted("c", linked=("progressive",)),
    }
    cards = "Ks Kh 9d 5c 2s Js Th 8h 5d 2c Qs 9s 7s 6s 3s Ad Qd 8d 5h 3h"
    result = await play(CARIBBEAN, cards, players, progressive=link)
    told = [(r.step, r.seat) for r in result.records if r.step in ("award", "settle", "call")]
    assert told == [
        ("award", 3),
        ("settle", 1),
        ("call", None),
        *(("settle", seat) for seat in (3, 3, 2, 2, 1, 1)),
    ]
    assert [record.seat for record in steps(result, "show")] == [3, 1]
    for seat in players:
        assert results(result, seat)["ante"] == ("win", 500)
        assert results(result, seat)["bet"] == ("push", 0)


@pytest.mark.rule("PA2014 592.11(h)(5)")
async def test_the_five_card_bonus_is_settled_after_the_other_wagers() -> None:
    """On the cross alone, whatever the player's own cards are."""
    wagers = {"ante-across": 5, "ante-down": 5, "five-card-bonus": 5}
    result = await play(CRISS, "As Ks 9d Kh Ah 2c 7d", {1: Scripted(wagers=wagers)})
    settled = [outcome.bet for outcome in result.seats[1].outcomes]
    assert settled == ["ante-across", "ante-down", "across", "down", "middle", "five-card-bonus"]
    assert results(result)["five-card-bonus"] == ("win", 1_500)
