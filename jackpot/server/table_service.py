"""TableService: a table's commands one by one, its heartbeat, and its streams."""

import asyncio
import time
from contextlib import suppress
from typing import Any

from google.protobuf.message import Message

from jackpot.auth.callers import Actor
from jackpot.core.reasons import Reason
from jackpot.engine import Engine
from jackpot.server.about import program_version
from jackpot.server.admission import Admission, most_watchers
from jackpot.server.calls import Call
from jackpot.server.codec.fields import timestamp
from jackpot.server.codec.table import ROWS
from jackpot.server.codec.table_config import standing
from jackpot.server.codec.watch import parse_table, watched_table
from jackpot.server.errors import CallRefusedError, refused, seen
from jackpot.server.play import PlayStream
from jackpot.server.rpc import Rpc, Unary, unary_rpcs
from jackpot.wire.limits import FRAME_GAP_S, MAX_STREAMS, MAX_WATCHERS, PROGRESS_S
from jackpot.wire.v1 import table_pb2


class TableWatches:
    """WatchTable: streams of what others change about a table.

    A watcher is told the latest value, never a queue: after each frame it pauses for a moment, and
    whatever changes meanwhile comes in one frame. When nothing changes, a progress frame shows that
    the connection is alive.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._max_watchers = MAX_WATCHERS
        self._watchers = 0
        self._ending: CallRefusedError | None = None
        self.progress_s = PROGRESS_S

    def end(self, error: CallRefusedError) -> None:
        """End every watch."""
        self._ending = error
        self._engine.tables.publish_all()

    async def watch(self, message: table_pb2.WatchTableRequest, call: Call, actor: Actor) -> None:
        """Serve one watch, until it is ended or its table attaches again."""
        site, asked = parse_table(message)
        if self._watchers >= (limit := most_watchers(self._max_watchers, actor)):
            raise refused(Reason.OVERLOADED, watchers=self._watchers, limit=limit)
        self._watchers += 1
        try:
            with self._engine.tables.watch(site, asked[0]) as news:
                await self._send(call, site, asked, news)
        finally:
            self._watchers -= 1

    async def _send(
        self, call: Call, site: str, asked: tuple[str, int], news: asyncio.Event
    ) -> None:
        shown: table_pb2.WatchTableResponse | None = None
        while self._ending is None:
            news.clear()
            frame = await self._look(site, asked, fresh=shown is None)
            changed = table_pb2.WatchTableResponse()
            changed.CopyFrom(frame)
            changed.sequence = 0  # every entry has another
            frame.progress = changed == shown
            if not frame.progress or not news.is_set():
                await call.write(frame.SerializeToString())
                await asyncio.sleep(FRAME_GAP_S)
            shown = changed
            await self._wait(news)
        raise self._ending

    async def _look(
        self, site: str, asked: tuple[str, int], *, fresh: bool
    ) -> table_pb2.WatchTableResponse:
        now_micros = time.time_ns() // 1_000
        return seen(
            await self._engine.read(
                site, lambda state: watched_table(state, asked, now_micros), fresh=fresh
            )
        )

    async def _wait(self, news: asyncio.Event) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(self.progress_s):
                await news.wait()


class TableService:
    """What tables call."""

    def __init__(self, engine: Engine, admission: Admission) -> None:
        self._engine = engine
        self._admission = admission
        self._max_streams = MAX_STREAMS
        self._streams: set[PlayStream] = set()
        self.watches = TableWatches(engine)
        self.heartbeats: dict[tuple[str, str], int] = {}  # (site, table) -> time in micros

    def rpcs(self) -> dict[str, Rpc]:
        """The service by the names of its RPCs."""
        rpcs = unary_rpcs(self._engine, ROWS)
        attach = self._with_standing(rpcs["Attach"])
        heard = {"Attach": self._heard(attach), "Heartbeat": self._heard(rpcs["Heartbeat"])}
        return {**rpcs, **heard, "Play": self._play, "WatchTable": self.watches.watch}

    def end_streams(self, error: CallRefusedError) -> None:
        """Let every stream answer what it has read, and then end it; end every watch."""
        self.watches.end(error)
        for stream in self._streams:
            stream.end(error)

    def _heard(self, rpc: Unary) -> Unary:
        """An RPC by which a table shows that it is alive."""

        async def call(message: Any, actor: Actor) -> Message:
            answer = await rpc(message, actor)
            self.heartbeats[message.site, message.table] = time.time_ns() // 1_000
            return answer

        return call

    def _with_standing(self, attach: Unary) -> Unary:
        """An attachment that also says what the table is, which its entry does not keep."""

        async def call(message: table_pb2.AttachRequest, actor: Actor) -> Message:
            answer = await attach(message, actor)
            found = await self._engine.read(
                message.site, lambda state: standing(state, message.table), fresh=False
            )
            answer.MergeFrom(seen(found))
            answer.MergeFrom(
                table_pb2.AttachResponse(
                    server_version=program_version(),
                    server_time=timestamp(time.time_ns() // 1_000),
                )
            )
            return answer

        return call

    def _play(self, call: Call, actor: Actor) -> None:
        if len(self._streams) >= self._max_streams:
            raise refused(Reason.OVERLOADED, streams=len(self._streams), limit=self._max_streams)

        def may_play(site: str, table: str) -> None:
            self._admission.check(actor, "TableService/Play", site, table, call.peer)

        stream = PlayStream(self._engine, call, may_play)
        self._streams.add(stream)
        call.at_end.append(lambda: self._streams.discard(stream))
