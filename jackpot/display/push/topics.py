"""The latest of something, encoded once for all who watch it.

A topic looks at its feed a few times a second while anyone watches, and not at all otherwise.
Watchers get the latest event, never a queue: one that is slow skips what lies between, and what a
stuck one holds is one event. A beat says that the feed is alive when there is nothing new.
"""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import NamedTuple

import msgspec

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
