"""A floorperson and a cashier at hand: awards are paid as they fall, and voids are done.

For demonstrations and laboratories. In a casino people do this, with `jackpot payouts` and
`jackpot void`.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import grpc
from google.protobuf.message import Message
from msgspec import structs
from tenacity import stop_after_delay

from jackpot.wire.refusals import explained, from_rpc_error
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import operator_pb2, operator_pb2_grpc, table_pb2
from table_client.controllers import PATIENCE_S
from table_client.conversation import CALL_TIMEOUT_S, retried
from table_client.table.ports import SideAward
from table_client.table.progressive import award_of

FLOORPERSON = "floor"
_DEADLINE_S = 30.0


class Floor:
    """Validates, pays and voids over the operators' service."""

    def __init__(
        self,
        channels: grpc.aio.Channel | Sequence[grpc.aio.Channel],
        site: str,
        request_id: Callable[[], str] = new_request_id,
        *,
        cage: Sequence[grpc.aio.Channel] = (),
    ) -> None:
        """With channels to several controllers, the next is asked when one fails.

        Where certificates say who calls, the cage's payments need accounting's own channels.
        """
        self._site = site
        self._request_id = request_id
        self._floor = channels if isinstance(channels, Sequence) else [channels]
        self._cage = cage or self._floor

    async def clear(self, table: str) -> None:
        """Pay what an earlier run has left open: the table holds its next round until then."""
        request = operator_pb2.ListPayoutsRequest(site=self._site, table=table)
        for payout in (await _ask(self._floor, "ListPayouts", request)).payouts:
            award = award_of(payout)
            if payout.floorperson:
                award = structs.replace(award, needs_floorperson=False)
            await self.pay(award)

    async def pay(self, award: SideAward) -> None:
        """Validate an award where it must be, and pay it."""
        if award.needs_floorperson:
            seen = operator_pb2.ValidatePayoutRequest(**self._about(award), floorperson=FLOORPERSON)
            await _ask(self._floor, "ValidatePayout", seen)
        by_cage = award.source == "cage"
        form = f"form-{award.payout}" if by_cage else ""
        paid = operator_pb2.PayPayoutRequest(**self._about(award), form=form)
        await _ask(self._cage if by_cage else self._floor, "PayPayout", paid)

    async def void_round(self, table: str, round_: int, irregularity: str) -> None:
        """Void a table's round."""
        void = operator_pb2.VoidTableRoundRequest(
            **self._at(table, round_), irregularity=irregularity
        )
        await _do(self._floor, "VoidTableRound", void)

    async def void_seat(self, table: str, round_: int, seat: int, irregularity: str) -> None:
        """Void one seat of a table's round."""
        void = operator_pb2.VoidTableSeatRequest(
            **self._at(table, round_), seat=seat, irregularity=irregularity
        )
        await _do(self._floor, "VoidTableSeat", void)

    async def remove_wager(self, table: str, round_: int, seat: int, bet: str) -> None:
        """Remove an accepted wager that has no chip."""
        wager = table_pb2.PlacedWager(seat=seat, bet=bet)
        removal = operator_pb2.RemoveWagerRequest(**self._at(table, round_), wager=wager)
        await _do(self._floor, "RemoveWager", removal)

    def _at(self, table: str, round_: int) -> dict[str, Any]:
        return self._new() | {"table": table, "round": round_}

    def _about(self, award: SideAward) -> dict[str, Any]:
        return self._new() | {"payout": award.payout}

    def _new(self) -> dict[str, Any]:
        return {"site": self._site, "request_id": self._request_id()}


async def _do(channels: Sequence[grpc.aio.Channel], rpc: str, request: Message) -> None:
    """Ask until there is an answer: a table that has to wait for it is in mid-round."""

    async def ask() -> None:
        await _ask(channels, rpc, request, timeout_s=CALL_TIMEOUT_S)

    await retried(ask, stop_after_delay(_DEADLINE_S))


async def _ask(
    channels: Sequence[grpc.aio.Channel],
    rpc: str,
    request: Message,
    *,
    timeout_s: float | None = None,
) -> Any:
    """The first answer; a request has one identity, so asking again does nothing twice."""
    for place, channel in enumerate(channels, 1):
        last = place == len(channels)
        call = getattr(operator_pb2_grpc.OperatorServiceStub(channel), rpc)
        try:
            return await call(request, timeout=timeout_s if last else PATIENCE_S)
        except grpc.RpcError as error:
            refusal = await asyncio.to_thread(explained, from_rpc_error(error), channel)
            if last or refusal.retry_s is None:
                raise refusal from error
    raise AssertionError("there is a channel")
