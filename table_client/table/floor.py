"""What a table may not do alone, and a floorperson and a cashier at hand who do it.

`Floor` is for demonstrations and laboratories. In a casino people do this, with `jackpot payouts`
and `jackpot floor`.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, cast

import grpc
from google.protobuf.message import Message
from msgspec import structs
from tenacity import stop_after_delay

from jackpot.wire.refusals import RefusedError, explained, from_rpc_error
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import operator_pb2, operator_pb2_grpc, payout_pb2, table_pb2
from table_client.client import TableClient
from table_client.controllers import PATIENCE_S
from table_client.conversation import CALL_TIMEOUT_S, retried
from table_client.table.ports import Floorperson, SideAward

FLOORPERSON = "floor"
_DEADLINE_S = 30.0


class Floor:
    """Validates, pays and approves calls over the operators' service."""

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

    async def approve(self, call: int) -> None:
        """Do what a table has asked for."""
        request = operator_pb2.ApproveFloorCallRequest(**self._new(), call=call)
        await _do(self._floor, "ApproveFloorCall", request)

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


CALL_CLOSED = "CALL_CLOSED"
_CALL_OPEN = "CALL_OPEN"
_UNCOLLECTED = (table_pb2.ROUND_PHASE_OPEN, table_pb2.ROUND_PHASE_LOCKED)
_AGAIN = (table_pb2.CALL_OUTCOME_DECLINED, table_pb2.CALL_OUTCOME_EXPIRED)
Staff = Callable[[RefusedError], Awaitable[None]]


class Calls:
    """A table's calls for the floor: a table asks, and a floorperson does it.

    A floorperson at hand approves at once, with a credential of their own. Where there is none, the
    table waits for the answer. What is declined it asks for again, when staff were told: without
    its cards a round can't go on.
    """

    def __init__(
        self, client: TableClient, floor: Floorperson | None = None, staff: Staff | None = None
    ) -> None:
        """`staff` is told what is waited for where no floorperson is at hand."""
        self._client = client
        self._floor = floor
        self._staff = staff

    async def void_left(self, left: table_pb2.Round, irregularity: str) -> None:
        """Void a round that was found under way."""
        collected = left.phase not in _UNCOLLECTED
        await self.void_round(left.number, irregularity, collected=collected)

    async def void_round(self, round_: int, irregularity: str, *, collected: bool) -> None:
        """Void the round: by the table itself, or once it is collected by a floorperson."""
        if not collected:
            await self._client.void_round(irregularity)
            return
        act = table_pb2.FLOOR_ACT_VOID_ROUND
        await self._call(table_pb2.CallFloor(act=act, round=round_, irregularity=irregularity))

    async def void_seat(self, round_: int, seat: int, irregularity: str) -> None:
        """Have one seat voided."""
        call = table_pb2.CallFloor(
            act=table_pb2.FLOOR_ACT_VOID_SEAT, round=round_, seat=seat, irregularity=irregularity
        )
        await self._call(call)

    async def remove_wager(self, round_: int, seat: int, bet: str) -> None:
        """Have a wager removed that has no chip."""
        act = table_pb2.FLOOR_ACT_REMOVE_WAGER
        await self._call(table_pb2.CallFloor(act=act, round=round_, seat=seat, bet=bet))

    async def _call(self, asked: table_pb2.CallFloor) -> None:
        """Ask until it is done, or can't be done any more."""
        while True:
            number = await self._ask(asked)
            if self._floor:
                await self._floor.approve(number)
                return
            if self._staff is None:
                raise _waits(number)
            await self._staff(_waits(number))
            answer = await self._answer(number)
            if answer.outcome not in _AGAIN:
                return
            await self._staff(_refused(answer))

    async def _ask(self, asked: table_pb2.CallFloor) -> int:
        """The number of the call; one that an earlier run has left open goes first."""
        while True:
            try:
                return (await self._client.call_floor(asked)).call
            except RefusedError as refusal:
                if refusal.reason != _CALL_OPEN:
                    raise
                left = int(refusal.metadata["call"])
            try:
                await self._client.withdraw_call(left)
            except RefusedError as refusal:
                if refusal.reason != CALL_CLOSED:
                    raise

    async def _answer(self, number: int) -> table_pb2.FloorCall:
        """What becomes of a call."""
        frame = await self._client.until(
            lambda table: table.call.id >= number and bool(table.call.outcome)
        )
        if frame is None:
            raise AssertionError("it is waited for without end")
        return frame.call


def _waits(number: int) -> RefusedError:
    text = f"call {number} waits for a floorperson"
    return RefusedError("FAILED_PRECONDITION", text, _CALL_OPEN, {"call": str(number)})


def _refused(call: table_pb2.FloorCall) -> RefusedError:
    outcome = table_pb2.CallOutcome.Name(call.outcome).removeprefix("CALL_OUTCOME_").lower()
    metadata = {"call": str(call.id), "outcome": outcome, "by": call.by}
    text = f"call {call.id} was {outcome}"
    return RefusedError("FAILED_PRECONDITION", text, CALL_CLOSED, metadata)


def award_of(payout: payout_pb2.Payout) -> SideAward:
    """A payout as a round sees it."""
    kind = payout_pb2.PayoutKind.Name(payout.kind).removeprefix("PAYOUT_KIND_").lower()
    source = payout_pb2.PayoutSource.Name(payout.source).removeprefix("PAYOUT_SOURCE_").lower()
    return SideAward(
        seat=payout.seat,
        bet=payout.bet,
        kind=cast("Any", kind),
        hand=payout.hand,
        amount_micros=payout.amount_micros,
        source=cast("Any", source),
        needs_floorperson=payout.needs_floorperson,
        holder=payout.holder,
        payout=payout.id,
    )
