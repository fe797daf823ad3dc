"""What is done to controllers while tables play, tried on one that does nothing."""

import asyncio
import random
import signal
from pathlib import Path

import pytest

from emulator.soak import sabotage
from emulator.soak.controllers import ControllerProcess
from emulator.soak.disk import SmallDisk
from emulator.soak.faults import Fault
from emulator.soak.sabotage import Keeper, Saboteur


class Idle(ControllerProcess):
    """It commits nothing, so that no point of a commit is reached; a stop takes a snapshot."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, "", folder / "log")
        self.over = asyncio.Event()
        self.faults: list[str] = []  # of its lives

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
            self.over.set()

    async def ended(self) -> int:
        """When it was told to."""
        await self.over.wait()
        return 0


async def test_a_point_that_is_not_reached_does_not_keep_others_from_their_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is given up before long; a snapshot is brought about."""
    monkeypatch.setattr(sabotage, "_LEAST_REACH_S", 0.1, raising=False)
    controller = Idle(tmp_path)
    keeper = Keeper(controller)
    faults, draw = (Fault.KILL, Fault.COMMIT), random.Random(1)
    disk, clock = SmallDisk(tmp_path), tmp_path / "clock"
    saboteur = Saboteur(faults, [keeper], [], disk, clock, draw, 0.01, lambda: False)
    tasks = [asyncio.create_task(each) for each in (keeper.keep(), saboteur.work())]
    for _ in range(100):
        await asyncio.sleep(0.1)
        if saboteur.how["kill snapshot"] and saboteur.unfelt:
            break
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert saboteur.how["SIGKILL"] > 1
    assert saboteur.how["kill snapshot"], "a stop takes one"
    assert "snapshot:kill:1" in controller.faults
    assert saboteur.unfelt, "a point that an idle controller does not come to"


async def test_what_is_under_way_at_the_end_is_in_the_log(tmp_path: Path) -> None:
    """A run that ends while a controller is stopped says so."""
    keeper, draw = Keeper(Idle(tmp_path)), random.Random(1)
    keeper.up.set()
    disk, clock = SmallDisk(tmp_path), tmp_path / "clock"
    saboteur = Saboteur([Fault.STOP], [keeper], [], disk, clock, draw, 0.01, lambda: False)
    working = asyncio.create_task(saboteur.work())
    await asyncio.sleep(0.1)
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    assert saboteur.log[-1][2] == "stop, still under way"
