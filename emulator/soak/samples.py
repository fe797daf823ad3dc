"""What a run looked like over time: rates, meters, memory; a sample every half second.

A controller whose memory grows and grows has failed, though all that it says may be right.
"""

import asyncio
import time
from typing import TYPE_CHECKING, NamedTuple

from emulator.procfs import resident_mb

if TYPE_CHECKING:
    from emulator.soak.run import Soak

EVERY_S = 0.5
# What a controller may hold beyond what it held when the tables began. Two million wagers at 200
# tables, with a full site that came back at once, took 56.
GROWTH_MB = 150
_MOST = 2_000  # then every second one is dropped, and samples come half as often


class Sample(NamedTuple):
    """One moment."""

    at_s: float
    rounds: int
    wagers: int
    sequence: int
    resident_mb: float
    meters: dict[str, int]  # "link/level" -> micros


class GrownError(Exception):
    """A controller holds more and more."""


class Samples:
    """Takes samples of a run."""

    def __init__(self, soak: "Soak") -> None:
        self.taken: list[Sample] = []
        self._soak = soak
        self.growth_mb = 0.0  # the most by which one controller has grown
        self._first_mb: dict[int, float] = {}  # by place of the controller
        self._every_s = EVERY_S

    async def work(self) -> None:
        """Until cancelled."""
        while True:
            self.take()
            if len(self.taken) > _MOST:
                del self.taken[1::2]
                self._every_s *= 2
            await asyncio.sleep(self._every_s)

    def take(self) -> None:
        """One sample."""
        soak = self._soak
        held_mb = [resident_mb(controller.pid) for controller in soak.controllers]
        self.taken.append(
            Sample(
                time.monotonic() - soak.began,
                soak.rounds,
                soak.tape.wagers,
                soak.auditor.sequence,
                sum(held_mb),
                {
                    f"{name}/{level}": held.meter
                    for name, link in soak.auditor.books.links.items()
                    for level, held in link.levels.items()
                },
            )
        )
        self._judge(held_mb)

    def _judge(self, held_mb: list[float]) -> None:
        for place, now_mb in enumerate(held_mb):
            if not now_mb:
                continue  # it is being started again
            first_mb = self._first_mb.setdefault(place, now_mb)
            self.growth_mb = max(self.growth_mb, now_mb - first_mb)
            if now_mb - first_mb > GROWTH_MB:
                raise GrownError(
                    f"a controller's memory grew from {first_mb:.0f} to {now_mb:.0f} MB, "
                    f"by more than {GROWTH_MB}"
                )
