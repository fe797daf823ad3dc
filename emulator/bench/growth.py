"""Measure what a long journal costs: processor time per wager, and the time of a restart.

A load makes a journal longer. So every run plays on a copy, and where a run adds more than a
hundredth, on a new copy each time: a journal of ten thousand entries is that long when it counts.

Journals are built by the controller's own rules and entries, without its traffic: every entry is
decided, applied, hashed and stored by the code that a controller runs, thousands to a commit; only
queues, threads and answers are left out. `jackpot verify` finds nothing amiss.
"""

import asyncio
import shutil
import time
from collections.abc import Callable
from functools import partial
from itertools import cycle
from pathlib import Path
from statistics import median
from typing import Any

from emulator.bench.messages import BETS_A_LINK, DOLLAR, SITE, WAGERS, bench_site
from emulator.bench.processes import BenchError, Measured, Plan, Server, kill_under, measure, spread
from jackpot.core.commands import AnyCommand, Request, TakeSnapshot
from jackpot.core.commands.base import ControllerOrigin, OperatorOrigin, Origin, TableOrigin
from jackpot.core.commands.operator import AttachTable
from jackpot.core.decide import decide
from jackpot.core.identity import digest
from jackpot.core.reasons import Refusal
from jackpot.engine import Engine
from jackpot.engine.replica import Replica, load
from jackpot.engine.witness import default_path
from jackpot.rules.hands import names
from jackpot.server.codec.table import play_requests
from jackpot.server.setup import set_up
from jackpot.store import codec
from jackpot.store.sqlite import SqliteJournal
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import table_pb2 as pb

_TABLE = "t63"  # none of those that the load plays on
_A_COMMIT = 8_192
_TABLES = 8
_WARM = 0.1  # of a run's messages, before it counts
_NOTICEABLE = 100  # a run that adds less than one part in so many leaves a journal as it was


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
            default_path(folder).unlink(missing_ok=True)  # it knows of the longer journal
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


def build(folder: Path, length: int) -> None:
    """Fill a journal up to so many entries and a few; one that is there is continued."""
    asyncio.run(_set_up(folder))
    journal = SqliteJournal.open(folder)
    try:
        replica = load(journal, SITE)
        _fill(journal, replica, length)
    finally:
        journal.close()


async def _set_up(folder: Path) -> None:
    engine = Engine(partial(SqliteJournal.open, folder), names, sites=[SITE])
    await engine.start()
    await set_up(engine, bench_site(64))
    await engine.drain()


def _fill(journal: SqliteJournal, replica: Replica, length: int) -> None:
    writer = _Writer(replica)
    attached = writer.add(OperatorOrigin("build", new_request_id()), AttachTable(_TABLE))
    epoch: int = attached.epoch
    # One round's commands, parsed once and sent again and again; only their numbers change.
    opened, *rest = _round(epoch)
    number = 0
    if replica.state.tables[_TABLE].round is not None:  # left by an earlier build
        number += 1
        writer.add(TableOrigin(_TABLE, epoch, number), rest[-1])
    plays = cycle((command, digest(command)) for command in (opened, *rest))
    while replica.head.sequence < length:
        for _ in range(min(_A_COMMIT, length - replica.state.sequence)):
            command, command_digest = next(plays)
            number += 1
            writer.add(TableOrigin(_TABLE, epoch, number), command, command_digest)
        with journal.begin() as transaction:
            snapshot = codec.encode_state(replica.state)
            taken = TakeSnapshot(snapshot.sequence, codec.state_digest(snapshot))
            writer.add(ControllerOrigin(), taken, "")
            replica.check()
            transaction.append(SITE, replica.seal())
            transaction.save_snapshot(SITE, snapshot)
            transaction.commit()


class _Writer:
    """Decides and chains, as a controller's writer does."""

    def __init__(self, replica: Replica) -> None:
        self._replica = replica

    def add(self, origin: Origin, command: AnyCommand, command_digest: str | None = None) -> Any:
        """Carry a command out; the event."""
        state = self._replica.state
        now_micros = max(state.time_micros, time.time_ns() // 1000)
        event = decide(state, Request(SITE, origin, command, now_micros), names)
        if isinstance(event, Refusal):
            raise BenchError(f"the journal can't be built: {event}")
        if command_digest is None:
            command_digest = digest(command)
        self._replica.add(origin, event, command_digest, now_micros)
        return event


def _round(epoch: int) -> list[AnyCommand]:
    """A round from its opening to its void; each wager by itself, as a chip meets its sensor."""
    wagers = [
        pb.Wager(seat=seat, bet=f"l0b{bet}", amount_micros=DOLLAR)
        for bet in range(BETS_A_LINK)
        for seat in range(1, WAGERS + 1)
    ]
    sent: list[dict[str, Any]] = [
        {"open_round": pb.OpenRound()},
        *({"place_wagers": pb.PlaceWagers(wagers=[wager])} for wager in wagers),
        {"void_round": pb.VoidRound(irregularity="MISDEALT")},
    ]
    numbered = [pb.PlayCommand(number=1, **command) for command in sent]
    message = pb.PlayRequest(site=SITE, table=_TABLE, epoch=epoch, commands=numbered)
    found: list[AnyCommand] = []
    for _, _, request in play_requests(message):
        if isinstance(request, Refusal):
            raise BenchError(f"the journal can't be built: {request}")
        found.append(request.command)
    return found
