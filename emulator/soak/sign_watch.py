"""Judge the age of every sign throughout a run, while its controller can be expected to show it.

A sign's age does not count while its stream is not connected or its controller is not up, while
any controller is stopped (it may hold the journal's lock), while the disk is full or writes fail
and until its controller has shown something again or had the time to try its store again, and
while the soak itself was held up.
"""

import asyncio
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from emulator.linux_process import is_stopped
from emulator.soak.audit.signs import SignAges, Stale, faces_differ
from emulator.soak.report.measures import Latencies
from jackpot.engine import Limits

if TYPE_CHECKING:
    from emulator.soak.run import Soak

EVERY_S = 0.1  # between two looks at the controllers
HELD_UP_S = 0.5  # a look that comes so late was held up
_RETRY_S = Limits().retry_s  # between two tries of a store that failed, at most


class StaleSignError(Exception):
    """A sign showed for too long what the journal no longer said."""


class SignWatch:
    """The ages of a run's signs."""

    def __init__(self, controllers: int, limit_s: float) -> None:
        self.latencies = [Latencies() for _ in range(controllers)]  # one a controller
        self.ages = SignAges(controllers, limit_s, lambda p, age_s: self.latencies[p].note(age_s))
        self._looked_s = self._began_s = time.monotonic()
        self._failed_s = float("-inf")  # when the store was last seen to be made fail
        self._pause([True] * controllers)  # until the first frame

    async def work(self, soak: "Soak") -> None:
        """Until cancelled, or until a sign is too old: StaleSignError."""
        while True:
            await asyncio.sleep(EVERY_S)
            self.look(soak)

    def look(self, soak: "Soak") -> None:
        """See who can be expected to show what; StaleSignError where a sign is too old."""
        self._pause(self._unable(soak))
        if stale := self.ages.oldest(time.monotonic()):
            raise StaleSignError(in_dollars(stale, self.ages.limit_s))

    def watched_s(self, place: int) -> float:
        """How long the signs of a controller were expected to be right."""
        pauses = self.ages.pauses[place]
        paused_s = pauses.within_s(self._began_s, self._looked_s)
        return self._looked_s - self._began_s - paused_s

    def _unable(self, soak: "Soak") -> list[bool]:
        """Of each controller, whether its signs can't be expected to change now."""
        now_s = time.monotonic()
        if soak.injector and soak.injector.current and soak.injector.current.breaks_store:
            self._failed_s = now_s
        failing = now_s - self._failed_s <= _RETRY_S
        stopped = any(is_stopped(controller.pid) for controller in soak.controllers)
        staff = soak.staff
        return [
            stopped
            or not watched
            or not supervisor.up.is_set()
            or (failing and heard <= self._failed_s)
            for watched, heard, supervisor in zip(
                staff.watching, staff.heard_s, soak.supervisors, strict=True
            )
        ]

    def _pause(self, unable: Sequence[bool]) -> None:
        before_s, self._looked_s = self._looked_s, time.monotonic()
        held_up = self._looked_s - before_s > HELD_UP_S
        for paused, pauses in zip(unable, self.ages.pauses, strict=True):
            if held_up:
                pauses.set(before_s, self._looked_s, paused=True)
            pauses.set(before_s, self._looked_s, paused=paused)


def in_dollars(stale: Stale, limit_s: float) -> str:
    """Which sign, for how long, and what it showed instead of what."""
    return (
        f"signs stand still: sign of {stale.link} at controller {stale.place + 1} was wrong for "
        f"{stale.age_s:.1f} s after sequence {stale.sequence}, limit {limit_s:g} s: "
        f"{faces_differ(stale.shown, stale.right)}"
    )
