"""Attack as a table with a good certificate: attaches, streams, calls, refusals without end."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from pathlib import Path
from threading import Event
from typing import Any

import grpc

from emulator.attacks.attack import Attack, Pace
from jackpot.wire.channels import Identity, open_async_channel
from jackpot.wire.request_id import make_request_id, new_request_id, request_id_time_ms
from jackpot.wire.v1 import meter_pb2, meter_pb2_grpc, table_pb2, table_pb2_grpc

AHEAD_MS = 590_000  # ids almost as far ahead as is taken
CONNECTIONS = 8  # each has 100 calls at most
AT_ONCE = 90
_LOST = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)
Work = Callable[[Attack, grpc.aio.Channel, Pace, Event], Coroutine[Any, Any, None]]


def attaches(attack: Attack, began: Callable[[], None], ended: Event) -> int:
    """Attach and attach, with request ids of the future."""
    return asyncio.run(_run(attack, _attach, began, ended))


def streams(attack: Attack, began: Callable[[], None], ended: Event) -> int:
    """Hold as many idle Play streams as can be had, and keep calls in flight beside them."""
    return asyncio.run(_run(attack, _hold, began, ended))


def refusals(attack: Attack, began: Callable[[], None], ended: Event) -> int:
    """Commands that are refused, each of which the journal would keep."""
    return asyncio.run(_run(attack, _be_refused, began, ended))


async def _run(attack: Attack, work: Work, began: Callable[[], None], ended: Event) -> int:
    pace = attack.pace()
    identity = Identity(Path(attack.certificate), Path(attack.authority))
    options = [("grpc.use_local_subchannel_pool", 1), ("grpc.enable_retries", 0)]
    channels = [open_async_channel(attack.address, identity, options) for _ in range(CONNECTIONS)]
    working = [asyncio.create_task(work(attack, each, pace, ended)) for each in channels]
    began()
    await asyncio.to_thread(ended.wait)
    for task in working:
        task.cancel()
    await asyncio.gather(*working, return_exceptions=True)
    for channel in channels:
        await channel.close()
    return pace.done


async def _answered(calls: Iterable[Any]) -> int:
    """How many calls the controller has answered, be it with a refusal."""
    found = await asyncio.gather(*calls, return_exceptions=True)
    return sum(not isinstance(each, grpc.RpcError) or each.code() not in _LOST for each in found)


async def _attach(attack: Attack, channel: grpc.aio.Channel, pace: Pace, ended: Event) -> None:
    stub: Any = table_pb2_grpc.TableServiceStub(channel)
    number = 0
    while not ended.is_set():
        now_ms = request_id_time_ms(new_request_id()) + AHEAD_MS
        calls = []
        for _ in range(AT_ONCE):
            number += 1
            request_id = make_request_id(now_ms, id(channel) + number)
            request = table_pb2.AttachRequest(
                site=attack.site, table=attack.table, request_id=request_id
            )
            calls.append(stub.Attach(request, timeout=20))
        await asyncio.sleep(pace.due_s(AT_ONCE, await _answered(calls)))


async def _hold(attack: Attack, channel: grpc.aio.Channel, pace: Pace, ended: Event) -> None:
    tables: Any = table_pb2_grpc.TableServiceStub(channel)
    meters: Any = meter_pb2_grpc.MeterServiceStub(channel)
    while not ended.is_set():
        held = [tables.Play() for _ in range(AT_ONCE // 2)]
        request = meter_pb2.ListMetersRequest(site=attack.site)
        asked = [meters.ListMeters(request, timeout=20) for _ in range(AT_ONCE // 2)]
        await asyncio.sleep(pace.due_s(AT_ONCE, await _answered(asked)))
        for stream in held:
            stream.cancel()


async def _be_refused(attack: Attack, channel: grpc.aio.Channel, pace: Pace, ended: Event) -> None:
    stub: Any = table_pb2_grpc.TableServiceStub(channel)
    number = 0
    epoch = 1
    while not ended.is_set():
        if number % 1_000 == 0:
            request = table_pb2.AttachRequest(
                site=attack.site, table=attack.table, request_id=new_request_id()
            )
            with suppress(grpc.RpcError):
                epoch = (await stub.Attach(request, timeout=20)).epoch
            number = 0
        calls = []
        for _ in range(AT_ONCE):
            number += 1
            which = table_pb2.CommandId(
                site=attack.site, table=attack.table, epoch=epoch, number=number
            )
            calls.append(stub.Settle(table_pb2.SettleRequest(id=which), timeout=20))
        await asyncio.sleep(pace.due_s(AT_ONCE, await _answered(calls)))
