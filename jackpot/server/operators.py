"""OperatorService: what staff call."""

from typing import Any

from google.protobuf.message import Message

from jackpot.auth.gate import Actor
from jackpot.core import ledger
from jackpot.core.order import payouts_in_order
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.core.state import State
from jackpot.engine import Engine
from jackpot.server import fields
from jackpot.server.answers import payout_message
from jackpot.server.errors import CallRefusedError
from jackpot.server.floor_watch import FloorWatch, Heartbeats
from jackpot.server.operator_answers import (
    OPERATOR_ANSWERS,
    alarm_message,
    link_message,
    proposal_message,
    table_message,
)
from jackpot.server.operator_parse import operator_request
from jackpot.server.outcomes import accepted, seen
from jackpot.server.rpc import Stream, Unary
from jackpot.wire.v1 import operator_pb2


class OperatorService:
    """What staff call."""

    def __init__(self, engine: Engine, heartbeats: Heartbeats, floor: FloorWatch) -> None:
        self._engine = engine
        self._heartbeats = heartbeats
        self._floor = floor

    def rpcs(self) -> dict[str, Unary | Stream]:
        """The service by the names of its RPCs."""
        return {
            "ListLinks": self._list_links,
            "ListPayouts": self._list_payouts,
            "ListProposals": self._list_proposals,
            "GetAccount": self._get_account,
            "ListTables": self._list_tables,
            "GetTable": self._get_table,
            "ListAlarms": self._list_alarms,
            **{rpc: self._command(rpc) for rpc in OPERATOR_ANSWERS if rpc != "Attach"},
        }

    def _command(self, rpc: str) -> Unary:
        async def call(message: Any, actor: Actor) -> Message:
            done = accepted(await self._engine.execute(operator_request(message, actor)))
            answer: Message = OPERATOR_ANSWERS[rpc](done.sequence, done.event)
            return answer

        return call

    async def _list_links(self, message: operator_pb2.ListLinksRequest, _actor: Actor) -> Message:
        def look(state: State) -> operator_pb2.ListLinksResponse:
            return operator_pb2.ListLinksResponse(
                sequence=state.sequence,
                links=[link_message(state, link) for link in state.links.values()],
            )

        return seen(await self._engine.read(fields.identifier(message.site, "site"), look))

    async def _list_payouts(
        self, message: operator_pb2.ListPayoutsRequest, _actor: Actor
    ) -> Message:
        table = fields.identifier(message.table, "table") if message.table else ""

        def look(state: State) -> operator_pb2.ListPayoutsResponse | Refusal:
            if table and table not in state.tables:
                return refuse(Reason.UNKNOWN_TABLE, table=table)
            return operator_pb2.ListPayoutsResponse(
                sequence=state.sequence,
                payouts=[
                    payout_message(payout)
                    for payout in payouts_in_order(state)
                    if table in ("", payout.table)
                ],
            )

        return seen(await self._engine.read(fields.identifier(message.site, "site"), look))

    async def _list_proposals(
        self, message: operator_pb2.ListProposalsRequest, _actor: Actor
    ) -> Message:
        def look(state: State) -> operator_pb2.ListProposalsResponse:
            return operator_pb2.ListProposalsResponse(
                sequence=state.sequence,
                proposals=[proposal_message(found) for found in state.proposals.values()],
                dual_control=state.dual_control,
            )

        return seen(await self._engine.read(fields.identifier(message.site, "site"), look))

    async def _get_account(self, message: operator_pb2.GetAccountRequest, _actor: Actor) -> Message:
        name = ledger.game_account(fields.identifier(message.account, "account"))

        def look(state: State) -> operator_pb2.GetAccountResponse:
            return operator_pb2.GetAccountResponse(
                sequence=state.sequence, balance_micros=state.balances.get(name, 0)
            )

        return seen(await self._engine.read(fields.identifier(message.site, "site"), look))

    async def _list_tables(self, message: operator_pb2.ListTablesRequest, _actor: Actor) -> Message:
        def look(state: State) -> operator_pb2.ListTablesResponse:
            return operator_pb2.ListTablesResponse(
                sequence=state.sequence, tables=[self._table(state, id_) for id_ in state.tables]
            )

        return seen(await self._engine.read(fields.identifier(message.site, "site"), look))

    async def _get_table(self, message: operator_pb2.GetTableRequest, _actor: Actor) -> Message:
        table = fields.identifier(message.table, "table")

        def look(state: State) -> operator_pb2.GetTableResponse | Refusal:
            if table not in state.tables:
                return refuse(Reason.UNKNOWN_TABLE, table=table)
            return operator_pb2.GetTableResponse(
                sequence=state.sequence, table=self._table(state, table)
            )

        return seen(await self._engine.read(fields.identifier(message.site, "site"), look))

    async def _list_alarms(self, message: operator_pb2.ListAlarmsRequest, _actor: Actor) -> Message:
        site = fields.identifier(message.site, "site")
        # While a commit hangs, so would the look; what stands is known without it.
        healthy = self._engine.healthy
        found = await self._floor.look(site) if healthy else refuse(Reason.STORE_UNAVAILABLE)
        if isinstance(found, Refusal) and found.reason is Reason.UNKNOWN_SITE:
            raise CallRefusedError(found)
        return operator_pb2.ListAlarmsResponse(
            sequence=0 if isinstance(found, Refusal) else found,
            alarms=[alarm_message(alarm) for alarm in self._engine.alarms.alarms(site)],
        )

    def _table(self, state: State, table: str) -> operator_pb2.Table:
        heartbeat_micros = self._heartbeats.get((state.site, table), 0)
        return table_message(state, state.tables[table], heartbeat_micros)
