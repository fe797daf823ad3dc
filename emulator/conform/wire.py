"""The wire between a client under test and a real controller, with an adversary on it.

It passes raw bytes both ways, looks into what a table sends and gets, and does what the present
trial asks for: lose an answer, lose a command, hold an answer back, send a command twice, refuse in
the controller's place. Behind TLS it calls the controller with the client's own certificate: then
the controller itself judges who calls.
"""

import asyncio
from contextlib import suppress
from typing import Any, Protocol

import grpc

from emulator.conform.interference import (
    PASS,
    Act,
    Context,
    Interference,
    abort,
    abort_like,
    break_off,
)
from emulator.conform.play_relay import PlayRelay
from emulator.conform.stage import Certificates
from emulator.conform.timeline import About, Notes, Timeline
from emulator.conform.v1 import conform_pb2
from jackpot.wire.keepalive import keepalive
from jackpot.wire.refusals import from_rpc_error, from_status
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


class Prompter(Protocol):
    """Gives out rounds."""

    async def next_round(self) -> conform_pb2.NextRoundResponse:
        """The next round; waits until there is one."""


class Wire(grpc.GenericRpcHandler):
    """Serves a client by asking a controller."""

    def __init__(
        self,
        upstream: str,
        timeline: Timeline,
        prompter: Prompter,
        certificates: Certificates | None = None,
    ) -> None:
        self.adversary: Interference | None = None
        self._timeline = timeline
        self._notes = Notes(timeline)
        self._prompter = prompter
        self._certificates = certificates
        # Its stubs know only messages, not raw bytes.
        self._upstream: Any = (
            grpc.aio.secure_channel(upstream, certificates.client.credentials(), options=_OPTIONS)
            if certificates
            else grpc.aio.insecure_channel(upstream, options=_OPTIONS)
        )
        self._server = grpc.aio.server(options=keepalive())  # a client may ping, as it should
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
        if self._certificates:
            port = self._server.add_secure_port(listen, self._certificates.server_credentials())
        else:
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
            await self._pass_down(method, raw, context)

        async def play(_: Any, context: Context) -> None:
            await self._knock(method, context)
            upstream = self._upstream.stream_stream(method)()
            await PlayRelay(self._notes, self._act_on, upstream, context).run()

        handlers: Any = grpc  # its stubs know only handlers that make their answers by themselves
        if streams_in:
            return handlers.stream_stream_rpc_method_handler(play)
        if streams_out:
            return handlers.unary_stream_rpc_method_handler(watch)
        return handlers.unary_unary_rpc_method_handler(unary)

    async def _knock(self, method: str, context: Context) -> None:
        self._timeline.note("call", kind=method.rpartition("/")[2])
        if self.adversary and (refusal := self.adversary.on_call(method)):
            self._call_refused(method, from_status(refusal).reason)
            await abort(context, refusal)

    def _call_refused(self, method: str, reason: str) -> None:
        self._timeline.note("refused", kind=method.rpartition("/")[2], reason=reason)

    async def _pass_down(self, method: str, raw: bytes, context: Context) -> None:
        call = self._upstream.unary_stream(method)(raw)
        try:
            async for frame in call:
                await context.write(frame)
        except grpc.aio.AioRpcError as error:
            self._call_refused(method, from_rpc_error(error).reason)
            await abort_like(context, error)
        finally:
            call.cancel()

    async def _unary(self, method: str, raw: bytes, context: Context) -> bytes:
        name = method.removeprefix(_TABLE)
        if name == "Attach":
            about = self._notes.attaching(pb.AttachRequest.FromString(raw))
            act = self.adversary.on_attach() if self.adversary else PASS
        elif name in _KINDS:
            request = getattr(pb, f"{name}Request").FromString(raw)
            content = request.command.SerializeToString(deterministic=True)
            which = request.id
            about = self._notes.commanded(which.epoch, which.number, _KINDS[name], content)
            act = self._act_on(about)
        else:
            return await self._ask(method, raw, context)
        if act.first:
            await self._notes.attempt(act.first())
        if act.refuse:
            self._notes.refused(about, act.refuse)
            await abort(context, act.refuse)
        if act.lose_command:
            self._notes.broke(about)
            await break_off(context)
        if act.twice:
            with suppress(grpc.aio.AioRpcError):
                await self._upstream.unary_unary(method)(raw)
        try:
            answer = await self._upstream.unary_unary(method)(raw)
        except grpc.aio.AioRpcError as error:
            self._notes.failed(about, error)
            await abort_like(context, error)
        if act.lose_answer:
            self._notes.broke(about)
            await break_off(context)
        await asyncio.sleep(act.hold_s)
        if name == "Attach":
            self._notes.attached(about, pb.AttachResponse.FromString(answer))
        else:
            self._notes.accepted(about, getattr(pb, f"{name}Response").FromString(answer))
        return bytes(answer)

    async def _ask(self, method: str, raw: bytes, context: Context) -> bytes:
        try:
            return bytes(await self._upstream.unary_unary(method)(raw))
        except grpc.aio.AioRpcError as error:
            self._call_refused(method, from_rpc_error(error).reason)
            await abort_like(context, error)
            raise

    def _act_on(self, about: About) -> Act:
        if self.adversary is None:
            return PASS
        return self.adversary.on_command(about["kind"], about["number"])
