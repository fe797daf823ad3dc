"""MeterService: what the public sees, now or as it changes.

A watcher gets the latest value, never a queue, and no more of them than eyes can follow: what a
busy sign has not read yet waits in its connection, and makes it show what is over. A frame is
serialised once for all watchers: serialised messages can be put one behind the other, and mean what
they would have meant as one.
"""

import asyncio
from collections.abc import Mapping, Sequence

from google.protobuf.message import Message

from jackpot.auth.callers import Actor
from jackpot.auth.roles import Listener, carries
from jackpot.core.reasons import Reason
from jackpot.engine import Engine, MeterFrame
from jackpot.server.admission import most_watchers
from jackpot.server.calls import Call
from jackpot.server.codec.meter import ROWS, Watched, parse_watch, progress, watched
from jackpot.server.errors import CallRefusedError, refused, seen
from jackpot.server.rpc import Rpc, unary_rpcs
from jackpot.software import this_software
from jackpot.wire.limits import FRAME_GAP_S, MAX_WATCHERS, PROGRESS_S
from jackpot.wire.v1 import meter_pb2


class MeterService:
    """What signs call."""

    def __init__(self, engine: Engine, sites: Sequence[str]) -> None:
        self._engine = engine
        self._sites = sites
        self.progress_s = PROGRESS_S
        self.gap_s = FRAME_GAP_S
        self._max_watchers = MAX_WATCHERS
        self._watchers = 0
        self._ending: CallRefusedError | None = None
        self.addresses: Mapping[Listener, str] = {}  # where the controller listens, once it does
        self.features: set[str] = set()
        self._serialised: dict[tuple[str, str], tuple[MeterFrame, bytes]] = {}

    def rpcs(self) -> dict[str, Rpc]:
        """The service by the names of its RPCs."""
        rpcs = unary_rpcs(self._engine, ROWS)
        return {
            **rpcs,
            "GetServerInfo": self._get_server_info,
            "ListSites": self._list_sites,
            "WatchMeters": self._watch,
        }

    def end_streams(self, error: CallRefusedError) -> None:
        """End every watch."""
        self._ending = error
        self._engine.meters.publish(())

    async def _get_server_info(
        self, _message: meter_pb2.GetServerInfoRequest, actor: Actor
    ) -> Message:
        software = await asyncio.to_thread(this_software)
        there = self.addresses
        theirs = [where for at, where in there.items() if carries(at, actor.role, there)]
        answer: Message = ROWS["GetServerInfo"].answer(software, self.features, theirs)
        return answer

    async def _list_sites(self, _message: meter_pb2.ListSitesRequest, actor: Actor) -> Message:
        answer: Message = ROWS["ListSites"].answer([actor.site] if actor.site else self._sites)
        return answer

    async def _watch(self, message: meter_pb2.WatchMetersRequest, call: Call, actor: Actor) -> None:
        asked = parse_watch(message)
        if self._watchers >= (limit := most_watchers(self._max_watchers, actor)):
            raise refused(Reason.OVERLOADED, watchers=self._watchers, limit=limit)
        self._watchers += 1
        try:
            # Read afresh: another controller may have come further than this one has seen.
            seen(await self._engine.read(asked.site, asked.refusal))
            await self._send(call, asked)
        finally:
            self._watchers -= 1

    async def _send(self, call: Call, asked: Watched) -> None:
        board, version = self._engine.meters, 0
        after, incarnation = asked.after, asked.incarnation
        while self._ending is None:
            if asked.site in self._engine.halted:  # what was shown of it may not be so
                raise refused(Reason.SITE_HALTED, site=asked.site)
            frames = [frame for frame in board.frames(version) if asked.is_new(frame)]
            version = board.version
            if frames:
                frames.sort(key=lambda frame: frame.sequence)  # the last one's is the message's
                after, incarnation = frames[-1].sequence, frames[-1].incarnation
                await call.write(b"".join(map(self._serialise, frames)))
                await asyncio.sleep(self.gap_s)
            try:
                await asyncio.wait_for(board.changed(version), self.progress_s)
            except TimeoutError:
                await call.write(progress(after, incarnation).SerializeToString())
        raise self._ending

    def _serialise(self, frame: MeterFrame) -> bytes:
        known, raw = self._serialised.get((frame.site, frame.link), (None, b""))
        if known is not frame:
            raw = watched(frame).SerializeToString()
            self._serialised[frame.site, frame.link] = (frame, raw)
        return raw
