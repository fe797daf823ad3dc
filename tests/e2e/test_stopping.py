"""A controller that is stopped in order, while many are asking."""

import asyncio
import signal
from pathlib import Path

import grpc
import pytest

from jackpot.wire.refusals import RefusedError, from_rpc_error
from jackpot.wire.v1 import meter_pb2, meter_pb2_grpc
from tests.e2e.process import Process
from tests.server.house import SITE

pytestmark = pytest.mark.process

ASKING = 20


async def ask_until_it_fails_for_good(channel: grpc.aio.Channel, found: list[RefusedError]) -> None:
    """Ask again after every error that says so."""
    stub: meter_pb2_grpc.MeterServiceAsyncStub = meter_pb2_grpc.MeterServiceStub(channel)
    while True:
        try:
            await stub.ListMeters(meter_pb2.ListMetersRequest(site=SITE), timeout=5)
        except grpc.RpcError as error:
            refusal = from_rpc_error(error)
            found.append(refusal)
            if refusal.retry_s is None:
                return
            await asyncio.sleep(0.02)


async def test_whoever_asks_while_it_stops_may_ask_again(tmp_path: Path) -> None:
    """Nobody takes a call that its end has cut off for a refusal; it may have been carried out."""
    found: list[RefusedError] = []
    with Process(tmp_path, many=0) as served:
        channels = [
            grpc.aio.insecure_channel(
                served.address, options=[("grpc.use_local_subchannel_pool", 1)]
            )
            for _ in range(ASKING)
        ]
        asking = [
            asyncio.create_task(ask_until_it_fails_for_good(channel, found)) for channel in channels
        ]
        await asyncio.sleep(0.5)
        served.signal(signal.SIGTERM)
        assert await asyncio.to_thread(served.wait) == 0
        await asyncio.sleep(0.5)
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        for channel in channels:
            await channel.close()
    assert found
    assert [str(refusal) for refusal in found if refusal.retry_s is None] == []
