"""Faults of the controllers' processes: killed, killed or stopped in mid-commit, stopped, clock."""

import asyncio
import signal
import time

from emulator.linux_process import is_stopped
from emulator.soak.controllers import KILLED, Supervisor
from emulator.soak.faults.base import Bag, InjectedFault, Injection, Target
from emulator.soak.options import Options
from emulator.soak.under_test import set_offset
from jackpot.engine.commit_points import POINTS

_MAX_STEP_S = 300.0  # further, and a client's own ids would lie in the controller's future
# For a life to come to the point at which it is to end; meanwhile nothing else is done.
_LEAST_REACH_S, _REACH_S = 5.0, 15.0


class Kill(InjectedFault):
    """A controller is killed and started again."""

    name = "kill"
    text = "a controller is killed (SIGKILL) at any moment"

    async def inject(self, supervisor: Supervisor) -> Injection:
        """Kill it, and wait until it serves again."""
        await supervisor.kill()
        return Injection("SIGKILL", was_felt=True)


class Stop(InjectedFault):
    """A controller is stopped for a moment; the supervisor's `recover` lets it go on at the end."""

    name = "stop"
    text = "a controller is paused (SIGSTOP) for up to 3 seconds"

    async def inject(self, supervisor: Supervisor) -> Injection:
        """Stop it, and let it go on."""
        supervisor.controller.signal(signal.SIGSTOP)
        await asyncio.sleep(self.target.draw.uniform(0.2, 3.0))
        supervisor.controller.signal(signal.SIGCONT)
        return Injection("SIGSTOP", was_felt=True)


class Commit(InjectedFault):
    """A controller is killed or stopped at a named point of its commit."""

    name = "commit"
    text = "a controller is killed or paused in the middle of a commit"

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        points = [(point, how) for point in POINTS for how in ("kill", "stop")]
        self._points = Bag(points, target.draw)

    async def inject(self, supervisor: Supervisor) -> Injection:
        """The next life ends, or stops, by itself in the middle of a commit."""
        point, how = self._points.take()
        nth = 1 if point == "snapshot" else self.target.draw.randint(1, 40)
        supervisor.next_fault = f"{point}:{how}:{nth}"
        # It may get there before it serves: then it is killed, or goes on, before it is up.
        lives = supervisor.controller.lives + 1
        killing = asyncio.create_task(supervisor.kill())
        felt = await self._is_reached(supervisor, lives, killing)
        if not felt and point == "snapshot":
            # Thousands of entries lie between two, but whoever stops in good order takes one.
            supervisor.end_by(signal.SIGTERM)
            felt = await self._is_reached(supervisor, lives, killing)
        await killing
        if not felt:
            await supervisor.kill()  # or it would stop some day when nobody looks
        return Injection(f"{how} {point}", felt)

    async def _is_reached(
        self, supervisor: Supervisor, lives: int, killing: "asyncio.Task[None]"
    ) -> bool:
        """Whether this life ends or stops before long; one that stops goes on then."""
        until = time.monotonic() + min(_REACH_S, max(_LEAST_REACH_S, self.target.every_s))
        while time.monotonic() < until or not killing.done():
            await asyncio.sleep(0.1)
            if is_stopped(supervisor.controller.pid):
                await asyncio.sleep(self.target.draw.uniform(0.1, 1.0))
                supervisor.fault = ""
                supervisor.controller.signal(signal.SIGCONT)
                return True
            if supervisor.controller.lives > lives:
                return supervisor.last_code == KILLED
        return False


class Clock(InjectedFault):
    """The time of day that the controllers see steps."""

    name = "clock"
    text = "the controllers' clock jumps by up to 5 minutes"

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self._file = target.folder / "clock"

    @classmethod
    def why_impossible(cls, options: Options) -> str:
        """It needs a controller that we start under our own clock."""
        if options.command:
            return "the controllers are another program, which uses the machine's clock"
        return ""

    def controller_arguments(self) -> tuple[str, ...]:
        """The file through which the clock is stepped."""
        set_offset(self._file, 0)
        return ("--clock", str(self._file))

    async def inject(self, supervisor: Supervisor) -> Injection:  # noqa: ARG002 - they share a clock
        """Step it, forward or back."""
        set_offset(self._file, self.target.draw.uniform(-_MAX_STEP_S, _MAX_STEP_S))
        return Injection("clock step", was_felt=True)
