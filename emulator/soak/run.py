"""Run a whole soak: a site, its controllers, tables that play, faults, and the auditor."""

import asyncio
import random
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from emulator.soak.audit.auditor import Auditor
from emulator.soak.audit.terms import SiteTerms, read_terms
from emulator.soak.clients import ResendingClient, StaffClient
from emulator.soak.controllers import (
    ControllerProcess,
    Supervisor,
    cancel_all,
    error_text,
    while_supervised,
)
from emulator.soak.ending import settle_up, stop_and_verify
from emulator.soak.faults import FAULTS, chances_for, impossible_faults
from emulator.soak.faults.base import ClientFault, FaultInjector, InjectedFault, Target
from emulator.soak.options import Options
from emulator.soak.replay import ShortestFailure, find_shortest_failure
from emulator.soak.report.hits import Hits, Verdict
from emulator.soak.report.measures import Awards, Latencies, Samples
from emulator.soak.sign_watch import SignWatch
from emulator.soak.site import SITE, table_names, write_site
from emulator.soak.tables.factory import TableFactory
from emulator.soak.tables.game_table import GameTable
from emulator.soak.tables.side_table import SideTable
from emulator.soak.tables.staff import Floor, Manager
from emulator.soak.transcript import Transcript
from jackpot.tuning import calm_collector

if TYPE_CHECKING:
    from emulator.soak.faults.connections import Proxy

LOOK_S = 0.5  # between two looks at all accounts


class Soak:
    """One run, as far as it has come."""

    def __init__(self, options: Options, folder: Path, *, keep: bool = False) -> None:
        self.options = options
        self.say: Callable[[str], None] = lambda _: None  # of what takes minutes after a long run
        self.keep = keep
        self.folder = folder
        self.data = folder / "data"
        self.store = options.store or str(self.data)
        self.transcript_path = folder / "transcript"
        self.impossible = impossible_faults(options)
        draw = random.Random(f"{options.seed}/faults")  # noqa: S311 - a replay needs a seed
        self._target = Target(folder, draw, options.every_s)
        names = sorted(options.faults - self.impossible.keys())
        self.faults = [FAULTS[name](self._target) for name in names]
        full = any(fault.needs_full_site for fault in self.faults)
        self.site_path = write_site(folder, options.tables, herd=full)
        self.terms: SiteTerms = read_terms(self.site_path)
        self.hits = Hits(self.terms)
        self.awards = Awards()
        auditor = Auditor(self.terms, self.awards.note)
        self.sign_watch = SignWatch(options.controllers, options.sign_limit_s)
        self.transcript = Transcript(auditor, self.transcript_path, self.sign_watch.ages)
        self.latencies = Latencies()
        self.chances = chances_for(self.faults)
        self.tables: list[SideTable | GameTable] = []
        self.playing: set[str] = set()  # tables that have begun and not yet ended
        self.stopping = False  # somebody wants it to end early
        self.failure = ""  # what ended the run, if it was not its end
        self.shortest_failure: ShortestFailure | None = None  # where there is a contradiction
        self.verdicts: list[Verdict] = []  # at the end, on hits against the odds
        self.verified: bool | None = None  # the journal, by `jackpot verify`; None: nobody looked
        self._is_wound_up = False  # all was paid, answered and looked at
        self.began = time.monotonic()
        self.ended = 0.0
        self.draw = random.Random(f"{options.seed}/soak")  # noqa: S311 - a replay needs a seed
        arguments = [each for fault in self.faults for each in fault.controller_arguments()]
        under_test = (sys.executable, "-m", "emulator.soak.under_test", *arguments)
        command = options.command or under_test
        self.controllers = [
            ControllerProcess(
                self.site_path,
                self.store,
                folder / f"controller-{number}.log",
                command,
                options.fronts,
            )
            for number in range(1, options.controllers + 1)
        ]
        self.supervisors = [Supervisor(controller) for controller in self.controllers]
        self._target.supervisors = self.supervisors
        self.samples = Samples(self)
        self.proxies: Sequence[Proxy] = ()  # where connections are disturbed
        self.injector: FaultInjector | None = None
        self.floor: Floor | None = None
        self.manager: Manager | None = None
        self._stack = AsyncExitStack()

    @property
    def auditor(self) -> Auditor:
        """Who audits; another one since a backup was restored."""
        return self.transcript.auditor

    @property
    def rounds(self) -> int:
        """Rounds begun at all tables."""
        return sum(table.rounds for table in self.tables)

    @property
    def failed(self) -> bool:
        """Whether anything was not as it must be."""
        return bool(self.failure) or not all(verdict.passed for verdict in self.verdicts)

    @property
    def elapsed_s(self) -> float:
        """How long it has been running."""
        return (self.ended or time.monotonic()) - self.began

    # -- the run ------------------------------------------------------------------------------

    async def run(self) -> None:
        """Play to the end; what failed is in `failure` and on the transcript."""
        async with self._stack:
            await self._set_up()
            calm_collector()
            self.began = time.monotonic()
            async with self._background() as helpers:
                await self._play(helpers)
            self.ended = time.monotonic()  # what follows is no play, and may take minutes
            if self._is_wound_up:
                try:
                    await stop_and_verify(self)
                except Exception as error:  # noqa: BLE001 - a run that fails has a report too
                    self.failure = self.failure or error_text(error)
            self.verdicts = self.hits.verdicts()
        self.transcript.close()
        if self.transcript.contradiction:
            await self._find_shortest_failure()

    async def _find_shortest_failure(self) -> None:
        self.say("Looking for the shortest part of the run that shows the error.")
        try:
            self.shortest_failure = await asyncio.to_thread(
                find_shortest_failure, self.terms, self.transcript_path
            )
        except Exception as error:  # noqa: BLE001 - a run that fails has a report too
            self.failure += f"; the run could not be replayed: {error_text(error)}"

    async def _set_up(self) -> None:
        for fault in self.faults:
            await fault.set_up(self, self._stack)
        for controller in self.controllers:
            await controller.start()
            self._stack.push_async_callback(controller.kill)
        self.factory = TableFactory(self, self._stack)
        self.staff = StaffClient(
            await self.factory.channels(self.factory.addresses(0)), SITE, self.transcript
        )
        self.floor = Floor(self.staff, self.chances)
        injected = [fault for fault in self.faults if isinstance(fault, InjectedFault)]
        self.injector = FaultInjector(injected, self._target, self._time_is_up)
        for place, name in enumerate(table_names(self.options.tables)):
            self.tables.append(await self.factory.table(place, name, self.floor))

    async def _play(self, helpers: list["asyncio.Task[None]"]) -> None:
        """Until every table is done, or something failed."""
        playing = asyncio.create_task(self._all_tables())
        failed = asyncio.create_task(self._contradicted())
        watched: set[asyncio.Task[None]] = {playing, failed, *helpers}
        try:
            done, _ = await asyncio.wait(watched, return_when=asyncio.FIRST_COMPLETED)
        finally:
            failed.cancel()
            playing.cancel()
            await asyncio.gather(playing, failed, return_exceptions=True)
        for task in done:
            if not task.cancelled() and (error := task.exception()):
                self.failure = f"{error_text(error)}{self.transcript.given_up}"
        if self.transcript.contradiction:
            self.failure = str(self.transcript.contradiction)

    async def _all_tables(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            for table in self.tables:
                tasks.create_task(self._at_table(table))

    async def _contradicted(self) -> None:
        await self.transcript.failed.wait()

    async def _at_table(self, table: SideTable | GameTable) -> None:
        await table.begin()
        self.playing.add(table.terms.id)
        while not self._is_over(table):
            await table.play()
        self.playing.discard(table.terms.id)
        if isinstance(table.client, ResendingClient):
            await table.client.finish()

    def _is_over(self, table: SideTable | GameTable) -> bool:
        options = self.options
        if self._time_is_up() or (options.wagers and self.transcript.wagers >= options.wagers):
            return True
        if options.until_hit:
            link, _, level = options.until_hit.partition("/")
            if self.auditor.books.level((link, level)).last_full > 0:
                return True
        return bool(options.rounds) and table.rounds >= options.rounds

    def _time_is_up(self) -> bool:
        duration_s = self.options.duration_s
        return self.stopping or 0 < duration_s <= time.monotonic() - self.began

    # -- beside the tables --------------------------------------------------------------------

    @asynccontextmanager
    async def _background(self) -> AsyncIterator[list["asyncio.Task[None]"]]:
        """Signs, looks, the manager, samples; and what the faults need."""
        self.manager = Manager(self.staff, lambda: self.auditor.books, self.draw, 1.0)
        supervisors = [asyncio.create_task(supervisor.work()) for supervisor in self.supervisors]
        # Until the last change is on the signs.
        watching = [
            asyncio.create_task(self.staff.watch(place)) for place, _ in enumerate(self.controllers)
        ]
        watching.append(asyncio.create_task(self.sign_watch.work(self)))
        self._stack.push_async_callback(cancel_all, watching)
        work = [self._look(), self.samples.work(), self.manager.work()]
        if self.injector and self.injector.has_work:
            work.append(self.injector.work())
        clients = [fault for fault in self.faults if isinstance(fault, ClientFault)]
        work += [fault.work(self) for fault in clients if not fault.ends_by_itself]
        helpers = [asyncio.create_task(each) for each in work]
        once = [(f, asyncio.create_task(f.work(self))) for f in clients if f.ends_by_itself]
        try:
            yield [*supervisors, *helpers, *watching]
            await cancel_all(helpers)
            self.samples.take()
            if not self.failure:  # a controller that failed would not come back
                await while_supervised(self._wind_up(once), [*supervisors, *watching])
        except Exception as error:  # noqa: BLE001 - a run that fails has a report too
            self.failure = error_text(error)
        finally:
            await cancel_all([*helpers, *supervisors, *(task for _, task in once)])

    async def _wind_up(self, once: list[tuple[ClientFault, "asyncio.Task[None]"]]) -> None:
        """All controllers are up again, whoever is on the way has come, and all is looked at."""
        if self.injector:
            await self.injector.undo_all()
        for fault, task in once:
            if fault.has_begun:  # what it sent must be answered too
                await task
        await settle_up(self)
        self._is_wound_up = True

    async def _look(self) -> None:
        for turn in count():
            await asyncio.sleep(LOOK_S)
            await self.staff.look("ListLinks")
            await self.staff.look("ListPayouts")
            if accounts := list(self.auditor.books.accounts):
                await self.staff.look("GetAccount", account=accounts[turn % len(accounts)])
