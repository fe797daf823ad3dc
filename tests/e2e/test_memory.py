"""Clients that misbehave cost the controller nothing."""

import asyncio
from pathlib import Path
from typing import Any

import grpc

from jackpot.request_id import new_request_id
from jackpot.v1 import meter_pb2, meter_pb2_grpc, table_pb2, table_pb2_grpc
from table_client.client import open_channel
from tests.e2e.process import Process
from tests.server.house import SITE, wagers

FLAT_KIB = 6_000  # what an allocator may keep after a burst


def resident_kib(pid: int) -> int:
    """How much memory a process holds."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise AssertionError("no VmRSS")


async def test_clients_that_never_read_cost_no_memory(tmp_path: Path) -> None:
    """Streams that only write are held up, then ended; watchers that never read hold one frame."""
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
            watchers: meter_pb2_grpc.MeterServiceAsyncStub
            watchers = meter_pb2_grpc.MeterServiceStub(channel)
            held += [
                watchers.WatchMeters(meter_pb2.WatchMetersRequest(site=SITE)) for _ in range(50)
            ]
            heartbeat = table_pb2.HeartbeatRequest(site=SITE, table="s0", epoch=epoch)
            assert (await stub.Heartbeat(heartbeat, timeout=5)).last_number == 3
        assert process.stop() == 0


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
