"""Callers beside the tables that play: a herd that comes back at once, and those who never read."""

import asyncio
import time
from collections.abc import Iterable
from itertools import cycle
from typing import Any

import grpc

from emulator.audit.terms import TableTerms
from emulator.soak.clients import RecordingClient
from jackpot.wire.limits import MAX_UNREAD_S
from jackpot.wire.refusals import from_rpc_error
from jackpot.wire.v1 import meter_pb2, meter_pb2_grpc, table_pb2_grpc
from jackpot.wire.v1 import table_pb2 as pb
from table_client.client import TableClient
from table_client.conversation import CALL_TIMEOUT_S

WATCHERS = 20
STREAMS = 8
HOLD_S = MAX_UNREAD_S + 10.0  # the controller ends by itself what nobody reads, before that
_DRAIN_S = 5.0
_AGAIN = 16  # a long answer is asked for so many times in one message
_MESSAGES = 40  # whose answers are more than a stream holds unread
_PACE_S = 0.02
# Else gRPC would take in more and more that nobody reads, and the controller would feel nothing.
_SMALL_WINDOW = (("grpc.http2.bdp_probe", 0),)


async def herd(clients: list[RecordingClient]) -> float:
    """All attach at once; how many seconds it took until the last one was."""
    began = time.monotonic()
    await asyncio.gather(*(client.attach() for client in clients))
    return time.monotonic() - began


def open_deaf_channel(address: str) -> grpc.aio.Channel:
    """A connection that takes in little of what nobody reads."""
    return grpc.aio.insecure_channel(address, options=_SMALL_WINDOW)


async def ask_and_ask(stub: Any, call: Any, message: pb.PlayRequest) -> bool:
    """Write on a stream, and read nothing from it, until the controller can send no more.

    Whether the stream has lived to see that: who has too many unanswered is sent away at once, so
    after each message the same is asked by its own RPC, whose answer comes after. No write is given
    up: to cancel it would cancel the call, and with it what is to be held.
    """
    which = pb.CommandId(site=message.site, table=message.table, epoch=message.epoch, number=3)
    behind = pb.LockOutRequest(id=which, command=pb.LockOut())
    try:
        for _ in range(_MESSAGES):
            await call.write(message)
            await stub.LockOut(behind, timeout=CALL_TIMEOUT_S)
            await asyncio.sleep(_PACE_S)
    except (grpc.RpcError, asyncio.InvalidStateError):
        return False
    return True


async def ended_as_unread(call: Any) -> bool | None:
    """Read what a stream holds: whether the controller ended it as unread; None: it is open."""
    try:
        async with asyncio.timeout(_DRAIN_S):
            while await call.read() is not grpc.aio.EOF:
                continue
    except grpc.RpcError as error:
        return "unread_s" in from_rpc_error(error).metadata
    except TimeoutError:
        return None
    return False


def repeated_lock_out(client: TableClient) -> pb.PlayRequest:
    """The answer to a lock-out is long, and is given again each time it is asked for."""
    return pb.PlayRequest(
        site=client.site,
        table=client.table,
        epoch=client.epoch,
        commands=[pb.PlayCommand(number=3, lock_out=pb.LockOut())] * _AGAIN,
    )


class UnreadError(Exception):
    """A stream that nobody reads, and that the controller holds for ever."""


class Mute:
    """A client that asks and asks and never reads, and watchers that sleep, at each controller."""

    def __init__(
        self, client: RecordingClient, terms: TableTerms, addresses: Iterable[str]
    ) -> None:
        self.streams = 0  # held with all that they could take
        self.ended = 0  # of those, by the controller
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
        again = repeated_lock_out(self._client)
        for address in self._addresses:
            async with open_deaf_channel(address) as channel:
                await self._burst(channel, again)

    async def _burst(self, channel: grpc.aio.Channel, message: pb.PlayRequest) -> None:
        stub: Any = table_pb2_grpc.TableServiceStub(channel)
        meters: Any = meter_pb2_grpc.MeterServiceStub(channel)
        watch = meter_pb2.WatchMetersRequest(site=self._client.site)
        held = [meters.WatchMeters(watch) for _ in range(WATCHERS)]
        calls = [stub.Play() for _ in range(STREAMS)]
        asked = await asyncio.gather(*(ask_and_ask(stub, call, message) for call in calls))
        if not all(asked):  # the controller is being restarted
            await asyncio.sleep(_PACE_S)
            return
        self.streams += len(calls)
        await asyncio.sleep(HOLD_S)  # with all buffers full: what is held must not grow
        ends = await asyncio.gather(*(ended_as_unread(call) for call in calls))
        self.ended += ends.count(True)
        for call in [*held, *calls]:
            call.cancel()
        if None in ends:
            raise UnreadError(f"a stream that nobody reads was not ended within {HOLD_S:.0f} s")
