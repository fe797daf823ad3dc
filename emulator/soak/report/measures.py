"""Measure a run: latencies, awards paid, and samples of rates, meters and memory over time.

A controller whose memory keeps growing has failed, even if all that it says is right.
"""

import asyncio
import math
import time
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from emulator.linux_process import resident_mb
from emulator.output import dollars
from emulator.soak.audit.books import Payout, Round, Table
from emulator.soak.audit.claims import Cards

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
                soak.transcript.wagers,
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
                    f"by more than {GROWTH_MB} MB"
                )


_STEP = math.log(1.05)
_LEAST_S = 1e-5


class Latencies:
    """A histogram of durations."""

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self.count = 0
        self.longest_s = 0.0

    def note(self, seconds: float) -> None:
        """One answer."""
        place = max(0, int(math.log(max(seconds, _LEAST_S) / _LEAST_S) / _STEP))
        self._counts[place] += 1
        self.count += 1
        self.longest_s = max(self.longest_s, seconds)

    def quantile_s(self, share: float) -> float:
        """The duration that this share of answers did not exceed."""
        wanted, seen = share * self.count, 0
        for _, to_s, count in self.buckets():
            seen += count
            if seen >= wanted:
                return min(to_s, self.longest_s)
        return self.longest_s

    def buckets(self) -> Iterator[tuple[float, float, int]]:
        """From, to, how many."""
        for place, count in sorted(self._counts.items()):
            yield (
                _LEAST_S * math.exp(place * _STEP),
                _LEAST_S * math.exp((place + 1) * _STEP),
                count,
            )


class Key(NamedTuple):
    """What awards are counted by."""

    link: str
    level: str
    kind: str
    hand: str


class Awards:
    """Counts and sums."""

    def __init__(self) -> None:
        self.counts: Counter[Key] = Counter()
        self.micros: Counter[Key] = Counter()
        self.last: list[str] = []  # of the percentages, newest last

    def note(self, table: Table, round_: Round, cards: Cards, payouts: list[Payout]) -> None:
        """A round was settled."""
        del cards
        for payout in payouts:
            due = payout.due
            key = Key(due.link, due.level, due.kind.lower(), due.hand)
            self.counts[key] += 1
            self.micros[key] += payout.amount
            if due.share_bps:
                where = f"{table.terms.id} seat {payout.seat}, round {round_.number}"
                self.last.append(
                    f"{due.link}/{due.level} {due.hand} {dollars(payout.amount)} at {where}"
                )
                del self.last[:-8]
