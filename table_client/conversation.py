"""Numbered commands to a controller, answered in order, each carried out exactly once.

What was not answered is sent again, with the same identity, on a new stream, when the controller's
own word (`RetryInfo`), a broken connection or silence says that this can help. When nothing was
answered for as long as the deadline, everything that waits fails with `UnreachableError`.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from itertools import accumulate, islice
from typing import Any, NamedTuple, TypeVar, cast

import grpc
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, wait_random_exponential

from jackpot.wire.limits import MAX_REQUEST_BYTES
from jackpot.wire.refusals import RefusedError, UnreachableError, from_status
from jackpot.wire.v1 import table_pb2 as pb
from table_client.controllers import Controllers
from table_client.outbox import AnswersHeard, Outbox, Unanswered

MAX_UNANSWERED = 32  # the controller ends a stream that has more
CALL_TIMEOUT_S = 5.0
_OVERHEAD = 512  # bytes around commands: who speaks, and how long each one is
# The field that carries a command on a Play stream -> its own RPC.
_RPCS = {
    field.name: field.message_type.name
    for field in pb.PlayCommand.DESCRIPTOR.oneofs_by_name["command"].fields
    if field.message_type is not None
}
Response = TypeVar("Response")


class _Pending(NamedTuple):
    command: pb.PlayCommand
    answer: "asyncio.Future[Any]"


async def retried(
    call: Callable[[], Awaitable[Response]], stop: Callable[[RetryCallState], bool]
) -> Response:
    """Call until it succeeds, a retry can't help, or it is time to stop."""
    retrying = AsyncRetrying(
        retry=retry_if_exception(
            lambda error: isinstance(error, RefusedError) and error.retry_s is not None
        ),
        wait=wait_random_exponential(multiplier=0.05, max=1.0),
        stop=stop,
        reraise=True,
    )
    async for attempt in retrying:
        with attempt:
            return await call()
    raise AssertionError("tenacity returns or raises")


def _that_fit(commands: Sequence[pb.PlayCommand]) -> list[pb.PlayCommand]:
    """The first commands that one message has room for: at least one."""
    sizes = accumulate(command.ByteSize() + _OVERHEAD for command in commands)
    room = MAX_REQUEST_BYTES - _OVERHEAD
    return [
        command
        for place, (command, size) in enumerate(zip(commands, sizes, strict=True))
        if size <= room or not place
    ]


def _given_up(error: RefusedError) -> RefusedError:
    """What the controller has not itself refused is unknown: it may have been carried out before.

    Retries could not help, a door is closed, or whoever spoke was not the controller.
    """
    closed = error.code == "UNAUTHENTICATED"
    if isinstance(error, UnreachableError) or (
        error.reason and error.retry_s is None and not closed
    ):
        return error
    return UnreachableError(error.code, str(error), error.reason, error.metadata, error.retry_s)


def _closed() -> UnreachableError:
    return UnreachableError("CANCELLED", "the connection was closed")


class Conversation:
    """The commands of one attachment."""

    def __init__(
        self,
        controllers: Controllers,
        where: pb.CommandId,
        deadline_s: float,
        *,
        streaming: bool,
        outbox: Outbox | None = None,
        heard: AnswersHeard | None = None,
    ) -> None:
        """`where` names site, table and epoch; `heard` notes how far answers have come."""
        self._heard = heard or AnswersHeard()
        self._loop = asyncio.get_running_loop()
        self._controllers = controllers
        self._where = where
        self._deadline_s = deadline_s
        self._patience_s = controllers.patience_s(deadline_s)
        self._converse = self._stream if streaming else self._call_each
        self._number = 0
        self._outbox = outbox
        self._pending: deque[_Pending] = deque()
        self._sent = 0  # how many of the pending are on the present stream
        self._until = 0.0  # nobody waits longer than this for the next answer
        self._more = asyncio.Event()
        self._limit: asyncio.Timeout | None = None
        self._worker = asyncio.create_task(self._work())

    async def close(self, error: RefusedError) -> None:
        """Send nothing more; what waits fails with this error."""
        self._fail(error)
        self._worker.cancel()
        await asyncio.gather(self._worker, return_exceptions=True)

    def send(self, command: pb.PlayCommand) -> "asyncio.Future[Any]":
        """Number a command and put it behind those that wait; the future has its response."""
        command.number = self._number + 1
        if self._outbox:
            self._outbox.put(command)
        self._number += 1
        return self._wait_for(command)

    def resume(self, unanswered: Unanswered) -> "list[asyncio.Future[Any]]":
        """Go on where an earlier process stopped: send again what it did not hear of."""
        self._number = unanswered.last_number
        return [self._wait_for(command) for command in unanswered.commands]

    def _wait_for(self, command: pb.PlayCommand) -> "asyncio.Future[Any]":
        answer: asyncio.Future[Any] = self._loop.create_future()
        if self._worker.done():
            answer.set_exception(_closed())
            return answer
        if not self._pending:
            self._until = self._loop.time() + self._deadline_s
        self._pending.append(_Pending(command, answer))
        self._more.set()
        return answer

    async def _work(self) -> None:
        try:
            while True:
                await self._more.wait()
                self._more.clear()
                try:
                    while self._pending:
                        await retried(self._converse, lambda _: self._loop.time() >= self._until)
                except RefusedError as error:
                    self._fail(_given_up(error))
        finally:  # a channel that is closed cancels this task, and nobody may wait for ever
            self._fail(_closed())

    async def _stream(self) -> None:
        """Talk over one stream. Returns if anything was answered: then retries begin anew."""
        controllers, stub = self._controllers, self._controllers.stub
        call = stub.Play(wait_for_ready=controllers.waits)
        self._sent = 0
        answered = False
        writer = asyncio.create_task(self._write(call))
        # Why a write failed is what the reading side is told as well.
        writer.add_done_callback(lambda task: task.cancelled() or task.exception())
        try:
            async with asyncio.timeout_at(self._due()) as self._limit:
                async for response in call:
                    for result in response.results:
                        self._take(result)
                        answered = True
                    self._limit.reschedule(self._due() if self._pending else None)
            why: Exception = UnreachableError("UNAVAILABLE", "the stream was ended", retry_s=0.0)
        except TimeoutError:
            why = UnreachableError("DEADLINE_EXCEEDED", "no answer in time", retry_s=0.0)
        except (RefusedError, grpc.RpcError) as error:
            why = error
        finally:
            self._limit = None
            writer.cancel()
            call.cancel()
        if isinstance(why, grpc.RpcError):
            why = await controllers.judge(stub, why)
        else:
            controllers.failed(stub)
        if not answered and self._pending:
            raise why

    async def _write(self, call: Any) -> None:
        while True:
            if self._sent < min(len(self._pending), MAX_UNANSWERED):
                waiting = [p.command for p in islice(self._pending, self._sent, MAX_UNANSWERED)]
                batch = _that_fit(waiting)
                self._sent += len(batch)
                if self._limit and self._limit.when() is None:
                    self._limit.reschedule(self._due())
                where = self._where
                await call.write(
                    pb.PlayRequest(
                        site=where.site, table=where.table, epoch=where.epoch, commands=batch
                    )
                )
            else:
                await self._more.wait()
                self._more.clear()

    async def _call_each(self) -> None:
        """Talk by unary RPCs, one after the other."""
        while self._pending:
            command = self._pending[0].command
            field = cast("str", command.WhichOneof("command"))
            which = pb.CommandId(number=command.number)
            which.MergeFrom(self._where)
            request = getattr(pb, f"{_RPCS[field]}Request")(
                id=which, command=getattr(command, field)
            )
            controllers, stub = self._controllers, self._controllers.stub
            try:
                response = await getattr(stub, _RPCS[field])(
                    request,
                    timeout=min(CALL_TIMEOUT_S, self._due() - self._loop.time()),
                    wait_for_ready=controllers.waits,
                )
            except grpc.RpcError as error:
                refusal = await controllers.judge(stub, error)
                if refusal.retry_s is not None:
                    raise refusal from error
                self._resolve(_given_up(refusal))
            else:
                self._resolve(response)

    def _take(self, result: pb.PlayResult) -> None:
        if not self._pending or result.number != self._pending[0].command.number:
            raise UnreachableError("INTERNAL", f"the answer to {result.number} is out of order")
        kind = result.WhichOneof("result")
        if kind is None:
            raise UnreachableError("INTERNAL", "an answer of a kind that this client does not know")
        if kind != "error":
            self._resolve(getattr(result, kind))
            return
        refusal = from_status(result.error)
        if refusal.retry_s is not None:
            raise refusal  # it stays pending, and so does all behind it
        self._resolve(refusal)

    def _resolve(self, outcome: Any) -> None:
        command, answer = self._pending.popleft()
        self._sent -= 1
        self._until = self._loop.time() + self._deadline_s
        known = not isinstance(outcome, UnreachableError)
        if known:
            self._heard.take(outcome)
        if self._outbox and known:  # what is not known stays, to be sent again
            with suppress(OSError):  # what is not crossed out is only asked for once more
                self._outbox.cross_out(command.number)
        self._more.set()
        if answer.done():  # whoever asked has gone
            return
        if isinstance(outcome, Exception):
            answer.set_exception(outcome)
        else:
            answer.set_result(outcome)

    def _fail(self, error: RefusedError) -> None:
        while self._pending:
            self._resolve(error)

    def _due(self) -> float:
        """When silence has lasted too long."""
        return min(self._loop.time() + self._patience_s, self._until)
