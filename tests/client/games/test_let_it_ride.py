"""Let It Ride Poker by its clauses."""

import pytest

from jackpot.rules.compile_base_game import BaseChoice, compile_base
from table_client.table.games.catalogue import GAMES
from table_client.table.ports import Way
from tests.client.games.tables import (
    DOLLAR,
    RIDE,
    Scripted,
    clauses,
    link_for,
    play,
    reconstructed,
    results,
    steps,
    terms_of,
)

BETS = ("bet-1", "bet-2", "bet-3")


def stack(own: str, community: str, discarded: str = "2c") -> str:
    """A player's three cards and the community stack: second card, first card, discarded card."""
    first, second = community.split()
    return f"{own} {second} {first} {discarded}"


@pytest.mark.rule("PA2010 559.1")
@pytest.mark.rule("PA2010 559.13(e)")
@pytest.mark.parametrize(
    ("way", "section"),
    [
        pytest.param(
            Way.MANUAL_SHOE,
            "PA2010 559.10(d)",
            marks=[pytest.mark.rule(f"PA2010 559.10(d)({n})") for n in range(1, 6)],
        ),
        pytest.param(
            Way.HAND,
            "PA2010 559.11(b)",
            marks=[pytest.mark.rule(f"PA2010 559.11(b)({n})") for n in range(1, 6)],
        ),
    ],
)
async def test_community_cards_are_dealt_between_the_players_cards(way: Way, section: str) -> None:
    """Players, community, players, community, players; the first of the two is shown first."""
    result = await play(
        RIDE, "2s 3s Ah 4s 5s Kh 6s 7s", {1: Scripted("a"), 2: Scripted("b")}, way=way
    )
    assert [(r.seat, r.clause) for r in steps(result, "deal")] == [
        (1, f"{section}(1)"),
        (2, f"{section}(1)"),
        (None, f"{section}(2)"),
        (1, f"{section}(3)"),
        (2, f"{section}(3)"),
        (None, f"{section}(4)"),
        (1, f"{section}(5)"),
        (2, f"{section}(5)"),
    ]
    assert [r.cards for r in steps(result, "turn")] == [("Ah",), ("Kh",)]


@pytest.mark.rule("PA2010 559.12(b)")
async def test_the_bottom_card_of_the_community_stack_is_discarded() -> None:
    """Of three cards the bottom one goes; the middle one is shown first, the top one second."""
    result = await play(RIDE, "2s 3s 4s Ts Js Qs")
    assert reconstructed(result)["rest of a stack"] == ("Qs",)
    assert [r.cards for r in steps(result, "turn")] == [("Js",), ("Ts",)]


@pytest.mark.rule("PA2010 559.7(d)")
@pytest.mark.parametrize(
    "wagers",
    [{"bet-1": 5, "bet-2": 5}, {"bet-1": 5, "bet-2": 5, "bet-3": 10}],
)
async def test_three_equal_wagers_are_required(wagers: dict[str, int]) -> None:
    """Two, or three of which one differs, are refused."""
    result = await play(RIDE, players={1: Scripted("a", wagers=wagers), 2: Scripted("b")})
    assert not result.seats[1].cards
    assert steps(result, "refuse")


@pytest.mark.rule("PA2010 559.13(b)")
@pytest.mark.rule("PA2010 559.13(b)(1)")
@pytest.mark.rule("PA2010 559.13(b)(2)")
@pytest.mark.rule("PA2010 559.13(c)")
@pytest.mark.rule("PA2010 559.13(d)(1)")
@pytest.mark.rule("PA2010 559.13(d)(2)")
@pytest.mark.rule("PA2010 559.13(e)")
@pytest.mark.parametrize(("first", "second"), [(0, 0), (0, 1), (1, 0), (1, 1)])
async def test_each_of_two_bets_may_be_withdrawn_whatever_became_of_the_other(
    first: int, second: int
) -> None:
    """A losing hand costs exactly the bets that rode."""
    player = Scripted(decisions={"bet-1": first, "bet-2": second})
    result = await play(RIDE, stack("3s 5h 8d", "9c Jh"), {1: player})
    assert result.seats[1].net_micros == -5 * DOLLAR * (1 + first + second)
    ended = {bet: result_ for bet, (result_, _) in results(result).items()}
    assert ended["bet-1"] == ("lose" if first else "withdrawn")
    assert ended["bet-2"] == ("lose" if second else "withdrawn")


@pytest.mark.rule("PA2010 559.13(b)")
@pytest.mark.rule("PA2010 559.13(c)")
@pytest.mark.rule("PA2010 559.13(d)")
async def test_one_community_card_is_seen_before_the_second_decision() -> None:
    """None at Bet Number 1, one at Bet Number 2; asked from the left both times."""
    players = {2: Scripted("a"), 5: Scripted("b")}
    result = await play(RIDE, "2s 3s 4s 5s 6s 7s Kh Ah 2c", players)
    assert [(bet, view.community) for bet, view in players[2].asked] == [
        ("bet-1", ()),
        ("bet-2", ("Ah",)),
    ]
    assert [record.seat for record in steps(result, "decide")] == [2, 5, 2, 5]


@pytest.mark.rule("PA2010 559.13(f)")
@pytest.mark.rule("PA2010 559.13(f)(1)")
async def test_hands_are_settled_from_the_right() -> None:
    """Seat 5 before seat 2, each shown first."""
    players = {2: Scripted("a"), 5: Scripted("b")}
    result = await play(RIDE, players=players)
    assert [record.seat for record in steps(result, "show")] == [5, 2]


@pytest.mark.rule("PA2010 559.1")
@pytest.mark.rule("PA2010 559.14(b)")
@pytest.mark.rule("PA2010 559.13(f)(2)")
@pytest.mark.rule("PA2010 559.13(f)(3)")
@pytest.mark.parametrize(
    ("own", "community", "odds"),
    [
        ("As Ks Qs", "Js Ts", 1_000),
        ("9s Ks Qs", "Js Ts", 200),
        ("9s 9h 9d", "9c Ts", 50),
        ("9s 9h 9d", "Tc Ts", 11),
        ("9s Ks 2s", "Js Ts", 8),
        ("9s Kh Qs", "Js Ts", 5),
        ("9s 9h 9d", "Kc Ts", 3),
        ("9s 9h Kd", "Kc Ts", 2),
        ("Ts 9h Kd", "Tc 8s", 1),
        ("9s 9h Kd", "Tc 8s", None),
    ],
)
async def test_all_three_bets_are_paid_by_the_hand(
    own: str, community: str, odds: int | None
) -> None:
    """From a royal flush to a pair of tens; a pair of nines loses."""
    result = await play(RIDE, stack(own, community))
    expected = ("lose", 0) if odds is None else ("win", odds * 500)
    assert results(result) == dict.fromkeys(BETS, expected)


@pytest.mark.rule("PA2010 559.9(a)")
@pytest.mark.rule("PA2010 559.9(d)")
@pytest.mark.rule("PA2010 559.14(e)")
async def test_the_three_card_bonus_is_about_the_players_own_cards() -> None:
    """A pair in hand wins it; a pair with a community card does not."""
    wagers = dict.fromkeys(BETS, 5) | {"three-card-bonus": 5}
    won = await play(RIDE, stack("3s 3h 8d", "9c Jh"), {1: Scripted(wagers=wagers)})
    assert results(won)["three-card-bonus"] == ("win", 500)
    lost = await play(RIDE, stack("3s 5h 8d", "3c Jh"), {1: Scripted(wagers=wagers)})
    assert results(lost)["three-card-bonus"] == ("lose", 0)


@pytest.mark.rule("PA2010 559.9(c)")
@pytest.mark.parametrize(
    ("paytable", "cents"), [("A", 2_000), ("B", 2_000), ("C", 1_500), ("D", 2_000)]
)
async def test_the_three_card_bonus_is_paid_by_the_table_chosen(paytable: str, cents: int) -> None:
    """A flush on $5, by the paytable that the operator has declared."""
    wagers = dict.fromkeys(BETS, 5) | {"three-card-bonus": 5}
    terms = terms_of(RIDE, paytables={"three-card-bonus": paytable})
    players = {1: Scripted(wagers=wagers)}
    result = await play(RIDE, stack("3s 9s Js", "4c 6h"), players, terms=terms)
    assert results(result)["three-card-bonus"] == ("win", cents)


@pytest.mark.rule("PA2010 559.8(a)")
@pytest.mark.rule("PA2010 559.8(b)")
@pytest.mark.rule("PA2010 559.8(d)")
@pytest.mark.rule("PA2010 559.14(d)")
@pytest.mark.rule("PA2010 559.12(a)(2)")
async def test_the_linked_bonus_pays_a_fixed_amount_for_a_dollar() -> None:
    """Three of a kind with the community cards pays $5 whatever became of the bets."""
    link = link_for(RIDE, "bonus", "only")
    player = Scripted(decisions={"bet-1": 0, "bet-2": 0}, linked=("bonus",))
    result = await play(RIDE, stack("3s 3h 8d", "3c Jh"), {1: player}, progressive=link)
    assert [(a.hand, a.amount_micros) for a in link.paid] == [("three-of-a-kind", 5 * DOLLAR)]
    assert result.seats[1].net_micros == (15 + 5 - 1) * DOLLAR
    assert clauses(result, "collect") == ["PA2010 559.12(a)(2)"]


@pytest.mark.rule("PA2010 559.14(c)")
@pytest.mark.parametrize(
    ("limit", "won"), [(None, 60_000), (60_000, 60_000), (60_001, 60_000), (75_000, 60_000)]
)
async def test_no_lawful_limit_touches_a_minimum_wager(limit: int | None, won: int) -> None:
    """A royal flush on three bets of the minimum of $20 is $60,000, and no limit may be less."""
    terms = terms_of(RIDE, minimum=20, limit=limit)
    player = Scripted(wagers=dict.fromkeys(BETS, 20))
    result = await play(RIDE, stack("As Ks Qs", "Js Ts"), {1: player}, terms=terms)
    assert sum(results(result)[bet][1] for bet in BETS) == won * 100


@pytest.mark.rule("PA2010 559.14(c)")
@pytest.mark.parametrize(
    ("limit", "won"), [(None, 60_000), (50_000, 50_000), (59_999, 59_999), (60_000, 60_000)]
)
async def test_a_payout_limit_caps_the_three_bets_together(limit: int | None, won: int) -> None:
    """A royal flush on three bets of $20 at a $5 table: at, above and below the limit."""
    wagers = dict.fromkeys(BETS, 20) | {"three-card-bonus": 5}
    terms = terms_of(RIDE, limit=limit, paytables={"three-card-bonus": "D"})
    royal = stack("As Ks Qs", "Js Ts")
    result = await play(RIDE, royal, {1: Scripted(wagers=wagers)}, terms=terms)
    assert sum(results(result)[bet][1] for bet in BETS) == won * 100
    assert results(result)["three-card-bonus"] == ("win", 25_000)  # not under the limit


@pytest.mark.rule("PA2010 559.14(c)")
@pytest.mark.parametrize(
    ("minimum", "limit", "least"),
    [(5, 10, "50,000.00"), (5, 49_999, "50,000.00"), (5, 50_000, ""), (20, 59_999, "60,000.00")],
)
def test_a_payout_limit_below_the_floor_is_refused(minimum: int, limit: int, least: str) -> None:
    """The floor is $50,000, or three royal flushes at the minimum if that is more."""
    choice = BaseChoice(minimum_micros=minimum * DOLLAR, payout_limit_micros=limit * DOLLAR)
    _, faults = compile_base(GAMES[RIDE].rule, choice)
    assert [(fault.key, fault.clause) for fault in faults] == [
        (("payout_limit",), "PA2010 559.14(c)")
    ] * bool(least)
    assert all(f"below the least of ${least}" in fault.reason for fault in faults)


@pytest.mark.rule("PA2010 559.13(f)(3)")
async def test_a_players_losing_wagers_are_collected_before_any_is_paid() -> None:
    """A pair in hand loses the three bets and wins the Three Card Bonus: the bets go first."""
    wagers = dict.fromkeys(BETS, 5) | {"three-card-bonus": 5}
    lost = await play(RIDE, stack("3s 3h 8d", "9c Jh"), {1: Scripted(wagers=wagers)})
    won = await play(RIDE, stack("Ts 5h 8d", "Tc Jh"), {1: Scripted(wagers=wagers)})
    for result in (lost, won):
        order = [record.amount_micros < 0 for record in steps(result, "settle")]
        assert order == sorted(order, reverse=True)
        assert set(order) == {True, False}


@pytest.mark.rule("PA2010 559.7(e)")
@pytest.mark.parametrize(("boxes", "played"), [(1, 1), (2, 2), (3, 2)])
async def test_a_person_may_play_an_adjacent_box_where_it_is_allowed(
    boxes: int, played: int
) -> None:
    """Never more than two, and only where the operator says so."""
    players = {seat: Scripted("same") for seat in (1, 2, 3)}
    result = await play(RIDE, players=players, boxes=boxes)
    assert sum(bool(seat.cards) for seat in result.seats.values()) == played


@pytest.mark.rule("PA2010 559.7(e)")
async def test_a_second_box_must_be_adjacent() -> None:
    """Boxes 1 and 3 are not."""
    players = {1: Scripted("same"), 3: Scripted("same")}
    result = await play(RIDE, players=players, boxes=2)
    assert not result.seats[3].cards
