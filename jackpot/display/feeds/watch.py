"""The meters of a site as they change, and whether its controller is there and serves."""

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from jackpot.wire.refusals import RefusedError, explained, from_rpc_error
from jackpot.wire.v1 import meter_pb2, meter_pb2_grpc

BEAT_S = 1.0
RECONNECT_S = 0.5
CALL_S = 2.0  # a controller whose commit hangs does not answer
FINAL = frozenset({"UNAUTHENTICATED", "PERMISSION_DENIED"})  # asking again does not help
_log = logging.getLogger(__name__)
Links = Sequence[meter_pb2.LinkMeters]


class MeterWatch:
    """Watches one site, and goes on by itself when its controller was away."""

    def __init__(
        self, channel: Any, take: Callable[[Links], None], anew: Callable[[], None]
    ) -> None:
        """`take` is told what has changed; `anew` that the controller may be another one now."""
        self.first = asyncio.Event()  # it serves, or has served
        self.refusal: RefusedError | None = None  # we may not watch, and won't be let in again
        self.refused = asyncio.Event()  # ... and that is so now
        self.frames: dict[str, meter_pb2.LinkMeters] = {}
        self._meter: meter_pb2_grpc.MeterServiceAsyncStub = meter_pb2_grpc.MeterServiceStub(channel)
        self._health = health_pb2_grpc.HealthStub(channel)
        self._channel = channel
        self._take = take
        self._anew = anew
        self._watching = False
        self._healthy = False
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def serving(self) -> bool:
        """Whether the controller is there, serves, and sends its meters."""
        return self._watching and self._healthy and self.refusal is None

    def start(self, site: Callable[[], Any]) -> None:
        """Begin; `site` finds out which, once the controller is there."""
        self._tasks = [asyncio.create_task(self._watch(site)), asyncio.create_task(self._beat())]

    async def stop(self) -> None:
        """Watch no more."""
        for task in self._tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def _watch(self, site: Callable[[], Any]) -> None:
        while True:
            try:
                # From the beginning: what was seen before need not be what a restored journal has,
                # nor its links and paytables.
                request = meter_pb2.WatchMetersRequest(site=await site())
                frames: dict[str, meter_pb2.LinkMeters] = {}
                async for response in self._meter.WatchMeters(request):
                    if self.frames is not frames:
                        self.frames = frames
                        self._anew()
                    frames.update((link.link, link) for link in response.links)
                    self._take(response.links)
                    self._watching = True
                    self._note()
            except grpc.RpcError as error:
                refusal = await self._explained(error)
                if refusal.code in FINAL:
                    self._end(refusal)
                    return
                if self._watching:
                    _log.warning("the connection to the controller is lost: %s", refusal)
            self._watching = False
            await asyncio.sleep(RECONNECT_S)

    async def _explained(self, error: grpc.RpcError) -> RefusedError:
        """Why the watch ended; the handshake is tried where a watch was lost without a reason.

        A certificate that has expired is turned away by TLS, which gives no reason.
        """
        refusal = from_rpc_error(error)
        if self._watching:
            return await asyncio.to_thread(explained, refusal, self._channel)
        return refusal

    def _end(self, refusal: RefusedError) -> None:
        """Whoever shows these figures must not go on: they will never be new again."""
        _log.error("the controller refuses to send current values to this program: %s", refusal)
        self.refusal = refusal
        self._watching = False
        self.refused.set()

    def _note(self) -> None:
        if self.serving:
            self.first.set()

    async def _beat(self) -> None:
        """Ask the controller how it is: a cut cable shows only when somebody speaks."""
        request = health_pb2.HealthCheckRequest()
        while self.refusal is None:
            try:
                answer = await self._health.Check(request, timeout=CALL_S)
                self._healthy = answer.status == answer.SERVING
                self._note()
            except grpc.RpcError:
                self._healthy = False
            await asyncio.sleep(BEAT_S)
