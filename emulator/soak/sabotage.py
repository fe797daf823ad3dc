"""What is done to controllers and connections while tables play.

Whatever is done is counted only where it was felt: a commit that failed, a point that was reached.
"""

import asyncio
import random
import signal
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Generic, TypeVar

from emulator.procfs import is_stopped
from emulator.soak.disk import SmallDisk, allow_writes, fail_writes
from emulator.soak.faults import Fault
from emulator.soak.keeper import KILLED, Keeper
from emulator.soak.proxy import Proxy
from emulator.soak.stepped_clock import set_offset
from jackpot.engine.faults import POINTS

_MOST_STEP_S = 300.0  # further, and a client's own ids would lie in the controller's future
_FEEL_S = 5.0
# For a life to come to the point at which it is to end; meanwhile nothing else is done.
_LEAST_REACH_S, _REACH_S = 5.0, 15.0
_DISTURBANCES = ("delay", "freeze", "cut", "half-close", "lose")
T = TypeVar("T")
Deed = tuple[str, bool]  # what was done, and whether it was felt


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


class Saboteur:
    """Does one thing after the other, drawn from a seed."""

    def __init__(
        self,
        faults: Iterable[Fault],
        keepers: list[Keeper],
        proxies: list[Proxy],
        disk: SmallDisk,
        clock: Path,
        draw: random.Random,
        every_s: float,
        enough: Callable[[], bool],
    ) -> None:
        """`enough` says when the run is to come to its end."""
        self.done: Counter[Fault] = Counter()  # felt
        self.how: Counter[str] = Counter()  # the same, in more words
        self.unfelt: Counter[str] = Counter()
        self.log: list[tuple[float, float, str]] = []  # from, to (monotonic), what
        self.doing: Fault | None = None  # what is under way
        self._keepers, self._proxies = keepers, proxies
        self._disk, self._clock = disk, clock
        self._draw, self._every_s, self._enough = draw, every_s, enough
        asked = set(faults)
        can: dict[Fault, Callable[[Keeper], Awaitable[Deed]]] = {
            Fault.KILL: self._kill,
            Fault.COMMIT: self._at_commit,
            Fault.STOP: self._stop,
            Fault.WRITE: self._fail_writes,
            Fault.CLOCK: self._step_clock,
        }
        if proxies:
            can[Fault.CONNECTION] = self._disturb
        if disk.mounted:
            can[Fault.DISK] = self._fill_disk
        self._acts = Bag([(fault, act) for fault, act in can.items() if fault in asked], draw)
        points = [(point, how) for point in POINTS for how in ("kill", "stop")]
        self._points = Bag(points, draw)
        self._disturbances = Bag(_DISTURBANCES, draw)

    @property
    def has_work(self) -> bool:
        """Whether any of the faults asked for is its."""
        return len(self._acts) > 0

    async def work(self) -> None:
        """Until cancelled."""
        while not self._enough():
            # All is well for a while before the next thing happens, or nothing would get on.
            for keeper in self._keepers:
                await keeper.up.wait()
            await asyncio.sleep(self._every_s * self._draw.uniform(0.5, 1.5))
            keeper = self._draw.choice(self._keepers)
            await keeper.up.wait()
            fault, act = self._acts.take()
            began, self.doing = time.monotonic(), fault
            try:
                what, felt = await act(keeper)
            except asyncio.CancelledError:
                self.log.append((began, time.monotonic(), f"{fault}, still under way"))
                raise
            finally:
                self.doing = None
            self.log.append((began, time.monotonic(), what))
            if felt:
                self.done[fault] += 1
                self.how[what] += 1
            else:
                self.unfelt[what] += 1
        await asyncio.Event().wait()

    async def kill(self, keeper: Keeper) -> None:
        """Kill a controller and wait until it serves again."""
        keeper.end_by(signal.SIGKILL)
        keeper.up.clear()
        await keeper.up.wait()

    async def make_good(self) -> None:
        """Undo what still lasts, and disarm what was not reached: the run is over."""
        for proxy in self._proxies:
            proxy.delay_s = 0.0
            proxy.thaw()
        if self._disk.mounted:
            self._disk.free()
        for keeper in self._keepers:
            keeper.next_fault = ""
            if keeper.is_doomed:
                await self.kill(keeper)
            if pid := keeper.controller.pid:
                allow_writes(pid)
            keeper.controller.signal(signal.SIGCONT)
            await keeper.up.wait()

    async def _kill(self, keeper: Keeper) -> Deed:
        await self.kill(keeper)
        return "SIGKILL", True

    async def _at_commit(self, keeper: Keeper) -> Deed:
        """The next life ends, or stops, by itself in the middle of a commit."""
        point, how = self._points.take()
        nth = 1 if point == "snapshot" else self._draw.randint(1, 40)
        keeper.next_fault = f"{point}:{how}:{nth}"
        # It may get there before it serves: then it is killed, or goes on, before it is up.
        lives = keeper.controller.lives + 1
        killing = asyncio.create_task(self.kill(keeper))
        felt = await self._is_reached(keeper, lives, killing)
        if not felt and point == "snapshot":
            # Thousands of entries lie between two, but whoever stops in good order takes one.
            keeper.end_by(signal.SIGTERM)
            felt = await self._is_reached(keeper, lives, killing)
        await killing
        if not felt:
            await self.kill(keeper)  # or it would stop some day when nobody looks
        return f"{how} {point}", felt

    async def _is_reached(self, keeper: Keeper, lives: int, killing: "asyncio.Task[None]") -> bool:
        """Whether this life ends or stops before long; one that stops goes on then."""
        until = time.monotonic() + min(_REACH_S, max(_LEAST_REACH_S, self._every_s))
        while time.monotonic() < until or not killing.done():
            await asyncio.sleep(0.1)
            if is_stopped(keeper.controller.pid):
                await asyncio.sleep(self._draw.uniform(0.1, 1.0))
                keeper.fault = ""
                keeper.controller.signal(signal.SIGCONT)
                return True
            if keeper.controller.lives > lives:
                return keeper.last_code == KILLED
        return False

    async def _stop(self, keeper: Keeper) -> Deed:
        keeper.controller.signal(signal.SIGSTOP)
        await asyncio.sleep(self._draw.uniform(0.2, 3.0))
        keeper.controller.signal(signal.SIGCONT)
        return "SIGSTOP", True

    async def _fill_disk(self, _: Keeper) -> Deed:
        before = self._failed_commits()
        self._disk.fill()
        felt = await self._is_felt(before)
        self._disk.free()
        return "disk full", felt

    async def _fail_writes(self, keeper: Keeper) -> Deed:
        pid, before, felt = keeper.controller.pid, self._failed_commits(), False
        if pid and fail_writes(pid, keeper.controller.log):
            felt = await self._is_felt(before)
            allow_writes(pid)
        return "writes fail", felt

    async def _is_felt(self, before: int) -> bool:
        """Whether a commit fails before long; the failure lasts a while then.

        A journal goes on for some time in what its write-ahead log holds already.
        """
        until = time.monotonic() + _FEEL_S
        while self._failed_commits() == before:
            if time.monotonic() > until:
                return False
            await asyncio.sleep(0.1)
        await asyncio.sleep(self._draw.uniform(0.3, 1.5))
        return True

    def _failed_commits(self) -> int:
        return sum(keeper.controller.failed_commits() for keeper in self._keepers)

    async def _step_clock(self, _: Keeper) -> Deed:
        set_offset(self._clock, self._draw.uniform(-_MOST_STEP_S, _MOST_STEP_S))
        return "clock step", True

    async def _disturb(self, _: Keeper) -> Deed:
        proxy = self._draw.choice(self._proxies)
        what, felt = self._disturbances.take(), len(proxy) > 0
        match what:
            case "delay":
                proxy.delay_s = self._draw.uniform(0.005, 0.05)
                await asyncio.sleep(self._draw.uniform(0.5, 2.0))
                proxy.delay_s = 0.0
            case "freeze":
                proxy.freeze()
                await asyncio.sleep(self._draw.uniform(0.2, 3.0))
                proxy.thaw()
            case "cut":
                proxy.cut()
            case "lose":
                proxy.lose()
            case "half-close":
                proxy.half_close(towards_client=self._draw.random() < 0.5)  # noqa: PLR2004 - heads or tails
        return f"connection {what}", felt
