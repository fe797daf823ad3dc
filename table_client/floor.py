"""A floorperson and a cashier at hand: awards are validated and paid as they fall.

For demonstrations and laboratories. In a casino people do this, with `jackpot payouts`.
"""

from typing import Any

import grpc

from jackpot.request_id import new_request_id
from jackpot.v1 import operator_pb2, operator_pb2_grpc
from table_client.ports import SideAward

FLOORPERSON = "floor"


class Floor:
    """Validates and pays over the operators' service."""

    def __init__(self, channel: grpc.aio.Channel, site: str) -> None:
        self._site = site
        self._stub: operator_pb2_grpc.OperatorServiceAsyncStub = (
            operator_pb2_grpc.OperatorServiceStub(channel)
        )

    async def pay(self, award: SideAward) -> None:
        """Validate an award where it must be, and pay it."""
        if award.needs_floorperson:
            await self._stub.ValidatePayout(
                operator_pb2.ValidatePayoutRequest(**self._about(award), floorperson=FLOORPERSON)
            )
        form = f"form-{award.payout}" if award.source == "cage" else ""
        await self._stub.PayPayout(operator_pb2.PayPayoutRequest(**self._about(award), form=form))

    def _about(self, award: SideAward) -> dict[str, Any]:
        return {"site": self._site, "request_id": new_request_id(), "payout": award.payout}
