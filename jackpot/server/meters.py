"""MeterService: what the public sees, now or as it changes.

A watcher gets the latest value, never a queue. A frame is serialised once for all watchers:
serialised messages can be put one behind the other, and mean what they would have meant as one.
"""

from collections.abc import Iterable, Sequence

from google.protobuf.message import Message

from jackpot.auth.gate import Actor
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.core.state import State
from jackpot.engine import Engine, MeterFrame
from jackpot.engine.meters import frame_of
from jackpot.server import fields
from jackpot.server.answers import hit_message, paytables_message
from jackpot.server.enums import LINK_STATUSES
from jackpot.server.errors import CallRefusedError, refused
from jackpot.server.outcomes import seen
from jackpot.server.rpc import Context, Sender, Stream, Unary
from jackpot.wire.limits import MAX_NUMBER, MAX_WATCHED_LINKS, MAX_WATCHERS
from jackpot.wire.v1 import meter_pb2


class MeterService:
    """What signs call."""

    def __init__(
        self, engine: Engine, sites: Sequence[str], max_watchers: int = MAX_WATCHERS
    ) -> None:
        self._engine = engine
        self._sites = sites
        self._max_watchers = max_watchers
        self._watchers = 0
        self._ending: CallRefusedError | None = None
        self._serialised: dict[tuple[str, str], tuple[MeterFrame, bytes]] = {}

    def rpcs(self) -> dict[str, Unary | Stream]:
        """The service by the names of its RPCs."""
        return {
            "ListSites": self._list_sites,
            "ListMeters": self._list,
            "ListPaytables": self._list_paytables,
            "WatchMeters": self._watch,
        }

    def end_streams(self, error: CallRefusedError) -> None:
        """End every watch."""
        self._ending = error
        self._engine.meters.publish(())

    async def _list_sites(self, _message: meter_pb2.ListSitesRequest, actor: Actor) -> Message:
        return meter_pb2.ListSitesResponse(sites=[actor.site] if actor.site else self._sites)

    async def _list(self, message: meter_pb2.ListMetersRequest, _actor: Actor) -> Message:
        site = fields.identifier(message.site, "site")
        wanted = [fields.identifier(message.link, "link")] if message.link else []

        def look(state: State) -> meter_pb2.ListMetersResponse | Refusal:
            if refusal := _missing(state, wanted):
                return refusal
            frames = [frame_of(state, state.links[link]) for link in wanted or state.links]
            return meter_pb2.ListMetersResponse(
                sequence=state.sequence, links=[link_meters(frame) for frame in frames]
            )

        return seen(await self._engine.read(site, look))

    async def _list_paytables(
        self, message: meter_pb2.ListPaytablesRequest, _actor: Actor
    ) -> Message:
        site = fields.identifier(message.site, "site")
        wanted = [fields.identifier(message.link, "link")] if message.link else []

        def look(state: State) -> meter_pb2.ListPaytablesResponse | Refusal:
            if refusal := _missing(state, wanted):
                return refusal
            configs = [state.links[link].config for link in wanted or state.links]
            return meter_pb2.ListPaytablesResponse(
                sequence=state.sequence, links=[paytables_message(config) for config in configs]
            )

        return seen(await self._engine.read(site, look))

    async def _watch(
        self, message: meter_pb2.WatchMetersRequest, context: Context, _actor: Actor
    ) -> None:
        site = fields.identifier(message.site, "site")
        wanted = {
            fields.identifier(link, "links")
            for link in fields.many(message.links, "links", MAX_WATCHED_LINKS)
        }
        after = fields.whole(message.after_sequence, "after_sequence", 0, MAX_NUMBER)
        if self._watchers >= self._max_watchers:
            raise refused(Reason.OVERLOADED, watchers=self._watchers, limit=self._max_watchers)
        self._watchers += 1
        try:
            seen(await self._engine.read(site, lambda state: _missing(state, wanted)))
            with Sender(context) as sender:
                await self._send(sender, site, wanted, after)
        finally:
            self._watchers -= 1

    async def _send(self, sender: Sender, site: str, wanted: set[str], after: int) -> None:
        board, version = self._engine.meters, 0
        while self._ending is None:
            frames = [
                frame
                for frame in board.frames(version)
                if frame.site == site and frame.sequence > after
                if not wanted or frame.link in wanted
            ]
            version = board.version
            if frames:
                frames.sort(key=lambda frame: frame.sequence)  # the last one's is the message's
                await sender.send(b"".join(map(self._serialise, frames)))
            await board.changed(version)
        raise self._ending

    def _serialise(self, frame: MeterFrame) -> bytes:
        known, raw = self._serialised.get((frame.site, frame.link), (None, b""))
        if known is not frame:
            message = meter_pb2.WatchMetersResponse(
                sequence=frame.sequence, links=[link_meters(frame)]
            )
            raw = message.SerializeToString()
            self._serialised[frame.site, frame.link] = (frame, raw)
        return raw


def _missing(state: State, wanted: Iterable[str]) -> Refusal | None:
    for link in wanted:
        if link not in state.links:
            return refuse(Reason.UNKNOWN_LINK, link=link)
    return None


def link_meters(frame: MeterFrame) -> meter_pb2.LinkMeters:
    """All that a sign shows of a link."""
    return meter_pb2.LinkMeters(
        link=frame.link,
        title=frame.title,
        status=LINK_STATUSES.to_wire(frame.status),
        wager_micros=frame.wager_micros,
        meters=[
            meter_pb2.Meter(level=level.level, amount_micros=level.meter_micros)
            for level in frame.levels
        ],
        hit_count=frame.hit_count,
        recent_hits=[hit_message(hit) for hit in frame.hits],
        sequence=frame.sequence,
        time_micros=frame.time_micros,
        pending_adjustment=frame.pending_adjustment,
    )
