"""Frames: what a front and the ledger tell each other over the socket that they share.

A frame is its payload's length, its kind and the call that it is about. All frames sent in
one turn of the loop leave in one write, so hundreds of them share a system call. A frame that makes
no sense ends the link: one of the two ends is broken, and nothing more it says can be trusted.
"""

import asyncio
import socket
from collections.abc import Callable
from struct import Struct as Layout
from typing import Any

import msgspec
from grpc import StatusCode

from jackpot.wire.identity import Tls
from jackpot.wire.limits import MAX_MESSAGE_BYTES

# Of a call, whose number is never used again.
OPEN = 1  # front to ledger: `Opening`
DATA = 2  # a message, as it was on the wire; it may be empty
HALF_CLOSE = 3  # the caller has no more messages
CANCEL = 4  # the caller has gone: answers are dropped, commands are not
END = 5  # ledger to front: nothing for OK, or `Ending`
CREDIT = 6  # so many bytes of the call's messages have been taken
UNREAD = 7  # the caller has not read for too long
# Of the front.
CERTIFICATE = 16  # front to ledger: the certificate that `Opening` names by the frame's number
SETUP = 17  # ledger to front: `Setup`
READY = 18  # front to ledger: `Ready`
PING = 19
PONG = 20
DRAIN = 21  # take no more calls; the front ends when those under way have ended
HANG_UP = 22  # close the connection of a peer
SHUN = 23  # ledger to front: end every call of a certificate with this `Ending`, unasked

WINDOW = 64 << 10  # bytes of one call's messages on their way, overdrawn by one message at most
CERTIFICATES = 4_096  # whose numbers both ends remember, until both forget all of them
MAX_UNTAKEN = 32 << 20  # ... of all calls of a front
_MAX_PAYLOAD = MAX_MESSAGE_BYTES + (64 << 10)
_HIGH_WATER, _LOW_WATER = 8 << 20, 1 << 20  # bytes that wait to be written to the other end
_BUFFER = 1 << 20  # of the kernel, for each direction
_HEAD = Layout("<IBQ")
_pack, _unpack, _HEAD_SIZE = _HEAD.pack, _HEAD.unpack_from, _HEAD.size


class Opening(msgspec.Struct, array_like=True):
    """A call that begins, and all that the front knows of its caller."""

    method: str
    peer: str
    certificate: int | None = None  # its number; None without TLS
    metadata: tuple[tuple[str, str], ...] = ()


class Ending(msgspec.Struct, array_like=True):
    """Why a call ended otherwise than well."""

    code: int
    message: str
    trailers: tuple[tuple[str, bytes], ...] = ()


class Setup(msgspec.Struct, array_like=True):
    """What a front is to serve, and where."""

    address: str
    tls: Tls | None
    methods: dict[str, tuple[bool, bool]]  # name -> whether requests and answers are streams
    overloaded: bytes  # the end of a call that the ledger is not asked about


class Ready(msgspec.Struct, array_like=True):
    """The other end does its work, or says why it can't."""

    problem: str = ""


_CODES = {code.value[0]: code for code in StatusCode}
_read_ending = msgspec.msgpack.Decoder(Ending).decode


def write_ending(
    code: StatusCode, message: str, trailers: tuple[tuple[str, bytes], ...] = ()
) -> bytes:
    """The payload of an END that is not OK."""
    number: int = code.value[0]
    return msgspec.msgpack.encode(Ending(number, message, trailers))


def read_ending(payload: bytes) -> tuple[StatusCode, str, tuple[tuple[str, bytes], ...]]:
    """Code, text and trailers of an END that is not OK."""
    ending = _read_ending(payload)
    return _CODES[ending.code], ending.message, ending.trailers


class FrameError(Exception):
    """A frame that makes no sense."""


_encode = msgspec.msgpack.encode


class Link(asyncio.Protocol):
    """One end of the socket between a front and the ledger."""

    def __init__(
        self,
        receive: Callable[[int, int, bytes], None],
        lost: Callable[[str], None],
        resume: Callable[[], None] = lambda: None,
    ) -> None:
        """Frames are handed to `receive`; `lost` is called once, with what was wrong if anything.

        `resume` is called when what had to wait may be written again.
        """
        self._receive = receive
        self._lost = lost
        self._resume = resume
        self._loop = asyncio.get_running_loop()
        self._transport: Any = None
        self._in = b""  # the beginning of a frame whose rest is on its way
        self._out: list[bytes] = []
        self._problem = ""
        self.paused = False  # the other end does not keep up

    def connection_made(self, transport: Any) -> None:
        """The socket is there."""
        self._transport = transport
        transport.set_write_buffer_limits(_HIGH_WATER, _LOW_WATER)

    def send(self, kind: int, call: int, payload: bytes = b"") -> None:
        """Send a frame when this turn of the loop is over."""
        if not self._out:
            self._loop.call_soon(self._flush)
        self._out.append(_pack(len(payload), kind, call))
        self._out.append(payload)

    def tell(self, kind: int, call: int, value: msgspec.Struct) -> None:
        """Send a frame whose payload is one of the structures above."""
        self.send(kind, call, _encode(value))

    def _flush(self) -> None:
        data = b"".join(self._out)
        self._out.clear()
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)

    def data_received(self, data: bytes) -> None:
        """Hand over every frame that is complete."""
        if self._in:
            data = self._in + data
        position, size, receive = 0, len(data), self._receive
        while size - position >= _HEAD_SIZE:
            length, kind, call = _unpack(data, position)
            end = position + _HEAD_SIZE + length
            if length > _MAX_PAYLOAD:
                self.fail(f"a frame of {length} bytes")
                return
            if end > size:
                break
            try:
                receive(kind, call, data[position + _HEAD_SIZE : end])
            except (FrameError, msgspec.MsgspecError) as error:
                self.fail(str(error))
                return
            position = end
        self._in = data[position:]

    def fail(self, problem: str) -> None:
        """Trust the other end no more."""
        self._problem = problem
        self._in = b""
        if self._transport is not None:
            self._transport.abort()

    def pause_writing(self) -> None:
        """Too much waits to be written."""
        self.paused = True

    def resume_writing(self) -> None:
        """There is room again."""
        self.paused = False
        self._resume()

    def connection_lost(self, _error: Exception | None) -> None:
        """The other end has gone, or this one was closed."""
        if self._transport is None:
            return
        self._transport = None
        self._lost(self._problem)

    def close(self) -> None:
        """Send what waits, and close."""
        if self._transport is not None:
            self._transport.close()


async def connect(link: Link, end: socket.socket) -> None:
    """Make a link of one end of a socket pair."""
    for option in (socket.SO_SNDBUF, socket.SO_RCVBUF):
        end.setsockopt(socket.SOL_SOCKET, option, _BUFFER)
    end.settimeout(0)
    await asyncio.get_running_loop().create_connection(lambda: link, sock=end)


class _InMemory:
    """A transport between two links of the same loop."""

    def __init__(self, own: Link, other: Link) -> None:
        self._own = own
        self._other = other
        self._loop = asyncio.get_running_loop()
        self._closed = False

    def write(self, data: bytes) -> None:
        self._loop.call_soon(self._other.data_received, data)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            for end in (self._other, self._own):
                self._loop.call_soon(end.connection_lost, None)

    def is_closing(self) -> bool:
        return self._closed

    abort = close

    def set_write_buffer_limits(self, *_: int) -> None:
        """Nothing waits: what is written is received in the loop's next turn."""


def join(one: Link, other: Link) -> None:
    """Make two links the ends of one, without a socket."""
    one.connection_made(_InMemory(one, other))
    other.connection_made(_InMemory(other, one))
