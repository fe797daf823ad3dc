"""A floorperson and a cashier at hand: awards are validated and paid as they fall.

For demonstrations and laboratories. In a casino people do this, with `jackpot payouts`.
"""

from collections.abc import Callable
from typing import Any

import grpc
from msgspec import structs

from jackpot.request_id import new_request_id
from jackpot.v1 import operator_pb2, operator_pb2_grpc, payout_pb2
from table_client.ports import SideAward
from table_client.progressive import award_of

FLOORPERSON = "floor"


class Floor:
    """Validates and pays over the operators' service."""

    def __init__(
        self,
        channel: grpc.aio.Channel,
        site: str,
        request_id: Callable[[], str] = new_request_id,
    ) -> None:
        self._site = site
        self._request_id = request_id
        self._stub: operator_pb2_grpc.OperatorServiceAsyncStub = (
            operator_pb2_grpc.OperatorServiceStub(channel)
        )

    async def clear(self, table: str) -> None:
        """Pay what an earlier run has left open: the table holds its next round until then."""
        request = operator_pb2.ListPayoutsRequest(site=self._site, table=table)
        left = (await self._stub.ListPayouts(request)).payouts
        # An envy bonus hangs on another's hand, which is validated first.
        for payout in sorted(left, key=lambda each: each.kind == payout_pb2.PAYOUT_KIND_ENVY):
            award = award_of(payout)
            if payout.floorperson:
                award = structs.replace(award, needs_floorperson=False)
            await self.pay(award)

    async def pay(self, award: SideAward) -> None:
        """Validate an award where it must be, and pay it."""
        if award.needs_floorperson:
            await self._stub.ValidatePayout(
                operator_pb2.ValidatePayoutRequest(**self._about(award), floorperson=FLOORPERSON)
            )
        form = f"form-{award.payout}" if award.source == "cage" else ""
        await self._stub.PayPayout(operator_pb2.PayPayoutRequest(**self._about(award), form=form))

    def _about(self, award: SideAward) -> dict[str, Any]:
        return {"site": self._site, "request_id": self._request_id(), "payout": award.payout}
