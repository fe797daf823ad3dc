"""Power cuts: a controller killed under load, again and again."""

import asyncio
import random
from pathlib import Path

import pytest

from jackpot.store.opening import Address
from table_client.client import open_channel
from tests.e2e.load import LoadTable, check, meter_micros, shown_micros
from tests.e2e.process import Process

pytestmark = pytest.mark.process

# Killed by the clock, or by itself at the worst moments of a commit.
FAULTS = ["", "before-commit:kill:{n}", "", "after-commit:kill:{n}", "", "after-decide:kill:{n}"]


async def killed_again_and_again(folder: Path, store: Address, times: int) -> None:
    """Six tables play all the while; the controller dies and comes back."""
    with Process(folder, store) as process:
        tables = await _play_through(process, times)
        assert process.stop() == 0
    check(process.store, tables)
    assert min(len(table.acknowledged) for table in tables) > times


async def _play_through(process: Process, times: int) -> list[LoadTable]:
    rng = random.Random(times)
    stop = asyncio.Event()
    async with open_channel(process.address) as channel:
        tables = [LoadTable(channel, f"s{number}") for number in range(6)]
        playing = [asyncio.create_task(table.play(stop)) for table in tables]
        for kill in range(times):
            await _progress(tables)
            await asyncio.sleep(rng.uniform(0, 0.3))
            await asyncio.to_thread(process.kill)
            check(process.store, tables)
            fault = FAULTS[kill % len(FAULTS)].format(n=rng.randint(1, 60))
            await asyncio.to_thread(process.start, fault)
        await asyncio.sleep(0.2)
        await asyncio.to_thread(process.kill)
        await asyncio.to_thread(process.start)
        stop.set()
        await asyncio.wait_for(asyncio.gather(*playing), 60)
        assert await shown_micros(channel) == meter_micros(tables)
    return tables


async def _progress(tables: list[LoadTable], within_s: float = 3) -> None:
    """Until every table was answered again, or the controller has killed itself before that."""
    before = [len(table.acknowledged) for table in tables]
    for _ in range(int(within_s / 0.02)):
        if all(len(t.acknowledged) > b for t, b in zip(tables, before, strict=True)):
            return
        await asyncio.sleep(0.02)


async def test_killed_eight_times_nothing_is_lost_or_doubled(
    tmp_path: Path, store: Address
) -> None:
    """Every acknowledged command is in the journal exactly once, and the client resumes."""
    await killed_again_and_again(tmp_path, store, 8)


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_killed_fifty_times_nothing_is_lost_or_doubled(
    tmp_path: Path, store: Address
) -> None:
    """The same, fifty times over."""
    await killed_again_and_again(tmp_path, store, 50)
