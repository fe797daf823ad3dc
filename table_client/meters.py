"""A link's meters at a table: the latest values, across restarts and failing controllers.

A watch has no deadline: while no controller can be reached it waits, and the display keeps what it
showed last. Where every controller refuses the certificate, it ends. What was seen is not shown
again, and a meter never goes back to an older sequence.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable

import grpc

from jackpot.wire.v1 import meter_pb2, meter_pb2_grpc
from table_client.controllers import Controllers

PAUSE_S = (0.05, 1.0)  # before the next try: the first, and the longest


async def watch_meters(
    controllers: Controllers, site: str, links: Iterable[str] = ()
) -> AsyncIterator[meter_pb2.LinkMeters]:
    """Every link as it is now, and again whenever it has changed; `links` empty: all of them."""
    wanted, sequence = list(links), 0
    pause_s, refused = PAUSE_S[0], 0
    while True:
        table_stub = controllers.stub
        stub: meter_pb2_grpc.MeterServiceAsyncStub = meter_pb2_grpc.MeterServiceStub(
            controllers.channel
        )
        request = meter_pb2.WatchMetersRequest(site=site, links=wanted, after_sequence=sequence)
        try:
            async for frame in stub.WatchMeters(request, wait_for_ready=controllers.waits):
                pause_s, refused = PAUSE_S[0], 0
                if frame.sequence > sequence:
                    sequence = frame.sequence
                    for link in frame.links:
                        yield link
        except grpc.RpcError as error:
            refusal = await controllers.judge(table_stub, error)
            refused = refused + 1 if refusal.code == "UNAUTHENTICATED" else 0
            if refusal.retry_s is None or refused >= controllers.count:
                raise refusal from error
        await asyncio.sleep(pause_s)
        pause_s = min(2 * pause_s, PAUSE_S[1])
