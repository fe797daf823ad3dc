"""A table whose controller falls silent without a word asks again, and is carried out once."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from emulator.soak.faults.connections import Proxy
from jackpot.engine.commit_points import POINTS, Point
from jackpot.verify import verify
from jackpot.wire.keepalive import EVERY_MS, UNANSWERED_MS, keepalive
from jackpot.wire.refusals import UnreachableError
from table_client import controllers
from table_client.client import TableClient, open_channel
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
    """Pings that nobody answers end it, on both sides; tables and signs go on over a new one."""
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
        streams = house.controller._tables._streams
        (dead,) = streams
        await asyncio.sleep(1)  # gRPC pings by itself when there is traffic
        proxy.lose()
        began = time.monotonic()
        for answer in [client.place_wagers([wager(1)]) for client in (streaming, calling)]:
            await answer
        assert time.monotonic() - began < FOUND_OUT_S + 30
        await streaming.lock_out()
        await streaming.confirm_collection({FIVE: 1})
        later = await asyncio.wait_for(anext(shown), FOUND_OUT_S + 30)
        assert later.sequence > first.sequence
        while dead in streams:
            assert time.monotonic() - began < FOUND_OUT_S + 40
            await asyncio.sleep(0.1)
    assert verify(store).ok


async def test_pings_are_allowed() -> None:
    """An idle connection is not closed for being pinged as often as we ping."""
    pings = keepalive(1_000, 1_000)

    async def listen(requests: AsyncIterator[bytes], _: Any) -> AsyncIterator[bytes]:
        async for request in requests:
            yield request

    address = f"127.0.0.1:{free_port()}"
    server = grpc.aio.server(options=pings)
    handler: Any = grpc.stream_stream_rpc_method_handler(listen)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("a", {"b": handler}),))
    server.add_insecure_port(address)
    await server.start()
    try:
        async with grpc.aio.insecure_channel(address, options=pings) as channel:
            call: Any = channel.stream_stream("/a/b")()
            for said in (b"before", b"after"):
                await call.write(said)
                assert await call.read() == said
                await asyncio.sleep(7 if said == b"before" else 0)
    finally:
        await server.stop(0)


class Middlebox(grpc.GenericRpcHandler):
    """Speaks gRPC on both sides, answers pings itself, and may pass nothing of a stream on."""

    def __init__(self, house: House) -> None:
        self.streams = 0
        self.silent = 0  # the first so many streams lead nowhere
        self.hangs_up = False  # streams are ended in good order, and not answered
        self._channel: Any = house.channel

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
        number = self.streams
        if self.hangs_up:
            return

        async def heard() -> AsyncIterator[bytes]:
            async for request in requests:
                if number > self.silent:
                    yield request

        async for answer in self._channel.stream_stream(PLAY)(heard()):
            yield answer


@asynccontextmanager
async def boxed(tmp_path: Path) -> AsyncIterator[tuple[House, Middlebox, grpc.aio.Channel]]:
    """A controller, a middlebox in front of it, and a connection through that."""
    async with open_house(tmp_path, tmp_path / "data") as house:
        box, address = Middlebox(house), f"127.0.0.1:{free_port()}"
        server = grpc.aio.server()
        server.add_generic_rpc_handlers((box,))
        server.add_insecure_port(address)
        await server.start()
        try:
            async with open_channel(address) as channel:
                yield house, box, channel
        finally:
            await server.stop(0)


async def test_a_silent_stream_is_begun_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection that lives proves nothing: the stream that is not answered is left."""
    monkeypatch.setattr(controllers, "LONE_PATIENCE_S", 0.5)
    async with (
        boxed(tmp_path) as (_, box, channel),
        TableClient(channel, SITE, "t4") as client,
    ):
        box.silent = 2
        await client.attach()
        opening, placing = client.open_round(), client.place_wagers([wager(1), wager(2)])
        opened, placed = await opening, await placing
        assert placed.sequence == opened.sequence + 1
        assert box.streams >= 3
        assert [each.seat for each in (await client.lock_out()).wagers] == [1, 2]


@pytest.mark.parametrize("several", [False, True], ids=["alone", "several"])
async def test_an_old_stream_that_falls_silent_is_left_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, several: bool
) -> None:
    """The deadline counts from the last answer, not from when the stream began."""
    monkeypatch.setattr(controllers, "LONE_PATIENCE_S", 0.5)
    monkeypatch.setattr(controllers, "PATIENCE_S", 0.5)
    async with boxed(tmp_path) as (house, box, channel):
        channels = [channel, house.channel] if several else [channel]
        async with TableClient(channels, SITE, "t4", deadline_s=4.0) as client:
            await client.attach()
            await client.open_round()
            await asyncio.sleep(4.5)
            box.silent = box.streams
            await client.place_wagers([wager(1)])
            assert box.streams == (1 if several else 2)


async def test_silence_ends_with_the_deadline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who never answers is given up, after the deadline and not before, nor much later."""
    monkeypatch.setattr(controllers, "LONE_PATIENCE_S", 4.0)
    async with (
        boxed(tmp_path) as (_, box, channel),
        TableClient(channel, SITE, "t4", deadline_s=4.5) as client,
    ):
        await client.attach()
        await client.open_round()
        box.silent = 1_000
        began = time.monotonic()
        with pytest.raises(UnreachableError, match="no answer in time"):
            await client.lock_out()
        assert 4.5 <= time.monotonic() - began < 7.5  # not twice the patience
        assert box.streams == 2


async def test_streams_that_end_unanswered_are_not_begun_in_a_rush(tmp_path: Path) -> None:
    """Whoever hangs up politely is asked again now and then, and given up at the deadline."""
    async with (
        boxed(tmp_path) as (_, box, channel),
        TableClient(channel, SITE, "t4", deadline_s=2.0) as client,
    ):
        await client.attach()
        box.hangs_up = True
        with pytest.raises(UnreachableError):
            await client.open_round()
        assert 2 < box.streams < 60


async def test_a_closed_connection_answers_at_once(tmp_path: Path) -> None:
    """What is sent over a connection that somebody has closed fails, and nobody waits for ever."""
    async with open_house(tmp_path, tmp_path / "data") as house:
        channel = open_channel(house.address)
        async with TableClient(channel, SITE, "t4") as client:
            await client.attach()
            await client.open_round()
            await channel.close()
            for _ in range(2):
                with pytest.raises(UnreachableError, match="the connection was closed"):
                    await asyncio.wait_for(client.lock_out(), 5)


async def test_what_is_given_up_says_why(tmp_path: Path) -> None:
    """A command that waits while its table attaches anew fails with that reason."""
    async with (
        boxed(tmp_path) as (_, box, channel),
        TableClient(channel, SITE, "t4") as client,
    ):
        box.silent = 1_000
        await client.attach()
        waiting = client.open_round()
        await asyncio.sleep(0)
        await client.attach()
        with pytest.raises(UnreachableError, match="the table attached again"):
            await waiting


@pytest.mark.parametrize("point", [point for point in POINTS if point != "snapshot"])
async def test_what_is_asked_many_times_happens_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: Point
) -> None:
    """A slow commit is asked for by stream after stream, and everything is carried out once."""
    monkeypatch.setattr(controllers, "LONE_PATIENCE_S", 0.2)
    async with (
        open_house(tmp_path, tmp_path / "data") as house,
        open_channel(house.address) as channel,
        TableClient(channel, SITE, "t4") as client,
    ):
        before = (await client.attach()).sequence
        house.faults.hold_at = point
        asyncio.get_running_loop().call_later(1.0, house.faults.go_on.set)
        answers: list[Any] = [client.open_round(), client.place_wagers([wager(1), wager(2)])]
        answers += [client.lock_out(), client.confirm_collection({FIVE: 2})]
        told = [(await answer).sequence for answer in answers]
        assert told == [before + 1, before + 2, before + 3, before + 4]
        assert await house.sequence() == before + 4
    assert verify(tmp_path / "data").ok
