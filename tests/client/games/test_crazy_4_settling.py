"""Crazy 4 Poker settled by its three texts: folds, the dealer's hand, bonuses and links."""

import pytest

from tests.client.games.crazy_4 import (
    FOUR_NINES,
    KING_HIGH,
    NOTHING,
    PAIR_OF_KINGS,
    QUEEN_HIGH,
    each,
)
from tests.client.games.tables import DOLLAR, PA, Scripted, link_for, play, results, steps


@pytest.mark.parametrize("rule", each("PA 657a.11(b)(1)", "MA 10(b)(1)", "PA2011 573.11(b)(1)"))
async def test_a_fold_forfeits_ante_super_bonus_and_queens_up(rule: str) -> None:
    """All three, whatever the hand; the cards go to the rack before the dealer's are shown."""
    wagers = {"ante": 5, "super-bonus": 5, "queens-up": 5}
    result = await play(rule, FOUR_NINES, {1: Scripted(wagers=wagers, decisions={"play": 0})})
    assert results(result) == dict.fromkeys(wagers, ("forfeit", 0))
    assert result.seats[1].net_micros == -15 * DOLLAR
    order = [record.step for record in result.records]
    assert order.index("collect-hand") < order.index("reveal")


@pytest.mark.rule("PA 657a.11(b)(3)")
@pytest.mark.rule("PA 657a.11(g)(2)")
@pytest.mark.rule("PA 657a.12(g)")
async def test_a_fold_keeps_the_six_card_bonus() -> None:
    """Four nines folded still win 50 to 1 on table A; Ante and Super Bonus are gone."""
    wagers = {"ante": 5, "super-bonus": 5, "six-card-bonus": 5}
    player = Scripted(wagers=wagers, decisions={"play": 0})
    result = await play(PA, FOUR_NINES + KING_HIGH + "3c 4c 6c 7c Tc", {1: player})
    assert results(result)["six-card-bonus"] == ("win", 25_000)
    assert results(result)["ante"] == ("forfeit", 0)
    assert not steps(result, "collect-hand")


@pytest.mark.rule("PA 657a.11(g)(1)")
async def test_a_six_card_bonus_below_three_of_a_kind_loses() -> None:
    """Two pair among six cards pay nothing."""
    wagers = {"ante": 5, "super-bonus": 5, "six-card-bonus": 5}
    cards = "Ks Kh 9d 9c 2s " + KING_HIGH.replace("Kd", "Ad") + "3c 4c 6c 7c Tc"
    result = await play(PA, cards, {1: Scripted(wagers=wagers)})
    assert results(result)["six-card-bonus"] == ("lose", 0)


@pytest.mark.parametrize(
    "rule", each("PA 657a.11(c)(3)(i)", "MA 10(c)(3)(i)", "PA2011 573.11(c)(3)(i)")
)
async def test_a_dealer_below_king_returns_the_ante_and_pays_the_play(rule: str) -> None:
    """Even a hand below the dealer's wins the Play Wager; Ante and Super Bonus come back."""
    result = await play(rule, NOTHING + QUEEN_HIGH)
    assert results(result) == {
        "ante": ("push", 0),
        "super-bonus": ("push", 0),
        "play": ("win", 500),
    }


@pytest.mark.parametrize(
    "rule",
    each("PA 657a.11(c)(3)(ii)(A)", "MA 10(c)(3)(ii)", "PA2011 573.11(c)(3)(ii)(A)"),
)
async def test_a_lower_hand_loses_ante_play_and_super_bonus(rule: str) -> None:
    """Against a king-high dealer a jack-high hand loses all three."""
    result = await play(rule, NOTHING + KING_HIGH)
    assert results(result) == dict.fromkeys(("ante", "super-bonus", "play"), ("lose", 0))


@pytest.mark.parametrize(
    "rule",
    each("PA 657a.11(c)(3)(ii)(A)", "MA 10(c)(3)(ii)", "PA2011 573.11(c)(3)(ii)(A)"),
)
async def test_a_losing_straight_is_still_paid_on_the_super_bonus(rule: str) -> None:
    """A straight under a flush: Ante and Play lose, the Super Bonus pays 1 to 1."""
    result = await play(rule, "9s 8h 7d 6c 2s Kd Jd 8d 5d 3h")
    assert results(result) == {
        "ante": ("lose", 0),
        "super-bonus": ("win", 500),
        "play": ("lose", 0),
    }


@pytest.mark.parametrize(
    "rule",
    each("PA 657a.11(c)(3)(ii)(B)", "MA 10(c)(3)(ii)", "PA2011 573.11(c)(3)(ii)(B)"),
)
async def test_a_higher_hand_wins_ante_and_play(rule: str) -> None:
    """A pair of kings beats king high; below a straight the Super Bonus is returned."""
    result = await play(rule, PAIR_OF_KINGS + KING_HIGH)
    assert results(result) == {
        "ante": ("win", 500),
        "super-bonus": ("push", 0),
        "play": ("win", 500),
    }


@pytest.mark.parametrize(
    "rule",
    each("PA 657a.11(c)(3)(ii)(C)", "MA 10(c)(3)(ii)", "PA2011 573.11(c)(3)(ii)(C)"),
)
async def test_a_tie_returns_everything_below_a_straight(rule: str) -> None:
    """The same four ranks: Ante, Play and Super Bonus come back."""
    result = await play(rule, "Ks Kh 9d 5c 2s Kd Kc 9h 5h 2h")
    assert results(result) == dict.fromkeys(("ante", "super-bonus", "play"), ("push", 0))


@pytest.mark.parametrize("rule", each("PA 657a.12(b)", "MA 11(b)", "PA2011 573.12(b)"))
@pytest.mark.parametrize(
    ("hand", "cents"),
    [
        ("As Ah Ad Ac 2s", 100_000),
        ("9s 9h 9d 9c 2s", 15_000),
        ("9s 8s 7s 6s 2h", 7_500),
        ("9s 9h 9d 6s 2h", 1_000),
        ("Ks 9s 7s 6s 2h", 750),
        ("9s 8h 7d 6s 2h", 500),
        ("9s 9h 7d 7s 2h", 0),
    ],
)
async def test_the_super_bonus_pays_by_its_table(rule: str, hand: str, cents: int) -> None:
    """Five dollars at each row, and two pair, which only come back."""
    result = await play(rule, f"{hand} Qs Jh 8c 5c 3h")
    assert results(result)["super-bonus"] == ("win" if cents else "push", cents)


@pytest.mark.parametrize("rule", each("PA 657a.11(d)", "MA 10(d)", "PA2011 573.11(d)"))
@pytest.mark.rule("PA 657a.12(c)")
@pytest.mark.parametrize(("hand", "won"), [("Qs Qh 9d 5c 2s", "win"), ("Js Jh 9d 5c 2s", "lose")])
async def test_queens_up_is_paid_whatever_the_dealer_has(rule: str, hand: str, won: str) -> None:
    """Queens win and jacks lose, both below the dealer's three kings."""
    wagers = {"ante": 5, "super-bonus": 5, "queens-up": 5}
    result = await play(rule, f"{hand} Ks Kh Kd 5h 3h", {1: Scripted(wagers=wagers)})
    assert results(result)["queens-up"][0] == won


@pytest.mark.parametrize("rule", each("PA 657a.11(c)", "MA 10(c)", "PA2011 573.11(c)"))
@pytest.mark.rule("PA 657a.11(c)(1)")
@pytest.mark.rule("MA 10(c)(1)")
async def test_settlement_goes_from_the_dealers_right(rule: str) -> None:
    """Seat 6 first, seat 1 last, each shown and settled before the next."""
    players = {seat: Scripted(f"p{seat}") for seat in (1, 3, 6)}
    result = await play(rule, players=players)
    turns = [r.seat for r in result.records if r.step in ("show", "settle")]
    assert turns == [6, 6, 6, 6, 3, 3, 3, 3, 1, 1, 1, 1]


FIVE = "five-card-progressive"


@pytest.mark.rule("PA 657a.11(e)")
@pytest.mark.rule("PA 657a.11(e)(1)")
@pytest.mark.rule("PA 657a.11(e)(2)")
@pytest.mark.rule("PA 657a.11(e)(3)")
@pytest.mark.rule("PA 657a.11(e)(4)")
async def test_a_progressive_award_is_checked_held_and_paid_at_its_turn() -> None:
    """A royal flush: hand, lamp, floorperson, cards held for the form, then the whole meter."""
    link = link_for(PA, FIVE, "A")
    players = {1: Scripted("a", linked=(FIVE,)), 2: Scripted("b", linked=(FIVE,))}
    cards = "As Ks Qs Js Ts 4h 7h 6c 8d 9d " + KING_HIGH
    result = await play(PA, cards, players, progressive=link)
    told = [
        (record.step, record.clause)
        for record in result.records
        if record.seat == 1 and record.step in ("verify", "validate", "hold", "award")
    ]
    assert [record.seat for record in steps(result, "award")] == [1, 2]  # the envy bonus last
    assert told == [
        ("verify", "PA 657a.11(e)(1)"),
        ("verify", "PA 657a.11(e)(2)"),
        ("validate", "PA 657a.11(e)(3)"),
        ("hold", "PA 657a.11(e)(4)"),
        ("award", "PA 657a.11(e)(4)"),
    ]
    assert [award.amount_micros for award in link.paid if award.kind == "share"] == [10_000_420_000]
    assert link.meter() == 10_000 * DOLLAR


@pytest.mark.rule("PA 657a.11(e)(5)")
@pytest.mark.rule("PA 657a.11(e)(5)(ii)")
@pytest.mark.rule("PA 657a.11(b)(2)")
async def test_a_player_who_folded_still_gets_the_envy_bonus() -> None:
    """Seat 2 folds and loses the progressive wager, yet receives $1,000 for seat 1's royal."""
    link = link_for(PA, FIVE, "A")
    folds = Scripted("b", decisions={"play": 0}, linked=(FIVE,))
    players = {1: Scripted("a", linked=(FIVE,)), 2: folds}
    cards = "As Ks Qs Js Ts 4h 7h 6c 8d 9d " + KING_HIGH
    result = await play(PA, cards, players, progressive=link)
    assert [(a.kind, a.amount_micros) for a in result.seats[2].awards] == [("envy", 1_000 * DOLLAR)]
    assert result.seats[2].net_micros == (1_000 - 10 - 1) * DOLLAR
    award = next(record for record in steps(result, "award") if record.seat == 2)
    assert award.clause == "PA 657a.11(e)(5)"


@pytest.mark.rule("PA 657a.11(f)")
@pytest.mark.rule("PA 657a.11(f)(3)")
async def test_a_hand_bonus_rides_on_a_folded_hand_and_goes_to_the_account() -> None:
    """Electronic, not counted, settled for a folded flush at 50 for 1 without a floorperson."""
    bet = "five-card-hand-bonus"
    link = link_for(PA, bet, "only", magic_share_bps=0, lucky_share_bps=0)
    player = Scripted(decisions={"play": 0}, linked=(bet,))
    result = await play(PA, "As Ks 8s 5s 3s " + KING_HIGH, {1: player}, progressive=link)
    assert [(a.hand, a.amount_micros, a.source) for a in link.paid] == [
        ("flush", 50 * DOLLAR, "account")
    ]
    assert not steps(result, "validate")
    assert steps(result, "award")[0].clause == "PA 657a.11(f)(3)"


@pytest.mark.rule("PA 657a.11(e)")
@pytest.mark.rule("PA 657a.11(g)")
async def test_the_order_of_settlement_is_that_of_the_chapter() -> None:
    """Ante and Play, then Queens Up, then the progressive, then the Six Card Bonus."""
    link = link_for(PA, FIVE, "A")
    wagers = {"ante": 5, "super-bonus": 5, "queens-up": 5, "six-card-bonus": 5}
    player = Scripted(wagers=wagers, linked=(FIVE,))
    cards = "9s 9h 9d 5c 5s " + KING_HIGH + "3c 4c 6c 7c Tc"
    result = await play(PA, cards, {1: player}, progressive=link)
    told = [
        record.says.split(":")[1].split()[0]
        for record in result.records
        if record.step in ("settle", "award")
    ]
    assert told == ["Ante", "Super", "Play", "Queens", "five", "Six"]
