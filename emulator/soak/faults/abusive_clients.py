"""Faults of clients: streams that nobody reads, and a thousand tables that come back at once."""

import asyncio
import time
from contextlib import AsyncExitStack
from itertools import cycle
from typing import TYPE_CHECKING, Any

import grpc

from emulator.soak.clients import RecordingClient
from emulator.soak.faults.base import ClientFault, Target
from emulator.soak.site import HERD, SITE, herd_names
from emulator.soak.tables.factory import TableFactory
from jackpot.wire.limits import MAX_UNREAD_S
from jackpot.wire.refusals import from_rpc_error
from jackpot.wire.v1 import meter_pb2, meter_pb2_grpc, table_pb2_grpc
from jackpot.wire.v1 import table_pb2 as pb
from table_client.client import TableClient
from table_client.conversation import CALL_TIMEOUT_S

if TYPE_CHECKING:
    from emulator.soak.run import Soak

HERD_SHARE = 0.4  # of a run, after which the herd comes
LATEST_HERD_S = 30.0
WATCHERS = 20
STREAMS = 8
HOLD_S = MAX_UNREAD_S + 10.0  # the controller ends by itself what nobody reads, before that
_DRAIN_S = 5.0
_AGAIN = 16  # a long answer is asked for so many times in one message
_MESSAGES = 40  # whose answers are more than a stream holds unread
_PACE_S = 0.02
# Else gRPC would take in more and more that nobody reads, and the controller would feel nothing.
_SMALL_WINDOW = (("grpc.http2.bdp_probe", 0),)


async def attach_all(clients: list[RecordingClient]) -> float:
    """Attach all at once; how many seconds it took until the last one was attached."""
    began = time.monotonic()
    await asyncio.gather(*(client.attach() for client in clients))
    return time.monotonic() - began


def open_unread_channel(address: str) -> grpc.aio.Channel:
    """A connection that takes in little of what nobody reads."""
    return grpc.aio.insecure_channel(address, options=_SMALL_WINDOW)


async def ask_until_full(stub: Any, call: Any, message: pb.PlayRequest) -> bool:
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


class Unread(ClientFault):
    """A client asks on and on and never reads, and watchers sleep, at each controller in turn."""

    name = "unread"
    text = "clients and watchers never read what they are sent"
    needs_full_site = True

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._ended = 0  # streams that the controller ended, of those that were held full

    def figures(self, soak: "Soak") -> dict[str, Any]:  # noqa: ARG002 - counted here
        """How many of the streams the controller ended."""
        return {"unread_ended": self._ended}

    async def work(self, soak: "Soak") -> None:
        """Hold streams that nobody reads, until cancelled."""
        name = f"{HERD}-001"
        client, terms = await soak.factory.client(1, name), soak.terms.tables[name]
        await client.attach()
        link, bet = terms.links[0], terms.links[0].bets[0]
        wagers = [
            pb.Wager(seat=seat, bet=bet.id, amount_micros=link.wager_micros)
            for seat in range(1, terms.seats + 1)
        ]
        await asyncio.gather(client.open_round(), client.place_wagers(wagers), client.lock_out())
        again = repeated_lock_out(client)
        for address in cycle(soak.factory.addresses(0)):
            async with open_unread_channel(address) as channel:
                await self._burst(channel, again)

    async def _burst(self, channel: grpc.aio.Channel, message: pb.PlayRequest) -> None:
        stub: Any = table_pb2_grpc.TableServiceStub(channel)
        meters: Any = meter_pb2_grpc.MeterServiceStub(channel)
        watch = meter_pb2.WatchMetersRequest(site=message.site)
        held = [meters.WatchMeters(watch) for _ in range(WATCHERS)]
        calls = [stub.Play() for _ in range(STREAMS)]
        asked = await asyncio.gather(*(ask_until_full(stub, call, message) for call in calls))
        if not all(asked):  # the controller is being restarted
            await asyncio.sleep(_PACE_S)
            return
        self.felt += len(calls)  # held with all that they can take
        await asyncio.sleep(HOLD_S)  # with all buffers full: what is held must not grow
        ends = await asyncio.gather(*(ended_as_unread(call) for call in calls))
        self._ended += ends.count(True)
        for call in [*held, *calls]:
            call.cancel()
        if None in ends:
            raise UnreadError(f"a stream that nobody reads was not ended within {HOLD_S:.0f} s")


class Herd(ClientFault):
    """All tables that a site may have are attached; the controllers die; all come back at once."""

    name = "herd"
    text = "1,000 tables come back at once after a crash"
    needs_full_site = True
    ends_by_itself = True

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._back_s: list[float] = []

    def figures(self, soak: "Soak") -> dict[str, Any]:  # noqa: ARG002 - counted here
        """How long it took until all were back."""
        return {"herd_s": [round(seconds, 2) for seconds in self._back_s]}

    async def work(self, soak: "Soak") -> None:
        """Come once."""
        duration_s = soak.options.duration_s or LATEST_HERD_S
        await asyncio.sleep(min(LATEST_HERD_S, duration_s * HERD_SHARE))
        self.has_begun = True
        names = herd_names(soak.options.tables)[1:]
        async with AsyncExitStack() as stack:
            clients, factory = [], TableFactory(soak, stack)
            for place, name in enumerate(names):
                channels = await factory.channels(factory.addresses(place))
                client = RecordingClient(channels, SITE, name, soak.transcript, soak.latencies)
                clients.append(await stack.enter_async_context(client))
            await attach_all(clients)
            for supervisor in self.target.supervisors:
                await supervisor.up.wait()
                await supervisor.kill()
            self._back_s.append(await attach_all(clients))
            self.felt += 1
