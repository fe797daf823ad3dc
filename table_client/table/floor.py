"""What a table may not do alone, and a floorperson and a cashier at hand who do it.

`Floor` is for demonstrations and laboratories. In a casino people do this, with `jackpot payouts`
and `jackpot void`.
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


VOID_BY_FLOOR_ONLY = "VOID_BY_FLOOR_ONLY"
COMMAND = "command"  # in the metadata of what staff are waited for with
_UNCOLLECTED = (table_pb2.ROUND_PHASE_OPEN, table_pb2.ROUND_PHASE_LOCKED)
Staff = Callable[[RefusedError], Awaitable[None]]


class Calls:
    """A table's calls for the floor: once a round is collected, a floorperson voids it.

    A floorperson at hand does it with a credential of their own. Where there is none, the table
    waits for staff, who do it by command line, and looks at its round until they have.
    """

    def __init__(
        self, client: TableClient, floor: Floorperson | None = None, staff: Staff | None = None
    ) -> None:
        """`staff` is waited for where no floorperson is at hand."""
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
        elif self._floor:
            await self._floor.void_round(self._client.table, round_, irregularity)
        else:
            command = f"jackpot void {self._client.table} --round {round_} --reason {irregularity}"
            await self._wait(command, round_, lambda _: False)

    async def void_seat(
        self, round_: int, seat: int, irregularity: str, *, collected: bool
    ) -> None:
        """Void one seat, by whoever may."""
        if not collected:
            await self._client.void_seat(seat, irregularity)
        elif self._floor:
            await self._floor.void_seat(self._client.table, round_, seat, irregularity)
        else:
            what = f"jackpot void {self._client.table} --round {round_} --seat {seat}"
            command = f"{what} --reason {irregularity}"
            await self._wait(command, round_, lambda left: seat in left.void_seats)

    async def remove_wager(self, round_: int, seat: int, bet: str) -> None:
        """Have a wager removed that has no chip."""
        if self._floor:
            await self._floor.remove_wager(self._client.table, round_, seat, bet)
            return
        what = f"jackpot wager remove {self._client.table} --round {round_}"
        command = f"{what} --seat {seat} --bet {bet}"
        await self._wait(
            command,
            round_,
            lambda left: all((each.seat, each.bet) != (seat, bet) for each in left.wagers),
        )

    async def _wait(
        self, command: str, round_: int, done: Callable[[table_pb2.Round], bool]
    ) -> None:
        """Wait until staff have done it, or have ended the round."""
        refusal = RefusedError(
            "FAILED_PRECONDITION",
            "a floorperson must do this",
            VOID_BY_FLOOR_ONLY,
            {COMMAND: command},
        )
        if self._staff is None:
            raise refusal
        while True:
            left = (await self._client.attach()).round
            void = left.phase == table_pb2.ROUND_PHASE_VOIDED
            if left.number != round_ or void or done(left):
                return
            await self._staff(refusal)


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
