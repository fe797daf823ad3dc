"""A served site with its pages, and a client for them that is no browser."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self
from urllib.parse import urlsplit

from jackpot.display.web.app import Settings
from jackpot.display.web.beside import pages
from jackpot.display.web.process import PagesProcess
from jackpot.display.web.serving import Display, listen
from tests.server.house import SITE, House, open_house

WITHIN_S = 10.0
NONE: Mapping[str, str] = MappingProxyType({})


class Answer:
    """An HTTP answer whose body may go on."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.status = 0
        self.headers: dict[str, str] = {}

    async def begin(self) -> Self:
        """Read status and headers."""
        head = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        self.status = int(head[0].split()[1])
        pairs = (line.split(": ", 1) for line in head[1:] if line)
        self.headers = {name.lower(): value for name, value in pairs}
        return self

    async def body(self) -> bytes:
        """The whole body of an answer that ends."""
        if "content-length" in self.headers:
            return await self.reader.readexactly(int(self.headers["content-length"]))
        found = b""
        while chunk := await self._chunk():
            found += chunk
        return found

    async def event(self, kind: str = "") -> dict[str, Any]:
        """The next event of a kind, with its id as `_id`."""
        async with asyncio.timeout(WITHIN_S):
            while True:
                fields = await self._event()
                if "event" in fields and kind in ("", fields["event"]):
                    data: dict[str, Any] = json.loads(fields["data"])
                    return data | {"_id": fields.get("id", ""), "_kind": fields["event"]}

    async def _event(self) -> dict[str, str]:
        while b"\n\n" not in self._buffer:
            chunk = await self._chunk()
            if not chunk:
                raise EOFError("the stream has ended")
            self._buffer += chunk
        text, self._buffer = self._buffer.split(b"\n\n", 1)
        return dict(line.split(": ", 1) for line in text.decode().split("\n"))

    _buffer = b""

    async def _chunk(self) -> bytes:
        size = int((await self.reader.readuntil(b"\r\n")).strip(), 16)
        return (await self.reader.readexactly(size + 2))[:-2]


@asynccontextmanager
async def ask(
    url: str,
    path: str,
    tls: ssl.SSLContext | None = None,
    posted: bytes | None = None,
    headers: Mapping[str, str] = NONE,
    source: str = "",
) -> AsyncIterator[Answer]:
    """Send a request from one of this machine's addresses; its answer while this lasts."""
    where = urlsplit(url)
    own = (source, 0) if source else None
    reader, writer = await asyncio.open_connection(
        where.hostname, where.port, ssl=tls, local_addr=own
    )
    sent = {"Host": where.netloc} | dict(headers)
    if posted is not None:
        sent["Content-Length"] = str(len(posted))
    method = "GET" if posted is None else "POST"
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in sent.items())]
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode() + (posted or b""))
    try:
        async with asyncio.timeout(WITHIN_S):
            answer = await Answer(reader, writer).begin()
        yield answer
    finally:
        writer.close()
        with suppress(OSError, TimeoutError):  # over TLS a goodbye, which need not be answered
            await asyncio.wait_for(writer.wait_closed(), 1)


STAFF_HERE = Settings(staff_on_loopback=True)


class Shown:
    """A house and its pages."""

    def __init__(self, house: House, display: Display) -> None:
        self.house = house
        self.display = display
        self.url = display.url

    async def get(self, path: str, headers: Mapping[str, str] = NONE) -> tuple[int, str]:
        """Status and text of a page."""
        async with ask(self.url, path, headers=headers) as answer:
            return answer.status, (await answer.body()).decode()

    async def json(self, path: str) -> Any:
        """What a path answers in JSON."""
        status, text = await self.get(path)
        assert status == 200, text
        return json.loads(text)


@asynccontextmanager
async def open_shown(
    folder: Path, settings: Settings | None = None, *, http: str = "127.0.0.1:0", **options: Any
) -> AsyncIterator[Shown]:
    """The usual site with its pages, served from a folder."""
    async with open_house(folder, **options) as house:
        inside = PagesProcess()
        with listen(http) as place:
            async with pages(
                house.controller, house.store, {SITE: place}, settings or STAFF_HERE, inside
            ):
                yield Shown(house, inside.displays[SITE])
