"""Clients that misbehave cost the controller nothing."""

import asyncio
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from typing import Any

import grpc
import pytest

from jackpot.request_id import new_request_id
from jackpot.v1 import meter_pb2, meter_pb2_grpc, table_pb2, table_pb2_grpc
from table_client.client import TableClient, open_channel
from tests.e2e.process import Process
from tests.server.house import FIVE, SITE, wagers

FLAT_KIB = 6_000  # what an allocator may keep after a burst
TABLES, WATCHERS = 2, 300


def resident_kib(pid: int) -> int:
    """How much memory a process holds."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise AssertionError("no VmRSS")


async def test_clients_that_never_read_cost_no_memory(tmp_path: Path) -> None:
    """Streams that only write are held up, then ended, and the others are served meanwhile."""
    with Process(tmp_path) as process:
        async with open_channel(process.address) as channel:
            stub: table_pb2_grpc.TableServiceAsyncStub = table_pb2_grpc.TableServiceStub(channel)
            attach = table_pb2.AttachRequest(site=SITE, table="s0", request_id=new_request_id())
            epoch = (await stub.Attach(attach)).epoch
            setting_up = stub.Play()
            opening = table_pb2.PlayRequest(
                site=SITE,
                table="s0",
                epoch=epoch,
                commands=[
                    table_pb2.PlayCommand(number=1, open_round=table_pb2.OpenRound()),
                    table_pb2.PlayCommand(number=2, place_wagers=wagers(1, 2, 3, 4, 5, 6)),
                    table_pb2.PlayCommand(number=3, lock_out=table_pb2.LockOut()),
                ],
            )
            await setting_up.write(opening)
            await setting_up.read()
            # The answer to the lock-out is long, and is given again each time it is asked for.
            again = table_pb2.PlayRequest(
                site=SITE,
                table="s0",
                epoch=epoch,
                commands=[table_pb2.PlayCommand(number=3, lock_out=table_pb2.LockOut())] * 16,
            )
            held: list[Any] = [setting_up]
            await _never_read(stub, again, held, 8)
            before = resident_kib(process.pid)
            await _never_read(stub, again, held, 24)
            grown = resident_kib(process.pid) - before
            assert grown < FLAT_KIB
            heartbeat = table_pb2.HeartbeatRequest(site=SITE, table="s0", epoch=epoch)
            assert (await stub.Heartbeat(heartbeat, timeout=5)).last_number == 3
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
            meters: Any = meter_pb2_grpc.MeterServiceStub(channel)
            watch = meter_pb2.WatchMetersRequest(site=SITE)
            asleep = [meters.WatchMeters(watch) for _ in range(WATCHERS)]
            awake = meters.WatchMeters(watch)
            seen = asyncio.create_task(_count(awake))
            await asyncio.gather(*(_move_meters(client, 40) for client in clients))
            before = resident_kib(process.pid)
            await asyncio.gather(*(_move_meters(client, 300) for client in clients))
            grown = resident_kib(process.pid) - before
            assert grown < FLAT_KIB
            awake.cancel()
            sent = await seen
            assert sent * WATCHERS > FLAT_KIB * 1024, "kept for each, frames would be noticed"
            for call in asleep:
                call.cancel()
        assert process.stop() == 0


async def _move_meters(client: TableClient, rounds: int) -> None:
    """Each round's wagers go on the meter and come off it again."""
    for _ in range(rounds):
        await asyncio.gather(
            client.open_round(),
            client.place_wagers(wagers(1, 2, 3, 4, 5, 6).wagers),
            client.lock_out(),
            client.confirm_collection({FIVE: 6}),
        )
        await client.void_round("misdeal", "floor")  # in a later batch, so that both are shown


async def _count(call: Any) -> int:
    """How many bytes a watcher that reads is sent."""
    count = 0
    with suppress(asyncio.CancelledError):
        async for response in call:
            count += response.ByteSize()
    return count


async def _never_read(stub: Any, message: Any, held: list[Any], streams: int) -> None:
    """Write on each stream until it is ended, and read nothing from it."""

    async def write() -> None:
        call = stub.Play()
        held.append(call)
        for _ in range(1_000):
            try:
                await asyncio.wait_for(call.write(message), 0.5)
            except (grpc.RpcError, TimeoutError, asyncio.InvalidStateError):
                return
            await asyncio.sleep(0.001)

    await asyncio.gather(*(write() for _ in range(streams)))
