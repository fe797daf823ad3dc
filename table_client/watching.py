"""What others change, as a table sees it: about itself, and on a link's meters.

A watch has no deadline: across restarts and failing controllers it waits, and a display keeps what
it showed last. The controller sends something every few seconds, so a connection that has died
without a word is noticed, and replaced. Where every controller refuses the certificate, it ends.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import aclosing
from typing import Any

import grpc

from jackpot.wire.limits import PROGRESS_S
from jackpot.wire.refusals import RefusedError
from jackpot.wire.v1 import meter_pb2, meter_pb2_grpc
from jackpot.wire.v1 import table_pb2 as pb
from table_client.controllers import Controllers

PAUSE_S = (0.05, 1.0)  # before the next try: the first, and the longest
TABLE_SILENCE_S = 3 * PROGRESS_S  # after which a watch is taken for dead
METERS_SILENCE_S = 4 * PROGRESS_S


async def _next(call: Any, silence_s: float) -> Any:
    """The next frame; None when the watch has ended, or says nothing although it should."""
    try:
        async with asyncio.timeout(silence_s):
            frame = await call.read()
    except TimeoutError:
        call.cancel()
        return None
    return None if frame is grpc.aio.EOF else frame


async def watch_table(
    controllers: Controllers, site: str, table: str, epoch: int
) -> AsyncIterator[pb.WatchTableResponse]:
    """The table as it is now, and again whenever something about it has changed.

    It ends when the table has attached again, here or elsewhere.
    """
    request = pb.WatchTableRequest(site=site, table=table, epoch=epoch)
    pause_s, sequence, refused = PAUSE_S[0], 0, 0
    while True:
        stub = controllers.stub
        call = stub.WatchTable(request, wait_for_ready=controllers.waits)
        try:
            while (frame := await _next(call, TABLE_SILENCE_S)) is not None:
                pause_s, refused = PAUSE_S[0], 0
                # Another controller may be a moment behind the one before.
                if frame.sequence >= sequence and not frame.progress:
                    sequence = frame.sequence
                    yield frame
            controllers.failed(stub)
        except grpc.RpcError as error:
            refusal = await controllers.judge(stub, error)
            refused = refused + 1 if refusal.code == "UNAUTHENTICATED" else 0
            if refusal.retry_s is None or refused >= controllers.count:
                raise refusal from error
        finally:
            call.cancel()
        await asyncio.sleep(pause_s)
        pause_s = min(2 * pause_s, PAUSE_S[1])


async def until(
    frames: AsyncIterator[pb.WatchTableResponse],
    ready: Callable[[pb.WatchTableResponse], bool],
    timeout_s: float | None = None,
) -> pb.WatchTableResponse | None:
    """The first frame that is as it is wanted; None when that takes too long."""
    try:
        async with asyncio.timeout(timeout_s), aclosing(frames) as watched:  # type: ignore[type-var]  # a generator
            async for frame in watched:
                if ready(frame):
                    return frame
    except TimeoutError:
        return None
    raise RefusedError("UNAVAILABLE", "the watch has ended")


async def watch_meters(
    controllers: Controllers, site: str, links: Iterable[str] = ()
) -> AsyncIterator[meter_pb2.LinkMeters]:
    """Every link as it is now, and again whenever it has changed; `links` empty: all of them.

    What was seen is not shown again, and a meter never goes back to an older sequence, unless a
    backup was restored: then all of it is shown anew.
    """
    wanted, sequence, incarnation = list(links), 0, ""
    pause_s, refused = PAUSE_S[0], 0
    while True:
        table_stub = controllers.stub
        stub: meter_pb2_grpc.MeterServiceAsyncStub = meter_pb2_grpc.MeterServiceStub(
            controllers.channel
        )
        request = meter_pb2.WatchMetersRequest(
            site=site, links=wanted, after_sequence=sequence, incarnation=incarnation
        )
        try:
            watch = stub.WatchMeters(request, wait_for_ready=controllers.waits)
            while (frame := await _next(watch, METERS_SILENCE_S)) is not None:
                pause_s, refused = PAUSE_S[0], 0
                if frame.sequence > sequence or frame.incarnation != incarnation:
                    sequence, incarnation = frame.sequence, frame.incarnation
                    for link in frame.links:
                        yield link
        except grpc.RpcError as error:
            refusal = await controllers.judge(table_stub, error)
            refused = refused + 1 if refusal.code == "UNAUTHENTICATED" else 0
            if refusal.reason == "OUT_OF_RANGE":  # a backup was restored: start over
                sequence, incarnation = 0, ""
            elif refusal.retry_s is None or refused >= controllers.count:
                raise refusal from error
        await asyncio.sleep(pause_s)
        pause_s = min(2 * pause_s, PAUSE_S[1])
