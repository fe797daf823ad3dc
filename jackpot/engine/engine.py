"""The loop's side of the engine: commands go in, answers and meters come out.

Everything here runs in the loop's thread; the writer's thread does the work. Answers to the
commands of one lane are delivered in the order in which the commands were submitted.
"""

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from jackpot.core.claims import Names
from jackpot.core.commands import Request
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.core.state import State
from jackpot.engine import faults as no_faults
from jackpot.engine.answers import Deliver, Job, Lane, Limits, Observer, Outcome, Read
from jackpot.engine.batch import Decider
from jackpot.engine.faults import Faults
from jackpot.engine.meters import MeterBoard
from jackpot.engine.writer import Report, Writer
from jackpot.store.journal import Journal

_WATCH_S = 0.25
_log = logging.getLogger(__name__)
T = TypeVar("T")


def clock_micros() -> int:
    """Now, in micros since 1970."""
    return time.time_ns() // 1_000


def draw_entropy() -> bytes:
    """32 random bytes."""
    return secrets.token_bytes(32)


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
        faults: Faults = no_faults.none,
        on_health: Callable[[bool], None] | None = None,
    ) -> None:
        """Sites that have a stream in the store are served; `sites` names those yet to begin."""
        self.limits = limits or Limits()
        self.meters = MeterBoard()
        self.on_health = on_health
        self.observers: list[Observer] = []  # told of every commit, after its answers
        self.halted: Mapping[str, str] = {}  # site -> what is wrong with its journal
        self._writer_healthy = False
        self._stalled = False
        self._told: tuple[bool, tuple[str, ...]] = (False, ())
        self._draining = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ready = asyncio.Event()
        self._started = False
        self._ended = asyncio.Event()
        self._watch: asyncio.Task[None] | None = None
        decider = Decider(names, clock, entropy, self.limits)
        self._writer = Writer(journal_factory, decider, sites, self.limits, faults, self._post)

    @property
    def healthy(self) -> bool:
        """Whether commands are being taken."""
        return self._writer_healthy and not self._stalled and not self._draining

    @property
    def queued(self) -> int:
        """How many commands and questions wait for the writer."""
        return len(self._writer.queue)

    async def start(self) -> None:
        """Check the store and every site, then serve; StoreError where the store can't be used.

        A site whose journal is not sound is halted, and the others are served.
        """
        self._loop = asyncio.get_running_loop()
        self._writer.start()
        await self._ready.wait()
        if self._writer.failure is not None:
            raise self._writer.failure
        self._started = True
        self._watch = asyncio.create_task(self._watch_writer())

    def submit(self, request: Request, deliver: Deliver, lane: Lane | None = None) -> None:
        """Queue a command; `deliver` is called with its outcome, later and in this thread."""
        writer = self._writer
        if not self._writer_healthy or self._draining:
            self._refuse(request, deliver, lane, self._closed_reason())
        elif len(writer.queue) >= self.limits.queued_commands:
            self._refuse(request, deliver, lane, Reason.OVERLOADED)
        else:
            writer.queue.append(Job(request, deliver, lane))
            if not writer.wake.is_set():
                writer.wake.set()

    async def execute(self, request: Request) -> Outcome:
        """Carry out a command and wait for its outcome."""
        outcome: Outcome = await self._ask(lambda deliver: self.submit(request, deliver))
        return outcome

    async def read(self, site: str, question: Callable[[State], T]) -> T | Refusal:
        """Ask something of a site's committed state, as fresh as the store has it.

        The question runs in the writer's thread: it must be quick, and return values only.
        """
        if not self._writer_healthy or self._draining:
            return refuse(self._closed_reason())
        if len(self._writer.queue) >= self.limits.queued_commands:
            return refuse(Reason.OVERLOADED)

        def ask(deliver: Callable[[Any], None]) -> None:
            self._writer.queue.append(Read(site, question, deliver))
            self._writer.wake.set()

        answer: T | Refusal = await self._ask(ask)
        return answer

    async def drain(self) -> None:
        """Answer everything that waits, take snapshots, and stop."""
        self._draining = True
        self._tell_health()
        self._writer.stopping = True
        self._writer.wake.set()
        if self._writer.ident is not None:
            await asyncio.to_thread(self._writer.join)
            # Its last answers are on their way: first its report, then what the loop refuses.
            await self._ended.wait()
            await asyncio.sleep(0)
        if self._watch is not None:
            self._watch.cancel()
            with suppress(asyncio.CancelledError):
                await self._watch

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

    def _closed_reason(self) -> Reason:
        if self._draining:
            return Reason.DRAINING
        return Reason.STORE_UNAVAILABLE if self._started else Reason.STARTING

    def _refuse(
        self, request: Request, deliver: Deliver, lane: Lane | None, reason: Reason
    ) -> None:
        """Refuse a command at the door, yet not before what its lane asked earlier is answered.

        Only a lane's commands are queued for that: a stream has few in flight.
        """
        refusal = refuse(reason)
        if lane is not None and self._started and not self._ended.is_set():
            self._writer.queue.append(Job(request, deliver, lane, refusal))
            self._writer.wake.set()
            return
        if lane is not None:
            lane.broken = True
        asyncio.get_running_loop().call_soon(deliver, refusal)

    def _post(self, report: Report) -> None:
        """Called by the writer: hand a report to the loop."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop is closed: nobody is left to be told
                self._loop.call_soon_threadsafe(self._receive, report)

    def _receive(self, report: Report) -> None:
        for deliver, answer in report.answers:
            _call(deliver, answer)
        if report.commit is not None:
            for observe in self.observers:
                _call(observe, report.commit)
        if report.frames:
            self.meters.publish(report.frames)
        self.halted = report.halted
        self._writer_healthy = report.healthy
        if report.ended and not self._ended.is_set():
            self._ended.set()
            self._writer.refuse_waiting()  # whatever was queued behind its back
        if not self._ready.is_set():
            self._ready.set()
        self._tell_health()

    def _tell_health(self) -> None:
        state = (self.healthy, tuple(self.halted))
        if state != self._told and self.on_health is not None:
            self._told = state
            self.on_health(self.healthy)

    async def _watch_writer(self) -> None:
        """Notice a commit that hangs."""
        while True:
            await asyncio.sleep(_WATCH_S)
            busy_since = self._writer.busy_since
            late_s = time.monotonic() - busy_since if busy_since else 0.0
            self._stalled = late_s > self.limits.stalled_s
            self._tell_health()


def _call(callback: Callable[[Any], None], value: Any) -> None:
    try:
        callback(value)
    except Exception:  # noqa: BLE001 - one caller's failure is not the next one's
        _log.exception("an answer could not be delivered")
