"""Calls through a front: what a caller that does not read, or goes, comes to."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest

from jackpot.core.reasons import Reason
from jackpot.engine.alarms import AlarmBoard
from jackpot.front import relay
from jackpot.server.calls import Call, Method
from jackpot.server.errors import refused
from jackpot.server.fronts import Fronts
from jackpot.wire.refusals import from_rpc_error
from tests.engine.pit import eventually

MEGABYTE = bytes(1 << 20)


class Echo:
    """Four methods that show what a call is; every call that came is kept."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.ran: list[bytes] = []

    def methods(self) -> dict[str, Method]:
        """By their names."""
        return {
            "/Echo/Unary": Method(self._unary, streams_in=False, streams_out=False),
            "/Echo/Watch": Method(self._watch, streams_in=False, streams_out=True),
            "/Echo/Both": Method(self._both, streams_in=True, streams_out=True),
            "/Echo/Refuse": Method(self._refuse, streams_in=False, streams_out=False),
        }

    def _unary(self, call: Call) -> None:
        async def answer(raw: bytes) -> None:
            await asyncio.sleep(0.05)
            self.ran.append(raw)
            call.send(raw)

        self.calls.append(call)
        call.receive = lambda raw: call.run(answer(raw or b""), to_its_end=True)

    def _watch(self, call: Call) -> None:
        async def watch() -> None:
            while True:
                await call.write(MEGABYTE)

        self.calls.append(call)
        call.receive = lambda raw: call.run(watch()) if raw is not None else None

    def _both(self, call: Call) -> None:
        self.calls.append(call)
        call.receive = lambda raw: call.end() if raw is None else call.send(raw)

    def _refuse(self, _call: Call) -> None:
        raise refused(Reason.OVERLOADED, limit=3)


@asynccontextmanager
async def served(echo: Echo) -> AsyncIterator[Any]:
    """A channel to an echo behind a front in this process."""
    fronts = Fronts(echo.methods(), 0, AlarmBoard())
    address = await fronts.start("127.0.0.1:0", None)
    try:
        async with grpc.aio.insecure_channel(address) as channel:
            yield channel
    finally:
        await fronts.stop()


async def read_all(call: Any) -> None:
    """Read until there is no more."""
    while await call.read() is not grpc.aio.EOF:
        pass


def both(channel: Any) -> Any:
    """A stream of raw bytes both ways."""
    return channel.stream_stream("/Echo/Both")()


@pytest.mark.parametrize("message", [b"", b"x", MEGABYTE[:-64]])
async def test_messages_pass_as_they_are(message: bytes) -> None:
    """Empty ones too: no message means the end."""
    async with served(Echo()) as channel:
        assert await channel.unary_unary("/Echo/Unary")(message) == message
        call = both(channel)
        await call.write(message)
        assert await call.read() == message
        await call.done_writing()
        assert await call.read() is grpc.aio.EOF


async def test_a_refusal_keeps_its_reason() -> None:
    """Code, text and details pass through the front."""
    async with served(Echo()) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await channel.unary_unary("/Echo/Refuse")(b"")
        refusal = from_rpc_error(caught.value)
        assert (refusal.reason, refusal.metadata) == ("OVERLOADED", {"limit": "3"})


async def test_a_method_that_is_not_there_never_reaches_the_ledger() -> None:
    """The front knows the list."""
    async with served(Echo()) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await channel.unary_unary("/Echo/Else")(b"")
        assert caught.value.code() == grpc.StatusCode.UNIMPLEMENTED


async def test_whoever_does_not_read_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a time, with the reason, and the ledger is free of the call."""
    monkeypatch.setattr(relay, "MAX_UNREAD_S", 0.3)
    monkeypatch.setattr(relay, "_LOOK_S", 0.1)
    monkeypatch.setattr(relay, "_LAST_WRITE_S", 0.1)
    echo = Echo()
    async with served(echo) as channel:
        watching = channel.unary_stream("/Echo/Watch")(b"")
        await eventually(lambda: bool(echo.calls) and echo.calls[0].ended, within_s=10)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await read_all(watching)
        assert from_rpc_error(caught.value).reason == "OVERLOADED"


async def test_a_stream_that_is_read_late_but_read_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time is that of one message, not of the stream."""
    monkeypatch.setattr(relay, "MAX_UNREAD_S", 0.5)
    monkeypatch.setattr(relay, "_LOOK_S", 0.05)
    echo = Echo()
    async with served(echo) as channel:
        watching = channel.unary_stream("/Echo/Watch")(b"")
        # gRPC lets more be written only when the caller has read several megabytes.
        for _ in range(50):
            await asyncio.sleep(0.02)
            assert await watching.read() == MEGABYTE
        assert not echo.calls[0].ended
        watching.cancel()
        await eventually(lambda: echo.calls[0].ended, within_s=5)


async def test_a_caller_that_goes_takes_back_no_command() -> None:
    """The answer is dropped; what was asked is done."""
    echo = Echo()
    async with served(echo) as channel:
        asked = channel.unary_unary("/Echo/Unary")(b"wager")
        await eventually(lambda: bool(echo.calls), within_s=5)
        asked.cancel()
        await eventually(lambda: echo.ran == [b"wager"], within_s=5)
        assert echo.calls[0].ended


async def test_a_ledger_that_gives_no_credit_stops_the_caller(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What is on its way is bounded: the front reads no more than the ledger takes."""
    echo = Echo()
    async with served(echo) as channel:
        call = both(channel)
        await call.write(b"first")
        assert await call.read() == b"first"  # the call is open, and this was taken
        taken = list[int]()
        # A ledger that takes messages and gives no credit for them.
        monkeypatch.setattr(Call, "take", lambda _, raw: taken.append(len(raw)))

        async def write_all() -> None:
            for _ in range(64):
                await call.write(MEGABYTE[:-64])

        writing = asyncio.create_task(write_all())
        await eventually(lambda: bool(taken), within_s=20)
        await asyncio.sleep(0.3)
        assert len(taken) == 1
        assert not writing.done()
        writing.cancel()
        call.cancel()
