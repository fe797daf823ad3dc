"""Three Card Poker by its clauses: Ante and Play, the Ante bonus and Pair Plus."""

import pytest

from table_client.table.ports import Way
from tests.client.games.tables import BY_CARD, THREE, Scripted, play, results, steps, terms_of


@pytest.mark.rule("PA2010 565.8(d)")
@pytest.mark.rule("PA2010 565.9(b)")
@pytest.mark.parametrize("way", BY_CARD)
async def test_three_cards_are_dealt_one_at_a_time(way: Way) -> None:
    """Players and dealer three times."""
    result = await play(THREE, players={2: Scripted("a"), 4: Scripted("b")}, way=way)
    assert [record.seat for record in steps(result, "deal")] == [2, 4, 0] * 3


@pytest.mark.rule("PA2010 565.10(b)")
async def test_from_a_shoe_three_cards_are_a_stack() -> None:
    """Three to the player, three to the dealer."""
    result = await play(THREE)
    assert [(r.seat, len(r.cards)) for r in steps(result, "deal")] == [(1, 3), (0, 3)]


@pytest.mark.parametrize(
    ("player", "dealer", "ante", "play_wager"),
    [
        pytest.param(
            "2s 4h 7d",
            "Jd 9c 3h",
            ("win", 500),
            ("push", 0),
            marks=pytest.mark.rule("PA2010 565.12(a)"),
        ),
        pytest.param(
            "Ks 4h 7d",
            "Qd 9c 3h",
            ("win", 500),
            ("win", 500),
            marks=pytest.mark.rule("PA2010 565.12(b)"),
        ),
        pytest.param(
            "Qs 9h 3d",
            "Qd 9c 3h",
            ("push", 0),
            ("push", 0),
            marks=pytest.mark.rule("PA2010 565.12(c)"),
        ),
        pytest.param(
            "Qs 8h 3d",
            "Qd 9c 3h",
            ("lose", 0),
            ("lose", 0),
            marks=pytest.mark.rule("PA2010 565.12(b)"),
        ),
    ],
)
async def test_three_card_ante_and_play(
    player: str, dealer: str, ante: tuple[str, int], play_wager: tuple[str, int]
) -> None:
    """Dealer below queen, player higher, tie, player lower."""
    result = await play(THREE, f"{player} {dealer}")
    assert results(result) == {"ante": ante, "play": play_wager}


@pytest.mark.rule("PA2010 565.12(e)")
@pytest.mark.rule("PA2010 565.12(f)")
@pytest.mark.parametrize(
    ("hand", "standard", "table_a"),
    [("As Ks Qs", 2_500, 25_000), ("Ah Kh Qh", 2_500, 2_500), ("9s 9h 9d", 2_000, 1_500)],
)
async def test_the_ante_bonus_follows_the_version(hand: str, standard: int, table_a: int) -> None:
    """Five dollars by the standard table and by table A, whatever the dealer has."""
    result = await play(THREE, f"{hand} Jc Jd 3c")
    assert results(result)["ante-bonus"] == ("win", standard)
    players = {1: Scripted(wagers={"ante": 5, "pair-plus": 5})}
    tied = terms_of(THREE, pair_plus="ante-equal")
    result = await play(THREE, f"{hand} Jc Jd 3c", players, terms=tied)
    assert results(result)["ante-bonus"] == ("win", table_a)


@pytest.mark.rule("PA2010 565.11(b)")
@pytest.mark.rule("PA2010 565.12(d)")
async def test_a_fold_loses_pair_plus_only_where_it_is_tied_to_the_ante() -> None:
    """A folded pair wins Pair Plus alone, and loses it in a version that ties it."""
    wagers = {"ante": 5, "pair-plus": 5}
    player = Scripted(wagers=wagers, decisions={"play": 0})
    free = await play(THREE, "9s 9h 3d", {1: player})
    assert results(free)["pair-plus"] == ("win", 500)
    tied = await play(THREE, "9s 9h 3d", {1: player}, terms=terms_of(THREE, pair_plus="ante-equal"))
    assert results(tied) == {"ante": ("forfeit", 0), "pair-plus": ("forfeit", 0)}
