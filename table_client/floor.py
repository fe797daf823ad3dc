"""A floorperson and a cashier at hand: awards are validated and paid as they fall.

For demonstrations and laboratories. In a casino people do this, with `jackpot payouts`.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import grpc
from google.protobuf.message import Message
from msgspec import structs

from jackpot.request_id import new_request_id
from jackpot.v1 import operator_pb2, operator_pb2_grpc
from table_client.controllers import PATIENCE_S
from table_client.errors import explained, from_rpc_error
from table_client.ports import SideAward
from table_client.progressive import award_of

FLOORPERSON = "floor"


class Floor:
    """Validates and pays over the operators' service."""

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

    def _about(self, award: SideAward) -> dict[str, Any]:
        return {"site": self._site, "request_id": self._request_id(), "payout": award.payout}


async def _ask(channels: Sequence[grpc.aio.Channel], rpc: str, request: Message) -> Any:
    """The first answer; a request has one identity, so asking again does nothing twice."""
    for place, channel in enumerate(channels, 1):
        last = place == len(channels)
        call = getattr(operator_pb2_grpc.OperatorServiceStub(channel), rpc)
        try:
            return await call(request, timeout=None if last else PATIENCE_S)
        except grpc.RpcError as error:
            refusal = await asyncio.to_thread(explained, from_rpc_error(error), channel)
            if last or refusal.retry_s is None:
                raise refusal from error
    raise AssertionError("there is a channel")
