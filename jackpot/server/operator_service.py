"""OperatorService: what staff call."""

from collections.abc import Callable, Iterable
from typing import Any

from google.protobuf.message import Message

from jackpot.auth.callers import Actor
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.engine import Engine
from jackpot.server.codec.fields import timestamp
from jackpot.server.codec.operator import ROWS
from jackpot.server.errors import CallRefusedError
from jackpot.server.rpc import Rpc, Unary, unary_rpcs
from jackpot.server.standing_alarms import Heartbeats, StandingAlarms
from jackpot.wire.v1 import operator_pb2


class OperatorService:
    """What staff call."""

    def __init__(self, engine: Engine, heartbeats: Heartbeats, standing: StandingAlarms) -> None:
        self._engine = engine
        self._heartbeats = heartbeats
        self._standing = standing

    def rpcs(self) -> dict[str, Rpc]:
        """The service by the names of its RPCs."""
        rpcs = unary_rpcs(self._engine, ROWS)
        return {
            **rpcs,
            "ListTables": self._with_heartbeats(rpcs["ListTables"], lambda found: found.tables),
            "GetTable": self._with_heartbeats(rpcs["GetTable"], lambda found: [found.table]),
            "ListAlarms": self._list_alarms,
        }

    def _with_heartbeats(self, rpc: Unary, tables: Callable[[Any], Iterable[Any]]) -> Unary:
        """An RPC that also says when tables were last heard from, which no journal knows."""

        async def call(message: Any, actor: Actor) -> Message:
            found = await rpc(message, actor)
            for table in tables(found):
                if heard := timestamp(self._heartbeats.get((message.site, table.id), 0)):
                    table.heartbeat_time.CopyFrom(heard)
            return found

        return call

    async def _list_alarms(self, message: operator_pb2.ListAlarmsRequest, _actor: Actor) -> Message:
        row = ROWS["ListAlarms"]
        site = row.parse(message)
        # While a commit hangs, so would the look; what stands is known without it.
        healthy = self._engine.healthy
        found = await self._standing.look(site) if healthy else refuse(Reason.STORE_UNAVAILABLE)
        if isinstance(found, Refusal) and found.reason is Reason.UNKNOWN_SITE:
            raise CallRefusedError(found)
        sequence = 0 if isinstance(found, Refusal) else found
        answer: Message = row.answer(sequence, self._engine.alarms.alarms(site))
        return answer
