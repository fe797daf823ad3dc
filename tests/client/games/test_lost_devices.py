"""Devices that are lost: whatever they were asked, the round is void or did not begin."""

from collections.abc import Callable
from typing import Any

import pytest

from emulator.devices.local import LocalDevices
from table_client.table.assembly import station_config
from table_client.table.devices.device_deck import DeviceDeck
from table_client.table.devices.device_faults import Fault
from table_client.table.devices.model import Method, ShufflerKind
from table_client.table.games.catalogue import GAMES
from table_client.table.pace import Pace, PacedDeck
from table_client.table.ports import DeckLostError
from table_client.table.randomness import seeded
from table_client.table.round.play import Table
from table_client.table.turns import Turns
from tests.client.games.tables import PA, Scripted, device_table, linked, terms_of

ONE = terms_of(PA, count_stub_every="1")


class Mortal:
    """Devices that are gone after so many commands, as with a process that is killed."""

    def __init__(self, devices: LocalDevices, commands: int) -> None:
        self._devices = devices
        self.commands_left = commands

    def __getattr__(self, name: str) -> Callable[..., Any]:
        async def counted(*args: object, **options: object) -> object:
            if self.commands_left == 0:
                await self._devices.close()
            self.commands_left -= 1
            return await getattr(self._devices, name)(*args, **options)

        return counted


async def play_until_lost(method: Method, commands: int, *, paced: bool) -> str:
    """How a round ends whose devices answer only so many commands; the accounts with it."""
    link, bet = linked(PA)
    before = dict(link.balances)
    config = station_config(GAMES[PA], method, "tests")
    mortal = Mortal(LocalDevices("t1", config), commands)
    devices: Any = mortal
    turns = Turns(0)
    turns.join(1)
    pace = Pace(turns, seeded("tests", "pace"))
    deck = PacedDeck(devices, config, pace) if paced else DeviceDeck(devices, config)
    async with turns.table():
        try:
            result = await Table(GAMES[PA], deck, link, ONE).play_round(
                {1: Scripted(linked=(bet,))}
            )
        except DeckLostError:
            assert link.balances == before
            return "not begun"
    if result.void:
        assert link.balances == before
        assert all(seat.net_micros == 0 for seat in result.seats.values())
        return "void"
    assert mortal.commands_left >= 0
    assert link.balances != before
    return "played"


@pytest.mark.parametrize("paced", [False, True])
@pytest.mark.parametrize("method", Method)
async def test_devices_may_die_at_any_command(method: Method, *, paced: bool) -> None:
    """Before each command of a round in turn: no money moves, and nothing else is raised."""
    ends: list[str] = []
    while "played" not in ends:
        ends.append(await play_until_lost(method, len(ends), paced=paced))
    assert ends == sorted(ends, key=["not begun", "void", "played"].index)
    assert set(ends) == {"not begun", "void", "played"}


async def test_devices_that_die_after_an_irregularity_leave_a_void_round() -> None:
    """The wagers are back before the cards would be reshuffled; the next round can't begin."""
    link, bet = linked(PA)
    before = dict(link.balances)
    table, devices = device_table(PA, progressive=link)
    await devices.inject_fault(Fault.DEALER_CARD_EXPOSED)
    real = devices.remove_stub

    async def dies(*, count: bool = False, to_hand: bool = False) -> object:
        await devices.close()
        return await real(count=count, to_hand=to_hand)

    devices.remove_stub = dies  # type: ignore[assignment, method-assign]
    result = await table.play_round({1: Scripted(linked=(bet,))})
    assert result.void == "DEALER_CARD_EXPOSED"
    assert not result.deck_removed
    assert link.balances == before
    with pytest.raises(DeckLostError, match="were closed"):
        await table.play_round({1: Scripted(linked=(bet,))})
    assert link.balances == before


async def test_a_deck_that_cannot_be_removed_any_more_leaves_a_void_round() -> None:
    """The count is wrong and the devices are gone: void, and said in one word."""
    table, devices = device_table(PA, shuffler=ShufflerKind.PLAIN, terms=ONE)
    await devices.inject_fault(Fault.CARD_MISSING)
    real = devices.remove_deck

    async def dies(back: str) -> object:
        await devices.close()
        return await real(back)

    devices.remove_deck = dies  # type: ignore[assignment, method-assign]
    result = await table.play_round({1: Scripted()})
    assert (result.void, result.deck_removed) == ("DECK_INCOMPLETE", False)
