"""Send commands as a table or as staff, and put every command and answer on the transcript."""

import asyncio
import random
import time
from collections import defaultdict
from collections.abc import Awaitable, Coroutine, Iterator, Sequence
from contextlib import suppress
from itertools import cycle
from typing import Any, TypeVar

import grpc
from tenacity import stop_after_delay

from emulator.soak.audit.entry import Entry, flat
from emulator.soak.report.measures import Latencies
from emulator.soak.transcript import Transcript
from jackpot.wire.identity import PRINCIPAL_KEY
from jackpot.wire.refusals import RefusedError, from_rpc_error
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import (
    meter_pb2,
    meter_pb2_grpc,
    operator_pb2,
    operator_pb2_grpc,
    table_pb2_grpc,
)
from jackpot.wire.v1 import table_pb2 as pb
from table_client.client import TableClient
from table_client.conversation import CALL_TIMEOUT_S, retried

T = TypeVar("T")
ANSWER_TIMEOUT_S = 600.0  # an answer is waited for as long as any fault may last
PEOPLE = 64


_unfinished: set["asyncio.Task[Any]"] = set()  # the loop itself holds tasks but weakly


async def to_its_end(work: Coroutine[Any, Any, T]) -> T:
    """Wait for work that goes on when its caller is cancelled: what was sent has an outcome."""
    task = asyncio.create_task(work)
    _unfinished.add(task)
    task.add_done_callback(_finished)
    return await asyncio.shield(task)


def _finished(task: "asyncio.Task[Any]") -> None:
    _unfinished.discard(task)
    if not task.cancelled():
        task.exception()  # whoever still waits is told; if nobody does, the open ticket tells


class RecordingClient(TableClient):
    """A table's client whose every command is on the transcript."""

    def __init__(
        self,
        channels: Sequence[grpc.aio.Channel],
        site: str,
        table: str,
        transcript: Transcript,
        latencies: Latencies,
    ) -> None:
        super().__init__(channels, site, table, deadline_s=ANSWER_TIMEOUT_S)
        self._transcript = transcript
        self._latencies = latencies

    async def attach(self) -> pb.AttachResponse:
        """Speak for the table, on record."""
        return await to_its_end(self._attach())

    async def _attach(self) -> pb.AttachResponse:
        ticket = self._transcript.begin()
        response = await super().attach()
        request = pb.AttachRequest(site=self.site, table=self.table)
        entry = Entry(response.sequence, "attach", request, response, table=self.table)
        self._transcript.end(ticket, entry)
        self._transcript.acknowledge(entry)
        return response

    def send(self, command: pb.PlayCommand) -> Awaitable[Any]:
        """Send a command, on record."""
        ticket, epoch = self._transcript.begin(), self.epoch
        future: asyncio.Future[Any] = super().send(command)  # type: ignore[assignment]
        began = time.perf_counter()
        future.add_done_callback(lambda done: self._answered(ticket, command, epoch, began, done))
        return future

    def _answered(
        self,
        ticket: int,
        command: pb.PlayCommand,
        epoch: int,
        began: float,
        done: "asyncio.Future[Any]",
    ) -> None:
        if done.cancelled():
            return  # the ticket stays open: nothing may be audited past an unknown outcome
        self._latencies.note(time.perf_counter() - began)
        error = done.exception()
        if error is not None and not (isinstance(error, RefusedError) and error.reason):
            kind = command.WhichOneof("command")
            self._transcript.give_up(f"{self.table} {command.number} {kind}: {error}")
            return
        entry = entry_of(self.table, epoch, command, error or done.result())
        self._transcript.end(ticket, entry)
        self._transcript.acknowledge(entry)


def entry_of(table: str, epoch: int, command: pb.PlayCommand, outcome: Any) -> Entry:
    """A table's command with its answer."""
    kind = str(command.WhichOneof("command"))
    entry = answered(kind, getattr(command, kind), outcome)
    return entry._replace(table=table, epoch=epoch, number=command.number)


def answered(kind: str, request: Any, outcome: Any) -> Entry:
    """A request with its response, or with the refusal and where the journal has it."""
    if not isinstance(outcome, RefusedError):
        return Entry(outcome.sequence, kind, request, outcome)
    details = dict(outcome.metadata)
    sequence = int(details.pop("sequence", 0))
    return Entry(sequence, kind, request, None, outcome.reason, details)


class StaffClient:
    """Floorpersons and managers, on record, and what they see.

    All controllers of a site are equal, and take turns: each RPC goes to the next one, also where
    one did not answer.
    """

    def __init__(
        self, channels: Sequence[grpc.aio.Channel], site: str, transcript: Transcript
    ) -> None:
        # The newest frame of each link, at each controller.
        self.shown: list[dict[str, meter_pb2.LinkMeters]] = [{} for _ in channels]
        self.watching = [False for _ in channels]  # whether frames come from each
        self.heard_s = [0.0 for _ in channels]  # when the last one came
        self._site = site
        self._transcript = transcript
        stubs = [operator_pb2_grpc.OperatorServiceStub(each) for each in channels]
        # A person's requests are remembered for a while, and those of so many at once for longer.
        self._people = cycle(f"staff-{number}" for number in range(PEOPLE))
        self._turns: defaultdict[str, Iterator[Any]] = defaultdict(lambda: cycle(stubs))
        self._meters: list[meter_pb2_grpc.MeterServiceAsyncStub] = [
            meter_pb2_grpc.MeterServiceStub(each) for each in channels
        ]

    async def do(self, rpc: str, **fields: Any) -> Any:
        """Send a command until it is answered; None: refused."""
        return await to_its_end(self._do(rpc, fields))

    async def _do(self, rpc: str, fields: dict[str, Any]) -> Any:
        message_type = getattr(operator_pb2, f"{rpc}Request")
        request = message_type(site=self._site, request_id=new_request_id(), **fields)
        ticket = self._transcript.begin()
        try:
            response = await self._call(rpc, request, next(self._people))
        except RefusedError as error:
            if not error.reason:  # nobody knows what became of it
                self._transcript.give_up(f"{rpc} {flat(request)}: {error}")
                raise
            self._transcript.end(ticket, answered(rpc, request, error))
            return None
        self._transcript.end(ticket, answered(rpc, request, response))
        return response

    async def look(self, rpc: str, **fields: Any) -> Any:
        """See all accounts, payouts or tables, or a game account, as they are.

        It is under way like a command: nothing may be audited past what it is going to show.
        """
        request = getattr(operator_pb2, f"{rpc}Request")(site=self._site, **fields)
        ticket, since = self._transcript.begin(), self._transcript.known
        entry, restores = None, self._transcript.restores
        try:
            response = await self._call(rpc, request)
            since = since if restores == self._transcript.restores else 0
            entry = Entry(response.sequence, rpc, request, response, since=since)
        finally:
            self._transcript.end(ticket, entry)
        return response

    async def _call(self, rpc: str, request: Any, person: str = "") -> Any:
        metadata = ((PRINCIPAL_KEY, person),) if person else ()

        async def call() -> Any:
            try:
                stub = next(self._turns[rpc])
                return await getattr(stub, rpc)(request, timeout=CALL_TIMEOUT_S, metadata=metadata)
            except grpc.RpcError as error:
                raise from_rpc_error(error) from error

        return await retried(call, stop_after_delay(ANSWER_TIMEOUT_S))

    async def watch(self, place: int) -> None:
        """See every frame that a sign at this controller would show, for as long as it lasts."""
        while True:
            self.watching[place] = False
            request = meter_pb2.WatchMetersRequest(site=self._site)
            try:
                async for response in self._meters[place].WatchMeters(request):
                    self.watching[place], self.heard_s[place] = True, time.monotonic()
                    for link in response.links:
                        self.shown[place][link.link] = link
                        self._transcript.show(place, link)
            except grpc.RpcError:
                self.watching[place] = False
                await asyncio.sleep(0.1)


# A copy may overtake what comes before it, come too late, or after the table was taken over.
_NO_WORD = frozenset(
    {"NUMBER_GAP", "REQUEST_TOO_OLD", "FENCED", "NOT_ATTACHED", "OTHER_INCARNATION"}
)


class ResendingClient(RecordingClient):
    """Sends some commands again by their own RPC, perhaps to another controller."""

    def __init__(
        self,
        channels: Sequence[grpc.aio.Channel],
        site: str,
        table: str,
        transcript: Transcript,
        latencies: Latencies,
        *,
        other: grpc.aio.Channel,
        chance: float,
        draw: random.Random,
    ) -> None:
        super().__init__(channels, site, table, transcript, latencies)
        self.copies = 0
        self._other: Any = table_pb2_grpc.TableServiceStub(other)
        self._chance = chance
        self._draw = draw
        self._tasks: set[asyncio.Task[None]] = set()

    def send(self, command: pb.PlayCommand) -> Awaitable[Any]:
        """Send a command, and now and then once more."""
        answer = super().send(command)
        if self._draw.random() < self._chance:
            task = asyncio.create_task(self._again(self.epoch, command, answer))
            self._tasks.add(task)
            task.add_done_callback(self._ended)
        return answer

    def _ended(self, task: "asyncio.Task[None]") -> None:
        """What failed is kept for `finish`, which raises it."""
        if task.cancelled() or not task.exception():
            self._tasks.discard(task)

    async def finish(self) -> None:
        """Wait for the copies."""
        await asyncio.gather(*self._tasks)

    async def _again(self, epoch: int, command: pb.PlayCommand, answer: Awaitable[Any]) -> None:
        if self._draw.choice([True, False]):  # at the same time
            await self._call(epoch, command)
            return
        with suppress(RefusedError):
            await asyncio.shield(asyncio.ensure_future(answer))
        if self._draw.choice([True, False]):
            command = pb.PlayCommand(
                number=command.number,
                void_round=pb.VoidRound(irregularity="another"),
            )
        await self._call(epoch, command)

    async def _call(self, epoch: int, command: pb.PlayCommand) -> None:
        kind = str(command.WhichOneof("command"))
        rpc = "".join(part.capitalize() for part in kind.split("_"))
        which = pb.CommandId(site=self.site, table=self.table, epoch=epoch, number=command.number)
        request = getattr(pb, f"{rpc}Request")(id=which, command=getattr(command, kind))
        ticket = self._transcript.begin()
        entry = None
        try:
            outcome = await getattr(self._other, rpc)(request, timeout=CALL_TIMEOUT_S)
            entry = entry_of(self.table, epoch, command, outcome)
        except grpc.RpcError as error:
            refusal = from_rpc_error(error)
            if refusal.reason and refusal.retry_s is None and refusal.reason not in _NO_WORD:
                entry = entry_of(self.table, epoch, command, refusal)
        finally:
            self.copies += entry is not None
            self._transcript.end(ticket, entry)
