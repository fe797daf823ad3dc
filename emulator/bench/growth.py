"""What a journal's length costs: processor time a wager, and the time of a restart.

A load makes a journal longer. So every run plays on a copy, and where a run adds more than a
hundredth, on a new copy each time: a journal of ten thousand entries is that long when it counts.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from emulator.bench.journal import build
from emulator.bench.plan import Plan
from emulator.bench.processes import Measured, Server, kill_under, measure, spread

_TABLES = 8
_WARM = 0.1  # of a run's messages, before it counts
_NOTICEABLE = (
    100  # a run that adds less than one part in so many leaves a journal as long as it was
)


class Growth:
    """Journals of several lengths, each played on in turn."""

    def __init__(
        self, plan: Plan, folder: Path, journals: Path, say: Callable[[str], None]
    ) -> None:
        """`journals` is where they are built, and left as they are; `folder` has the copies."""
        self._plan = plan
        self._folder = folder
        self._journals = journals
        self._say = say

    def measure(self) -> dict[str, Any]:
        """Cost a wager and time to restart, by length."""
        built = self._build()
        runs: dict[int, list[Measured]] = {length: [] for length in built}
        restarts: dict[int, list[float]] = {length: [] for length in built}
        for run in range(self._plan.runs + 1):
            self._say(f"journal length, run {run} of {self._plan.runs}")
            for length, journal in built.items():
                server = Server("controller", self._copied(length, journal), tables=64).start()
                try:
                    measure(self._plan.stream(server, _TABLES, share=_WARM), server.pid)
                    measured = measure(self._plan.stream(server, _TABLES), server.pid)
                    kill_under(self._plan.stream(server, _TABLES), server)
                    restarted_s = server.start().started_s
                finally:
                    server.stop()
                if run:
                    runs[length].append(measured)
                    restarts[length].append(restarted_s)
        found: dict[str, Any] = {
            str(length): {**spread(runs[length]), "restart_s": median(restarts[length])}
            for length in built
        }
        return found | {"baseline_start_s": self._baseline_s()}

    def _build(self) -> dict[int, Path]:
        """Each is the one before it, continued."""
        built: dict[int, Path] = {}
        for length in self._plan.lengths:
            folder = self._journals / f"journal-{length}"
            self._say(f"building a journal of {length:,} entries")
            if built and not folder.exists():
                shutil.copytree(list(built.values())[-1], folder)
            build(folder, length)
            built[length] = folder
        return built

    def _copied(self, length: int, journal: Path) -> Path:
        folder = self._folder / f"played-{length}"
        if length < self._plan.messages * _NOTICEABLE and folder.exists():
            shutil.rmtree(folder)
        if not folder.exists():
            shutil.copytree(journal, folder)
        return folder

    def _baseline_s(self) -> float:
        """What a process that serves nothing but an echo takes to start."""
        found = []
        for _ in range(3):
            server = Server("echo", self._folder / "echo").start()
            found.append(server.started_s)
            server.stop()
        return median(found)
