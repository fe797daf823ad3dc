"""A controller elsewhere as a feed: its meters as they change, the rest as it is asked.

For signs in a process of their own, so that any number of them costs the controller one watcher.
What the controller does not tell over gRPC (past rounds, contributions) is not shown.
"""

import asyncio
import logging
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import grpc
from google.protobuf.message import Message
from grpc_health.v1 import health_pb2, health_pb2_grpc

from jackpot.core import ledger
from jackpot.display.errors import NoSuchSiteError, SeveralSitesError
from jackpot.display.feeds.site_feed import CALL_S, SiteFeed
from jackpot.display.history.site_history import SiteHistory
from jackpot.wire.refusals import RefusedError, explained, from_rpc_error
from jackpot.wire.v1 import meter_pb2, meter_pb2_grpc, operator_pb2_grpc

BEAT_S = 1.0
RECONNECT_S = 0.5
MICROS_PER_S = 1_000_000
_log = logging.getLogger(__name__)


class RemoteFeed(SiteFeed):
    """One site of a controller, over gRPC."""

    def __init__(self, channel: grpc.aio.Channel, site: str = "") -> None:
        """Without a site's name, the only one that the controller serves."""
        super().__init__(site)
        self._channel = channel
        self._meter: meter_pb2_grpc.MeterServiceAsyncStub = meter_pb2_grpc.MeterServiceStub(channel)
        self._stubs = (self._meter, operator_pb2_grpc.OperatorServiceStub(channel))
        self._health = health_pb2_grpc.HealthStub(channel)
        self._watching = False
        self._healthy = False
        self._tasks: list[asyncio.Task[None]] = []
        self._frames: dict[str, meter_pb2.LinkMeters] = {}
        self._past = SiteHistory(has_rounds=False)
        self._past.since_micros = int(time.time()) * MICROS_PER_S
        self._trouble: RefusedError | None = None

    async def start(self) -> None:
        """Begin to watch; a controller that is not there yet is waited for.

        SeveralSitesError where none was named and the controller has several, NoSuchSiteError where
        it does not have the one that was, RefusedError where it does not take our certificate.
        """
        try:
            if self.site and self.site not in (sites := await self._sites()):
                raise NoSuchSiteError(f"no site {self.site} there; there are: {', '.join(sites)}")
            await self._find_site()
        except grpc.RpcError as error:
            refusal = await asyncio.to_thread(explained, from_rpc_error(error), self._channel)
            if refusal.code == "UNAUTHENTICATED":
                raise refusal from error
        self._tasks = [asyncio.create_task(run()) for run in (self._watch, self._beat)]

    async def stop(self) -> None:
        """Watch no more."""
        for task in self._tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    @property
    def serving(self) -> bool:
        """Whether the controller is there, serves, and sends its meters."""
        return self._watching and self._healthy

    @property
    def trouble(self) -> RefusedError | None:
        """Why the last question had no answer; None where it had."""
        return self._trouble

    @property
    def past(self) -> SiteHistory:
        """Meters since this process began to watch them."""
        return self._past

    def frames(self) -> Sequence[meter_pb2.LinkMeters]:
        """The latest meters of every link."""
        return list(self._frames.values())

    def frame(self, link: str) -> meter_pb2.LinkMeters | None:
        """A link's latest meters."""
        return self._frames.get(link)

    async def _ask(self, request: Message) -> Any:
        """What the controller answers, or None where it does not."""
        name = request.DESCRIPTOR.name.removesuffix("Request")
        call: Any = next(getattr(stub, name) for stub in self._stubs if hasattr(stub, name))
        try:
            answer = await call(request, timeout=CALL_S)
        except grpc.RpcError as error:
            self._trouble = from_rpc_error(error)
            return None
        self._trouble = None
        return answer

    async def _sites(self) -> Sequence[str]:
        return (await self._meter.ListSites(meter_pb2.ListSitesRequest(), timeout=CALL_S)).sites

    async def _find_site(self) -> None:
        if not self.site:
            sites = await self._sites()
            if len(sites) != 1:
                raise SeveralSitesError(f"say --site, one of: {', '.join(sites)}")
            self.site = sites[0]

    async def _watch(self) -> None:
        while True:
            try:
                await self._find_site()
                # From the beginning: what was seen before need not be what a restored journal has,
                # nor its links and paytables.
                request = meter_pb2.WatchMetersRequest(site=self.site)
                frames: dict[str, meter_pb2.LinkMeters] = {}
                async for response in self._meter.WatchMeters(request):
                    if self._frames is not frames:
                        self._frames = frames
                        self._paytables.clear()
                    self._watching = True
                    self._take(response.links)
            except grpc.RpcError as error:
                if self._watching:
                    _log.warning("the controller is lost: %s", from_rpc_error(error))
            self._watching = False
            await asyncio.sleep(RECONNECT_S)

    def _take(self, links: Sequence[meter_pb2.LinkMeters]) -> None:
        now_s = int(time.time())
        for link in links:
            self._frames[link.link] = link
            for meter in link.meters:
                history = self._past.level(ledger.key(link.link, meter.level))
                won = meter.amount_micros < history.value
                history.add(now_s, meter.amount_micros)
                if won:
                    history.won(now_s)

    async def _beat(self) -> None:
        """Ask the controller how it is: a cut cable shows only when somebody speaks."""
        request = health_pb2.HealthCheckRequest()
        while True:
            try:
                answer = await self._health.Check(request, timeout=CALL_S)
                self._healthy = answer.status == answer.SERVING
            except grpc.RpcError:
                self._healthy = False
            await asyncio.sleep(BEAT_S)
