"""Four Card Poker by its clauses: the dealer's sixth card, ties, Ante bonus and Aces Up."""

import pytest

from jackpot.rules.cards import parse_cards
from table_client.table.ports import Way
from tests.client.games.tables import BY_CARD, FOUR, Scripted, play, reconstructed, results, steps


@pytest.mark.rule("PA2010 557.8(d)")
@pytest.mark.rule("PA2010 557.9(b)")
@pytest.mark.parametrize("way", BY_CARD)
async def test_the_four_card_dealers_last_two_cards_come_together(way: Way) -> None:
    """Five rounds of cards, and the dealer's sixth face up directly after the fifth."""
    player = Scripted()
    result = await play(FOUR, players={1: player}, way=way)
    assert [record.seat for record in steps(result, "deal")] == [1, 0] * 5 + [0]
    assert player.asked[0][1].dealer == (result.dealer[5],)


@pytest.mark.rule("PA2010 557.10(b)")
async def test_from_a_shoe_the_sixth_card_is_the_bottom_of_another_stack() -> None:
    """Four cards of that stack go unseen to the rack."""
    result = await play(FOUR, "2s 3s 4s 5s 7s Kd Jd 8c 5h 3h Ac Ad Ah As 9c")
    assert result.dealer == parse_cards("Kd Jd 8c 5h 3h 9c")
    assert reconstructed(result)["rest of a stack"] == parse_cards("Ac Ad Ah As")


@pytest.mark.rule("PA2010 557.12(a)(1)")
async def test_a_four_card_tie_wins() -> None:
    """Equal four-card hands pay Ante and Play even money."""
    result = await play(FOUR, "Ks Kh 9d 5c 2s Kd Kc 9h 5h 3s As Qs Js Ts 2h")
    assert results(result) == {"ante": ("win", 500), "play": ("win", 500)}


@pytest.mark.rule("PA2010 557.12(a)(2)")
@pytest.mark.parametrize(
    ("hand", "cents"),
    [
        ("9s 9h 9d 9c 2s", 12_500),
        ("9s 8s 7s 6s 2h", 10_000),
        ("9s 9h 9d 6s 2h", 1_000),
        ("Ks 9s 7s 6s 2h", None),
    ],
)
async def test_the_bonus_on_the_ante_is_paid_even_when_the_hand_loses(
    hand: str, cents: int | None
) -> None:
    """Against four aces: three of a kind or better is paid, a flush is not."""
    result = await play(FOUR, f"{hand} Ad Ac Ah As 3h Qd Jd Tc Kc 4h")
    ended = results(result)
    assert ended["ante"] == ended["play"] == ("lose", 0)
    assert ended.get("ante-bonus") == (None if cents is None else ("win", cents))


@pytest.mark.rule("PA2010 557.11(c)")
@pytest.mark.rule("PA2010 557.11(d)")
@pytest.mark.rule("PA2010 557.12(a)(3)")
async def test_aces_up_survives_a_fold_and_may_stand_alone() -> None:
    """A folded pair of aces wins Aces Up; a player without an Ante is not asked."""
    wagers = {"ante": 5, "aces-up": 5}
    folds = Scripted("a", wagers=wagers, decisions={"play": 0})
    alone = Scripted("b", wagers={"aces-up": 5})
    result = await play(FOUR, "As Ah 9d 5c 2s Ks Qh 8d 6c 3s", {1: folds, 2: alone})
    assert results(result, 1) == {"ante": ("forfeit", 0), "aces-up": ("win", 500)}
    assert results(result, 2) == {"aces-up": ("lose", 0)}
    assert not alone.asked


@pytest.mark.rule("PA2010 557.11(e)")
@pytest.mark.rule("PA2010 557.11(f)")
async def test_all_losing_wagers_are_collected_before_any_is_paid() -> None:
    """Seat 2 wins, seat 1 loses: the loser is settled first."""
    players = {1: Scripted("a"), 2: Scripted("b")}
    cards = "2s 3h 6d 7c 8s Ks Kh 9d 5c 2h Qd Jd 8c 5h 3s 4c 4d 6h 7h Tc"
    result = await play(FOUR, cards, players)
    assert [record.seat for record in steps(result, "settle")] == [1, 1, 2, 2]
    assert [record.seat for record in steps(result, "show")] == [2, 1]
