"""A table's view of itself: what others change about it, across restarts and failing controllers.

A watch has no deadline: while no controller can be reached it waits. It ends when the table has
attached again, here or elsewhere, and where every controller refuses the certificate. The
controller sends something every few seconds, so a connection that has died without a word is
noticed, and replaced.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing

import grpc

from jackpot.wire.refusals import RefusedError
from jackpot.wire.v1 import table_pb2 as pb
from table_client.controllers import Controllers

PAUSE_S = (0.05, 1.0)  # before the next try: the first, and the longest
SILENCE_S = 15.0  # three progress frames that did not come


async def watch_table(
    controllers: Controllers, site: str, table: str, epoch: int
) -> AsyncIterator[pb.WatchTableResponse]:
    """The table as it is now, and again whenever something about it has changed."""
    request = pb.WatchTableRequest(site=site, table=table, epoch=epoch)
    pause_s, sequence, refused = PAUSE_S[0], 0, 0
    while True:
        stub = controllers.stub
        call = stub.WatchTable(request, wait_for_ready=controllers.waits)
        frames = aiter(call)
        try:
            while True:
                try:
                    async with asyncio.timeout(SILENCE_S):
                        frame = await anext(frames)
                except (StopAsyncIteration, TimeoutError):
                    controllers.failed(stub)
                    break
                pause_s, refused = PAUSE_S[0], 0
                # Another controller may be a moment behind the one before.
                if frame.sequence >= sequence and not frame.progress:
                    sequence = frame.sequence
                    yield frame
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
