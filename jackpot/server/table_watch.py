"""WatchTable: a table's stream of what others change about it.

A watcher is told the latest value, never a queue: after each frame it pauses for a moment, and
whatever changes meanwhile comes in one frame. When nothing changes, a progress frame shows that the
connection is alive.
"""

import asyncio
import time
from contextlib import suppress

from jackpot.auth.callers import Actor
from jackpot.core.reasons import Reason
from jackpot.engine import Engine
from jackpot.server.calls import Call
from jackpot.server.codec.watch import parse_table, watched_table
from jackpot.server.errors import CallRefusedError, refused, seen
from jackpot.wire.limits import FRAME_GAP_S, MAX_WATCHERS, PROGRESS_S
from jackpot.wire.v1 import table_pb2


class TableWatches:
    """The watches of one controller's tables."""

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

    async def watch(self, message: table_pb2.WatchTableRequest, call: Call, _actor: Actor) -> None:
        """Serve one watch, until it is ended or its table attaches again."""
        site, asked = parse_table(message)
        if self._watchers >= self._max_watchers:
            raise refused(Reason.OVERLOADED, watchers=self._watchers, limit=self._max_watchers)
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
