"""The controller of this process as a feed: its services are called without a socket."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from google.protobuf.message import Message

from jackpot.auth.gate import Actor
from jackpot.display.feeds.site_feed import CALL_S, SiteFeed
from jackpot.display.history.follower import JournalFollower
from jackpot.display.history.site_history import SiteHistory
from jackpot.engine import Engine, MeterFrame
from jackpot.server.codec.meter import link_meters
from jackpot.server.errors import CallRefusedError
from jackpot.server.floor_watch import FloorWatch, Heartbeats
from jackpot.server.meters import MeterService
from jackpot.server.operators import OperatorService
from jackpot.store.journal import Archive
from jackpot.wire.v1 import meter_pb2

_PAGES = Actor("pages")


class LocalFeed(SiteFeed):
    """One site of an engine, with a history of its journal."""

    def __init__(
        self,
        engine: Engine,
        site: str,
        heartbeats: Heartbeats,
        open_reader: Callable[[], Archive] | None = None,
    ) -> None:
        """Without a reader of the journal the history begins now."""
        super().__init__(site)
        self.engine = engine
        floor = FloorWatch(engine, [site], heartbeats)
        self._rpcs: dict[str, Any] = {
            **MeterService(engine, [site]).rpcs(),
            **OperatorService(engine, heartbeats, floor).rpcs(),
        }
        self._follower = JournalFollower(engine, site, open_reader)
        self._frames: dict[str, tuple[MeterFrame, meter_pb2.LinkMeters]] = {}

    def start(self) -> None:
        """Begin to follow the journal."""
        self._follower.start()

    async def stop(self) -> None:
        """Follow no more."""
        await self._follower.stop()

    @property
    def serving(self) -> bool:
        """Whether commands of the site are taken."""
        return self.engine.healthy and self.site not in self.engine.halted

    @property
    def past(self) -> SiteHistory | None:
        """Past rounds and meters, once they have been read."""
        return self._follower.history

    def frames(self) -> Sequence[meter_pb2.LinkMeters]:
        """The latest meters of every link."""
        return [self._message(f) for f in self.engine.meters.frames() if f.site == self.site]

    def frame(self, link: str) -> meter_pb2.LinkMeters | None:
        """A link's latest meters."""
        found = self.engine.meters.frame(self.site, link)
        return self._message(found) if found else None

    def _message(self, frame: MeterFrame) -> meter_pb2.LinkMeters:
        known = self._frames.get(frame.link)
        if known is None or known[0] is not frame:
            known = self._frames[frame.link] = (frame, link_meters(frame))
        return known[1]

    async def _ask(self, request: Message) -> Any:
        """What the service answers, or None where it refuses."""
        rpc = self._rpcs[request.DESCRIPTOR.name.removesuffix("Request")]
        try:
            async with asyncio.timeout(CALL_S):
                return await rpc(request, _PAGES)
        except (CallRefusedError, TimeoutError):
            return None
