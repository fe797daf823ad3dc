"""A shuffler or a shoe that fails: cards are reshuffled, devices put out of use, rounds void."""

from collections.abc import Sequence

import pytest

from table_client.table.devices.device_faults import Fault
from table_client.table.devices.model import Delivery, DeviceState, Dispensed
from table_client.table.games.catalogue import GAMES
from table_client.table.ports import Deal, Dealt, Way
from table_client.table.round.play import Table
from tests.client.games.chapters import MANUAL, marked
from tests.client.games.decks import PlainDeck, stacked
from tests.client.games.tables import (
    CARIBBEAN,
    CRISS,
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
)


@pytest.mark.parametrize(
    ("rule", "clause"),
    [
        marked("PA 657a.13(e)", PA),
        marked("MA 12(e)", MA),
        marked("PA2011 573.13(e)", PA2011),
        marked("PA2010 555.14(e)", CARIBBEAN),
        marked("PA2010 559.15(d)", RIDE),
        marked("PA2014 592.13(e)", CRISS),
        marked("PA2010 557.13(e)", FOUR),
        marked("PA2010 565.13(e)", THREE),
        marked("PA2010 563.13(e)", HOLDEM),
        marked("PA2010 561.14(l)", PAI_GOW),
    ],
)
@pytest.mark.parametrize(
    "fault", [Fault.SHUFFLER_JAM, Fault.SHUFFLER_STOP, Fault.SHUFFLER_INCOMPLETE]
)
async def test_after_a_failed_shuffle_the_cards_are_reshuffled(
    rule: str, clause: str, fault: Fault
) -> None:
    """No round is void: it has not begun."""
    result = await broken(rule, fault)
    assert not result.void
    assert clauses(result, "shuffled-again") == [clause]


@pytest.mark.parametrize(
    ("rule", "state", "clause"),
    [
        marked("PA 657a.13(g)", PA, DeviceState.COVERED),
        marked("MA 12(g)", MA, DeviceState.COVERED),
        marked("PA2011 573.13(g)", PA2011, DeviceState.COVERED),
        marked("PA2014 592.13(g)", CRISS, DeviceState.COVERED),
        marked("PA2010 555.14(g)", CARIBBEAN, DeviceState.REMOVED),
        marked("PA2010 559.15(f)", RIDE, DeviceState.REMOVED),
        marked("PA2010 557.13(g)", FOUR, DeviceState.REMOVED),
        marked("PA2010 565.13(g)", THREE, DeviceState.REMOVED),
        marked("PA2010 563.13(g)", HOLDEM, DeviceState.REMOVED),
        marked("PA2010 561.14(n)", PAI_GOW, DeviceState.REMOVED),
    ],
)
async def test_a_shuffler_out_of_order_is_put_out_of_use_first(
    rule: str, state: DeviceState, clause: str
) -> None:
    """Covered, or removed by the chapters of 2010; then the dealer shuffles and cuts."""
    table, devices = device_table(rule, MANUAL)
    await devices.inject_fault(Fault.SHUFFLER_OUT_OF_ORDER)
    result = await table.play_round({1: Scripted()})
    assert (await devices.status()).shuffler is state
    assert clauses(result, "device-retired") == [clause]
    assert clauses(result, "cut") == [GAMES[rule].clauses.cut]


@pytest.mark.rule("PA 657a.13(g)")
@pytest.mark.rule("PA 657a.13(f)")
async def test_a_shoe_out_of_order_voids_the_round_and_another_way_is_used() -> None:
    """The next round comes from a manual shoe, with the automated one covered."""
    table, devices = device_table(PA)
    await devices.inject_fault(Fault.SHOE_OUT_OF_ORDER, skip=1)
    first = await table.play_round({1: Scripted(), 2: Scripted("b")})
    assert first.void == "SHOE_FAILED"
    second = await table.play_round({1: Scripted(), 2: Scripted("b")})
    assert not second.void
    assert table.deck.way is Way.MANUAL_SHOE
    assert clauses(second, "device-retired") == ["PA 657a.13(g)"]
    assert set(clauses(second, "deal")) == {"PA 657a.8(d)"}


@pytest.mark.rule("PA 657a.13(f)")
async def test_devices_that_die_in_mid_round_void_it() -> None:
    """The devices are gone with their cards: wagers go back, the accounts are as before."""
    link, bet = linked(PA)
    before = dict(link.balances)
    table, devices = device_table(PA, progressive=link)
    real = devices.dispense

    async def dies(deliveries: object) -> object:
        await devices.close()
        return await real(deliveries)  # type: ignore[arg-type]

    devices.dispense = dies  # type: ignore[assignment, method-assign]
    result = await table.play_round({1: Scripted(linked=(bet,))})
    assert result.void == "SHOE_FAILED"
    assert result.seats[1].net_micros == 0
    assert link.balances == before


async def test_a_shoe_that_gives_nothing_voids_the_round() -> None:
    """Neither an answer nor an error: the round ends all the same."""

    class Silent(PlainDeck):
        """Says nothing."""

        async def deal(self, deals: Sequence[Deal]) -> tuple[Dealt, ...]:
            """Nothing."""
            del deals
            return ()

    table = Table(GAMES[PA], Silent(stacked(())))
    result = await table.play_round({1: Scripted()})
    assert result.void == "SHOE_FAILED"
    assert result.seats[1].net_micros == 0


async def test_a_device_that_refuses_in_mid_round_voids_it() -> None:
    """The stub is gone before the deal: the shoe is empty, the wagers go back."""
    link, bet = linked(PA)
    before = dict(link.balances)
    table, devices = device_table(PA, progressive=link)
    real = devices.dispense

    async def emptied(deliveries: Sequence[Delivery]) -> Dispensed:
        await devices.remove_stub()
        return await real(deliveries)

    devices.dispense = emptied  # type: ignore[method-assign]
    result = await table.play_round({1: Scripted(linked=(bet,))})
    assert result.void == "SHOE_FAILED"
    assert link.balances == before
