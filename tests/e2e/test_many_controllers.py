"""Many controllers on one PostgreSQL: killed, stopped, and with a primary that dies."""

import asyncio
import random
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager
from pathlib import Path

import grpc
import pytest

from jackpot.store.opening import Address
from table_client.client import open_channel
from tests.e2e.load import LoadTable, check, meter_micros, shown_micros
from tests.e2e.process import ALONE, Process
from tests.postgres import Server, running_server
from tests.stores import Stores

pytestmark = [pytest.mark.process, pytest.mark.postgres]

TABLES = 60
CONTROLLERS = 3
OUT_OF_SERVICE_S = 20.0  # far more than it takes, for a machine that is busy with other things


@contextmanager
def controllers(folder: Path, store: Address, many: int) -> Iterator[list[Process]]:
    """Controllers of one site, each a process of its own, all started at the same moment."""
    processes = [Process(folder, store, many=many, options=ALONE) for _ in range(CONTROLLERS)]
    with ExitStack() as stack:
        for process in processes:
            stack.push(process.launch())
        for process in processes:
            process.ready()
        yield processes


class Floor:
    """Tables that play without pause, spread over the controllers."""

    def __init__(self, tables: list[LoadTable], channels: list[grpc.aio.Channel]) -> None:
        self.tables = tables
        self.channels = channels
        self._stop = asyncio.Event()
        self._playing = [asyncio.create_task(table.play(self._stop)) for table in tables]

    def join(self, table: LoadTable) -> None:
        """One more table."""
        self.tables.append(table)
        self._playing.append(asyncio.create_task(table.play(self._stop)))

    def longest_gap_s(self) -> float:
        """How long any table has had to wait for an answer since this was last asked."""
        gap_s = max(table.longest_gap_s for table in self.tables)
        for table in self.tables:
            table.longest_gap_s = 0.0
        return gap_s

    async def progress(self, within_s: float = 60) -> None:
        """Wait until every table was answered again."""
        before = [len(table.acknowledged) for table in self.tables]
        async with asyncio.timeout(within_s):
            while not all(  # noqa: ASYNC110 - sixty tables are waited for
                len(table.acknowledged) > count
                for table, count in zip(self.tables, before, strict=True)
            ):
                await asyncio.sleep(0.05)

    async def finish(self) -> None:
        """Let every table end its round; then all controllers must show the one true meter."""
        self._stop.set()
        await asyncio.wait_for(asyncio.gather(*self._playing), 60)
        shown = [await shown_micros(channel) for channel in self.channels]
        assert shown == [meter_micros(self.tables)] * len(self.channels)


@asynccontextmanager
async def floor(processes: list[Process], tables: int) -> AsyncIterator[Floor]:
    """Tables that know every controller, each beginning with another one."""
    async with AsyncExitStack() as stack:
        channels = [
            await stack.enter_async_context(open_channel(process.address)) for process in processes
        ]
        turn = [channels[n:] + channels[:n] for n in range(len(channels))]
        yield Floor(
            [LoadTable(turn[n % len(turn)], f"s{n}") for n in range(tables)],
            channels,
        )


async def killed_in_turn(folder: Path, store: Address, kills: int, pause_s: float) -> None:
    """One controller after the other is killed and started again, under load."""
    rng = random.Random(kills)
    with controllers(folder, store, TABLES) as processes:
        async with floor(processes, TABLES) as played:
            await played.progress()
            for _ in range(kills):
                victim = rng.choice(processes)
                await asyncio.to_thread(victim.kill)
                await played.progress()
                await asyncio.to_thread(victim.start)
                await asyncio.sleep(rng.uniform(0, pause_s))
            await played.progress()
            await played.finish()
        assert [process.stop() for process in processes] == [0] * CONTROLLERS
    check(store, played.tables)


async def test_controllers_die_and_nothing_is_lost_or_doubled(
    tmp_path: Path, stores: Stores
) -> None:
    """Three controllers, one hot link, sixty tables, two kills: one chain, one meter."""
    await killed_in_turn(tmp_path, stores.new("postgres"), kills=2, pause_s=0.5)


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_controllers_die_for_minutes_and_nothing_is_lost_or_doubled(
    tmp_path: Path, stores: Stores
) -> None:
    """The same with a kill every few seconds, forty times over."""
    await killed_in_turn(tmp_path, stores.new("postgres"), kills=40, pause_s=4)


async def test_a_controller_sleeps_while_others_move_on(tmp_path: Path, stores: Stores) -> None:
    """Stopped under load, its tables go on elsewhere; when it wakes it writes nothing stale."""
    store = stores.new("postgres")
    with controllers(tmp_path, store, 13) as processes:
        async with floor(processes, 12) as played:
            await played.progress()
            played.longest_gap_s()
            processes[0].signal(signal.SIGSTOP)
            await played.progress()
            assert played.longest_gap_s() < OUT_OF_SERVICE_S
            processes[0].signal(signal.SIGCONT)
            played.join(LoadTable(played.channels[0], "s12"))  # through the one that has slept
            await played.progress()
            await played.finish()
        assert [process.stop() for process in processes] == [0] * CONTROLLERS
    check(store, played.tables)


async def test_the_primary_dies_and_its_standby_takes_over(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """Every acknowledged command is on the standby; the time out of service is measured."""
    with running_server() as primary:
        schema = "house"
        primary.fresh(schema)
        standby = Server(primary.folder.parent / "standby").create_from(primary).start()
        try:
            primary.query("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
            primary.query("SELECT pg_reload_conf()")
            await asyncio.sleep(0.2)
            store = primary.url(schema, standby)
            with controllers(tmp_path, store, 12) as processes:
                async with floor(processes, 12) as played:
                    await played.progress()
                    played.longest_gap_s()
                    primary.kill()
                    await asyncio.sleep(0.5)  # nobody answers, so nothing is acknowledged
                    before = sum(len(table.acknowledged) for table in played.tables)
                    await asyncio.sleep(0.5)
                    assert before == sum(len(table.acknowledged) for table in played.tables)
                    await asyncio.to_thread(standby.promote)
                    await played.progress()
                    gap_s = played.longest_gap_s()
                    await played.finish()
                assert [process.stop() for process in processes] == [0] * CONTROLLERS
            record_property("out_of_service_s", gap_s)
            assert gap_s < OUT_OF_SERVICE_S
            check(standby.url(schema), played.tables)
        finally:
            standby.stop()
