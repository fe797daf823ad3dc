"""A table whose controller falls silent without a word asks again, and is carried out once."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from emulator.soak.proxy import Proxy
from jackpot.keepalive import EVERY_MS, UNANSWERED_MS
from jackpot.verify import verify
from table_client import controllers
from table_client.client import TableClient, open_channel
from table_client.errors import UnreachableError
from tests.server.house import FIVE, SITE, House, free_port, open_house, wager

FOUND_OUT_S = (EVERY_MS + UNANSWERED_MS) / 1000
PLAY = "/jackpot.v1.TableService/Play"


@asynccontextmanager
async def proxied(house: House) -> AsyncIterator[Proxy]:
    """A way to the controller that connections can be lost on."""
    proxy = Proxy(house.address)
    await proxy.start()
    try:
        yield proxy
    finally:
        await proxy.stop()


async def test_a_lost_connection_is_found_out(tmp_path: Path) -> None:
    """Pings that nobody answers end it; tables and signs go on over a new one."""
    store = tmp_path / "data"
    async with (
        open_house(tmp_path, store) as house,
        proxied(house) as proxy,
        open_channel(proxy.address) as channel,
        open_channel(proxy.address) as another,
        TableClient(channel, SITE, "t4") as streaming,
        TableClient(another, SITE, "t1", streaming=False) as calling,
    ):
        for client in (streaming, calling):
            await client.attach()
            await client.open_round()
        shown = streaming.watch_meters(["five"])
        first = await anext(shown)
        proxy.lose()
        began = time.monotonic()
        placed = [client.place_wagers([wager(1)]) for client in (streaming, calling)]
        for answer in placed:
            await answer
        assert time.monotonic() - began < FOUND_OUT_S + 5
        await streaming.lock_out()
        await streaming.confirm_collection({FIVE: 1})
        later = await asyncio.wait_for(anext(shown), FOUND_OUT_S)
        assert later.sequence > first.sequence
    assert verify(store).ok


class Middlebox(grpc.GenericRpcHandler):
    """Speaks gRPC on both sides, answers pings itself, and passes nothing of some streams on."""

    def __init__(self, channel: grpc.aio.Channel, swallows: int) -> None:
        self.streams = 0
        self._channel: Any = channel
        self._swallows = swallows

    def service(self, details: Any) -> Any:
        """Every method is passed on as it is."""
        if details.method == PLAY:
            return grpc.stream_stream_rpc_method_handler(self._play)

        async def call(request: bytes, _: Any) -> bytes:
            answer: bytes = await self._channel.unary_unary(details.method)(request)
            return answer

        return grpc.unary_unary_rpc_method_handler(call)

    async def _play(self, requests: AsyncIterator[bytes], _: Any) -> AsyncIterator[bytes]:
        self.streams += 1
        if self.streams <= self._swallows:
            async for _ignored in requests:
                pass
            return
        async for answer in self._channel.stream_stream(PLAY)(requests):
            yield answer


@asynccontextmanager
async def through(house: House, swallows: int) -> AsyncIterator[tuple[Middlebox, str]]:
    """A middlebox in front of the controller."""
    box, address = Middlebox(house.channel, swallows), f"127.0.0.1:{free_port()}"
    server = grpc.aio.server()
    server.add_generic_rpc_handlers((box,))
    server.add_insecure_port(address)
    await server.start()
    try:
        yield box, address
    finally:
        await server.stop(0)


async def test_a_silent_stream_is_begun_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection that lives proves nothing: the stream that is not answered is left."""
    monkeypatch.setattr(controllers, "LONE_PATIENCE_S", 0.5)
    async with (
        open_house(tmp_path, tmp_path / "data") as house,
        through(house, swallows=2) as (box, address),
        open_channel(address) as channel,
        TableClient(channel, SITE, "t4") as client,
    ):
        await client.attach()
        opening, placing = client.open_round(), client.place_wagers([wager(1), wager(2)])
        opened, placed = await opening, await placing
        assert placed.sequence == opened.sequence + 1
        assert box.streams == 3
        assert [placed.seat for placed in (await client.lock_out()).wagers] == [1, 2]


async def test_silence_ends_with_the_deadline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who never answers is given up, after the deadline and not before."""
    monkeypatch.setattr(controllers, "LONE_PATIENCE_S", 0.3)
    async with (
        open_house(tmp_path, tmp_path / "data") as house,
        through(house, swallows=1_000) as (box, address),
        open_channel(address) as channel,
        TableClient(channel, SITE, "t4", deadline_s=1.0) as client,
    ):
        await client.attach()
        began = time.monotonic()
        with pytest.raises(UnreachableError, match="no answer in time"):
            await client.open_round()
        assert 1.0 <= time.monotonic() - began < 4
        assert box.streams > 2
