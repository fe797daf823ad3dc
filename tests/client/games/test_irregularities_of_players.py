"""Players who talk or leave forfeit their wagers, and nobody plays where there is no seat."""

import pytest

from table_client.table.devices.device_faults import Fault
from table_client.table.ports import Conduct
from tests.client.games.chapters import marked
from tests.client.games.tables import (
    CARIBBEAN,
    CRISS,
    DOLLAR,
    FOUR,
    HOLDEM,
    MA,
    PA,
    PA2011,
    PAI_GOW,
    RIDE,
    THREE,
    Scripted,
    broken,
    clauses,
    device_table,
    linked,
    reconstructed,
)


@pytest.mark.rule("PA2011 555.11(c)")
async def test_players_who_talk_forfeit_everything() -> None:
    """Ante, bonus and progressive dollar are lost; the increment stays; others play on."""
    link, bet = linked(CARIBBEAN)
    talker = Scripted("a", wagers={"ante": 5, "bonus": 5}, linked=(bet,), conduct=Conduct.TALKS)
    players = {1: talker, 2: Scripted("b", linked=(bet,))}
    table, _ = device_table(CARIBBEAN, progressive=link)
    result = await table.play_round(players)
    assert result.seats[1].fate == "forfeited"
    assert result.seats[1].net_micros == -11 * DOLLAR
    assert clauses(result, "forfeit") == ["PA2011 555.11(c)"]
    assert link.meter() == 10_001_400_000


@pytest.mark.rule("PA2011 555.11(c)")
async def test_talking_is_forbidden_only_where_the_chapter_says_so() -> None:
    """Crazy 4 Poker has no such clause."""
    table, _ = device_table(PA)
    result = await table.play_round({1: Scripted(conduct=Conduct.TALKS)})
    assert result.seats[1].fate == "played"


@pytest.mark.parametrize(
    ("rule", "clause"),
    [
        marked("PA 657a.7(b)", PA),
        marked("MA 6(b)", MA),
        marked("PA2011 573.7(b)", PA2011),
        marked("PA2011 555.7(g)", CARIBBEAN),
        marked("PA2010 559.7(b)", RIDE),
        marked("PA2014 592.7(b)", CRISS),
        marked("PA2010 557.7(c)", FOUR),
        marked("PA2010 565.7(c)", THREE),
        marked("PA2010 563.7(e)", HOLDEM),
        marked("PA2010 561.7(b)", PAI_GOW),
    ],
)
async def test_the_wagers_of_a_player_who_leaves_are_lost(rule: str, clause: str) -> None:
    """A seat abandoned after the deal loses what it wagered, and its cards are collected."""
    players = {1: Scripted("a"), 2: Scripted("b")}
    result = await broken(rule, Fault.SEAT_ABANDONED, seat=1, players=players)
    assert result.seats[1].fate == "abandoned"
    assert {each.result for each in result.seats[1].outcomes} == {"forfeit"}
    assert clauses(result, "forfeit") == [clause]
    assert reconstructed(result)["seat 1"] == result.seats[1].cards
    assert result.seats[2].fate == "played"


@pytest.mark.rule("PA 657a.2(a)")
@pytest.mark.parametrize("seat", [0, 7])
async def test_a_crazy_4_table_has_six_seats(seat: int) -> None:
    """Neither a seat 0, which is the dealer's, nor a seventh."""
    table, _ = device_table(PA)
    with pytest.raises(ValueError, match="has seats 1 to 6"):
        await table.play_round({seat: Scripted()})
