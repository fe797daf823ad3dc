"""The pages of a controller's sites, in a process of their own or in the controller's.

Either way they know of the controller only what they ask over their link, as any sign does.
"""

import asyncio
import os
import socket
from collections.abc import Coroutine
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec

from jackpot.display.feeds.site_feed import SiteFeed
from jackpot.display.feeds.watch import CALL_S
from jackpot.display.web.access import ByRole, SessionClient
from jackpot.display.web.app import Settings
from jackpot.display.web.metrics import Metrics
from jackpot.display.web.serving import Display, serve_feed
from jackpot.front import frames
from jackpot.front.client import LedgerChannel
from jackpot.front.frames import FrameError, Ready
from jackpot.server.figures import FIGURES, Figures
from jackpot.store.opening import open_to_read
from jackpot.wire.errors import PlainError

if TYPE_CHECKING:
    from jackpot.auth.gate import Gate

FIRST_S = 2.0  # for the first meters, before pages are shown without
_REFRESH_S = 1.0


class PagesSetup(msgspec.Struct):
    """What pages are to show, and where."""

    places: dict[str, int]  # site -> the descriptor of the socket that listens
    store: str
    settings: Settings
    files: tuple[str, ...] | None  # what TLS needs, as `Files` has it


class PagesProcess:
    """Serves pages as the ledger says, until it says no more or is gone."""

    def __init__(self) -> None:
        self._channel = LedgerChannel(self._control, self._lost)
        self.link = self._channel.link
        self.done = asyncio.Event()
        self.displays: dict[str, Display] = {}
        self._feeds: list[SiteFeed] = []
        self._tasks: set[asyncio.Task[None]] = set()

    def _control(self, kind: int, payload: bytes) -> None:
        if kind == frames.PING:
            self.link.send(frames.PONG, 0)
        elif kind == frames.SETUP:
            self._begin(self._serve(msgspec.msgpack.decode(payload, type=PagesSetup)))
        elif kind == frames.DRAIN:
            self._begin(self._drain())
        else:
            raise FrameError(f"no pages know frames of kind {kind}")

    def _lost(self) -> None:
        self.done.set()
        for task in self._tasks:
            task.cancel()

    def _begin(self, what: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(what)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, setup: PagesSetup) -> None:
        try:
            gate = _gate(setup.files, *setup.places) if setup.files else None
            for site, descriptor in setup.places.items():
                self.displays[site] = await self._show(site, descriptor, setup, gate)
        except (PlainError, OSError) as error:
            self.link.tell(frames.READY, 0, Ready(str(error)))
            return
        if gate:
            self._begin(_refresh(gate))
        self.link.tell(frames.READY, 0, Ready())

    async def _show(
        self, site: str, descriptor: int, setup: PagesSetup, gate: "Gate | None"
    ) -> Display:
        feed = SiteFeed(self._channel, site, partial(open_to_read, setup.store))
        self._feeds.append(feed)
        await feed.start()
        await feed.first(FIRST_S)
        listening = socket.socket(fileno=os.dup(descriptor))  # the descriptor itself is not ours
        access = ByRole(gate, site, SessionClient(self._channel, site)) if gate else None
        metrics = Metrics(feed, self._figures)
        return await serve_feed(feed, listening, setup.settings, metrics.page, access)

    async def _figures(self) -> Figures:
        raw = await self._channel.ask(FIGURES, b"", CALL_S)
        return msgspec.msgpack.decode(raw, type=Figures)

    async def _drain(self) -> None:
        for display in self.displays.values():
            await display.stop()
        for feed in self._feeds:
            await feed.stop()
        self.link.close()


def _gate(files: tuple[str, ...], *sites: str) -> "Gate":
    from jackpot.auth.gate import Files, Gate  # noqa: PLC0415 - only TLS needs to load it

    return Gate(Files.from_text(files), *sites)


async def _refresh(gate: "Gate") -> None:
    while True:
        await asyncio.sleep(_REFRESH_S)
        await gate.refresh()
