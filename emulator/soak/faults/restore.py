"""The fault of a lost journal: an older backup is restored while tables play on."""

import asyncio
import signal
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from emulator.soak.controllers import Supervisor, jackpot
from emulator.soak.faults.base import InjectedFault, Injection, Target
from emulator.soak.options import Options
from emulator.soak.site import SITE
from emulator.soak.transcript import Heard
from jackpot.core.events.table import TableAttached
from jackpot.reports.walk import open_walk
from jackpot.store import codec

if TYPE_CHECKING:
    from emulator.soak.run import Soak

_ANSWERED_S = 60.0  # for what was sent before the backup
_BACK_S = 300.0  # for every table that still plays to attach again, on a busy machine
_AGAIN_S = 0.1


class RestoreFailedError(Exception):
    """A backup was not restored as asked, or what was lost is not what tables reported."""


class Restore(InjectedFault):
    """A backup is taken under load, tables play on, and then the backup is restored."""

    name = "restore"
    text = "an older backup is restored while tables play"
    breaks_store = True

    def __init__(self, target: Target) -> None:
        super().__init__(target)
        self.back_s: list[float] = []  # from serving again to the last table's attachment
        self.lost = 0  # answers that tables had and the journal no longer has
        self._soak: Soak | None = None
        self._replacing: asyncio.Task[dict[str, Heard]] | None = None

    @classmethod
    def why_impossible(cls, options: Options) -> str:
        """The journal must be a file of ours, and the controller this program."""
        if options.store:
            return "PostgreSQL is restored by its own tools (--store)"
        return "the controllers are another program" if options.command else ""

    async def set_up(self, soak: "Soak", stack: AsyncExitStack) -> None:  # noqa: ARG002 - nothing to undo
        """Know the run."""
        self._soak = soak

    async def inject(self, supervisor: Supervisor) -> Injection:  # noqa: ARG002 - they share a journal
        """Back up, let tables play on, stop, restore, start; and see that all go on."""
        soak, transcript = self._of_run(), self._of_run().transcript
        folder = self.target.folder / f"backup-{transcript.restores + 1}"
        taken = await jackpot("backup", str(folder), "--data", soak.store, "--json")
        common = int(taken["sites"][0]["head_sequence"])
        # Whatever the backup has is known by then.
        if not await _comes_true(lambda: transcript.complete >= common, _ANSWERED_S):
            return Injection("restore", was_felt=False)
        await asyncio.sleep(self.target.draw.uniform(0.5, 3.0))
        how = self.target.draw.choice([signal.SIGTERM, signal.SIGKILL])
        self._replacing = asyncio.create_task(self._replace(soak, folder, common, how))
        lost = await asyncio.shield(self._replacing)
        for each in self.target.supervisors:
            await each.up.wait()
        began_s = time.monotonic()
        if soak.floor is not None:
            due = await soak.staff.look("ListPayouts")
            soak.floor.start_over(due.payouts)
        await self._all_back(soak, lost, common)
        self.back_s.append(time.monotonic() - began_s)
        return Injection("restore", was_felt=True)

    async def undo(self) -> None:
        """Finish what was begun: the journal and the record must agree on what was lost."""
        if self._replacing is not None:
            await self._replacing

    def figures(self, soak: "Soak") -> dict[str, Any]:  # noqa: ARG002 - counted here
        """How long tables took to go on, and what was lost."""
        return {"back_s": [round(each, 1) for each in self.back_s], "answers_lost": self.lost}

    def _of_run(self) -> "Soak":
        if self._soak is None:
            raise AssertionError("set up before")
        return self._soak

    async def _replace(
        self, soak: "Soak", backup: Path, common: int, how: signal.Signals
    ) -> dict[str, Heard]:
        """Put the backup in place while no controller runs; what tables had of the rest."""
        supervisors = self.target.supervisors
        await asyncio.gather(*(each.hold(how) for each in supervisors))
        try:
            about = ("--data", soak.store, "--reason", "soak", "--by", "soak")
            done = await jackpot("restore", str(backup), *about, "--discard-newer", "--json")
            if done[0]["common_sequence"] != common:
                raise RestoreFailedError(f"restored to {done[0]}, not to {common}")
            said = {name: str(value) for name, value in done[0].items()}
            lost = soak.transcript.roll_back(soak.terms, common, said)
            for shown in soak.staff.shown:
                shown.clear()
        finally:
            for each in supervisors:
                each.may_start.set()
        return lost

    async def _all_back(self, soak: "Soak", lost: dict[str, Heard], common: int) -> None:
        """Every table that plays has attached again, and reported just what it had been told."""

        def missing() -> set[str]:
            return soak.playing - soak.transcript.acknowledged.keys()

        if not await _comes_true(lambda: not missing(), _BACK_S):
            raise RestoreFailedError(f"did not attach again: {', '.join(sorted(missing()))}")
        back = soak.transcript.acknowledged.keys()
        expected = {table: heard for table, heard in lost.items() if table in back}
        reported = await asyncio.to_thread(_reported, soak.store, common)
        if reported != expected:
            problem = {t: (expected.get(t), reported.get(t)) for t in {*expected, *reported}}
            wrong = {t: pair for t, pair in problem.items() if pair[0] != pair[1]}
            raise RestoreFailedError(f"lost and reported ranges differ: {wrong}")
        self.lost += sum(heard.last - heard.first + 1 for heard in expected.values())


def _reported(store: str, common: int) -> dict[str, Heard]:
    """What the journal says that each table lost."""
    found: dict[str, Heard] = {}
    with open_walk(store, SITE) as walk:
        for entry in walk.entries(common):
            if entry.kind == TableAttached.__name__:
                event = codec.decode_entry(SITE, entry).event
                if isinstance(event, TableAttached) and (lost := event.lost):
                    found[event.table] = Heard(lost.first, lost.last, lost.round)
    return found


async def _comes_true(condition: Callable[[], bool], within_s: float) -> bool:
    """Whether something is so before long."""
    until_s = time.monotonic() + within_s
    while time.monotonic() < until_s:
        if condition():
            return True
        await asyncio.sleep(_AGAIN_S)
    return condition()
