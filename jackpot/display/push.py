"""Push what changes to every browser that watches it: topics, and server-sent events.

A topic is the latest of something, encoded once for all who watch it. It looks at its feed a few
times a second while anyone watches, and not at all otherwise. Watchers get the latest event, never
a queue: one that is slow skips what lies between, and what a stuck one holds is one event. A beat
says that the feed is alive when there is nothing new.

A stream hands on the bytes that a topic made as they are. A browser that reads too slowly stops
only its own stream; one that does not read at all is let go.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import NamedTuple

import msgspec
from starlette.types import Message, Receive, Scope, Send

STUCK_S = 15.0  # a browser that has taken nothing for so long is gone
RETRY_MS = 1_000  # how soon a browser tries again
STAFF, STAFF_EACH = 256, 32  # streams of people who were let in: of all, and of one of them
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # nginx would keep events back
]
BEAT_S = 1.0
CROWD = 50  # watchers of one topic that make it twice as slow
SLOWEST_S = 1.0  # and never slower than this
_log = logging.getLogger(__name__)


class Shown(NamedTuple):
    """What there is to show: an id that changes with it, and the value."""

    id: str
    value: msgspec.Struct
    urgent: object = None  # when this changes, the value is sent at once; None: always


Look = Callable[[], Awaitable[Shown | None]]
encode_json = msgspec.json.encode


def event_bytes(kind: str, value: object, id_: str = "") -> bytes:
    """A server-sent event. JSON has no line breaks, so one data line holds it."""
    head = f"id: {id_}\nevent: {kind}\n" if id_ else f"event: {kind}\n"
    return head.encode() + b"data: " + encode_json(value) + b"\n\n"


class Topic:
    """Something to watch."""

    def __init__(
        self,
        kind: str,
        look: Look,
        every_s: float,
        serving: Callable[[], bool],
        hello: Callable[[], Awaitable[bytes]] | None = None,
    ) -> None:
        """`hello` is sent first to everyone who connects."""
        self.watchers = 0
        self._kind = kind
        self._look = look
        self._every_s = every_s
        self._serving = serving
        self._hello = hello
        self._id = ""
        self._value = b""
        self._event = b""
        self._beat = b""
        self._beaten_s = 0.0
        self._served = False
        self._urgent: object = None
        self._turn = asyncio.Event()
        self._pump: asyncio.Task[None] | None = None
        self._closed = False

    async def watch(self, after: str = "") -> AsyncGenerator[bytes, None]:
        """Events for one watcher, from the latest on; `after` is what it has seen already."""
        self.watchers += 1
        if self._pump is None:
            self._pump = asyncio.create_task(self._run())
        seen = after
        try:
            if self._hello:
                yield await self._hello()
            while not self._closed:
                turn = self._turn
                if self._id not in ("", seen):
                    seen = self._id
                    yield self._event
                elif self._beat:
                    yield self._beat
                if turn is self._turn:  # else something newer came while that was sent
                    await turn.wait()
        finally:
            self.watchers -= 1

    def close(self) -> None:
        """Let every watcher go."""
        self._closed = True
        if self._pump:
            self._pump.cancel()
        self._publish()

    async def _run(self) -> None:
        """Look while anyone watches."""
        try:
            while self.watchers:
                await self._refresh()
                await asyncio.sleep(self._every_s)
        finally:
            # What nobody watched is not the latest any more when the next one comes.
            self._pump, self._id, self._value, self._event, self._beat = None, "", b"", b"", b""

    def _due(self, shown: Shown | None, now_s: float, *, serving: bool) -> bool:
        """Whether there is something new that should go out now.

        The more watch, the rarer, so that what they cost grows more slowly than their number: a
        sign counts up in between. A hit does not wait, nor does what is true after an outage.
        """
        if shown is None or shown.id == self._id:
            return False
        if shown.urgent is None or shown.urgent != self._urgent or serving != self._served:
            return True
        pace_s = min(self._every_s * (1 + self.watchers / CROWD), SLOWEST_S)
        return now_s - self._beaten_s >= pace_s

    async def _refresh(self) -> None:
        try:
            shown = await self._look()
        except Exception:  # noqa: BLE001 - the next look may succeed
            _log.exception("a page could not be refreshed")
            return
        # What is no longer there is not to be shown as if it were, though the rest is served.
        serving, now_s = self._serving() and shown is not None, time.monotonic()
        changed = self._due(shown, now_s, serving=serving)
        due = serving != self._served or now_s - self._beaten_s >= BEAT_S or not self._beat
        if not changed and not due:
            return
        if changed and shown is not None:
            self._id, self._value = shown.id, event_bytes(self._kind, shown.value, shown.id)
            self._urgent = shown.urgent
        now_ms = time.time_ns() // 1_000_000
        self._beat = event_bytes("beat", {"serving": serving, "now_ms": now_ms})
        # Whoever gets a value is told with it whether it can be trusted.
        self._event = self._value + self._beat
        self._served, self._beaten_s = serving, now_s
        self._publish()

    def _publish(self) -> None:
        turn, self._turn = self._turn, asyncio.Event()
        turn.set()


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
