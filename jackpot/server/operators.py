"""OperatorService: what staff call."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from google.protobuf.message import Message

from jackpot.auth.gate import Actor
from jackpot.engine import Engine
from jackpot.server.codec.operator import ROWS
from jackpot.server.rpc import Stream, Unary, unary_rpcs


class OperatorService:
    """What staff call."""

    def __init__(self, engine: Engine, heartbeats: Mapping[tuple[str, str], int]) -> None:
        self._engine = engine
        self._heartbeats = heartbeats

    def rpcs(self) -> dict[str, Unary | Stream]:
        """The service by the names of its RPCs."""
        rpcs = unary_rpcs(self._engine, ROWS)
        return {
            **rpcs,
            "ListTables": self._with_heartbeats(rpcs["ListTables"], lambda found: found.tables),
            "GetTable": self._with_heartbeats(rpcs["GetTable"], lambda found: [found.table]),
        }

    def _with_heartbeats(self, rpc: Unary, tables: Callable[[Any], Iterable[Any]]) -> Unary:
        """An RPC that also says when tables were last heard from, which no journal knows."""

        async def call(message: Any, actor: Actor) -> Message:
            found = await rpc(message, actor)
            for table in tables(found):
                table.heartbeat_time_micros = self._heartbeats.get((message.site, table.id), 0)
            return found

        return call
