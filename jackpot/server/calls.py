"""Calls as the ledger sees them: they come from fronts as frames, and so do answers go back."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, NamedTuple

import msgspec
from grpc import StatusCode

from jackpot.core.reasons import Reason
from jackpot.front import frames
from jackpot.front.frames import FrameError, Link, Opening
from jackpot.server.errors import CallRefusedError, code_of, refused, status_of
from jackpot.wire.limits import MAX_UNREAD_S
from jackpot.wire.refusals import trailers_of

_opening = msgspec.msgpack.Decoder(Opening).decode
_log = logging.getLogger(__name__)


class Method(NamedTuple):
    """How an RPC is served, and whether its requests and its answers are streams."""

    serve: Callable[["Call"], None]  # says what becomes of messages by setting `receive`
    streams_in: bool
    streams_out: bool


def _ignore(_raw: bytes | None) -> None:
    """Nobody waits for messages."""


class Call:
    """One call, from its opening to its end."""

    __slots__ = (
        "_calls",
        "_certificate",
        "_link",
        "_number",
        "_task",
        "_untold",
        "_unwritten",
        "_waiting",
        "at_end",
        "certificate",
        "ended",
        "heed_room",
        "metadata",
        "peer",
        "receive",
    )

    def __init__(self, calls: "FrontCalls", number: int, opening: Opening) -> None:
        self.peer = opening.peer
        self.metadata = opening.metadata
        self.certificate = calls.certificate(opening.certificate)  # PEM; empty without TLS
        self.receive: Callable[[bytes | None], None] = _ignore  # None: there are no more
        self.heed_room: Callable[[], None] | None = None  # called when there is room again
        self.at_end: list[Callable[[], object]] = []
        self.ended = False
        self._calls = calls
        self._certificate = opening.certificate
        self._link = calls.link
        self._number = number
        self._task: asyncio.Task[None] | None = None
        self._untold = 0  # bytes taken that the front does not know of
        self._unwritten = 0  # bytes sent that the front has not written
        self._waiting: asyncio.Future[None] | None = None

    def run(self, work: Coroutine[Any, Any, None], *, to_its_end: bool = False) -> None:
        """Serve the call by a task; a refusal that it raises is the call's end.

        What may change something runs to its end, whether or not the caller is still there.
        """
        task = asyncio.get_running_loop().create_task(self._answered(work))
        self._calls.tasks.add(task)
        task.add_done_callback(self._calls.tasks.discard)
        if not to_its_end:
            self._task = task

    async def _answered(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except CallRefusedError as error:
            self.refuse(error)
        except Exception:  # noqa: BLE001 - the caller gets a code, the log gets the rest
            self.fail()
        else:
            self.end()

    def has_room(self) -> bool:
        """Whether the caller keeps up with what it is sent."""
        return self._unwritten < frames.WINDOW and not self._link.paused

    def send(self, raw: bytes) -> None:
        """Send a message."""
        if not self.ended:
            self._unwritten += len(raw)
            self._link.send(frames.DATA, self._number, raw)

    async def write(self, raw: bytes) -> None:
        """Send a message, and wait until the front has written it."""
        self.send(raw)
        while (self._unwritten or self._link.paused) and not self.ended:
            self._waiting = asyncio.get_running_loop().create_future()
            await self._waiting

    def end(self) -> None:
        """End the call well."""
        self._end(b"")

    def refuse(self, error: CallRefusedError) -> None:
        """End the call with a refusal."""
        if not self.ended:
            self._end(_refusal(error))

    def shun(self, error: CallRefusedError) -> None:
        """Refuse whatever comes with this certificate, and hang up.

        The front does so by itself from now on: nothing of it reaches the ledger again.
        """
        if self._certificate is not None:
            self._link.send(frames.SHUN, self._certificate, _refusal(error))
            self._link.send(frames.HANG_UP, 0, self.peer.encode())
        self.refuse(error)

    def fail(self) -> None:
        """End the call after an exception that nobody foresaw."""
        _log.exception("a call failed")
        self.abort(StatusCode.INTERNAL, "The controller failed; see its log.")

    def abort(
        self, code: StatusCode, message: str, trailers: tuple[tuple[str, bytes], ...] = ()
    ) -> None:
        """End the call with a code."""
        self._end(frames.write_ending(code, message, trailers))

    def _end(self, payload: bytes) -> None:
        if not self.ended:
            self._link.send(frames.END, self._number, payload)
            self.dropped()

    # What the front says of it.

    def take(self, raw: bytes) -> None:
        """A message has come."""
        self._untold += len(raw)
        if self._untold >= frames.WINDOW // 2:
            self._link.send(frames.CREDIT, self._number, self._untold.to_bytes(4, "little"))
            self._untold = 0
        self.receive(raw)

    def credit(self, size: int) -> None:
        """The front has written so many bytes."""
        self._unwritten -= size
        self.resume()

    def resume(self) -> None:
        """There may be room again."""
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)
        if self.heed_room is not None:
            self.heed_room()

    def unread(self) -> None:
        """The caller leaves unread what it was sent."""
        self.refuse(refused(Reason.OVERLOADED, unread_s=MAX_UNREAD_S))

    def dropped(self) -> None:
        """There is nobody to answer any more."""
        if self.ended:
            return
        self.ended = True
        self.receive = _ignore
        self.heed_room = None
        self._calls.forget(self._number)
        if self._task is not None and self._task is not asyncio.current_task():
            self._task.cancel()
        for what in self.at_end:
            what()


def _refusal(error: CallRefusedError) -> bytes:
    status = status_of(error.refusal, error.sequence)
    return frames.write_ending(code_of(error.refusal), status.message, trailers_of(status))


class FrontCalls:
    """The calls that one front has open."""

    def __init__(
        self,
        methods: Mapping[str, Method],
        control: Callable[[int, bytes], None],
        lost: Callable[[str], None],
    ) -> None:
        """Frames about the front itself are handed to `control`."""
        self.link = Link(self._receive, self._lost, self._resume)
        self.tasks: set[asyncio.Task[None]] = set()
        self._methods = methods
        self._control = control
        self._tell_lost = lost
        self._calls: dict[int, Call] = {}
        self._last = 0
        self._certificates: dict[int, bytes] = {}

    def certificate(self, number: int | None) -> bytes:
        """A caller's certificate by the number that the front gave it."""
        if number is None:
            return b""
        if number not in self._certificates:
            raise FrameError(f"certificate {number} was never shown")
        return self._certificates[number]

    def forget(self, number: int) -> None:
        """A call has ended."""
        self._calls.pop(number, None)

    def _receive(self, kind: int, number: int, payload: bytes) -> None:
        if kind == frames.DATA:
            if call := self._calls.get(number):
                call.take(payload)
        elif kind == frames.OPEN:
            self._open(number, _opening(payload))
        elif kind == frames.CERTIFICATE:
            if len(self._certificates) >= frames.CERTIFICATES:
                self._certificates.clear()
            self._certificates[number] = payload
        elif kind not in _OF_CALLS:
            self._control(kind, payload)
        elif call := self._calls.get(number):
            _OF_CALLS[kind](call, payload)

    def _open(self, number: int, opening: Opening) -> None:
        method = self._methods.get(opening.method)
        if number <= self._last or method is None:
            raise FrameError(f"call {number} of {opening.method} after call {self._last}")
        self._last = number
        call = self._calls[number] = Call(self, number, opening)
        try:
            method.serve(call)
        except CallRefusedError as error:
            call.refuse(error)
        except Exception:  # noqa: BLE001 - as above
            call.fail()

    def _resume(self) -> None:
        for call in list(self._calls.values()):
            call.resume()

    def _lost(self, problem: str) -> None:
        for call in list(self._calls.values()):
            call.dropped()
        self._tell_lost(problem)


_OF_CALLS: dict[int, Callable[[Call, bytes], None]] = {
    frames.HALF_CLOSE: lambda call, _: call.receive(None),
    frames.CREDIT: lambda call, payload: call.credit(int.from_bytes(payload, "little")),
    frames.CANCEL: lambda call, _: call.dropped(),
    frames.UNREAD: lambda call, _: call.unread(),
}
