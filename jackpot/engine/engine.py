"""The loop's side of the engine: commands go in, answers and meters come out.

Everything here runs in the loop's thread; the writers' threads do the work. Every site has one
writer. Answers to the commands of one stream and site are delivered in the order in which the
commands were submitted.
"""

import asyncio
import itertools
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar
from zlib import crc32

from msgspec.structs import replace

from jackpot.core.bad_beat import NO_POKER, Poker
from jackpot.core.claims import Names
from jackpot.core.commands import Request
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.core.state import State
from jackpot.engine import commit_points
from jackpot.engine.alarms import Alarm, AlarmBoard, AlarmKind, alarm
from jackpot.engine.batch import Decider
from jackpot.engine.commit_points import Faults
from jackpot.engine.messages import CommandOrder, Deliver, Job, Limits, Observer, Outcome, Read
from jackpot.engine.meter_board import MeterBoard
from jackpot.engine.routine import Routine
from jackpot.engine.table_board import TableBoard
from jackpot.engine.witness import Witness
from jackpot.engine.writer import Writer, WriterUpdate
from jackpot.engine.writer_handle import WriterHandle
from jackpot.processor import LOAD_LOOK_S, LOOK_S, SharedProcessor, free_helpers
from jackpot.sources import clock_micros, draw_entropy, passed_micros
from jackpot.store.journal import Journal

_WATCH_S = 0.25
_log = logging.getLogger(__name__)
T = TypeVar("T")


class Engine:
    """Serves the sites of one store."""

    def __init__(
        self,
        journal_factory: Callable[[], Journal],
        names: Names,
        *,
        sites: Iterable[str] = (),
        clock: Callable[[], int] = clock_micros,
        entropy: Callable[[], bytes] = draw_entropy,
        limits: Limits | None = None,
        faults: Faults = commit_points.none,
        on_health: Callable[[bool], None] | None = None,
        writers: int = 1,
        poker: Poker = NO_POKER,
        witness: Witness | None = None,
        by_clock: bool | None = None,
        processor: SharedProcessor | None = None,
    ) -> None:
        """Serve the sites that are named, or all that the store holds where none is named.

        Sites are divided among the writers, each of which opens the store for itself. With a
        witness, a site whose journal was rolled back is halted. What a controller does by the clock
        it does by the machine's; a replay's is its own, and counts how often it is looked at.
        With a processor, the loop and the writers keep to it, and so to one at a time.
        """
        self._witness = witness
        self._processor = processor
        self.limits = limits or Limits()
        self.open_journal = journal_factory
        self.meters = MeterBoard()
        self.tables = TableBoard()
        self.on_health = on_health
        self.alarms = AlarmBoard()
        self.observers: list[Observer] = [self.alarms.observe]  # told of commits, after answers
        self.halted: Mapping[str, str] = {}  # site -> what is wrong with its journal
        self._stalled = False
        self._told: tuple[bool, tuple[str, ...]] = (False, ())
        self._draining = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._started = False
        self._watch: asyncio.Task[None] | None = None
        self._sharing: asyncio.Task[None] | None = None
        self._sites = frozenset(sites)
        passed = passed_micros if clock is clock_micros else None
        decider = Decider(names, clock, entropy, self.limits, passed, poker, self.alarms)
        self._handles: list[WriterHandle] = []
        for number in range(writers):
            choose, post = partial(self._choose, number), partial(self._post, number)
            writer = Writer(
                journal_factory, decider, choose, self.limits, faults, post, witness, processor
            )
            if by_clock if by_clock is not None else clock is clock_micros:
                writer.routine = Routine()
            self._handles.append(WriterHandle(writer))

    @property
    def healthy(self) -> bool:
        """Whether commands are being taken, for every site."""
        return (
            all(handle.healthy for handle in self._handles)
            and not self._stalled
            and not self._draining
        )

    @property
    def queued(self) -> int:
        """How many commands and questions wait for a writer."""
        return sum(handle.queued for handle in self._handles)

    async def start(self) -> None:
        """Check the store and every site, then serve; StoreError where the store can't be used.

        A site whose journal is not sound is halted, and the others are served.
        """
        self._loop = asyncio.get_running_loop()
        if self._witness is not None:
            self._witness.start(self.alarms)
        for handle in self._handles:
            handle.writer.start()
        for handle in self._handles:
            await handle.ready.wait()
        if failures := [d.writer.failure for d in self._handles if d.writer.failure is not None]:
            await self.drain()  # those that did not fail
            raise failures[0]
        self._started = True
        self._watch = asyncio.create_task(self._watch_writer())
        if self._processor is not None:
            free_helpers(self._loop)
            self._processor.join()
            self._sharing = asyncio.create_task(self._keep_sharing(self._processor))

    def submit(self, request: Request, deliver: Deliver, order: CommandOrder | None = None) -> None:
        """Queue a command; `deliver` is called with its outcome, later and in this thread."""
        handle, job = self._handle(request.site), Job(request, deliver, order)
        if reason := self._closed_reason(handle):
            self._refuse(handle, job, refuse(reason))
        else:
            handle.put(job)

    async def execute(self, request: Request) -> Outcome:
        """Carry out a command and wait for its outcome."""
        outcome: Outcome = await self._ask(lambda deliver: self.submit(request, deliver))
        return outcome

    async def read(
        self, site: str, question: Callable[[State], T], *, fresh: bool = True
    ) -> T | Refusal:
        """Ask something of a site's committed state, as fresh as the store has it.

        Without `fresh` what other controllers have committed may be missing for `poll_s`.
        The question runs in the writer's thread: it must be quick, and return values only.
        """
        handle = self._handle(site)
        if reason := self._closed_reason(handle):
            return refuse(reason)
        answer: T | Refusal = await self._ask(lambda d: handle.put(Read(site, question, d, fresh)))
        return answer

    async def drain(self) -> None:
        """Answer everything that waits, take snapshots, and stop."""
        self._draining = True
        self._tell_health()
        for handle in self._handles:
            handle.stop()
        for handle in self._handles:
            await handle.stopped()
        if self._witness is not None:
            await asyncio.to_thread(self._witness.stop)
        await asyncio.sleep(0)
        if self._processor is not None:
            self._processor.leave()
        for task in (self._watch, self._sharing):
            if task is not None:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task

    async def _ask(self, put: Callable[[Callable[[Any], None]], None]) -> Any:
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

        def deliver(answer: Any) -> None:
            if future.done():  # whoever asked has gone
                return
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)

        put(deliver)
        return await future

    def _number(self, site: str) -> int:
        """Which writer a site has."""
        return crc32(site.encode()) % len(self._handles)

    def _handle(self, site: str) -> WriterHandle:
        handles = self._handles
        return handles[self._number(site)] if len(handles) > 1 else handles[0]

    def _choose(self, number: int, journal: Journal) -> Iterator[str]:
        """Called by a writer: the sites of a journal that are its own."""
        wanted = self._sites or journal.heads().keys()
        return (site for site in wanted if self._number(site) == number)

    def _closed_reason(self, handle: WriterHandle) -> Reason | None:
        """Why nothing more is taken for a writer's sites."""
        if handle.healthy and not self._draining:
            full = len(handle.writer.queue) >= self.limits.queued_commands
            return Reason.OVERLOADED if full else None
        if self._draining:
            return Reason.DRAINING
        return Reason.STORE_UNAVAILABLE if self._started else Reason.STARTING

    def _refuse(self, handle: WriterHandle, job: Job, refusal: Refusal) -> None:
        """Refuse a command at the door, yet not before what its stream asked earlier is answered.

        Only a stream's commands are queued for that: a stream has few in flight.
        """
        if job.order is not None and self._started and not handle.ended.is_set():
            handle.put(replace(job, refusal=refusal))
            return
        if job.order is not None:
            job.order.broken = True
        asyncio.get_running_loop().call_soon(job.deliver, refusal)

    def _post(self, number: int, report: WriterUpdate) -> None:
        """Called by a writer: hand a report to the loop."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop is closed: nobody is left to be told
                self._loop.call_soon_threadsafe(self._receive, self._handles[number], report)

    def _receive(self, handle: WriterHandle, report: WriterUpdate) -> None:
        for deliver, answer in report.answers:
            try:
                deliver(answer)
            except Exception:  # noqa: BLE001 - one caller's failure is not the next one's
                _log.exception("an answer could not be delivered")
        if report.commit is not None:
            handle.delivered()
            for observe in self.observers:
                try:
                    observe(report.commit)
                except Exception:  # noqa: BLE001 - likewise
                    _log.exception("a commit could not be observed")
        if report.frames:
            self.meters.publish(report.frames)
        self.tables.publish(report.touched)
        if handle.knows(report):
            return
        handle.receive(report)
        self.halted = {site: why for each in self._handles for site, why in each.halted.items()}
        self._tell_health()

    def _tell_health(self) -> None:
        self.alarms.stand("engine", self._standing())
        state = (self.healthy, tuple(self.halted))
        if state != self._told:
            self._told = state
            if self.on_health is not None:
                self.on_health(self.healthy)

    def _standing(self) -> Iterator[Alarm]:
        for site, why in self.halted.items():
            yield alarm(AlarmKind.SITE_HALTED, site=site, about=site, why=why)
        if self._started and not self.healthy and not self._draining:
            yield alarm(AlarmKind.NOT_SERVING)

    async def _watch_writer(self) -> None:
        """Notice a commit that hangs."""
        while True:
            await asyncio.sleep(_WATCH_S)
            late_s = max(handle.late_s() for handle in self._handles)
            self._stalled = late_s > self.limits.stalled_s
            self._tell_health()

    async def _keep_sharing(self, processor: SharedProcessor) -> None:
        """Heed how much there is to do; move to another processor when this one is crowded."""
        used_s = time.process_time()
        for look in itertools.count(1):
            await asyncio.sleep(LOAD_LOOK_S)
            before_s, used_s = used_s, time.process_time()
            processor.note_load(used_s - before_s)
            if look % round(LOOK_S / LOAD_LOOK_S) == 0:
                processor.look()
