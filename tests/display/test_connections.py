"""Connections and addresses: who holds a place without asking for anything, and where we listen."""

import asyncio
import sys
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from jackpot.display.web import connections, serving
from jackpot.display.web.app import Settings
from jackpot.display.web.serving import OTHER_REQUESTS, HttpAddressError, listen
from tests.display.secured import secured_pages
from tests.display.shown import Shown, ask, open_shown
from tests.server.house import SITE, open_house

ASKED = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
ENDLESS = b"POST /health HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\n"


async def connected(shown: Shown, sent: bytes) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A connection on which this much was sent."""
    where = urlsplit(shown.url)
    reader, writer = await asyncio.open_connection(where.hostname, where.port)
    writer.write(sent)
    return reader, writer


async def ended(reader: asyncio.StreamReader) -> None:
    """Wait until the other side has closed."""
    with suppress(ConnectionResetError):
        await reader.read()


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GET /sign/five HTTP/1.1\r\nHost:",
        b"\r\n",
        ENDLESS,
        ASKED + ASKED[:20],
        ASKED + ENDLESS,
    ],
)
async def test_half_a_request_is_not_waited_for(
    shown: Shown, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    """Whoever says nothing, or not all, is let go; also one who goes on after an answer."""
    monkeypatch.setattr(connections, "REQUEST_S", 0.3)
    reader, writer = await connected(shown, sent)
    async with asyncio.timeout(4):  # after an answer uvicorn itself would wait for five seconds
        await ended(reader)
    writer.close()


async def test_bytes_after_an_answer_do_not_keep_a_connection(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a kept connection the next request has the same deadline, from its first byte."""
    monkeypatch.setattr(connections, "REQUEST_S", 0.5)
    reader, writer = await connected(shown, ASKED)
    assert b"200" in await reader.readuntil(b"serving\n")
    writer.write(b"GET ")
    async with asyncio.timeout(4):
        await ended(reader)
    writer.close()


async def test_a_watcher_outlives_the_deadline(
    shown: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was asked for completely may be answered for as long as anyone watches."""
    monkeypatch.setattr(connections, "REQUEST_S", 0.3)
    async with ask(shown.url, "/events/sign/five") as stream:
        for _ in range(3):
            await stream.event("beat")


async def test_silent_connections_leave_room_for_signs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As many as there is room for, all silent: a sign is served after the deadline."""
    monkeypatch.setattr(connections, "REQUEST_S", 3.0)
    async with open_shown(tmp_path, Settings(max_watchers=2)) as shown:
        silent = [await connected(shown, b"GET") for _ in range(OTHER_REQUESTS + 4)]
        assert (await shown.get("/sign/five"))[0] == 503
        async with asyncio.timeout(20):
            status = 503
            while status == 503:
                await asyncio.sleep(0.1)
                status = (await shown.get("/sign/five"))[0]
        assert status == 200
        for _, writer in silent:
            writer.close()


async def test_more_connections_than_there_is_room_for_are_closed_at_once(tmp_path: Path) -> None:
    """Past those who are told that there is no room, nobody costs a place or a file."""
    room = 2 + OTHER_REQUESTS + connections.MAX_TURNED_AWAY
    async with open_shown(tmp_path, Settings(max_watchers=2)) as shown:
        silent = [await connected(shown, b"") for _ in range(room)]
        more, closed = await connected(shown, b"")
        async with asyncio.timeout(2):
            await ended(more)
        closed.close()
        for (reader, writer), path, status in zip(
            silent[-2:], (b"/sign/five", b"/health"), (b"503", b"200"), strict=True
        ):
            writer.write(b"GET " + path + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert status in await reader.readline()
        for _, each in silent:
            each.close()


async def test_a_silent_handshake_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection that does not begin TLS is closed, before there is a request to wait for."""
    monkeypatch.setattr(serving, "HANDSHAKE_S", 0.3)
    async with secured_pages(tmp_path) as pages:
        where = urlsplit(pages.url)
        reader, writer = await asyncio.open_connection(where.hostname, where.port)
        async with asyncio.timeout(20):
            await ended(reader)
        writer.close()


async def test_another_protocol_is_not_spoken(shown: Shown) -> None:
    """Who asks for a WebSocket gets the page: that protocol would know none of the limits."""
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
    assert (await shown.get("/health", upgrade))[0] == 200


@pytest.mark.parametrize("port", ["65536", "99999", "131072", "-1", "", "http"])
def test_a_port_that_is_none_is_refused(port: str) -> None:
    """It is not taken modulo 65,536, nor as "any"."""
    with pytest.raises(HttpAddressError, match="cannot serve pages there"):
        listen(f"127.0.0.1:{port}").close()


@pytest.mark.process
def test_two_starts_at_the_same_moment_do_not_share_a_port() -> None:
    """The port is taken when it is bound, not only when its pages are served."""
    with listen("127.0.0.1:0") as first:
        there = f"127.0.0.1:{first.getsockname()[1]}"
        with pytest.raises(HttpAddressError, match="Address already in use"):
            listen(there).close()


async def test_a_site_that_is_not_there_is_one_line(tmp_path: Path) -> None:
    """`jackpot sign --site nope` says which sites there are, and ends."""
    async with open_house(tmp_path) as house:
        command = ["sign", "--site", "nope", "--http", "127.0.0.1:0", "--controller", house.address]
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "jackpot", *command, stderr=asyncio.subprocess.PIPE
        )
        try:
            async with asyncio.timeout(15):
                _, told = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        assert process.returncode == 1
        assert (
            told.decode().splitlines()[-1]
            == f"Error: the controller has no site nope (it has: {SITE})"
        )
