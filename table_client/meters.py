"""A link's meters at a table: the latest values, across restarts and failing controllers.

A watch has no deadline: while no controller can be reached it waits, and the display keeps what it
showed last. Where every controller refuses the certificate, it ends. What was seen is not shown
again, and a meter never goes back to an older sequence, unless a backup was restored: then all of
it is shown anew.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import Any

import grpc

from jackpot.wire.limits import PROGRESS_S
from jackpot.wire.v1 import meter_pb2, meter_pb2_grpc
from table_client.controllers import Controllers

SILENCE_S = 4 * PROGRESS_S  # after which a watch is taken for dead
PAUSE_S = (0.05, 1.0)  # before the next try: the first, and the longest


async def _next(watch: Any) -> meter_pb2.WatchMetersResponse | None:
    """The next frame; None when the watch has ended, or says nothing although it should."""
    try:
        async with asyncio.timeout(SILENCE_S):
            frame = await watch.read()
    except TimeoutError:
        watch.cancel()
        return None
    return None if frame is grpc.aio.EOF else frame


async def watch_meters(
    controllers: Controllers, site: str, links: Iterable[str] = ()
) -> AsyncIterator[meter_pb2.LinkMeters]:
    """Every link as it is now, and again whenever it has changed; `links` empty: all of them."""
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
            while (frame := await _next(watch)) is not None:
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
