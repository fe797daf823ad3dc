"""What is done to controllers and connections while tables play.

A keeper restarts a controller that has ended. If it ended though nobody did anything to it, that
is a failure of its own.
"""

import asyncio
import random
import signal
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from emulator.soak.controllers import ControllerProcess
from emulator.soak.disk import SmallDisk, allow_writes, fail_writes
from emulator.soak.faults import Fault
from emulator.soak.proxy import Proxy
from emulator.soak.stepped_clock import set_offset
from jackpot.engine.faults import POINTS

_MOST_STEP_S = 300.0  # further, and a client's own ids would lie in the controller's future


class UnexpectedEndError(Exception):
    """A controller ended by itself."""


class Keeper:
    """Keeps one controller running."""

    def __init__(self, controller: ControllerProcess) -> None:
        self.controller = controller
        self.expected = False  # something was done to it that may end it
        self.next_fault = ""
        self.up = asyncio.Event()
        self.restarts: list[float] = []  # seconds from the end to serving again

    async def keep(self) -> None:
        """Start again whatever ends, for as long as it lasts."""
        self.up.set()
        while True:
            code = await self.controller.ended()
            self.up.clear()
            if not self.expected:
                raise UnexpectedEndError(f"the controller ended by itself (exit code {code})")
            fault, self.next_fault = self.next_fault, ""
            self.expected = bool(fault)
            began = time.monotonic()
            await self.controller.start(fault)
            self.restarts.append(time.monotonic() - began)
            self.up.set()


class Saboteur:
    """Does one thing after the other, drawn from a seed."""

    def __init__(
        self,
        faults: Iterable[Fault],
        keepers: list[Keeper],
        proxies: list[Proxy],
        data: Path,
        disk: SmallDisk,
        clock: Path,
        draw: random.Random,
        every_s: float,
        enough: Callable[[], bool],
    ) -> None:
        """`enough` says when the run is to come to its end."""
        self.done: Counter[str] = Counter()
        self.log: list[tuple[float, float, str]] = []  # from, to (monotonic), what
        self._keepers, self._proxies = keepers, proxies
        self._data, self._disk, self._clock = data, disk, clock
        self._draw, self._every_s, self._enough = draw, every_s, enough
        asked = set(faults)
        can: dict[Fault, Callable[[Keeper], Awaitable[None]]] = {
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
        self._acts = [act for fault, act in can.items() if fault in asked]

    @property
    def has_work(self) -> bool:
        """Whether any of the faults asked for is its."""
        return bool(self._acts)

    async def work(self) -> None:
        """Until cancelled."""
        while not self._enough():
            # All is well for a while before the next thing happens, or nothing would get on.
            for keeper in self._keepers:
                await keeper.up.wait()
            await asyncio.sleep(self._every_s * self._draw.uniform(0.5, 1.5))
            keeper = self._draw.choice(self._keepers)
            await keeper.up.wait()
            await self._draw.choice(self._acts)(keeper)
        await asyncio.Event().wait()

    @asynccontextmanager
    async def _logged(self, what: str) -> AsyncIterator[None]:
        began = time.monotonic()
        self.done[what] += 1
        try:
            yield
        finally:
            self.log.append((began, time.monotonic(), what))

    async def kill(self, keeper: Keeper) -> None:
        """Kill a controller and wait until it serves again."""
        keeper.expected = True
        keeper.up.clear()
        keeper.controller.signal(signal.SIGKILL)
        await keeper.up.wait()

    async def _kill(self, keeper: Keeper) -> None:
        async with self._logged("SIGKILL"):
            await self.kill(keeper)

    async def _at_commit(self, keeper: Keeper) -> None:
        """The next life ends, or stops, by itself in the middle of a commit."""
        point, how = self._draw.choice(POINTS), self._draw.choice(["kill", "kill", "stop"])
        nth = 1 if point == "snapshot" else self._draw.randint(1, 40)
        keeper.next_fault = f"{point}:{how}:{nth}"
        async with self._logged(f"{how} {point}"):
            await self.kill(keeper)
            lives = keeper.controller.lives
            until = time.monotonic() + 4
            while keeper.controller.lives == lives and time.monotonic() < until:
                await asyncio.sleep(0.1)
                if _is_stopped(keeper.controller.pid):
                    await asyncio.sleep(self._draw.uniform(0.1, 1.0))
                    keeper.controller.signal(signal.SIGCONT)
                    break

    async def _stop(self, keeper: Keeper) -> None:
        async with self._logged("SIGSTOP"):
            keeper.controller.signal(signal.SIGSTOP)
            await asyncio.sleep(self._draw.uniform(0.2, 3.0))
            keeper.controller.signal(signal.SIGCONT)

    async def _fill_disk(self, _: Keeper) -> None:
        async with self._logged("disk full"):
            self._disk.fill()
            await asyncio.sleep(self._draw.uniform(0.5, 2.0))
            self._disk.free()

    async def _fail_writes(self, keeper: Keeper) -> None:
        pid = keeper.controller.pid
        async with self._logged("writes fail"):
            if pid and fail_writes(pid, self._data):
                await asyncio.sleep(self._draw.uniform(0.3, 1.5))
                allow_writes(pid)

    async def _step_clock(self, _: Keeper) -> None:
        async with self._logged("clock step"):
            set_offset(self._clock, self._draw.uniform(-_MOST_STEP_S, _MOST_STEP_S))

    async def _disturb(self, _: Keeper) -> None:
        proxy = self._draw.choice(self._proxies)
        what = self._draw.choice(["delay", "freeze", "cut", "half-close"])
        async with self._logged(f"connection {what}"):
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
                case "half-close":
                    proxy.half_close(towards_client=self._draw.random() < 0.5)  # noqa: PLR2004


def _is_stopped(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] == "T"
