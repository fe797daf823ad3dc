"""Clients of the pages that go on sending for as long as anybody lets them."""

import socket
import ssl
from contextlib import suppress
from typing import NamedTuple

ENOUGH_BYTES = 24 << 20  # whoever may send so much may send anything
_HOST = b"Host: pages\r\n"
_POST = b"POST /login HTTP/1.1\r\n" + _HOST
_CHUNKED = _POST + b"Transfer-Encoding: chunked\r\n\r\n"
_MANY = 4_096


class Endless(NamedTuple):
    """How a request begins, and what it then consists of for ever."""

    begins: bytes
    goes_on: bytes


FORMS = {
    "a header's value": Endless(b"GET / HTTP/1.1\r\n" + _HOST + b"X: ", b"a" * 32_768),
    "a header's name": Endless(b"GET / HTTP/1.1\r\n" + _HOST, b"a" * 32_768),
    "headers": Endless(b"GET / HTTP/1.1\r\n" + _HOST, b"X-A: b\r\n" * _MANY),
    "a path": Endless(b"GET /", b"a" * 32_768),
    "empty lines": Endless(b"", b"\r\n" * _MANY),
    "requests": Endless(b"", b"GET /health HTTP/1.1\r\n\r\n" * _MANY),
    "a body": Endless(_POST + b"Content-Length: 99999999999\r\n\r\n", b"a" * 32_768),
    "chunks": Endless(_CHUNKED, b"1\r\na\r\n" * _MANY),
    "a chunk's extension": Endless(_CHUNKED + b"1;", b"a" * 32_768),
    "a trailer": Endless(_CHUNKED + b"0\r\nX: ", b"a" * 32_768),
    "trailers": Endless(_CHUNKED + b"0\r\n", b"X-A: b\r\n" * _MANY),
}


class Sent(NamedTuple):
    """How far a client came."""

    size: int  # in bytes, those included that lie in the buffers of both sides
    answer: bytes


def send_for_ever(address: tuple[str, int], tls: ssl.SSLContext | None, form: Endless) -> Sent:
    """Send until the other side has had enough, or enough was sent to see that it never has."""
    with socket.socket() as plain:
        # Buffers of ours would take bytes that the other side never sees.
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65_536)
        plain.settimeout(20)
        plain.connect(address)
        with tls.wrap_socket(plain, server_hostname=address[0]) if tls else plain as client:
            count, answer = 0, b""
            with suppress(OSError):
                client.sendall(form.begins)
                while count < ENOUGH_BYTES:
                    count += client.send(form.goes_on)
            with suppress(OSError):
                client.settimeout(2)
                answer = client.recv(4_096)
            return Sent(count, answer)
