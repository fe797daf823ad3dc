"""Power cuts: a controller killed under load, again and again."""

import asyncio
import os
import random
import signal
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from jackpot.store.opening import Address
from jackpot.wire.channels import open_async_channel
from tests.e2e.load import LoadTable, check, meter_micros, shown_micros
from tests.e2e.process import Process

pytestmark = pytest.mark.process

Kill = Callable[[Process, int, random.Random], None]
OWN_CONNECTION = (("grpc.use_local_subchannel_pool", 1),)

# Killed by the clock, or by itself at the worst moments of a commit.
FAULTS = ["", "before-commit:kill:{n}", "", "after-commit:kill:{n}", "", "after-decide:kill:{n}"]


async def killed_again_and_again(
    folder: Path, store: Address, times: int, *, fronts: bool = False
) -> None:
    """Six tables play all the while; the controller or one of its fronts dies and comes back."""
    with Process(folder, store, options=("--fronts", "2" if fronts else "1")) as process:
        tables = await _play_through(process, times, _kill_front if fronts else _kill_controller)
        assert process.stop() == 0
    check(process.store, tables)
    assert min(len(table.acknowledged) for table in tables) > times


async def _play_through(process: Process, times: int, kill: Kill) -> list[LoadTable]:
    rng = random.Random(times)
    stop = asyncio.Event()
    async with AsyncExitStack() as stack:
        # A connection each, so that every front has some of them.
        channels = [
            await stack.enter_async_context(
                open_async_channel(process.address, None, OWN_CONNECTION)
            )
            for _ in range(6)
        ]
        tables = [LoadTable(channel, f"s{number}") for number, channel in enumerate(channels)]
        playing = [asyncio.create_task(table.play(stop)) for table in tables]
        for number in range(times):
            await _progress(process, tables)
            await asyncio.sleep(rng.uniform(0, 0.3))
            await asyncio.to_thread(kill, process, number, rng)
            if number % 4 == 0:  # what is wrong stays wrong; the last check finds it too
                check(process.store, tables)
        await asyncio.sleep(0.2)
        await asyncio.to_thread(process.kill)
        await asyncio.to_thread(process.start)
        stop.set()
        await asyncio.wait_for(asyncio.gather(*playing), 60)
        assert await shown_micros(channels[0]) == meter_micros(tables)
    return tables


def _kill_controller(process: Process, number: int, rng: random.Random) -> None:
    process.kill()
    process.start(FAULTS[number % len(FAULTS)].format(n=rng.randint(1, 60)))


def _kill_front(process: Process, _number: int, rng: random.Random) -> None:
    while not (fronts := process.fronts):  # the other one may have been killed just now
        time.sleep(0.02)
    os.kill(rng.choice(fronts), signal.SIGKILL)


async def _progress(process: Process, tables: list[LoadTable]) -> None:
    """Until every table was answered again, or the controller has killed itself before that.

    However slow the machine is: a table that is never answered between two kills gives up.
    """
    before = [len(table.acknowledged) for table in tables]
    async with asyncio.timeout(60):
        while process.runs:
            if all(len(t.acknowledged) > b for t, b in zip(tables, before, strict=True)):
                return
            await asyncio.sleep(0.02)


@pytest.mark.timeout(300)
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


@pytest.mark.timeout(300)
async def test_fronts_killed_eight_times_nothing_is_lost_or_doubled(tmp_path: Path) -> None:
    """Tables that were connected to a front connect to another, and send again."""
    await killed_again_and_again(tmp_path, tmp_path / "data", 8, fronts=True)


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_fronts_killed_fifty_times_nothing_is_lost_or_doubled(
    tmp_path: Path, store: Address
) -> None:
    """The same, fifty times over."""
    await killed_again_and_again(tmp_path, store, 50, fronts=True)
