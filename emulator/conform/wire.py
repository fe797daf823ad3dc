"""The wire between a client under test and a real controller, with an adversary on it.

It passes raw bytes both ways, looks into what a table sends and gets, and does what the present
trial asks for: lose an answer, lose a command, hold an answer back, send a command twice, refuse in
the controller's place.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, NamedTuple, Protocol

import grpc
from google.rpc import status_pb2

from emulator.conform.timeline import Timeline
from emulator.conform.v1 import conform_pb2
from jackpot.wire.refusals import from_rpc_error, from_status, trailers_of
from jackpot.wire.v1 import meter_pb2
from jackpot.wire.v1 import table_pb2 as pb

_CONFORM = "/conform.v1.ConformService/"
_TABLE = "/jackpot.v1.TableService/"
_KINDS = {
    field.message_type.name: field.name
    for field in pb.PlayCommand.DESCRIPTOR.oneofs_by_name["command"].fields
    if field.message_type is not None
}
_OPTIONS = (("grpc.initial_reconnect_backoff_ms", 50), ("grpc.max_reconnect_backoff_ms", 500))
_BROKEN = "the connection was lost"
Context = Any  # grpc.aio.ServicerContext, whose stubs don't know handlers of raw bytes


class Act(NamedTuple):
    """What happens to a command. The default: nothing out of the ordinary."""

    lose_command: bool = False  # it never arrives, and the call breaks
    lose_answer: bool = False  # it is carried out, and the call breaks
    hold_s: float = 0.0  # its answer takes this long
    twice: bool = False  # it arrives twice
    refuse: status_pb2.Status | None = None  # it never arrives, and this is the answer
    first: Callable[[], Awaitable[None]] | None = None  # done before it is passed on


PASS = Act()


class Interference(Protocol):
    """The adversary: asked before anything is passed on."""

    def on_call(self, method: str) -> status_pb2.Status | None:
        """Refuse any call of the client; None lets it through."""

    def on_command(self, kind: str, number: int) -> Act:
        """What happens to a command."""

    def on_attach(self) -> Act:
        """What happens to an attachment."""


class Prompter(Protocol):
    """Gives out rounds."""

    async def next_round(self) -> conform_pb2.NextRoundResponse:
        """The next round; waits until there is one."""


class Wire(grpc.GenericRpcHandler):
    """Serves a client by asking a controller."""

    def __init__(self, upstream: str, timeline: Timeline, prompter: Prompter) -> None:
        self.adversary: Interference | None = None
        self._timeline = timeline
        self._prompter = prompter
        # Its stubs know only messages, not raw bytes.
        self._upstream: Any = grpc.aio.insecure_channel(upstream, options=_OPTIONS)
        self._server = grpc.aio.server()
        self._server.add_generic_rpc_handlers((self,))
        self._handlers: dict[str, Any] = {
            _CONFORM + "NextRound": grpc.unary_unary_rpc_method_handler(self._next_round),
            _CONFORM + "ShowLamps": grpc.unary_unary_rpc_method_handler(self._show_lamps),
        }
        for file in (pb.DESCRIPTOR, meter_pb2.DESCRIPTOR):
            for service in file.services_by_name.values():
                for method in service.methods:
                    name = f"/{service.full_name}/{method.name}"
                    self._handlers[name] = self._relay(
                        name, method.client_streaming, method.server_streaming
                    )

    async def start(self, listen: str) -> str:
        """Listen; the address with its port."""
        host = listen.rpartition(":")[0]
        port = self._server.add_insecure_port(listen)
        await self._server.start()
        return f"{host}:{port}"

    async def stop(self) -> None:
        """Let the client go."""
        await self._server.stop(0.5)
        await self._upstream.close()

    def service(self, details: Any) -> Any:
        """How to serve a method; None where there is no such method."""
        return self._handlers.get(details.method)

    async def _next_round(self, _raw: bytes, _context: Context) -> bytes:
        self._timeline.note("asks")
        return (await self._prompter.next_round()).SerializeToString()

    async def _show_lamps(self, raw: bytes, _context: Context) -> bytes:
        shown = conform_pb2.ShowLampsRequest.FromString(raw)
        self._timeline.note("lamps", lamps=frozenset((p.seat, p.bet) for p in shown.lit))
        return b""

    def _relay(self, method: str, streams_in: bool, streams_out: bool) -> Any:  # noqa: FBT001
        async def unary(raw: bytes, context: Context) -> bytes:
            await self._knock(method, context)
            return await self._unary(method, raw, context)

        async def watch(raw: bytes, context: Context) -> None:
            await self._knock(method, context)
            call = self._upstream.unary_stream(method)(raw)
            await self._pass_down(call, context)

        async def play(_: Any, context: Context) -> None:
            await self._knock(method, context)
            await _Play(self, self._upstream.stream_stream(method)(), context).run()

        handlers: Any = grpc  # its stubs know only handlers that make their answers by themselves
        if streams_in:
            return handlers.stream_stream_rpc_method_handler(play)
        if streams_out:
            return handlers.unary_stream_rpc_method_handler(watch)
        return handlers.unary_unary_rpc_method_handler(unary)

    async def _knock(self, method: str, context: Context) -> None:
        self._timeline.note("call", kind=method.rpartition("/")[2])
        if self.adversary and (refusal := self.adversary.on_call(method)):
            reason = from_status(refusal).reason
            self._timeline.note("refused", kind=method.rpartition("/")[2], reason=reason)
            await _abort(context, refusal)

    async def _pass_down(self, call: Any, context: Context) -> None:
        try:
            async for raw in call:
                await context.write(raw)
        except grpc.aio.AioRpcError as error:
            await _abort_like(context, error)
        finally:
            call.cancel()

    async def _unary(self, method: str, raw: bytes, context: Context) -> bytes:
        name = method.removeprefix(_TABLE)
        if name == "Attach":
            about, act = self._attaching(pb.AttachRequest.FromString(raw))
        elif name in _KINDS:
            request = getattr(pb, f"{name}Request").FromString(raw)
            content = request.command.SerializeToString(deterministic=True)
            about = self.commanded(request.id.epoch, request.id.number, _KINDS[name], content)
            act = self.act_on(about)
        else:
            return await self._ask(method, raw, context)
        if act.first:
            await act.first()
        if act.refuse:
            self.refused(about, act.refuse)
            await _abort(context, act.refuse)
        if act.lose_command:
            self.broke(about)
            await context.abort(grpc.StatusCode.UNAVAILABLE, _BROKEN)
        if act.twice:
            with suppress(grpc.aio.AioRpcError):
                await self._upstream.unary_unary(method)(raw)
        try:
            answer = await self._upstream.unary_unary(method)(raw)
        except grpc.aio.AioRpcError as error:
            self.failed(about, error)
            await _abort_like(context, error)
        if act.lose_answer:
            self.broke(about)
            await context.abort(grpc.StatusCode.UNAVAILABLE, _BROKEN)
        await asyncio.sleep(act.hold_s)
        if name == "Attach":
            epoch = pb.AttachResponse.FromString(answer).epoch
            self._timeline.note("attached", **{**about, "epoch": epoch})
        else:
            self.accepted(about)
        return bytes(answer)

    async def _ask(self, method: str, raw: bytes, context: Context) -> bytes:
        try:
            return bytes(await self._upstream.unary_unary(method)(raw))
        except grpc.aio.AioRpcError as error:
            reason = from_rpc_error(error).reason
            self._timeline.note("refused", kind=method.rpartition("/")[2], reason=reason)
            await _abort_like(context, error)
            raise

    def _attaching(self, request: pb.AttachRequest) -> tuple[dict[str, Any], Act]:
        about = {"request_id": request.request_id, "kind": "attach"}
        self._timeline.note("attach", **about)
        return about, self.adversary.on_attach() if self.adversary else PASS

    # What becomes of a command; unary calls and streams both say so here.

    def commanded(self, epoch: int, number: int, kind: str, content: bytes) -> dict[str, Any]:
        """A command came."""
        about = {"epoch": epoch, "number": number, "kind": kind}
        self._timeline.note("command", **about, content=content)
        return about

    def act_on(self, about: dict[str, Any]) -> Act:
        """What to do with a command."""
        if self.adversary is None:
            return PASS
        return self.adversary.on_command(about["kind"], about["number"])

    def accepted(self, about: dict[str, Any]) -> None:
        """The client is told that it was carried out."""
        self._timeline.note("answer", **about)

    def refused(self, about: dict[str, Any], status: status_pb2.Status) -> None:
        """The client is told no."""
        refusal = from_status(status)
        again = refusal.retry_s is not None
        self._timeline.note("refused", **about, reason=refusal.reason, again=again)

    def failed(self, about: dict[str, Any], error: grpc.aio.AioRpcError) -> None:
        """The client's call ends as the controller's did."""
        refusal = from_rpc_error(error)
        again = refusal.retry_s is not None
        self._timeline.note("refused", **about, reason=refusal.reason, again=again)

    def broke(self, about: dict[str, Any]) -> None:
        """The client is told nothing: its call breaks."""
        self._timeline.note("refused", **about, again=True)


class _Play:
    """One Play stream. Commands are passed on one by one, so that each can meet its trouble."""

    def __init__(self, wire: Wire, upstream: Any, context: Context) -> None:
        self._wire = wire
        self._upstream = upstream
        self._context = context
        self._queue: asyncio.Queue[tuple[pb.PlayRequest, dict[str, Any]] | None] = asyncio.Queue()
        self._untold: dict[int, dict[str, Any]] = {}

    async def run(self) -> None:
        """Until the client is done, the controller ends it, or the adversary breaks it."""
        reading = asyncio.create_task(self._read())
        try:
            while (item := await self._queue.get()) is not None:
                await self._handle(*item)
        except grpc.aio.AioRpcError as error:
            for about in self._untold.values():
                self._wire.failed(about, error)
            await _abort_like(self._context, error)
        finally:
            reading.cancel()
            self._upstream.cancel()

    async def _read(self) -> None:
        while (raw := await self._context.read()) is not grpc.aio.EOF:
            message = pb.PlayRequest.FromString(raw)
            for command in message.commands:
                kind = command.WhichOneof("command") or ""
                content = (
                    getattr(command, kind).SerializeToString(deterministic=True) if kind else b""
                )
                about = self._wire.commanded(message.epoch, command.number, kind, content)
                self._untold[command.number] = about
                alone = pb.PlayRequest(
                    site=message.site, table=message.table, epoch=message.epoch, commands=[command]
                )
                self._queue.put_nowait((alone, about))
        self._queue.put_nowait(None)

    async def _handle(self, alone: pb.PlayRequest, about: dict[str, Any]) -> None:
        act = self._wire.act_on(about)
        if act.first:
            await act.first()
        if act.lose_command:
            await self._break()
        if act.refuse:
            await self._tell(pb.PlayResult(number=about["number"], error=act.refuse), about)
            await _abort(self._context, act.refuse)
        raw = alone.SerializeToString()
        for _ in range(2 if act.twice else 1):
            with suppress(grpc.aio.AioRpcError, asyncio.InvalidStateError):
                await self._upstream.write(raw)  # if it has ended, reading says why
        result = await self._result(about["number"])
        if act.lose_answer:
            await self._break()
        await asyncio.sleep(act.hold_s)
        await self._tell(result, about)

    async def _result(self, number: int) -> pb.PlayResult:
        while (raw := await self._upstream.read()) is not grpc.aio.EOF:
            for result in pb.PlayResponse.FromString(raw).results:
                if result.number == number:
                    return result
        raise grpc.aio.AioRpcError(
            await self._upstream.code(),
            await self._upstream.initial_metadata(),
            await self._upstream.trailing_metadata(),
            await self._upstream.details(),
        )

    async def _tell(self, result: pb.PlayResult, about: dict[str, Any]) -> None:
        self._untold.pop(about["number"], None)
        if result.HasField("error"):
            self._wire.refused(about, result.error)
        else:
            self._wire.accepted(about)
        await self._context.write(pb.PlayResponse(results=[result]).SerializeToString())

    async def _break(self) -> None:
        for about in self._untold.values():
            self._wire.broke(about)
        await self._context.abort(grpc.StatusCode.UNAVAILABLE, _BROKEN)


async def _abort(context: Context, status: status_pb2.Status) -> None:
    codes = {code.value[0]: code for code in grpc.StatusCode}
    await context.abort(codes[status.code], status.message, trailers_of(status))


async def _abort_like(context: Context, error: grpc.aio.AioRpcError) -> None:
    trailers = tuple(
        (k, v) for k, v in error.trailing_metadata() or () if k == "grpc-status-details-bin"
    )
    await context.abort(error.code(), error.details() or "", trailers)
