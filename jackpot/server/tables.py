"""TableService: a table's commands one by one, its heartbeat, and its streams."""

import time
from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message

from jackpot.auth.gate import Actor
from jackpot.core.reasons import Reason
from jackpot.engine import Engine
from jackpot.server.admission import Admission
from jackpot.server.codec.table import ROWS
from jackpot.server.errors import CallRefusedError, refused
from jackpot.server.play import PlayStream
from jackpot.server.rpc import Context, Stream, Unary, unary_rpcs
from jackpot.wire.limits import MAX_STREAMS


class TableService:
    """What tables call."""

    def __init__(
        self, engine: Engine, admission: Admission, max_streams: int = MAX_STREAMS
    ) -> None:
        self._engine = engine
        self._admission = admission
        self._max_streams = max_streams
        self._streams: set[PlayStream] = set()
        self.heartbeats: dict[tuple[str, str], int] = {}  # (site, table) -> time in micros

    def rpcs(self) -> dict[str, Unary | Stream]:
        """The service by the names of its RPCs."""
        rpcs = unary_rpcs(self._engine, ROWS)
        heard = {rpc: self._heard(rpcs[rpc]) for rpc in ("Attach", "Heartbeat")}
        return {**rpcs, **heard, "Play": self._play}

    def end_streams(self, error: CallRefusedError) -> None:
        """Let every stream answer what it has read, and then end it."""
        for stream in self._streams:
            stream.end(error)

    def _heard(self, rpc: Unary) -> Unary:
        """An RPC by which a table shows that it is alive."""

        async def call(message: Any, actor: Actor) -> Message:
            answer = await rpc(message, actor)
            self.heartbeats[message.site, message.table] = time.time_ns() // 1_000
            return answer

        return call

    async def _play(self, _message_type: Any, context: Context, actor: Actor) -> None:
        if len(self._streams) >= self._max_streams:
            raise refused(Reason.OVERLOADED, streams=len(self._streams), limit=self._max_streams)
        stream = PlayStream(self._engine, context, self._may_play(actor, context))
        self._streams.add(stream)
        try:
            await stream.run()
        finally:
            self._streams.discard(stream)

    def _may_play(self, actor: Actor, context: Context) -> Callable[[str, str], None]:
        peer = context.peer()
        return lambda site, table: self._admission.check(
            actor, "TableService/Play", site, table, peer
        )
