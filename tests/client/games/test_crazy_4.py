"""Crazy 4 Poker by its three texts: opening, wagers, the deal, the decisions and the rack."""

import pytest

from jackpot.rules.cards import parse_cards
from table_client.table.games.catalogue import GAMES
from table_client.table.ports import Way
from table_client.table.round.play import Table
from tests.client.games.crazy_4 import KING_HIGH, PAIR_OF_KINGS, each
from tests.client.games.decks import PlainDeck, stacked
from tests.client.games.tables import (
    BY_CARD,
    PA,
    Scripted,
    clauses,
    pile,
    play,
    reconstructed,
    steps,
)


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
    assert reconstructed(result)["rest of a stack"] == tuple(parse_cards("3c 4c 6c 7c"))


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


@pytest.mark.parametrize("rule", each("PA 657a.11(h)", "MA 10(g)", "PA2011 573.11(f)"))
async def test_every_hand_can_be_reconstructed_from_the_rack(rule: str) -> None:
    """The pile, read by the order in which hands were picked up, gives each hand again."""
    players = {1: Scripted("a"), 4: Scripted("b", decisions={"play": 0}), 6: Scripted("c")}
    result = await play(rule, players=players)
    again = reconstructed(result)
    for seat in players:
        assert again[f"seat {seat}"] == result.seats[seat].cards
    assert again["dealer"] == result.dealer
    assert len(set(pile(result))) == len(pile(result)) == 20
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


@pytest.mark.rule("PA 657a.7(d)(1)")
async def test_ante_and_super_bonus_must_be_equal() -> None:
    """A smaller Super Bonus, or none, takes no part in the round."""
    for wagers in ({"ante": 10, "super-bonus": 5}, {"ante": 10}):
        players = {1: Scripted("a", wagers=wagers), 2: Scripted("b")}
        result = await play(PA, players=players)
        assert not result.seats[1].cards
        assert steps(result, "refuse")[0].seat == 1
