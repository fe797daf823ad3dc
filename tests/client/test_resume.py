"""A controller killed at every step of a round; devices that die; wagers that race the lock-out."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import pytest

from jackpot.verify import verify
from jackpot.wire.refusals import RefusedError
from jackpot.wire.v1 import meter_pb2, meter_pb2_grpc, table_pb2
from table_client.client import TableClient, open_channel
from table_client.table.devices.client import DeviceConnection
from table_client.table.devices.device_deck import DeviceDeck
from table_client.table.devices.model import Method, ShufflerKind, StationConfig
from table_client.table.floor import Floor
from table_client.table.games.catalogue import GAMES
from table_client.table.players import SimulatedPlayer
from table_client.table.ports import DeckLostError, Made
from table_client.table.progressive import LinkedProgressive
from table_client.table.round.play import Table
from tests.e2e.process import ALONE, Process
from tests.emulator.device_process import running
from tests.server.house import FIVE, ROYALS, SITE, hands, open_house, wager

pytestmark = pytest.mark.process

Step = Callable[[TableClient], Awaitable[object]]
ROUND = hands({2: ROYALS["s"]}, 1, 2)
STEPS: dict[str, Step] = {
    "open": lambda client: client.open_round(),
    "place": lambda client: client.place_wagers([wager(1), wager(2)]),
    "lock-out": lambda client: client.lock_out(),
    "confirm": lambda client: client.confirm_collection({FIVE: 2}),
    "settle": lambda client: client.settle(ROUND.hands, ROUND.dealer),
}


@pytest.mark.parametrize("point", ["before-commit", "after-commit"])
async def test_a_round_outlives_its_controller(tmp_path: Path, point: str) -> None:
    """Killed before or after the commit of every step, the round goes on as if nothing had been.

    Each new controller is killed at the next step: its first batch is the step that is sent again.
    """
    process = Process(tmp_path, many=0, options=ALONE)
    process.start()
    try:
        async with open_channel(process.address) as channel:
            async with TableClient(channel, SITE, "t4", deadline_s=30) as client:
                await client.attach()
                process.stop()
                process.start(fault=f"{point}:kill:1")
                for name, step in STEPS.items():
                    answer = asyncio.ensure_future(step(client))
                    assert await asyncio.to_thread(process.wait) == -signal.SIGKILL
                    last = name == [*STEPS][-1]
                    process.start(fault="" if last else f"{point}:kill:2")
                    await answer
            meters: meter_pb2_grpc.MeterServiceAsyncStub = meter_pb2_grpc.MeterServiceStub(channel)
            shown = await meters.ListMeters(meter_pb2.ListMetersRequest(site=SITE, link="five"))
        assert shown.links[0].meters[0].amount_micros == 10_000_000_000  # paid and reseeded, once
        assert shown.links[0].hit_count == 1
    finally:
        process.kill()
    report = verify(process.store)
    assert report.ok, report


async def test_hundreds_of_wagers_race_the_lock_out(tmp_path: Path) -> None:
    """What is refused lights no lamp, and what the lock-out lists is what was accepted."""
    async with open_house(tmp_path, many=24) as house, open_channel(house.address) as channel:
        raced = await asyncio.gather(*(_race(channel, f"s{n}", n) for n in range(24)))
        late = sum(refused for refused, _ in raced)
        taken = sum(accepted for _, accepted in raced)
        assert taken == sum(number % 7 for number in range(24))
        assert late == 24 * 12 - taken


async def _race(channel: grpc.aio.Channel, table: str, number: int) -> tuple[int, int]:
    """Twelve wagers with the lock-out among them; how many were refused, and how many taken."""
    async with TableClient(channel, SITE, table) as client:
        await client.attach()
        await client.open_round()
        early = number % 7
        tries = [client.place_wagers([wager(seat)]) for seat in range(1, early + 1)]
        locked = client.lock_out()
        seats = [*range(early + 1, 7), *range(1, 7)]  # those who had no time, and all once more
        tries += [client.place_wagers([wager(seat)]) for seat in seats]
        results = await asyncio.gather(*tries, return_exceptions=True)
        lit = {w.seat for w in (await locked).wagers}
        refused = [r for r in results if isinstance(r, RefusedError)]
        assert lit == set(range(1, early + 1))
        assert {r.reason for r in refused} == {"LOCKED_OUT"}
        return len(refused), len(results) - len(refused)


@pytest.mark.parametrize("call", ["status", "dispense", "remove_stub"])
async def test_a_device_process_that_dies_voids_the_round(tmp_path: Path, call: str) -> None:
    """Killed while wagers are taken, cards dealt or put away: the wagers go back, nothing hangs.

    The meters are what they were, and the next round does not begin without cards.
    """
    async with open_house(tmp_path) as house, open_channel(house.address) as channel:
        with running("--speed", "0") as devices:
            async with (
                DeviceConnection(devices.address) as connection,
                TableClient(channel, SITE, "t4") as client,
            ):
                config = StationConfig(Method.AUTOMATED_SHOE, ShufflerKind.COUNTING, seed="dies")
                station = await connection.open_station("t4", config)
                await client.attach()
                deck = DeviceDeck(station, config)
                linked = LinkedProgressive(client, Floor(channel, SITE))
                table = Table(GAMES["pa-crazy-4-poker"], deck, linked)
                before = await house.meter("five")
                players = {seat: SimulatedPlayer(f"p{seat}", "x") for seat in range(1, 6)}
                real_prepare, real_call = deck.prepare, getattr(station, call)

                async def prepare() -> tuple[Made, ...]:
                    """From now on the devices die at the call."""
                    made = await real_prepare()
                    setattr(station, call, dies)
                    return made

                async def dies(*args: Any, **named: Any) -> Any:
                    """As by a power cut, while the call is on its way."""
                    os.kill(devices.process.pid, signal.SIGKILL)
                    return await real_call(*args, **named)

                deck.prepare = prepare  # type: ignore[method-assign]
                async with asyncio.timeout(30):
                    result = await table.play_round(players)
                    assert result.void == "SHOE_FAILED"
                    assert all(seat.net_micros == 0 for seat in result.seats.values())
                    with pytest.raises(DeckLostError, match="are lost"):
                        await table.play_round(players)
                assert await house.meter("five") == before
                state = await client.attach()
                assert state.round.phase == table_pb2.ROUND_PHASE_VOIDED
