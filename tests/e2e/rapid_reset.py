"""A client that opens calls and resets them at once, as fast as it can, in HTTP/2 made by hand.

`python -m tests.e2e.rapid_reset HOST PORT CERTIFICATE AUTHORITY SECONDS` says how many it opened.
"""

import os
import select
import socket
import ssl
import struct
import sys
import time
from pathlib import Path
from typing import Self

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEADERS, RST_STREAM, SETTINGS = 1, 3, 4
MAX_CONCURRENT_STREAMS, MAX_HEADER_LIST_SIZE = 3, 6
END_HEADERS, ACK = 4, 1
CANCEL = struct.pack(">I", 8)
CALLS_AT_ONCE = 100
NICE = 5  # the machine may be small, and the controller is to be held up by calls, not by us


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
    """A connection of HTTP/2."""

    def __init__(self, host: str, port: int, certificate: Path, authority: Path) -> None:
        """Connect, and learn what the server allows."""
        tls = ssl.create_default_context(cafile=str(authority))
        tls.load_cert_chain(certificate, certificate.with_suffix(".key"))
        tls.set_alpn_protocols(["h2"])
        plain = socket.create_connection((host, port), timeout=20)
        self._socket = tls.wrap_socket(plain, server_hostname=host)
        self._socket.sendall(PREFACE + frame(SETTINGS, 0, 0))
        size, kind = struct.unpack(">IB", b"\0" + self._exactly(9)[:4])
        assert kind == SETTINGS, kind
        self.settings: dict[int, int] = dict(struct.iter_unpack(">HI", self._exactly(size)))
        self._socket.sendall(frame(SETTINGS, ACK, 0))
        self._stream = 1

    def _exactly(self, size: int) -> bytes:
        found = b""
        while len(found) < size:
            found += self._socket.recv(size - len(found))
        return found

    def open_and_reset(self) -> None:
        """Some calls, each given up as soon as it is made; answers are thrown away."""
        sent = b""
        for _ in range(CALLS_AT_ONCE):
            sent += frame(HEADERS, END_HEADERS, self._stream, PLAY)
            sent += frame(RST_STREAM, 0, self._stream, CANCEL)
            self._stream += 2
        self._socket.sendall(sent)
        while self._socket.pending() or select.select([self._socket], [], [], 0)[0]:
            if not self._socket.recv(65_536):
                raise ConnectionError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()


def main() -> None:
    """For so many seconds, and again whenever the server hangs up."""
    host, port, certificate, authority, seconds = sys.argv[1:]
    os.nice(NICE)
    opened, ends = 0, time.monotonic() + float(seconds)
    while time.monotonic() < ends:
        with Resetting(host, int(port), Path(certificate), Path(authority)) as client:
            try:
                while time.monotonic() < ends:
                    client.open_and_reset()
                    opened += CALLS_AT_ONCE
            except OSError:
                continue
    sys.stdout.write(f"{opened}\n")


if __name__ == "__main__":
    main()
