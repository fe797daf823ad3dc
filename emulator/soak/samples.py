"""What a run looked like over time: rates, meters, memory; a sample every half second."""

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from emulator.soak.run import Soak

EVERY_S = 0.5
_MOST = 2_000  # then every second one is dropped, and samples come half as often


class Sample(NamedTuple):
    """One moment."""

    at_s: float
    rounds: int
    wagers: int
    sequence: int
    resident_mb: float
    meters: dict[str, int]  # "link/level" -> micros


class Samples:
    """Takes samples of a run."""

    def __init__(self, soak: "Soak") -> None:
        self.taken: list[Sample] = []
        self._soak = soak
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
        self.taken.append(
            Sample(
                time.monotonic() - soak.began,
                soak.rounds,
                soak.tape.wagers,
                soak.auditor.sequence,
                sum(resident_mb(controller.pid) for controller in soak.controllers),
                {
                    f"{name}/{level}": held.meter
                    for name, link in soak.auditor.books.links.items()
                    for level, held in link.levels.items()
                },
            )
        )


def resident_mb(pid: int) -> float:
    """How much memory a process holds; 0 if it is not there."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), 0.0)
