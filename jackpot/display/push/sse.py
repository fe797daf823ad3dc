"""A topic over HTTP, as server-sent events.

The bytes that a topic made are handed on as they are. A browser that reads too slowly stops only
its own stream; one that does not read at all is let go.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import NamedTuple

from starlette.types import Message, Receive, Scope, Send

STUCK_S = 15.0  # a browser that has taken nothing for so long is gone
RETRY_MS = 1_000  # how soon a browser tries again
STAFF, STAFF_EACH = 256, 32  # streams of people who were let in: of all, and of one of them
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # nginx would keep events back
]


class Watcher(NamedTuple):
    """Who watches: an address, or a person who was let in."""

    name: str
    is_staff: bool


class Places:
    """How many watchers there is room for, and who sits there.

    One address has a share of the places, and one person a few. What is kept for staff nobody else
    can take, however many addresses they come from.
    """

    def __init__(self, most: int, most_each: int) -> None:
        """So many for everybody, and of these so many for one address."""
        self.most = most
        self._most_each = most_each
        self._streams: dict[EventStream, Watcher] = {}
        self._watch: asyncio.Task[None] | None = None

    def has_room(self, who: Watcher) -> bool:
        """Whether there is a place for one more of this watcher's streams."""
        alike = [other for other in self._streams.values() if other.is_staff == who.is_staff]
        most, each = (STAFF, STAFF_EACH) if who.is_staff else (self.most, self._most_each)
        return len(alike) < most and alike.count(who) < each

    def take(self, stream: "EventStream") -> None:
        """A watcher has come."""
        self._streams[stream] = stream.who
        if self._watch is None:
            self._watch = asyncio.create_task(self._let_go())

    def leave(self, stream: "EventStream") -> None:
        """A watcher has gone."""
        self._streams.pop(stream, None)

    async def _let_go(self) -> None:
        """End streams whose browser takes nothing; one look for all, instead of a timer each."""
        while self._streams:
            await asyncio.sleep(STUCK_S / 3)
            before_s = time.monotonic() - STUCK_S
            for stream in self._streams:
                if 0 < stream.sending_since_s < before_s:
                    stream.let_go()
        self._watch = None


class EventStream:
    """An ASGI response that goes on until the browser or the topic ends it."""

    def __init__(
        self,
        events: AsyncGenerator[bytes, None],
        places: Places,
        who: Watcher,
        may: Callable[[], Awaitable[bool]] | None = None,
    ) -> None:
        """`may` is asked before every event whether this browser may still have it."""
        self._events = events
        self._places = places
        self.who = who
        self._may = may
        self.sending_since_s = 0.0  # 0 while it waits for something to send
        self._task: asyncio.Task[object] | None = None
        self._stuck = False

    def let_go(self) -> None:
        """End it, though it is in the middle of something."""
        if self._task is not None and not self._stuck:
            self._stuck = True
            self._task.cancel()

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        """Send events while there are any."""
        self._places.take(self)
        self._task = asyncio.current_task()
        gone = asyncio.create_task(_gone(receive))
        try:
            await send({"type": "http.response.start", "status": 200, "headers": [*_HEADERS]})
            await send(_body(f"retry: {RETRY_MS}\n\n".encode()))
            async for event in self._events:
                if gone.done():
                    return
                if self._may is not None and not await self._may():
                    break  # a login has ended, or its certificate
                self.sending_since_s = time.monotonic()
                await send(_body(event))
                self.sending_since_s = 0.0
            await send(_body(b"", more=False))
        except asyncio.CancelledError:
            if not self._stuck:
                raise
            # The server closes the connection of an answer that was left unfinished.
        finally:
            self._places.leave(self)
            gone.cancel()
            await self._events.aclose()


def _body(data: bytes, *, more: bool = True) -> Message:
    return {"type": "http.response.body", "body": data, "more_body": more}


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
