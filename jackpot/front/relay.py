"""A front: gRPC on the outside, frames to the ledger on the inside, and raw bytes all the way.

A front never looks into a message. It knows which methods there are, who is calling by TLS, and
how much may be on its way.
"""

import asyncio
from collections import deque
from contextlib import suppress
from typing import Any

import grpc
import msgspec
from grpc._cython import cygrpc  # type: ignore[attr-defined]  # has no stubs

from jackpot.audit_log import record_denial
from jackpot.front import frames
from jackpot.front.backoff import Backoff
from jackpot.front.frames import FrameError, Link, Opening, Ready, Setup
from jackpot.front.peers import hang_up
from jackpot.tuning import give_back_memory
from jackpot.wire.identity import DEPARTMENT_KEY, PRINCIPAL_KEY
from jackpot.wire.keepalive import keepalive
from jackpot.wire.limits import CONNECTION_OPTIONS, MAX_MESSAGE_BYTES, MAX_UNREAD_S

DRAIN_S = 5.0  # for what has been accepted to be answered
_LOOK_S = MAX_UNREAD_S / 4  # how often to look for callers who do not read
_GIVE_BACK_S = 15.0  # how often memory is given back
_MAX_SILENT_S = 15.0  # without a ping of the ledger, which sends one a second
_LAST_WRITE_S = 2.0  # for what was sent before a call's end to leave
_HANG_UP_S = 1.0  # for a caller to read why
_FORWARDED = frozenset((PRINCIPAL_KEY, DEPARTMENT_KEY))
_OPTIONS = (
    *CONNECTION_OPTIONS,
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.so_reuseport", 1),  # fronts share the port; the ledger's guard keeps others off it
    *keepalive(),  # a table whose cable was cut must not look attached
    ("grpc.keepalive_permit_without_calls", 1),
)
Context = Any  # grpc.aio.ServicerContext, whose stubs don't know handlers of raw bytes


class _Call:
    """A call under way, as the front knows it."""

    __slots__ = (
        *("answered", "certificate", "end", "late", "number", "pending"),
        *("room", "since_s", "task", "untaken", "wake"),
    )

    def __init__(
        self, number: int, certificate: int | None, task: "asyncio.Task[Any] | None"
    ) -> None:
        self.number = number
        self.certificate = certificate
        self.task = task
        self.answered = False  # at least in part
        self.pending: deque[bytes] = deque()  # for the caller
        self.end: bytes | None = None  # what its END said
        self.wake: asyncio.Future[None] | None = None  # somebody waits for either
        self.untaken = 0  # bytes that the ledger has not taken yet
        self.room: asyncio.Future[None] | None = None  # somebody waits for it to take some
        self.since_s = 0.0  # when the write under way began
        self.late = False  # the call has ended, and the caller still does not read


class Front(grpc.GenericRpcHandler):
    """Serves an address by asking the ledger."""

    def __init__(self) -> None:
        self.link = Link(self._receive, self._lost, self._make_room)
        self.done = asyncio.Event()  # drained, or without a ledger
        self.passed = 0  # messages, so far
        self._loop = asyncio.get_running_loop()
        self._server: Any = None
        self._with_tls = False
        self._handlers: dict[str, Any] = {}
        self._calls: dict[int, _Call] = {}
        self._number = 0
        self._certificates: dict[bytes, int] = {}
        self._shown = 0  # certificates so far
        self._shunned: dict[int, bytes] = {}  # certificates that are no good -> their END
        self._hanging_up: set[str] = set()
        self._overloaded = b""
        self._backoff = Backoff()
        self._leaving = asyncio.Event()
        self._untaken = 0
        self._silent_s: float | None = None  # looks' time since the last ping; None: no ping yet
        self._tasks: set[asyncio.Task[None]] = set()
        self._timer = self._loop.call_later(_LOOK_S, self._look)
        self._giving = self._loop.call_later(_GIVE_BACK_S, self._give_back)

    # What gRPC asks of us.

    def service(self, details: Any) -> Any:
        """How to serve a method; None where there is no such method."""
        return self._handlers.get(details.method)

    def _handler(self, method: str, streams_in: bool, streams_out: bool) -> Any:  # noqa: FBT001
        async def unary(raw: bytes, context: Context) -> bytes:
            return await self._unary(method, raw, context)

        async def server_stream(raw: bytes, context: Context) -> None:
            await self._stream(method, raw, context)

        async def both_stream(_: Any, context: Context) -> None:
            await self._stream(method, None, context)

        handlers: Any = grpc  # its stubs know only handlers that make their answers by themselves
        if streams_in:
            return handlers.stream_stream_rpc_method_handler(both_stream)
        if streams_out:
            return handlers.unary_stream_rpc_method_handler(server_stream)
        return handlers.unary_unary_rpc_method_handler(unary)

    async def _unary(self, method: str, raw: bytes, context: Context) -> bytes:
        call = await self._open(method, context)
        self._pass(call, raw)
        try:
            while call.end is None:
                await self._awakened(call)
        except asyncio.CancelledError:
            self._cancel(call)
            raise
        finally:
            self._close(call)
        if call.end:
            await self._refuse(call.certificate, context, call.end)
        return call.pending[0] if call.pending else b""

    async def _stream(self, method: str, raw: bytes | None, context: Context) -> None:
        call = await self._open(method, context)
        reader: asyncio.Task[None] | None = None
        if raw is None:
            reader = self._loop.create_task(self._read(call, context))
        else:
            self._pass(call, raw)
            self.link.send(frames.HALF_CLOSE, call.number)
        try:
            # A stream that only watches shows the latest: it is told at once that there is room.
            await self._write(call, context, frames.WINDOW // 2 if reader else 1)
        except asyncio.CancelledError:
            if not call.late or call.task is None:
                self._cancel(call)
                raise
            call.task.uncancel()
        except cygrpc.BaseError:  # the caller went while something was written
            self._cancel(call)
        finally:
            self._close(call)
            if reader:
                reader.cancel()
        if call.end:
            await self._refuse(call.certificate, context, call.end)

    async def _read(self, call: _Call, context: Context) -> None:
        eof = grpc.aio.EOF
        with suppress(cygrpc.BaseError):  # the caller went; whoever writes hears of it, too
            while (raw := await context.read()) is not eof:
                self._pass(call, raw)
                while not self._has_room(call):
                    call.room = self._loop.create_future()
                    await call.room
            self.link.send(frames.HALF_CLOSE, call.number)

    async def _write(self, call: _Call, context: Context, credit_at: int) -> None:
        pending, loop, written = call.pending, self._loop, 0
        while True:
            while pending:
                raw = pending.popleft()
                call.since_s = loop.time()
                await context.write(raw)
                call.since_s = 0.0
                written += len(raw)
                if written >= credit_at:
                    self.link.send(frames.CREDIT, call.number, written.to_bytes(4, "little"))
                    written = 0
            if call.end is not None:
                return
            await self._awakened(call)

    async def _refuse(
        self, certificate: int | None, context: Context, end: bytes, *, asked: bool = True
    ) -> None:
        """End a call that failed; whoever asks for too much hears so ever later."""
        code, text, trailers = frames.read_ending(end)
        if code is grpc.StatusCode.RESOURCE_EXHAUSTED and certificate is not None:
            if asked:
                self._backoff.asked_in_vain(certificate, self._loop.time(), end)
            if self._backoff.is_full(certificate):
                self._hang_up(context.peer())
            else:
                await self._keep_back(certificate)
        await context.abort(code, text, trailers)

    async def _keep_back(self, certificate: int) -> None:
        wait_s = self._backoff.wait_s(certificate, self._loop.time())
        with suppress(TimeoutError), self._backoff.waiting(certificate):
            async with asyncio.timeout(wait_s):
                await self._leaving.wait()

    # What goes to the ledger.

    async def _open(self, method: str, context: Context) -> _Call:
        opening = Opening(method, context.peer(), self._certificate(context))
        if opening.certificate in self._shunned:  # the ledger is not asked again
            if opening.peer not in self._hanging_up:
                record_denial("connection", opening.peer, _names(context), "refused before")
            self._hang_up(opening.peer)
            await _abort(context, self._shunned[opening.certificate])
        number = opening.certificate
        if number is not None and (end := self._backoff.refusal_for(number, self._loop.time())):
            await self._refuse(number, context, end, asked=False)
        self._number += 1
        call = self._calls[self._number] = _Call(self._number, number, asyncio.current_task())
        if number is None:
            said = context.invocation_metadata() or ()
            opening.metadata = tuple((k, str(v)) for k, v in said if k in _FORWARDED)
        self.link.tell(frames.OPEN, call.number, opening)
        return call

    def _certificate(self, context: Context) -> int | None:
        if not self._with_tls:
            return None
        shown = context.auth_context().get("x509_pem_cert") or (b"",)
        number = self._certificates.get(shown[0])
        if number is None:
            if len(self._certificates) >= frames.CERTIFICATES:
                self._certificates.clear()  # the ledger forgets them at the same number
                self._shunned.clear()
                self._backoff = Backoff(self._overloaded)  # who waits, waits by the old number
            self._shown += 1  # a number is never used again: a call that is open may still have it
            number = self._certificates[shown[0]] = self._shown
            self.link.send(frames.CERTIFICATE, number, shown[0])
        return number

    def _pass(self, call: _Call, raw: bytes) -> None:
        self.passed += 1
        call.untaken += len(raw)
        self._untaken += len(raw)
        self.link.send(frames.DATA, call.number, raw)

    def _has_room(self, call: _Call) -> bool:
        full = call.untaken >= frames.WINDOW or self._untaken >= frames.MAX_UNTAKEN
        return not full and not self.link.paused

    def _cancel(self, call: _Call) -> None:
        """The caller has given up; if it has heard nothing, the ledger was asked in vain."""
        self.link.send(frames.CANCEL, call.number)
        if call.certificate is not None and not call.answered:
            self._backoff.asked_in_vain(call.certificate, self._loop.time())

    def _close(self, call: _Call) -> None:
        del self._calls[call.number]
        self._took(call, call.untaken)

    def _took(self, call: _Call, size: int) -> None:
        was_full = self._untaken >= frames.MAX_UNTAKEN
        call.untaken -= size
        self._untaken -= size
        if was_full:
            self._make_room()
        else:
            _set(call.room)

    def _make_room(self) -> None:
        for call in self._calls.values():
            _set(call.room)

    async def _awakened(self, call: _Call) -> None:
        call.wake = self._loop.create_future()
        try:
            await call.wake
        finally:
            call.wake = None

    # What comes from the ledger.

    def _receive(self, kind: int, number: int, payload: bytes) -> None:
        if kind not in (frames.DATA, frames.CREDIT, frames.END):
            self._heed(kind, number, payload)
        elif call := self._calls.get(number):
            if kind == frames.CREDIT:
                self._took(call, int.from_bytes(payload, "little"))
                return
            if kind == frames.DATA:
                call.answered = True
                call.pending.append(payload)
            else:
                call.end = payload
                if call.since_s:
                    self._loop.call_later(_LAST_WRITE_S, self._give_up, call)
            _set(call.wake)

    def _heed(self, kind: int, number: int, payload: bytes) -> None:
        """What the ledger says that is not about a call."""
        if kind == frames.PING:
            self._silent_s = 0.0
            self.link.send(frames.PONG, 0)
        elif kind == frames.HANG_UP:
            self._hang_up(payload.decode())
        elif kind == frames.SHUN:
            self._shunned[number] = payload
        elif kind == frames.SETUP:
            self._begin(self._serve(msgspec.msgpack.decode(payload, type=Setup)))
        elif kind == frames.DRAIN:
            self._begin(self._drain())
        else:
            raise FrameError(f"no front knows frames of kind {kind}")

    def _hang_up(self, peer: str) -> None:
        """Close a connection, a moment after the caller could read why."""

        def close() -> None:
            self._hanging_up.discard(peer)
            hang_up(peer)

        if peer not in self._hanging_up:
            self._hanging_up.add(peer)
            self._loop.call_later(_HANG_UP_S, close)

    def _give_up(self, call: _Call) -> None:
        """The call has ended; whoever does not even read that is not waited for."""
        if call.since_s and call.task is not None and call.number in self._calls:
            call.late = True
            call.task.cancel()

    def _lost(self, _problem: str) -> None:
        self._timer.cancel()
        self._giving.cancel()
        self.done.set()

    def _begin(self, what: Any) -> None:
        task = self._loop.create_task(what)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, setup: Setup) -> None:
        self._with_tls = setup.tls is not None
        self._overloaded = setup.overloaded
        self._backoff = Backoff(self._overloaded)
        self._handlers = {name: self._handler(name, *way) for name, way in setup.methods.items()}
        self._server = server = grpc.aio.server(options=_OPTIONS)
        server.add_generic_rpc_handlers((self,))
        try:
            if setup.tls is None:
                server.add_insecure_port(setup.address)
            else:
                pair = (setup.tls.key, setup.tls.certificate)
                credentials = grpc.ssl_server_credentials(
                    [pair], setup.tls.authority, require_client_auth=True
                )
                server.add_secure_port(setup.address, credentials)
        except RuntimeError as error:
            self.link.tell(frames.READY, 0, Ready(str(error)))
            return
        await server.start()
        self.link.tell(frames.READY, 0, Ready())

    async def _drain(self) -> None:
        self._leaving.set()
        if self._server is not None:
            await self._server.stop(DRAIN_S)
        self._timer.cancel()
        self._giving.cancel()
        self.link.close()
        self.done.set()

    def _look(self) -> None:
        """Tell the ledger who does not read; end where the ledger itself says nothing.

        A ledger that was stopped would leave its callers waiting: without a front they go to
        another controller. It starts another front when it goes on.
        """
        if self._silent_s is not None:
            self._silent_s += _LOOK_S
            if self._silent_s > _MAX_SILENT_S:
                self.done.set()
        now_s = self._loop.time()
        for call in self._calls.values():
            if call.since_s and now_s - call.since_s >= MAX_UNREAD_S and call.end is None:
                self.link.send(frames.UNREAD, call.number)
        self._timer = self._loop.call_later(_LOOK_S, self._look)

    def _give_back(self) -> None:
        """Not in the loop: after a crowd it takes a while."""
        self._loop.run_in_executor(None, give_back_memory)
        self._giving = self._loop.call_later(_GIVE_BACK_S, self._give_back)


def _names(context: Context) -> str:
    """Whom a certificate names, as TLS has read it."""
    found = context.auth_context().get("x509_subject_alternative_name") or ()
    return ", ".join(each.decode(errors="replace") for each in found)


def _set(waiting: "asyncio.Future[None] | None") -> None:
    if waiting is not None and not waiting.done():
        waiting.set_result(None)


async def _abort(context: Context, payload: bytes) -> None:
    await context.abort(*frames.read_ending(payload))
