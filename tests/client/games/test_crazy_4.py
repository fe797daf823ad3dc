"""Crazy 4 Poker by its clauses, in Pennsylvania, Massachusetts and by the chapter of 2011."""

import pytest

from jackpot.rules.cards import parse_cards
from table_client.decks import PlainDeck, stacked
from table_client.games.catalogue import GAMES
from table_client.ports import Way
from table_client.round.play import Table
from tests.client.games.tables import (
    BY_CARD,
    CRAZY,
    DOLLAR,
    Scripted,
    clauses,
    link_for,
    play,
    results,
    steps,
)

PA = CRAZY[0]
# One player, from an automated shoe: five cards to the player, five to the dealer.
PAIR_OF_KINGS = "Ks Kh 9d 5c 2s "
ACE_HIGH = "As Qh 9d 5c 2s "
QUEEN_HIGH = "Qs Jh 8d 5c 2h "  # a dealer who does not qualify
KING_HIGH = "Kd Jd 8c 5h 3h "  # a dealer who does
FOUR_NINES = "9s 9h 9d 9c 2s "
NOTHING = "Jc Tc 8h 5d 2s "


def each(*ids: str) -> list[object]:
    """The three texts, each with its clause."""
    return [
        pytest.param(rule, marks=pytest.mark.rule(clause))
        for rule, clause in zip(CRAZY, ids, strict=True)
    ]


@pytest.mark.parametrize("rule", each("PA 657a.8(d)", "MA 7(d)", "PA2011 573.8(d)"))
@pytest.mark.parametrize("way", BY_CARD)
@pytest.mark.rule("PA 657a.9(b)")
@pytest.mark.rule("MA 8(b)")
@pytest.mark.rule("PA2011 573.9(b)")
async def test_cards_are_dealt_one_at_a_time_from_the_left(rule: str, way: Way) -> None:
    """Seat 2, seat 5, then the dealer, five times over; empty boxes get nothing."""
    result = await play(rule, players={2: Scripted("a"), 5: Scripted("b")}, way=way)
    assert [record.seat for record in steps(result, "deal")] == [2, 5, 0] * 5
    expected = GAMES[rule].clauses.ways[way].deal
    assert set(clauses(result, "deal")) == {expected}
    assert [len(result.seats[seat].cards) for seat in (2, 5)] == [5, 5]


@pytest.mark.parametrize("rule", each("PA 657a.10(b)", "MA 9(b)", "PA2011 573.10(b)"))
async def test_an_automated_shoe_gives_stacks_of_five(rule: str) -> None:
    """A stack to each player from the left, the last one to the dealer."""
    result = await play(rule, players={2: Scripted("a"), 5: Scripted("b")})
    dealt = steps(result, "deal")
    assert [(record.seat, len(record.cards)) for record in dealt] == [(2, 5), (5, 5), (0, 5)]


@pytest.mark.rule("PA 657a.8(d)")
@pytest.mark.rule("PA 657a.9(b)")
@pytest.mark.parametrize("way", BY_CARD)
async def test_the_six_card_bonus_card_comes_first_by_hand(way: Way) -> None:
    """One card, face down, before any player's, when somebody placed the bet."""
    player = Scripted(wagers={"ante": 5, "super-bonus": 5, "six-card-bonus": 5})
    result = await play(PA, "Ah", {1: player}, way=way)
    first = steps(result, "deal")[0]
    assert (first.seat, first.cards) == (None, ("Ah",))


@pytest.mark.rule("PA 657a.10(b)")
async def test_the_six_card_bonus_card_is_the_top_of_another_stack() -> None:
    """From the shoe it comes after the dealer's stack; four cards go unseen to the rack."""
    player = Scripted(wagers={"ante": 5, "super-bonus": 5, "six-card-bonus": 5})
    cards = PAIR_OF_KINGS + KING_HIGH + "Ah 3c 4c 6c 7c"
    result = await play(PA, cards, {1: player})
    assert steps(result, "deal")[-1].cards == ("Ah",)
    assert result.rack.reconstruct()["rest of a stack"] == tuple(parse_cards("3c 4c 6c 7c"))


@pytest.mark.rule("PA 657a.10(b)")
async def test_without_the_bet_there_is_no_six_card_bonus_card() -> None:
    """Nobody bet on it, nothing is dealt for it."""
    result = await play(PA)
    assert [record.seat for record in steps(result, "deal")] == [1, 0]


@pytest.mark.parametrize("rule", each("PA 657a.10(a)(2)", "MA 9(a)(2)", "PA2011 573.10(a)(2)"))
@pytest.mark.rule("PA 657a.8(b)")
@pytest.mark.rule("PA 657a.9(a)(3)")
@pytest.mark.rule("MA 7(b)")
@pytest.mark.rule("PA2011 573.8(b)")
@pytest.mark.parametrize("way", [*BY_CARD, Way.AUTOMATED_SHOE])
async def test_no_more_bets_comes_before_any_card(rule: str, way: Way) -> None:
    """The call, under the clause of the way of dealing, and only then the deal."""
    result = await play(rule, way=way)
    order = [record.step for record in result.records]
    assert order.index("no-more-bets") < order.index("deal")
    assert clauses(result, "no-more-bets") == [GAMES[rule].clauses.ways[way].no_more_bets]


@pytest.mark.parametrize("rule", each("PA 657a.11(b)", "MA 10(b)", "PA2011 573.11(b)"))
async def test_play_or_fold_is_asked_from_the_left(rule: str) -> None:
    """Seat by seat, clockwise."""
    players = {seat: Scripted(f"p{seat}") for seat in (6, 1, 3)}
    result = await play(rule, players=players)
    assert [record.seat for record in steps(result, "decide")] == [1, 3, 6]


@pytest.mark.parametrize("rule", each("PA 657a.11(b)", "MA 10(b)", "PA2011 573.11(b)"))
@pytest.mark.parametrize(
    ("hand", "most"),
    [("Kh Ks Ad 5c 2s", 1), ("Ah As 9d 5c 2s", 3), ("4h 4s 3d 3c 2s", 3), ("Ah Ks 9d 5c 2s", 1)],
)
async def test_only_a_pair_of_aces_or_better_may_play_three_times(
    rule: str, hand: str, most: int
) -> None:
    """A pair of kings and ace high may play once, a pair of aces and two pair up to three times."""
    player = Scripted()
    await play(rule, hand, {1: player})
    assert player.asked[0][1].most == most


@pytest.mark.rule("PA 657a.11(b)")
async def test_more_than_the_hand_allows_is_no_decision() -> None:
    """Twice the Ante with a pair of kings is refused with the clause."""
    with pytest.raises(ValueError, match=r"1 to 1 times the ante .*PA 657a\.11\(b\)"):
        await play(PA, PAIR_OF_KINGS, {1: Scripted(decisions={"play": 2})})


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


@pytest.mark.parametrize("rule", each("PA 657a.11(h)", "MA 10(g)", "PA2011 573.11(f)"))
async def test_every_hand_can_be_reconstructed_from_the_rack(rule: str) -> None:
    """The pile, read by the order in which hands were picked up, gives each hand again."""
    players = {1: Scripted("a"), 4: Scripted("b", decisions={"play": 0}), 6: Scripted("c")}
    result = await play(rule, players=players)
    again = result.rack.reconstruct()
    for seat in players:
        assert again[f"seat {seat}"] == result.seats[seat].cards
    assert again["dealer"] == result.dealer
    assert len(set(result.rack.pile)) == len(result.rack.pile) == 20
    assert clauses(result, "discard") == [GAMES[rule].clauses.discard]


@pytest.mark.parametrize("rule", each("PA 657a.4(a)", "MA 3(a)", "PA2011 573.4(a)"))
@pytest.mark.rule("PA 657a.4(b)")
@pytest.mark.rule("PA 657a.4(c)")
@pytest.mark.rule("PA 657a.4(d)")
@pytest.mark.rule("MA 3(b)")
@pytest.mark.rule("MA 3(c)")
def test_a_table_is_opened_by_inspection_spread_and_wash(rule: str) -> None:
    """Three steps in order, and a second deck likewise."""
    table = Table(GAMES[rule], PlainDeck(stacked(())))
    told = [record.clause for record in table.open_for_gaming(decks=2)]
    own = GAMES[rule].clauses
    assert told == [own.inspect, own.spread, own.wash, own.decks_two]


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
    assert steps(result, "award")[0].clause == "PA 657a.11(f)"


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


@pytest.mark.rule("PA 657a.7(d)(1)")
async def test_ante_and_super_bonus_must_be_equal() -> None:
    """A smaller Super Bonus, or none, takes no part in the round."""
    for wagers in ({"ante": 10, "super-bonus": 5}, {"ante": 10}):
        players = {1: Scripted("a", wagers=wagers), 2: Scripted("b")}
        result = await play(PA, players=players)
        assert not result.seats[1].cards
        assert steps(result, "refuse")[0].seat == 1
