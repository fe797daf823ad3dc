"""Clients that misbehave cost the controller nothing."""

import asyncio
import resource
import socket
from contextlib import AsyncExitStack, ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest

from emulator.attacks.on_grpc_port import PREFACE, SETTINGS, frame
from emulator.linux_process import resident_mb, tree
from emulator.soak.faults.abusive_clients import (
    HOLD_S,
    ask_until_full,
    ended_as_unread,
    open_unread_channel,
    repeated_lock_out,
)
from jackpot.wire.limits import MAX_CALLS
from jackpot.wire.v1 import meter_pb2, meter_pb2_grpc, table_pb2, table_pb2_grpc
from table_client.client import TableClient, open_channel
from table_client.table.floor import Floor
from tests.e2e.process import Process
from tests.engine.pit import eventually
from tests.server.house import FIVE, SITE, wagers

pytestmark = pytest.mark.process

FLAT_MB = 6  # what an allocator may keep after a burst
TABLES, WATCHERS = 2, 300
CROWD = 2_000  # connections


async def test_clients_that_never_read_cost_no_memory(tmp_path: Path) -> None:
    """Streams that only write are held up, then ended, and the others are served meanwhile."""
    with Process(tmp_path) as process:
        async with (
            open_channel(process.address) as channel,
            TableClient(channel, SITE, "s0") as client,
            open_unread_channel(process.address) as deaf,
        ):
            await client.attach()
            await asyncio.gather(
                client.open_round(),
                client.place_wagers(wagers(1, 2, 3, 4, 5, 6).wagers),
                client.lock_out(),
            )
            stub: Any = table_pb2_grpc.TableServiceStub(deaf)
            again = repeated_lock_out(client)
            first, more = ([stub.Play() for _ in range(streams)] for streams in (16, 24))
            assert all(await asyncio.gather(*(ask_until_full(stub, call, again) for call in first)))
            before_mb = resident_mb(process.pid)
            assert all(await asyncio.gather(*(ask_until_full(stub, call, again) for call in more)))
            assert not any(call.done() for call in [*first, *more]), "all of them are held"
            # What a busy moment took and did not need for long is given back soon.
            await eventually(lambda: resident_mb(process.pid) - before_mb < FLAT_MB)
            assert (await client.heartbeat()).last_number == 3
            await asyncio.sleep(HOLD_S)
            assert resident_mb(process.pid) - before_mb < FLAT_MB
            ends = await asyncio.gather(*(ended_as_unread(call) for call in [*first, *more]))
            assert ends == [True] * 40, "the controller does not hold them for ever"
        assert process.stop() == 0


@pytest.mark.slow
@pytest.mark.timeout(300)
async def test_watchers_that_sleep_cost_no_memory(tmp_path: Path) -> None:
    """However often the meters move, a watcher that does not read holds one frame."""
    with Process(tmp_path) as process:
        async with open_channel(process.address) as channel, AsyncExitStack() as stack:
            clients = [
                await stack.enter_async_context(TableClient(channel, SITE, f"s{n}"))
                for n in range(TABLES)
            ]
            for client in clients:
                await client.attach()
            floor = Floor(channel, SITE)
            more = [
                await stack.enter_async_context(open_channel(process.address))
                for _ in range(0, WATCHERS, MAX_CALLS)
            ]
            meters: list[Any] = [meter_pb2_grpc.MeterServiceStub(each) for each in more]
            watch = meter_pb2.WatchMetersRequest(site=SITE)
            asleep = [meters[n // MAX_CALLS].WatchMeters(watch) for n in range(WATCHERS)]
            awake: Any = meter_pb2_grpc.MeterServiceStub(channel).WatchMeters(watch)
            seen = asyncio.create_task(_least(awake))
            await asyncio.gather(*(_move_meters(client, floor, 200) for client in clients))
            before_mb = resident_mb(process.pid)
            await asyncio.gather(*(_move_meters(client, floor, 300) for client in clients))
            assert resident_mb(process.pid) - before_mb < FLAT_MB
            awake.cancel()
            changes = TABLES * 300 * 2  # the wagers go on the meter and come off it
            kept = changes * WATCHERS * await seen
            assert kept > FLAT_MB << 20, "kept for each, a frame a change would be noticed"
            for call in asleep:
                call.cancel()
        assert process.stop() == 0


async def _move_meters(client: TableClient, floor: Floor, rounds: int) -> None:
    """Each round's wagers go on the meter and come off it again."""
    for _ in range(rounds):
        opened, *_ = await asyncio.gather(
            client.open_round(),
            client.place_wagers(wagers(1, 2, 3, 4, 5, 6).wagers),
            client.lock_out(),
            client.confirm_collection({FIVE: 6}),
        )
        # In a later batch, so that both are shown.
        act = table_pb2.FLOOR_ACT_VOID_ROUND
        asked = table_pb2.CallFloor(act=act, round=opened.round, irregularity="MISDEALT")
        await floor.approve((await client.call_floor(asked)).call)


async def _least(call: Any) -> int:
    """How many bytes a watcher that reads is sent for a change, at the least."""
    sizes: list[int] = []
    with suppress(asyncio.CancelledError):
        async for response in call:
            sizes += [response.ByteSize()] if response.links else []
    return min(sizes)


@pytest.mark.slow
@pytest.mark.timeout(180)
async def test_a_crowd_that_has_gone_leaves_no_memory_behind(tmp_path: Path) -> None:
    """A front gives back what thousands of connections took, a quarter of a minute after them."""
    hello = PREFACE + frame(SETTINGS, 0, 0)
    with Process(tmp_path, options=("--fronts", "1")) as process:
        host, _, port = process.address.rpartition(":")
        (front,) = [pid for pid, name in tree(process.pid).items() if name == "front 1"]
        quiet_mb = _resident_mb(front)
        for _ in range(2):
            with ExitStack() as stack:
                for _ in range(CROWD):
                    one = stack.enter_context(socket.create_connection((host, int(port))))
                    one.sendall(hello)
                    await asyncio.sleep(0.001)
                await asyncio.sleep(1)
                crowded_mb = _resident_mb(front)
            assert crowded_mb - quiet_mb > 4 * FLAT_MB, "or this test shows nothing"
            await eventually(lambda: _resident_mb(front) - quiet_mb < 2 * FLAT_MB)
        assert process.stop() == 0


def _resident_mb(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1])
    return pages * resource.getpagesize() / (1 << 20)
