"""A client of the ledger in a process that shares a link with it, made as a gRPC channel is.

Generated stubs work on it, and a refusal is the same error as over gRPC; there is no socket that
anybody else could reach, and so nobody to prove oneself to.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Any

import grpc
from grpc.aio import AioRpcError, Metadata

from jackpot.front import frames
from jackpot.front.frames import Link, Opening

_GONE = frames.write_ending(grpc.StatusCode.UNAVAILABLE, "the ledger is gone")
_OF_CALLS = frozenset((frames.DATA, frames.END))


class LedgerChannel:
    """Calls by one message, and answers that are one message or a stream."""

    def __init__(self, control: Callable[[int, bytes], None], lost: Callable[[], None]) -> None:
        """Frames about the process itself are handed to `control`."""
        self.link = Link(self._receive, self._lost)
        self._control = control
        self._tell_lost = lost
        self._calls: dict[int, asyncio.Queue[tuple[int, bytes]]] = {}
        self._number = 0
        self._gone = False

    def unary_unary(
        self, method: str, request_serializer: Any, response_deserializer: Any, **_: Any
    ) -> Any:
        """How a stub makes a call with one answer."""

        async def call(request: Any, timeout: float | None = None) -> Any:  # noqa: ASYNC109 - as gRPC
            raw = request_serializer(request)
            return response_deserializer(await self.ask(method, raw, timeout))

        return call

    def unary_stream(
        self, method: str, request_serializer: Any, response_deserializer: Any, **_: Any
    ) -> Any:
        """How a stub makes a call whose answers are a stream."""

        async def call(request: Any) -> AsyncGenerator[Any, None]:
            async for raw in self._answers(method, request_serializer(request)):
                yield response_deserializer(raw)

        return call

    async def ask(
        self,
        method: str,
        raw: bytes,
        within_s: float | None = None,
        metadata: tuple[tuple[str, str], ...] = (),
    ) -> bytes:
        """The answer to a call; AioRpcError where there is none."""
        try:
            async with asyncio.timeout(within_s):
                found = [answer async for answer in self._answers(method, raw, metadata)]
        except TimeoutError:
            raise _error(grpc.StatusCode.DEADLINE_EXCEEDED, "no answer in time") from None
        return found[0]

    async def _answers(
        self, method: str, raw: bytes, metadata: tuple[tuple[str, str], ...] = ()
    ) -> AsyncGenerator[bytes, None]:
        self._number += 1
        number, link, open_ = self._number, self.link, True
        heard = self._calls[number] = asyncio.Queue()
        if self._gone:
            heard.put_nowait((frames.END, _GONE))
        link.tell(frames.OPEN, number, Opening(method, "", metadata=metadata))
        link.send(frames.DATA, number, raw)
        link.send(frames.HALF_CLOSE, number)
        try:
            while True:
                kind, payload = await heard.get()
                if kind == frames.END:
                    open_ = False
                    if payload:
                        raise _error(*frames.read_ending(payload))
                    return
                yield payload
                # Only now: whoever is slow is sent the latest, and not all that was before it.
                link.send(frames.CREDIT, number, len(payload).to_bytes(4, "little"))
        finally:
            del self._calls[number]
            if open_:
                link.send(frames.CANCEL, number)

    def _receive(self, kind: int, number: int, payload: bytes) -> None:
        if kind not in _OF_CALLS:
            self._control(kind, payload)
        elif heard := self._calls.get(number):
            heard.put_nowait((kind, payload))

    def _lost(self, _problem: str) -> None:
        self._gone = True
        for heard in self._calls.values():
            heard.put_nowait((frames.END, _GONE))
        self._tell_lost()


def _error(
    code: grpc.StatusCode, message: str, trailers: tuple[tuple[str, bytes], ...] = ()
) -> AioRpcError:
    return AioRpcError(code, Metadata(), Metadata(*trailers), message)
