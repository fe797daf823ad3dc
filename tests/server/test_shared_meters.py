"""Signs at one of two controllers show what the other one wrote, however it came to know of it.

The sign's controller polls once a minute here, so that only what it does itself can bring the news.
"""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from jackpot.engine import Limits
from jackpot.engine.commit_points import Point
from jackpot.rules.site import load_site
from jackpot.store.journal import Journal, Transaction
from jackpot.store.opening import Address, journal_opener
from jackpot.wire.v1 import meter_pb2
from tests.server.house import (
    DOLLAR,
    ROYALS,
    SITE,
    Dealer,
    House,
    hands,
    open_house,
    serving,
    site_text,
    wagers,
    write_site,
)

POLL_S = 60.0
WITHIN_S = 20.0
SEED = 10_000 * DOLLAR
COLLECTED = 10_001_260_000  # six wagers later


class Sign:
    """What a watcher of the link "five" was sent last."""

    def __init__(self, house: House) -> None:
        request = meter_pb2.WatchMetersRequest(site=SITE, links=["five"])
        self._call: Any = house.meters.WatchMeters(request)
        self.shown = meter_pb2.LinkMeters()

    async def shows(self, wanted: Callable[[meter_pb2.LinkMeters], bool]) -> None:
        """Wait until it shows something; fail where it does not in time."""
        try:
            async with asyncio.timeout(WITHIN_S):
                while not wanted(self.shown):
                    (self.shown,) = (await self._call.read()).links
        except TimeoutError:
            pytest.fail(f"after {WITHIN_S} s the sign still shows {self.shown}")

    async def shows_meter(self, micros: int, hits: int) -> None:
        """Wait until it shows a meter and a count of hits."""
        await self.shows(
            lambda link: (
                [m.amount_micros for m in link.meters] == [micros] and link.hit_count == hits
            )
        )


@asynccontextmanager
async def two_houses(folder: Path, store: Address, **options: Any) -> AsyncIterator[list[House]]:
    """Two controllers on one store: the first as usual, the second slow to poll."""
    options = {"limits": Limits(poll_s=POLL_S), **options}
    async with open_house(folder, store) as one, open_house(folder, store, **options) as other:
        yield [one, other]


async def about_to_win(one: House) -> Dealer:
    """A table whose next settlement can be a royal, its wagers on the meter."""
    dealer = await one.dealer("t4")
    await dealer.collected(1, 2, 3, 4, 5, 6)
    return dealer


async def win(dealer: Dealer) -> None:
    """The whole meter falls."""
    settled = await dealer.do("settle", hands({1: ROYALS["s"]}, 1, 2, 3, 4, 5, 6))
    assert COLLECTED in [payout.amount_micros for payout in settled.payouts]


async def test_a_quiet_wager_brings_what_another_controller_wrote(
    tmp_path: Path, store: Address
) -> None:
    """A royal falls at one; a wager that moves no meter is placed at the other."""
    async with two_houses(tmp_path, store) as (one, other):
        quiet = await other.dealer("t1")
        await quiet.do("open_round")
        winner = await about_to_win(one)
        sign = Sign(other)
        await sign.shows_meter(COLLECTED, 0)
        await win(winner)
        await quiet.do("place_wagers", wagers(1))
        await sign.shows_meter(SEED, 1)


async def reached(house: House, point: Point) -> None:
    """Wait until a controller is held at a point."""
    async with asyncio.timeout(10):
        await asyncio.to_thread(house.faults.held.wait)
    assert house.faults.hold_at == point


async def test_a_snapshot_brings_what_another_controller_wrote(
    tmp_path: Path, store: Address
) -> None:
    """A royal falls between a quiet batch and the snapshot that follows it."""
    every_time = Limits(poll_s=POLL_S, snapshot_every=1)
    async with two_houses(tmp_path, store, limits=every_time) as (one, other):
        quiet = await other.dealer("t1")
        winner = await about_to_win(one)
        sign = Sign(other)
        await sign.shows_meter(COLLECTED, 0)
        other.faults.hold_at = "before-publish"
        opening = asyncio.create_task(quiet.do("open_round"))
        await reached(other, "before-publish")
        await win(winner)
        other.faults.go_on.set()
        await opening
        await sign.shows_meter(SEED, 1)


class Gated:
    """A journal whose writers wait at a gate before they begin, from when a test shuts it."""

    def __init__(self, journal: Journal, reached: threading.Event, gate: threading.Event) -> None:
        self._journal, self._reached, self._gate = journal, reached, gate

    def __getattr__(self, name: str) -> Any:
        return getattr(self._journal, name)

    def begin(self, sites: Collection[str]) -> AbstractContextManager[Transaction]:
        """Make ready to write."""
        if not self._gate.is_set():
            self._reached.set()
            assert self._gate.wait(10)
        return self._journal.begin(sites)


async def test_a_probe_brings_what_another_controller_wrote(tmp_path: Path, store: Address) -> None:
    """A royal falls when a controller that failed has read the journal and not yet written."""
    arrived, gate = threading.Event(), threading.Event()
    gate.set()
    opened = journal_opener(store)

    def gated() -> Any:
        return Gated(opened(), arrived, gate)

    async with two_houses(tmp_path, store, journal_factory=gated) as (one, other):
        quiet = await other.dealer("t1")
        winner = await about_to_win(one)
        sign = Sign(other)
        await sign.shows_meter(COLLECTED, 0)
        other.faults.hold_at = "before-commit"
        opening = asyncio.create_task(quiet.do("open_round"))
        await reached(other, "before-commit")
        gate.clear()
        other.faults.raise_at, other.faults.hold_at = "before-publish", None
        other.faults.go_on.set()
        await asyncio.gather(opening, return_exceptions=True)
        async with asyncio.timeout(10):
            await asyncio.to_thread(arrived.wait)
        other.faults.raise_at = None
        await win(winner)
        gate.set()
        await sign.shows_meter(SEED, 1)


async def test_another_title_is_shown_by_every_controller(tmp_path: Path, store: Address) -> None:
    """A controller that starts with another title journals it; watchers elsewhere learn it."""
    async with open_house(tmp_path, store) as running:
        sign = Sign(running)
        await sign.shows(lambda link: link.title == "five")
        text = site_text().replace('title = "five"', 'title = "Five Card Progressive"')
        async with serving(store, load_site(write_site(tmp_path, text))):
            await sign.shows(lambda link: link.title == "Five Card Progressive")
