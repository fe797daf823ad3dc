"""Inject faults into controllers and connections while tables play, one after the other."""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from emulator.soak.faults.base import InjectedFault, Target

T = TypeVar("T")


class Bag(Generic[T]):
    """Draws each of its things once before any comes again, so that a short run meets them all."""

    def __init__(self, things: Iterable[T], draw: random.Random) -> None:
        self._things = list(things)
        self._left: list[T] = []
        self._draw = draw

    def __len__(self) -> int:
        return len(self._things)

    def take(self) -> T:
        """The next one."""
        if not self._left:
            self._left = self._draw.sample(self._things, len(self._things))
        return self._left.pop()


class FaultInjector:
    """Injects faults drawn from a seed, and counts only those that were felt."""

    def __init__(
        self, faults: Iterable[InjectedFault], target: Target, is_time_up: Callable[[], bool]
    ) -> None:
        self.how: Counter[str] = Counter()  # what was felt, in detail
        self.unfelt: Counter[str] = Counter()
        self.log: list[tuple[float, float, str]] = []  # from, to (monotonic), what
        self.current: InjectedFault | None = None  # under way
        self._faults = list(faults)
        self._target = target
        self._is_time_up = is_time_up
        self._bag = Bag(self._faults, target.draw)

    @property
    def has_work(self) -> bool:
        """Whether there is any fault to inject."""
        return len(self._bag) > 0

    async def work(self) -> None:
        """Inject one fault after the other, until cancelled."""
        target = self._target
        while not self._is_time_up():
            # All is well for a while before the next thing happens, or nothing would get on.
            for supervisor in target.supervisors:
                await supervisor.up.wait()
            await asyncio.sleep(target.every_s * target.draw.uniform(0.5, 1.5))
            supervisor = target.draw.choice(target.supervisors)
            await supervisor.up.wait()
            fault = self._bag.take()
            began, self.current = time.monotonic(), fault
            try:
                what, was_felt = await fault.inject(supervisor)
            except asyncio.CancelledError:
                self.log.append((began, time.monotonic(), f"{fault.name}, still under way"))
                raise
            finally:
                self.current = None
            self.log.append((began, time.monotonic(), what))
            fault.felt += was_felt
            (self.how if was_felt else self.unfelt)[what] += 1
        await asyncio.Event().wait()

    async def undo_all(self) -> None:
        """End what still lasts, and disarm what was not reached: the run is over."""
        for fault in self._faults:
            await fault.undo()
        for supervisor in self._target.supervisors:
            await supervisor.recover()
