"""A whole soak: a site, its controllers, tables that play, faults, and the auditor over it all."""

import asyncio
import random
import shutil
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count
from pathlib import Path

from emulator.audit.terms import SiteTerms, read_terms
from emulator.auditor import Auditor
from emulator.soak.awards import Awards
from emulator.soak.cast import Cast
from emulator.soak.clients import RecordingClient, Staff
from emulator.soak.controllers import ControllerProcess
from emulator.soak.disk import SmallDisk
from emulator.soak.doubles import DoublingClient
from emulator.soak.ending import settle_up, stop_and_verify
from emulator.soak.faults import Fault, habits_for
from emulator.soak.floor import Floor
from emulator.soak.game_table import GameTable
from emulator.soak.hits import Hits, Verdict
from emulator.soak.keeper import Keeper
from emulator.soak.latency import Latencies
from emulator.soak.manager import Manager
from emulator.soak.options import Options
from emulator.soak.possible import impossible
from emulator.soak.prefix import Prefix, shortest_prefix
from emulator.soak.proxy import Proxy
from emulator.soak.sabotage import Saboteur
from emulator.soak.samples import Samples
from emulator.soak.sign_watch import SignWatch
from emulator.soak.site import HERD, SITE, herd_names, table_names, write_site
from emulator.soak.stepped_clock import set_offset
from emulator.soak.strangers import Mute, herd
from emulator.soak.table import SideTable
from emulator.soak.tape import Tape
from emulator.soak.tasks import end, in_words, while_kept
from jackpot.server.garbage_collection import calm_collector

LOOK_S = 0.5  # between two looks at all accounts
HERD_SHARE = 0.4  # of a run, after which the herd comes
LATEST_HERD_S = 30.0


class Soak:
    """One run, as far as it has come."""

    def __init__(self, options: Options, folder: Path, *, keep: bool = False) -> None:
        self.options = options
        self.say: Callable[[str], None] = lambda _: None  # of what takes minutes after a long run
        self._keep = keep
        self.folder = folder
        self.data = folder / "data"
        self.store = options.store or str(self.data)
        self.tape_path = folder / "tape"
        self.impossible = impossible(options)
        self.faults = fault_set = options.faults - self.impossible.keys()
        full = bool({Fault.HERD, Fault.UNREAD} & fault_set)
        self.site_path = write_site(folder, options.tables, herd=full)
        self.terms: SiteTerms = read_terms(self.site_path)
        self.hits = Hits(self.terms)
        self.awards = Awards()
        self.auditor = Auditor(self.terms, self.awards.note)
        self.sign_watch = SignWatch(options.controllers, options.sign_limit_s)
        self.tape = Tape(self.auditor, self.tape_path, self.sign_watch.ages)
        self.latencies = Latencies()
        self.habits = habits_for(fault_set)
        self.tables: list[SideTable | GameTable] = []
        self.stopping = False  # somebody wants it to end early
        self.failure = ""  # what ended the run, if it was not its end
        self.prefix: Prefix | None = None  # the shortest, of a run with a contradiction
        self.verdicts: list[Verdict] = []  # at the end, on hits against the odds
        self.verified: bool | None = None  # the journal, by `jackpot verify`; None: nobody looked
        self.herd_s: list[float] = []
        self._herd_came = False
        self._is_wound_up = False  # all was paid, answered and looked at
        self.mute: Mute | None = None
        self.began = time.monotonic()
        self.ended = 0.0
        self.clock = folder / "clock"
        self.disk = SmallDisk(self.data)
        self.draw = random.Random(f"{options.seed}/soak")  # noqa: S311 - a replay needs a seed
        command = options.command or (sys.executable, "-m", "jackpot")
        if Fault.CLOCK in fault_set:
            set_offset(self.clock, 0)
            command = (sys.executable, "-m", "emulator.soak.under_test", "--clock", str(self.clock))
        self.controllers = [
            ControllerProcess(
                self.site_path, self.store, folder / f"controller-{number}.log", command
            )
            for number in range(1, options.controllers + 1)
        ]
        self.keepers = [Keeper(controller) for controller in self.controllers]
        self.samples = Samples(self)
        self.proxies: list[Proxy] = []
        self.saboteur: Saboteur | None = None
        self.floor: Floor | None = None
        self.manager: Manager | None = None
        self._stack = AsyncExitStack()

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
        """Play to the end; what failed is in `failure` and on the tape."""
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
                    self.failure = self.failure or in_words(error)
            self.verdicts = self.hits.verdicts()
        self.tape.close()
        if self.tape.contradiction:
            await self._find_prefix()

    async def _find_prefix(self) -> None:
        self.say("Looking for the shortest prefix that shows what is wrong.")
        try:
            self.prefix = await asyncio.to_thread(shortest_prefix, self.terms, self.tape_path)
        except Exception as error:  # noqa: BLE001 - a run that fails has a report too
            self.failure += f"; no prefix was found: {in_words(error)}"

    async def _set_up(self) -> None:
        if Fault.DISK in self.faults and self.disk.mount():
            self._stack.callback(self._put_disk_away)
        for controller in self.controllers:
            await controller.start()
            self._stack.push_async_callback(controller.kill)
        if Fault.CONNECTION in self.faults:
            for controller in self.controllers:
                proxy = Proxy(controller.address)
                await proxy.start()
                self._stack.push_async_callback(proxy.stop)
                self.proxies.append(proxy)
        self.cast = Cast(self, self._stack)
        self.staff = Staff(await self.cast.channels(self.cast.addresses(0)), SITE, self.tape)
        self.floor = Floor(self.staff, self.habits)
        self.saboteur = Saboteur(
            self.faults,
            self.keepers,
            self.proxies,
            self.disk,
            self.clock,
            random.Random(f"{self.options.seed}/faults"),  # noqa: S311 - a replay needs a seed
            self.options.every_s,
            self._time_is_up,
        )
        for place, name in enumerate(table_names(self.options.tables)):
            self.tables.append(await self.cast.table(place, name, self.floor))

    def _put_disk_away(self) -> None:
        try:
            self.disk.unmount(keep=self._keep or self.failed)
        except OSError as error:
            # A copy fails with all that it could not copy, each with its path and why.
            why = error.args[0][0][-1] if isinstance(error, shutil.Error) else error.strerror
            self.failure = self.failure or f"the journal could not be kept: {why}"

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
                self.failure = f"{in_words(error)}{self.tape.given_up}"
        if self.tape.contradiction:
            self.failure = str(self.tape.contradiction)

    async def _all_tables(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            for table in self.tables:
                tasks.create_task(self._at_table(table))

    async def _contradicted(self) -> None:
        await self.tape.failed.wait()

    async def _at_table(self, table: SideTable | GameTable) -> None:
        await table.begin()
        while not self._is_over(table):
            await table.play()
        if isinstance(table.client, DoublingClient):
            await table.client.finish()

    def _is_over(self, table: SideTable | GameTable) -> bool:
        options = self.options
        if self._time_is_up() or (options.wagers and self.tape.wagers >= options.wagers):
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
        self.manager = Manager(self.staff, self.auditor.books, self.draw, 1.0)
        keepers = [asyncio.create_task(keeper.keep()) for keeper in self.keepers]
        # Until the last change is on the signs.
        watching = [
            asyncio.create_task(self.staff.watch(place)) for place, _ in enumerate(self.controllers)
        ]
        watching.append(asyncio.create_task(self.sign_watch.work(self)))
        self._stack.push_async_callback(end, watching)
        work = [self._look(), self.samples.work(), self.manager.work()]
        if self.saboteur and self.saboteur.has_work:
            work.append(self.saboteur.work())
        if Fault.UNREAD in self.faults:
            name = f"{HERD}-001"
            client = await self.cast.client(1, name)
            self.mute = Mute(client, self.terms.tables[name], self.cast.addresses(0))
            work.append(self.mute.work())
        helpers = [asyncio.create_task(each) for each in work]
        herding = [asyncio.create_task(self._herd())] if Fault.HERD in self.faults else []
        try:
            yield [*keepers, *helpers, *watching]
            await end(helpers)
            self.samples.take()
            if not self.failure:  # a controller that failed would not come back
                await while_kept(self._wind_up(herding), [*keepers, *watching])
        except Exception as error:  # noqa: BLE001 - a run that fails has a report too
            self.failure = in_words(error)
        finally:
            await end([*helpers, *keepers, *herding])

    async def _wind_up(self, herding: list["asyncio.Task[None]"]) -> None:
        """All controllers are up again, whoever is on the way has come, and all is looked at."""
        if self.saboteur:
            await self.saboteur.make_good()
        if self._herd_came:  # what it sent must be answered too
            await asyncio.gather(*herding)
        await settle_up(self)
        self._is_wound_up = True

    async def _look(self) -> None:
        for turn in count():
            await asyncio.sleep(LOOK_S)
            await self.staff.look("ListLinks")
            await self.staff.look("ListPayouts")
            if accounts := list(self.auditor.books.accounts):
                await self.staff.look("GetAccount", account=accounts[turn % len(accounts)])

    async def _herd(self) -> None:
        """All tables that a site may have are there; the controller dies; all come back."""
        wait_s = min(LATEST_HERD_S, (self.options.duration_s or LATEST_HERD_S) * HERD_SHARE)
        await asyncio.sleep(wait_s)
        if self.saboteur is None:
            return
        self._herd_came = True
        names = herd_names(self.options.tables)[1:]
        async with AsyncExitStack() as stack:
            clients, cast = [], Cast(self, stack)
            for place, name in enumerate(names):
                channels = await cast.channels(cast.addresses(place))
                client = RecordingClient(channels, SITE, name, self.tape, self.latencies)
                clients.append(await stack.enter_async_context(client))
            await herd(clients)
            for keeper in self.keepers:
                await keeper.up.wait()
                await self.saboteur.kill(keeper)
            self.herd_s.append(await herd(clients))
