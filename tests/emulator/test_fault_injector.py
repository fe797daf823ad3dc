"""What is done to controllers while tables play, tried on some that do next to nothing."""

import asyncio
import random
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from emulator.soak.controllers import (
    ControllerError,
    ControllerProcess,
    Supervisor,
    UnexpectedEndError,
    while_supervised,
)
from emulator.soak.faults import at_controllers
from emulator.soak.faults.at_controllers import Commit, Kill, Stop
from emulator.soak.faults.base import FaultInjector, Target


class Idle(ControllerProcess):
    """It commits nothing, so that no point of a commit is reached; a stop takes a snapshot."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "", folder / "log")
        self.over = asyncio.Event()
        self.faults: list[str] = []  # of its lives
        self._code = 0

    @property
    def pid(self) -> int:
        """None that the system knows, but there."""
        return 0 if self.over.is_set() else 1 << 30

    async def start(self, fault: str = "") -> None:
        """Live again."""
        self.lives += 1
        self.faults.append(fault)
        self.over.clear()

    def signal(self, number: signal.Signals) -> None:
        """Whatever ends a process ends it."""
        if number in (signal.SIGKILL, signal.SIGTERM):
            in_order = number == signal.SIGTERM and not self.faults[-1].startswith("snapshot:kill")
            self._code = 0 if in_order else -signal.SIGKILL
            self.over.set()

    async def ended(self) -> int:
        """When it was told to."""
        await self.over.wait()
        return self._code


async def test_a_point_that_is_not_reached_does_not_keep_others_from_their_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is given up before long; a snapshot is brought about."""
    monkeypatch.setattr(at_controllers, "_LEAST_REACH_S", 0.1)
    controller = Idle(tmp_path)
    supervisor = Supervisor(controller)
    target = Target(tmp_path, random.Random(1), 0.01, [supervisor])
    injector = FaultInjector([Kill(target), Commit(target)], target, lambda: False)
    tasks = [asyncio.create_task(each) for each in (supervisor.work(), injector.work())]
    for _ in range(100):
        await asyncio.sleep(0.1)
        if injector.how["kill snapshot"] and injector.unfelt:
            break
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert injector.how["SIGKILL"] > 1
    assert injector.how["kill snapshot"], "a stop takes one"
    assert "snapshot:kill:1" in controller.faults
    assert injector.unfelt, "a point that an idle controller does not come to"


async def test_what_is_under_way_at_the_end_is_in_the_log(tmp_path: Path) -> None:
    """A run that ends while a controller is stopped says so."""
    supervisor = Supervisor(Idle(tmp_path))
    supervisor.up.set()
    target = Target(tmp_path, random.Random(1), 0.01, [supervisor])
    injector = FaultInjector([Stop(target)], target, lambda: False)
    working = asyncio.create_task(injector.work())
    await asyncio.sleep(0.1)
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    assert injector.log[-1][2] == "stop, still under way"


SERVER = """
import os, signal, sys, time
fault = os.environ["JACKPOT_FAULT"]
if "{breaks_with}" in fault and fault:
    sys.exit("Error: the journal is broken")
print("serving soak on nothing", flush=True)
if fault:
    time.sleep(600 if fault.endswith(":600") else 0.2)
    os.kill(os.getpid(), signal.SIGKILL if ":kill:" in fault else signal.SIGSTOP)
time.sleep(600)
"""


@asynccontextmanager
async def supervised(
    folder: Path, breaks_with: str = "never"
) -> AsyncIterator[tuple[Supervisor, "asyncio.Task[None]", Commit]]:
    """A process that meets its fault soon, its supervisor at work, and the fault."""
    command = (sys.executable, "-c", SERVER.format(breaks_with=breaks_with))
    supervisor = Supervisor(ControllerProcess(folder, "", folder / "log", command))
    commit = Commit(Target(folder, random.Random(1), 0.01, [supervisor]))
    await supervisor.controller.start()
    supervising = asyncio.create_task(supervisor.work())
    try:
        yield supervisor, supervising, commit
    finally:
        supervising.cancel()
        await asyncio.gather(supervising, return_exceptions=True)
        await supervisor.controller.kill()


async def felt(commit: Commit, supervisor: Supervisor, how: str) -> None:
    """One thing after the other until this was felt, and then nothing more."""
    async with asyncio.timeout(60):
        while True:
            what, was_felt = await commit.inject(supervisor)
            if was_felt and what.startswith(how):
                return


@pytest.mark.parametrize("number", [signal.SIGABRT, signal.SIGKILL])
async def test_a_crash_after_a_stop_is_not_forgiven(tmp_path: Path, number: signal.Signals) -> None:
    """A life that stopped and went on ends only if somebody ends it."""
    async with supervised(tmp_path) as (supervisor, supervising, commit):
        await felt(commit, supervisor, "stop ")
        supervisor.controller.signal(number)  # which never reaches our own group, as os.kill may
        with pytest.raises(UnexpectedEndError, match=f"exit code {-number}"):
            await asyncio.wait_for(supervising, 10)


async def test_a_crash_before_a_fault_is_met_is_not_forgiven(tmp_path: Path) -> None:
    """A controller that is to be killed at a point may end by that alone."""
    async with supervised(tmp_path) as (supervisor, supervising, commit):
        await felt(commit, supervisor, "kill ")
        supervisor.next_fault = "before-commit:kill:600"
        supervisor.end_by(signal.SIGKILL)
        supervisor.up.clear()
        await supervisor.up.wait()
        supervisor.controller.signal(signal.SIGABRT)
        with pytest.raises(UnexpectedEndError, match="exit code -6"):
            await asyncio.wait_for(supervising, 10)


async def test_a_start_that_fails_under_a_fault_is_not_forgiven(tmp_path: Path) -> None:
    """Whoever says that its journal is broken has not met the fault."""
    async with supervised(tmp_path, "snapshot") as (supervisor, supervising, _):
        supervisor.next_fault = "snapshot:kill:1"
        supervisor.end_by(signal.SIGKILL)
        with pytest.raises(ControllerError, match="did not start: the journal is broken"):
            await asyncio.wait_for(supervising, 10)


async def test_nobody_waits_for_a_controller_that_cannot_start(tmp_path: Path) -> None:
    """What waits for it to be up fails with why it is not."""
    async with supervised(tmp_path, "") as (supervisor, supervising, _):
        supervisor.next_fault = "before-commit:stop:1"
        with pytest.raises(ControllerError, match="the journal is broken"):
            await asyncio.wait_for(while_supervised(supervisor.kill(), [supervising]), 10)


class Ending(ControllerProcess):
    """It ends right after it was seen to be there."""

    @property
    def pid(self) -> int:
        """Its id, once."""
        seen, self.seen = self.seen, 0
        return seen

    seen = 0


async def test_a_signal_never_goes_to_our_own_group(tmp_path: Path) -> None:
    """It goes to the process that was there, though it may be gone by now."""
    controller = Ending(tmp_path, "", tmp_path / "log")
    sleeper = await asyncio.create_subprocess_exec("sleep", "600", start_new_session=True)
    controller.seen = sleeper.pid
    sleeper.send_signal(signal.SIGSTOP)
    controller.signal(signal.SIGCONT)
    sleeper.terminate()  # whoever is stopped does not take notice
    assert await asyncio.wait_for(sleeper.wait(), 10) == -signal.SIGTERM
