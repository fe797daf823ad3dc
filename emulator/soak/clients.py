"""Clients that keep a record: a table's, and the staff's."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Coroutine, Iterator, Sequence
from itertools import cycle
from typing import Any, TypeVar

import grpc
from tenacity import stop_after_delay

from emulator.audit.entry import Entry, flat
from emulator.soak.latency import Latencies
from emulator.soak.tape import Tape
from jackpot.server.admission import PRINCIPAL_KEY
from jackpot.wire.refusals import RefusedError, from_rpc_error
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import meter_pb2, meter_pb2_grpc, operator_pb2, operator_pb2_grpc
from jackpot.wire.v1 import table_pb2 as pb
from table_client.client import TableClient
from table_client.conversation import CALL_TIMEOUT_S, retried

T = TypeVar("T")
PATIENCE_S = 600.0  # an answer is waited for as long as any fault may last
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
    """A table's client whose every command is on the tape."""

    def __init__(
        self,
        channels: Sequence[grpc.aio.Channel],
        site: str,
        table: str,
        tape: Tape,
        latencies: Latencies,
    ) -> None:
        super().__init__(channels, site, table, deadline_s=PATIENCE_S)
        self._tape = tape
        self._latencies = latencies

    async def attach(self) -> pb.AttachResponse:
        """Speak for the table, on record."""
        return await to_its_end(self._attach())

    async def _attach(self) -> pb.AttachResponse:
        ticket = self._tape.begin()
        response = await super().attach()
        request = pb.AttachRequest(site=self.site, table=self.table)
        entry = Entry(response.sequence, "attach", request, response, table=self.table)
        self._tape.end(ticket, entry)
        return response

    def send(self, command: pb.PlayCommand) -> Awaitable[Any]:
        """Send a command, on record."""
        ticket = self._tape.begin()
        future: asyncio.Future[Any] = super().send(command)  # type: ignore[assignment]
        began = time.perf_counter()
        future.add_done_callback(lambda done: self._answered(ticket, command, began, done))
        return future

    def _answered(
        self, ticket: int, command: pb.PlayCommand, began: float, done: "asyncio.Future[Any]"
    ) -> None:
        if done.cancelled():
            return  # the ticket stays open: nothing may be audited past an unknown outcome
        self._latencies.note(time.perf_counter() - began)
        error = done.exception()
        if error is not None and not (isinstance(error, RefusedError) and error.reason):
            kind = command.WhichOneof("command")
            self._tape.give_up(f"{self.table} {command.number} {kind}: {error}")
            return
        entry = entry_of(self.table, self.epoch, command, error or done.result())
        self._tape.end(ticket, entry)


def entry_of(table: str, epoch: int, command: pb.PlayCommand, outcome: Any) -> Entry:
    """A table's command with its answer."""
    kind = str(command.WhichOneof("command"))
    request = getattr(command, kind)
    if isinstance(outcome, RefusedError):
        details = dict(outcome.metadata)
        sequence = int(details.pop("sequence", 0))
        return Entry(
            sequence, kind, request, None, outcome.reason, details, table, epoch, command.number
        )
    return Entry(
        outcome.sequence,
        kind,
        request,
        outcome,
        table=table,
        epoch=epoch,
        number=command.number,
    )


class Staff:
    """Floorpersons and managers, on record, and what they see.

    All controllers of a site are equal, and take turns: each RPC goes to the next one, also where
    one did not answer.
    """

    def __init__(self, channels: Sequence[grpc.aio.Channel], site: str, tape: Tape) -> None:
        # The newest frame of each link, at each controller.
        self.shown: list[dict[str, meter_pb2.LinkMeters]] = [{} for _ in channels]
        self.watching = [False for _ in channels]  # whether frames come from each
        self.heard_s = [0.0 for _ in channels]  # when the last one came
        self._site = site
        self._tape = tape
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
        ticket = self._tape.begin()
        try:
            response = await self._call(rpc, request, next(self._people))
        except RefusedError as error:
            if not error.reason:  # nobody knows what became of it
                self._tape.give_up(f"{rpc} {flat(request)}: {error}")
                raise
            details = dict(error.metadata)
            sequence = int(details.pop("sequence", 0))
            self._tape.end(ticket, Entry(sequence, rpc, request, None, error.reason, details))
            return None
        self._tape.end(ticket, Entry(response.sequence, rpc, request, response))
        return response

    async def look(self, rpc: str, **fields: Any) -> Any:
        """See all accounts, payouts or tables, or a game account, as they are.

        It is under way like a command: nothing may be audited past what it is going to show.
        """
        request = getattr(operator_pb2, f"{rpc}Request")(site=self._site, **fields)
        ticket, since = self._tape.begin(), self._tape.known
        entry = None
        try:
            response = await self._call(rpc, request)
            entry = Entry(response.sequence, rpc, request, response, since=since)
        finally:
            self._tape.end(ticket, entry)
        return response

    async def _call(self, rpc: str, request: Any, person: str = "") -> Any:
        metadata = ((PRINCIPAL_KEY, person),) if person else ()

        async def call() -> Any:
            try:
                stub = next(self._turns[rpc])
                return await getattr(stub, rpc)(request, timeout=CALL_TIMEOUT_S, metadata=metadata)
            except grpc.RpcError as error:
                raise from_rpc_error(error) from error

        return await retried(call, stop_after_delay(PATIENCE_S))

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
                        self._tape.show(place, link)
            except grpc.RpcError:
                self.watching[place] = False
                await asyncio.sleep(0.1)
