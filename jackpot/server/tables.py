"""TableService: a table's commands one by one, its heartbeat, and its streams."""

import time
from collections.abc import Callable
from typing import Any

from google.protobuf.message import Message

from jackpot.auth.gate import Actor
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.core.state import State
from jackpot.engine import Engine
from jackpot.server import fields
from jackpot.server.answers import TABLE_ANSWERS
from jackpot.server.caller import Door
from jackpot.server.errors import CallRefusedError, refused
from jackpot.server.operator_answers import OPERATOR_ANSWERS
from jackpot.server.operator_parse import operator_request
from jackpot.server.outcomes import accepted, seen
from jackpot.server.parse import table_request
from jackpot.server.play import PlayStream
from jackpot.server.rpc import Context, Stream, Unary
from jackpot.wire.limits import MAX_STREAMS
from jackpot.wire.v1 import table_pb2

# RPC -> the field that carries the same command on a Play stream.
COMMANDS = {
    field.message_type.name: field.name
    for field in table_pb2.PlayCommand.DESCRIPTOR.oneofs_by_name["command"].fields
    if field.message_type is not None
}


class TableService:
    """What tables call."""

    def __init__(self, engine: Engine, door: Door, max_streams: int = MAX_STREAMS) -> None:
        self._engine = engine
        self._door = door
        self._max_streams = max_streams
        self._streams: set[PlayStream] = set()
        self.heartbeats: dict[tuple[str, str], int] = {}  # (site, table) -> time in micros

    def rpcs(self) -> dict[str, Unary | Stream]:
        """The service by the names of its RPCs."""
        return {
            "Attach": self._attach,
            "Heartbeat": self._heartbeat,
            "Play": self._play,
            **{rpc: self._command(kind) for rpc, kind in COMMANDS.items()},
        }

    def end_streams(self, error: CallRefusedError) -> None:
        """Let every stream answer what it has read, and then end it."""
        for stream in self._streams:
            stream.end(error)

    async def _attach(self, message: table_pb2.AttachRequest, actor: Actor) -> Message:
        done = accepted(await self._engine.execute(operator_request(message, actor)))
        self.heartbeats[message.site, message.table] = _now_micros()
        answer: Message = OPERATOR_ANSWERS["Attach"](done.sequence, done.event)
        return answer

    async def _heartbeat(self, message: table_pb2.HeartbeatRequest, _actor: Actor) -> Message:
        site = fields.identifier(message.site, "site")
        table = fields.identifier(message.table, "table")
        epoch = fields.number(message.epoch, "epoch")

        def look(state: State) -> table_pb2.HeartbeatResponse | Refusal:
            found = state.tables.get(table)
            if found is None:
                return refuse(Reason.UNKNOWN_TABLE, table=table)
            if epoch > found.epoch:
                return refuse(Reason.NOT_ATTACHED, table=table, epoch=found.epoch)
            if epoch < found.epoch:
                return refuse(Reason.FENCED, table=table, epoch=found.epoch)
            return table_pb2.HeartbeatResponse(
                sequence=state.sequence, last_number=found.last_number
            )

        # Every table beats every few seconds: the store is asked only before one is refused.
        found = await self._engine.read(site, look, fresh=False)
        if isinstance(found, Refusal):
            found = await self._engine.read(site, look)
        answer = seen(found)
        self.heartbeats[site, table] = _now_micros()
        return answer

    def _command(self, kind: str) -> Unary:
        async def rpc(message: Any, _actor: Actor) -> Message:
            done = accepted(await self._engine.execute(table_request(kind, message)))
            answer: Message = TABLE_ANSWERS[kind](done.sequence, done.event)
            return answer

        return rpc

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
        return lambda site, table: self._door.check(actor, "TableService/Play", site, table, peer)


def _now_micros() -> int:
    return time.time_ns() // 1_000
