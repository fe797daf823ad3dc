"""A topic over HTTP, as server-sent events.

The bytes that a topic made are handed on as they are. A browser that reads too slowly stops only
its own stream; one that does not read at all is let go.
"""

import asyncio
from collections.abc import AsyncGenerator

from starlette.types import Message, Receive, Scope, Send

STUCK_S = 15.0  # a browser that has taken nothing for so long is gone
RETRY_MS = 1_000  # how soon a browser tries again
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # nginx would keep events back
]


class Places:
    """How many watchers there is room for."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.taken = 0

    @property
    def full(self) -> bool:
        """Whether there is no room for another."""
        return self.taken >= self.most


class EventStream:
    """An ASGI response that goes on until the browser or the topic ends it."""

    def __init__(self, events: AsyncGenerator[bytes, None], places: Places) -> None:
        self._events = events
        self._places = places

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        """Send events while there are any."""
        self._places.taken += 1
        gone = asyncio.create_task(_gone(receive))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": [*_HEADERS]})
            await send(_body(f"retry: {RETRY_MS}\n\n".encode()))
            async for event in self._events:
                if gone.done():
                    return
                async with asyncio.timeout(STUCK_S):
                    await send(_body(event))
            await send(_body(b"", more=False))
        except TimeoutError:
            return  # the server closes what was left unfinished
        finally:
            self._places.taken -= 1
            gone.cancel()
            await self._events.aclose()


def _body(data: bytes, *, more: bool = True) -> Message:
    return {"type": "http.response.body", "body": data, "more_body": more}


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
