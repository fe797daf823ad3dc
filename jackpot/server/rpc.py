"""Between gRPC's bytes and the engine: decode, admit the caller, carry out, and answer refusals.

gRPC's own deserialisers end in INTERNAL when the bytes are no message, so handlers take raw bytes.
Each service is a table of its RPCs by name; one that the proto has and the table lacks, or the
other way round, stops the start.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Self

import grpc
from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

from jackpot.auth.gate import Actor
from jackpot.core.reasons import Reason, Refusal
from jackpot.engine import Engine
from jackpot.server.admission import Admission
from jackpot.server.codec import Command, Read, Row
from jackpot.server.errors import (
    CallRefusedError,
    accepted,
    code_of,
    refused,
    seen,
    status_of,
)
from jackpot.wire.limits import MAX_UNREAD_S
from jackpot.wire.refusals import trailers_of

Context = Any  # grpc.aio.ServicerContext, whose stubs don't know handlers of raw bytes
Unary = Callable[[Any, Actor], Awaitable[Message]]
Stream = Callable[[Any, Context, Actor], Awaitable[None]]  # writes to the context by itself

_LOOKS = 4  # a write that takes too long is noticed a quarter of the time later at most
_log = logging.getLogger(__name__)


def service(
    descriptor: ServiceDescriptor, rpcs: Mapping[str, Unary | Stream], admission: Admission
) -> grpc.GenericRpcHandler:
    """A service as gRPC takes it."""
    if missing := {method.name for method in descriptor.methods} ^ rpcs.keys():
        raise LookupError(f"{descriptor.full_name}: {sorted(missing)}")
    handlers = {
        method.name: _handler(method, rpcs[method.name], admission) for method in descriptor.methods
    }
    return grpc.method_handlers_generic_handler(descriptor.full_name, handlers)


def unary_rpcs(engine: Engine, rows: Mapping[str, Row]) -> dict[str, Unary]:
    """The RPCs that need no more than their rows: they execute a command or read the state."""
    commands = {rpc: _command(engine, row) for rpc, row in rows.items() if isinstance(row, Command)}
    reads = {rpc: _read(engine, row) for rpc, row in rows.items() if isinstance(row, Read)}
    return commands | reads


def _command(engine: Engine, row: Command) -> Unary:
    async def call(message: Any, actor: Actor) -> Message:
        done = accepted(await engine.execute(row.request(message, actor)))
        answer: Message = row.answer(done.sequence, done.event)
        return answer

    return call


def _read(engine: Engine, row: Read) -> Unary:
    async def call(message: Any, _actor: Actor) -> Message:
        site, asked = row.parse(message)
        found: Message | Refusal
        found = await engine.read(site, lambda state: row.answer(state, asked), fresh=row.fresh)
        if isinstance(found, Refusal) and not row.fresh:
            found = await engine.read(site, lambda state: row.answer(state, asked))
        return seen(found)

    return call


def decode(message_type: Any, raw: bytes) -> Any:
    """The message that the bytes are."""
    try:
        return message_type.FromString(raw)
    except DecodeError as error:
        raise refused(Reason.MALFORMED, problem="not a message", bytes=len(raw)) from error


class Sender:
    """Writes to a stream; a client that does not read must not hold its place for ever.

    One timer a stream looks whether the same write is still under way. A timeout around every
    write would cost more than what is written.
    """

    def __init__(self, context: Context, within_s: float = MAX_UNREAD_S) -> None:
        self._context = context
        self._within_s = within_s
        self._loop = asyncio.get_running_loop()
        self._since_s = 0.0  # when the write under way began
        self._late = False
        self._task: asyncio.Task[Any] | None = None
        self._timer: asyncio.TimerHandle | None = None

    async def send(self, raw: bytes) -> None:
        """Write a message, and wait until gRPC has room for the next."""
        self._since_s = self._loop.time()
        await self._context.write(raw)
        self._since_s = 0.0

    def __enter__(self) -> Self:
        self._task = asyncio.current_task()
        self._look()
        return self

    def _look(self) -> None:
        now_s = self._loop.time()
        if self._since_s and now_s - self._since_s >= self._within_s and self._task is not None:
            self._late = True
            self._task.cancel()
            return
        self._timer = self._loop.call_later(self._within_s / _LOOKS, self._look)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._late and kind is asyncio.CancelledError and self._task is not None:
            self._task.uncancel()
            raise refused(Reason.OVERLOADED, unread_s=self._within_s)


def _handler(
    method: MethodDescriptor, rpc: Any, admission: Admission
) -> "grpc.RpcMethodHandler[Any, Any]":
    message_type = GetMessageClass(method.input_type)
    name = f"{method.containing_service.name}/{method.name}"

    async def unary(raw: bytes, context: Context) -> bytes:
        async def call() -> bytes:
            admission.admit(context, name)  # before a stranger's bytes are looked at
            message = decode(message_type, raw)
            actor = admission.admit(context, name, *_about(message))
            answer: Message = await rpc(message, actor)
            return answer.SerializeToString()

        answer: bytes = await _answered(call, context)
        return answer

    async def server_stream(raw: bytes, context: Context) -> None:
        async def call() -> None:
            actor = admission.admit(context, name)
            message = decode(message_type, raw)
            actor = admission.admit(context, name, *_about(message))
            with admission.stream(actor):
                await rpc(message, context, actor)

        await _answered(call, context)

    async def both_stream(_: Any, context: Context) -> None:
        async def call() -> None:
            actor = admission.admit(context, name)
            with admission.stream(actor):
                await rpc(message_type, context, actor)

        await _answered(call, context)

    if method.client_streaming:
        return grpc.stream_stream_rpc_method_handler(both_stream)
    if method.server_streaming:
        return grpc.unary_stream_rpc_method_handler(server_stream)
    return grpc.unary_unary_rpc_method_handler(unary)


def _about(message: Any) -> tuple[str | None, str | None]:
    """The table and the site that a message is about, where it says so."""
    about = message.id if "id" in message.DESCRIPTOR.fields_by_name else message
    return getattr(about, "table", None), getattr(about, "site", None)


async def _answered(call: Callable[[], Awaitable[Any]], context: Context) -> Any:
    """Run a handler; a refusal becomes the call's status."""
    try:
        # A stream's decoder raises before there is anything to await; both are refusals.
        return await call()
    except CallRefusedError as error:
        status = status_of(error.refusal, error.sequence)
        await context.abort(code_of(error.refusal), status.message, trailers_of(status))
    except Exception:  # noqa: BLE001 - the caller gets a code, the log gets the rest
        _log.exception("a call failed")
        await context.abort(grpc.StatusCode.INTERNAL, "The controller failed; see its log.")
