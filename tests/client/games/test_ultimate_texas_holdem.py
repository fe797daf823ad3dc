"""Ultimate Texas Hold 'Em as far as its text goes: the deal, and every wager back."""

import pytest

from jackpot.core.config import Table as CoreTable
from table_client.table.devices.device_faults import Fault
from table_client.table.games.catalogue import GAMES
from table_client.table.ports import DeckLostError, Way
from table_client.table.round.play import Table
from tests.client.games.decks import PlainDeck, stacked
from tests.client.games.tables import (
    BY_CARD,
    MA,
    ULTIMATE,
    CoreLink,
    Scripted,
    device_table,
    linked,
    play,
    results,
    steps,
)


@pytest.mark.rule("PA2011 569.10(b)")
@pytest.mark.rule("PA2011 569.10(c)")
async def test_ultimate_is_dealt_as_far_as_the_text_goes() -> None:
    """Two cards each, five from the hand, the stub away, and every wager back."""
    result = await play(ULTIMATE, players={1: Scripted("a"), 2: Scripted("b")})
    assert [(r.seat, len(r.cards)) for r in steps(result, "deal")] == [(1, 2), (2, 2), (0, 2)]
    assert len(result.community) == 5
    assert results(result) == {"ante": ("returned", 0), "blind": ("returned", 0)}


@pytest.mark.rule("PA2011 569.10(g)")
async def test_ultimate_from_a_shoe_that_reshuffles() -> None:
    """The community cards come first."""
    result = await play(ULTIMATE, way=Way.CONTINUOUS_SHOE)
    assert [len(record.cards) for record in steps(result, "deal")] == [5, 2, 2]


@pytest.mark.parametrize("way", BY_CARD)
def test_ultimate_has_no_text_for_other_ways(way: Way) -> None:
    """A manual shoe is refused with a clear word."""
    with pytest.raises(ValueError, match="this project's copy of the regulation does not say how"):
        Table(GAMES[ULTIMATE], PlainDeck(stacked(()), way))


@pytest.mark.rule("PA2011 569.10(a)(2)")
async def test_ultimate_locks_progressive_wagers_out_and_counts_their_chips() -> None:
    """A late wager is refused; a lamp without a chip is found by the count; then all goes back.

    The chapter's own paytable is not at hand, so the link is of a game with the same wager.
    """
    link, bet = linked(MA)
    config = CoreTable("t1", "ultimate-texas-holdem", ("link",), 6, 2, 5, 2)
    link = CoreLink(link.link, config)
    before = link.balances
    players = {
        1: Scripted("a", linked=(bet,)),
        2: Scripted("b", linked=(bet,), no_chip=(bet,)),
        3: Scripted("c", late=(bet,)),
    }
    result = await play(ULTIMATE, players=players, progressive=link)
    assert {record.clause for record in steps(result, "lock-out")} == {"PA2011 569.10(a)(2)"}
    order = [record.step for record in result.records]
    assert order.index("lock-out") < order.index("collect") < order.index("deal")
    assert order.index("remove-wager") < order.index("deal")
    late, recount = steps(result, "late"), steps(result, "collect")
    assert [(record.seat, record.clause) for record in late] == [(3, "PA2011 569.10(a)(2)")]
    assert recount[0].says.startswith("1 chips for 2 wagers accepted")
    assert recount[-1].says.startswith("1 chips, 1 wagers accepted")
    assert [record.seat for record in steps(result, "remove-wager")] == [2]
    assert link.balances == before


async def test_ultimate_waits_for_its_shoe() -> None:
    """A shoe out of order can't be replaced by a way of dealing that no text at hand describes."""
    table, devices = device_table(ULTIMATE)
    await devices.inject_fault(Fault.SHOE_OUT_OF_ORDER)
    assert (await table.play_round({1: Scripted()})).void
    with pytest.raises(DeckLostError, match="repair the shoe"):
        await table.play_round({1: Scripted()})
