"""Callers beside the tables that play: a herd that comes back at once, and those who never read."""

import asyncio
import time
from collections.abc import Iterable
from contextlib import suppress
from itertools import cycle
from typing import Any

import grpc

from emulator.audit.terms import TableTerms
from emulator.soak.clients import RecordingClient
from jackpot.v1 import meter_pb2, meter_pb2_grpc, table_pb2_grpc
from jackpot.v1 import table_pb2 as pb
from table_client.client import open_channel

WATCHERS = 20
STREAMS = 8
HOLD_S = 10.0
_AGAIN = 16  # a long answer is asked for so many times in one message


async def herd(clients: list[RecordingClient]) -> float:
    """All attach at once; how many seconds it took until the last one was."""
    began = time.monotonic()
    await asyncio.gather(*(client.attach() for client in clients))
    return time.monotonic() - began


class Mute:
    """A client that asks and asks and never reads, and watchers that sleep, at each controller."""

    def __init__(
        self, client: RecordingClient, terms: TableTerms, addresses: Iterable[str]
    ) -> None:
        self.streams = 0
        self._client = client
        self._terms = terms
        self._addresses = cycle(addresses)

    async def work(self) -> None:
        """Until cancelled."""
        await self._client.attach()
        link, bet = self._terms.links[0], self._terms.links[0].bets[0]
        wagers = [
            pb.Wager(seat=seat, bet=bet.id, amount_micros=link.wager_micros)
            for seat in range(1, self._terms.seats + 1)
        ]
        await asyncio.gather(
            self._client.open_round(), self._client.place_wagers(wagers), self._client.lock_out()
        )
        # The answer to a lock-out is long, and is given again each time it is asked for.
        again = pb.PlayRequest(
            site=self._client.site,
            table=self._client.table,
            epoch=self._client.epoch,
            commands=[pb.PlayCommand(number=3, lock_out=pb.LockOut())] * _AGAIN,
        )
        for address in self._addresses:
            async with open_channel(address) as channel:
                await self._burst(channel, again)

    async def _burst(self, channel: grpc.aio.Channel, message: pb.PlayRequest) -> None:
        stub: Any = table_pb2_grpc.TableServiceStub(channel)
        meters: Any = meter_pb2_grpc.MeterServiceStub(channel)
        watch = meter_pb2.WatchMetersRequest(site=self._client.site)
        held = [meters.WatchMeters(watch) for _ in range(WATCHERS)]
        calls = [stub.Play() for _ in range(STREAMS)]
        await asyncio.gather(*(self._write(call, message) for call in calls))
        await asyncio.sleep(HOLD_S)  # with all buffers full: what is held must not grow
        for call in [*held, *calls]:
            call.cancel()

    async def _write(self, call: Any, message: pb.PlayRequest) -> None:
        self.streams += 1
        with suppress(grpc.RpcError, TimeoutError, asyncio.InvalidStateError):
            for _ in range(100):
                await asyncio.wait_for(call.write(message), 0.5)
                await asyncio.sleep(0.01)
