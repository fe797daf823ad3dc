"""Attack as a table with a good certificate: attaches, streams, calls, refusals without end.

What counts is what was sent: a call whose message has left for the controller's socket. Answers may
be kept back, so a call that is not answered soon is given up and another one is made.
"""

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
from jackpot.wire.v1 import meter_pb2, table_pb2, table_pb2_grpc

_TABLES = "/jackpot.v1.TableService"
AHEAD_MS = 590_000  # ids almost as far ahead as is taken
CONNECTIONS = 8  # each has 100 calls at most
AT_ONCE = 90
PATIENCE_S = 1.0  # with answers
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


def _call(channel: grpc.aio.Channel, path: str) -> Any:
    """A call with one request, made so that it tells when that was sent."""
    return channel.stream_unary(path)(timeout=20)


async def _sent(call: Any, request: Any = None) -> bool:
    """Whether a call was made, with its request if it has one, over a connection that stands."""
    with suppress(grpc.RpcError, asyncio.InvalidStateError):
        await call.wait_for_connection()
        if request is not None:
            await call.write(request.SerializeToString())
            await call.done_writing()
        return True
    return False


async def _give_up(calls: Iterable[Any]) -> None:
    """Wait a little for answers; whoever is not answered by then asks no longer."""
    waiting = [asyncio.ensure_future(call.code()) for call in calls]
    await asyncio.wait(waiting, timeout=PATIENCE_S)
    for call in calls:
        call.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)


async def _flood(channel: grpc.aio.Channel, path: str, requests: list[Any], pace: Pace) -> None:
    """Make calls at once, and count those that were sent."""
    calls = [_call(channel, path) for _ in requests]
    sent = await asyncio.gather(*map(_sent, calls, requests))
    wait_s = pace.due_s(len(calls), sum(sent))
    await _give_up(calls)
    await asyncio.sleep(wait_s)


async def _attach(attack: Attack, channel: grpc.aio.Channel, pace: Pace, ended: Event) -> None:
    number = 0
    while not ended.is_set():
        now_ms = request_id_time_ms(new_request_id()) + AHEAD_MS
        requests = []
        for _ in range(AT_ONCE):
            number += 1
            request_id = make_request_id(now_ms, id(channel) + number)
            requests.append(
                table_pb2.AttachRequest(site=attack.site, table=attack.table, request_id=request_id)
            )
        await _flood(channel, f"{_TABLES}/Attach", requests, pace)


async def _hold(attack: Attack, channel: grpc.aio.Channel, pace: Pace, ended: Event) -> None:
    tables: Any = table_pb2_grpc.TableServiceStub(channel)
    request = meter_pb2.ListMetersRequest(site=attack.site)
    while not ended.is_set():
        held = [tables.Play() for _ in range(AT_ONCE // 2)]
        sent = sum(await asyncio.gather(*map(_sent, held)))
        await asyncio.sleep(pace.due_s(len(held), sent))
        await _flood(channel, "/jackpot.v1.MeterService/ListMeters", [request] * len(held), pace)
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
        requests = []
        for _ in range(AT_ONCE):
            number += 1
            which = table_pb2.CommandId(
                site=attack.site, table=attack.table, epoch=epoch, number=number
            )
            requests.append(table_pb2.SettleRequest(id=which))
        await _flood(channel, f"{_TABLES}/Settle", requests, pace)
