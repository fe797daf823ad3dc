"""Criss-Cross Poker by its clauses: a cross shown in three turns, and two hands with it."""

import pytest

from table_client.table.ports import Way
from tests.client.games.tables import BY_CARD, CRISS, DOLLAR, Scripted, play, results, steps


@pytest.mark.rule("PA2014 592.8(d)")
@pytest.mark.rule("PA2014 592.9(b)")
@pytest.mark.parametrize("way", BY_CARD)
async def test_the_cross_is_dealt_before_the_players(way: Way) -> None:
    """Five cards face down, then two to each player, one at a time."""
    result = await play(CRISS, players={1: Scripted("a"), 3: Scripted("b")}, way=way)
    assert [record.seat for record in steps(result, "deal")] == [None] * 5 + [1, 3, 1, 3]


@pytest.mark.rule("PA2014 592.10(b)")
async def test_from_a_shoe_the_cross_is_one_stack() -> None:
    """Five cards, then two to each player."""
    result = await play(CRISS, players={1: Scripted("a"), 3: Scripted("b")})
    told = [(record.seat, len(record.cards)) for record in steps(result, "deal")]
    assert told == [(None, 5), (1, 2), (3, 2)]


CROSS = "As Ks 9d Kh Ah "  # far, left, centre, right, near


@pytest.mark.rule("PA2014 592.11(c)")
@pytest.mark.rule("PA2014 592.11(e)")
@pytest.mark.rule("PA2014 592.11(g)")
async def test_the_cross_is_shown_in_three_turns() -> None:
    """The outside of the row, the outside of the column, the middle; a decision before each."""
    player = Scripted()
    result = await play(CRISS, CROSS + "2c 7d", {1: player})
    assert [record.cards for record in steps(result, "turn")] == [
        ("Ks", "Kh"),
        ("As", "Ah"),
        ("9d",),
    ]
    seen = [(bet, len(view.community)) for bet, view in player.asked]
    assert seen == [("across", 0), ("down", 2), ("middle", 4)]


@pytest.mark.rule("PA2014 592.1")
@pytest.mark.rule("PA2014 592.11(h)(1)(ii)")
@pytest.mark.rule("PA2014 592.11(h)(2)(ii)")
@pytest.mark.rule("PA2014 592.11(h)(4)")
@pytest.mark.rule("PA2014 592.12(b)")
async def test_across_and_down_are_two_hands_and_the_middle_takes_the_higher() -> None:
    """Two pair across beat a pair down, and the Middle Bet is paid for the two pair."""
    result = await play(CRISS, "As Ks 9d Kh Ah 9c 7d")
    ended = results(result)
    assert ended["across"] == ("win", 1_000)  # kings and nines: 2 to 1 on $5
    assert ended["down"] == ("win", 1_000)  # aces and nines
    assert ended["ante-across"] == ("win", 500)
    result = await play(CRISS, "As Ks 9d Kh 3h 9c 7d")
    ended = results(result)
    assert ended["across"] == ("win", 1_000)
    assert ended["down"] == ("push", 0)  # a pair of nines
    assert ended["middle"] == ("win", 1_000)


@pytest.mark.rule("PA2014 592.12(a)")
@pytest.mark.rule("PA2014 592.11(h)(1)(i)")
@pytest.mark.rule("PA2014 592.11(h)(3)")
@pytest.mark.parametrize(
    ("own", "expected"),
    [
        ("Jc Jd", ("win", 500)),
        ("Tc Td", ("push", 0)),
        ("6c 6d", ("push", 0)),
        ("5c 5d", ("lose", 0)),
    ],
)
async def test_jacks_win_sixes_push_fives_lose(own: str, expected: tuple[str, int]) -> None:
    """The same pair in both hands decides Antes, bets and the Middle Bet."""
    result = await play(CRISS, f"As Ks 9d Qh 3h {own}")
    assert set(results(result).values()) == {expected}


@pytest.mark.rule("PA2014 592.11(b)")
@pytest.mark.rule("PA2014 592.11(d)")
@pytest.mark.rule("PA2014 592.11(f)")
@pytest.mark.parametrize(("stage", "lost"), [("across", 10), ("down", 15), ("middle", 20)])
async def test_a_fold_loses_all_so_far_but_the_five_card_bonus(stage: str, lost: int) -> None:
    """The bonus on the cross, kings and aces, is settled although the cards are gone."""
    wagers = {"ante-across": 5, "ante-down": 5, "five-card-bonus": 5}
    player = Scripted(wagers=wagers, decisions={stage: 0})
    result = await play(CRISS, CROSS + "2c 7d", {1: player})
    assert results(result)["five-card-bonus"] == ("win", 1_500)
    assert result.seats[1].net_micros == (15 - lost) * DOLLAR
    assert steps(result, "collect-hand")


@pytest.mark.rule("PA2014 592.11(b)")
async def test_the_bets_are_one_to_three_times_an_ante() -> None:
    """Three is allowed, four is not."""
    result = await play(CRISS, players={1: Scripted(decisions={"across": 3})})
    amounts = {o.bet: o.wager_micros for o in result.seats[1].outcomes}
    assert amounts["across"] == 15 * DOLLAR
    with pytest.raises(ValueError, match="1 to 3 times"):
        await play(CRISS, players={1: Scripted(decisions={"down": 4})})
