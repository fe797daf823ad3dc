"""Carry out the commands of one batch in one transaction, up to the commit.

Nothing here answers anybody: what a batch decides is worth nothing until it is durable.
"""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence

from jackpot.core.claims import Names
from jackpot.core.commands import AnyCommand, ControllerOrigin, LockOut, Origin, Request
from jackpot.core.decide import decide
from jackpot.core.events import AnyEvent, Refused
from jackpot.core.identity import Repeat, digest, identify
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.engine.answers import Answer, Committed, Job, Limits, Outcome
from jackpot.engine.meters import moves_meters
from jackpot.engine.replica import Replica
from jackpot.store import codec
from jackpot.store.journal import Entry, Transaction

_JUMP_MICROS = 1_000_000  # a clock further behind than this is worth an alarm
_log = logging.getLogger(__name__)
UNAVAILABLE = refuse(Reason.STORE_UNAVAILABLE)


class Decider:
    """Decides commands one after the other, on copies that run ahead of the journal."""

    def __init__(
        self, names: Names, clock: Callable[[], int], entropy: Callable[[], bytes], limits: Limits
    ) -> None:
        self._names = names
        self._clock = clock
        self._entropy = entropy
        self._clock_alarm = False
        self.batch_bytes = limits.batch_bytes

    def decide(self, replica: Replica, origin: Origin, command: AnyCommand) -> tuple[AnyEvent, int]:
        """What a new command comes to, and when. A refusal is an event too."""
        state = replica.state
        time_micros = self._time(state.time_micros)
        entropy = self._entropy() if isinstance(command, LockOut) else b""
        decided = decide(
            state, Request(state.site, origin, command, time_micros, entropy), self._names
        )
        if isinstance(decided, Refusal):
            return Refused(type(command).__name__, decided.reason, decided.details), time_micros
        return decided, time_micros

    def _time(self, previous_micros: int) -> int:
        """Time in a stream never goes back, whatever the clock does."""
        now_micros = self._clock()
        if now_micros + _JUMP_MICROS < previous_micros and not self._clock_alarm:
            _log.warning("the clock is %d micros behind the journal", previous_micros - now_micros)
        self._clock_alarm = now_micros + _JUMP_MICROS < previous_micros
        return max(previous_micros, now_micros)


class Batch:
    """What the commands of one transaction came to."""

    def __init__(
        self,
        decider: Decider,
        replicas: Mapping[str, Replica],
        halted: Mapping[str, str],
        transaction: Transaction,
    ) -> None:
        self._decider = decider
        self._replicas = replicas
        self._halted = halted
        self._transaction = transaction
        self._entries: dict[str, list[Entry]] = {}
        self.events: dict[tuple[str, int], Committed] = {}
        self._bytes = 0
        self.moved: set[str] = set()  # sites whose meters may show something else now

    def run(self, jobs: Sequence[Job]) -> tuple[list[Answer], Sequence[Job]]:
        """Answers in order, and the jobs for which this batch has no room."""
        answers: list[Answer] = []
        batch_bytes = self._decider.batch_bytes
        for count, job in enumerate(jobs):
            if self._bytes >= batch_bytes:
                return answers, jobs[count:]
            answers.append((job.deliver, self._answer(job)))
        return answers, ()

    def _answer(self, job: Job) -> Outcome:
        lane = job.lane
        if lane is not None and lane.broken:
            return UNAVAILABLE
        if job.refusal is not None:
            if lane is not None:
                lane.broken = True
            return job.refusal
        request = job.request
        if request.site in self._halted:
            return refuse(Reason.SITE_HALTED, site=request.site)
        replica = self._replicas.get(request.site)
        if replica is None:
            return refuse(Reason.UNKNOWN_SITE, site=request.site)
        command_digest = digest(request.command)
        known = identify(replica.state, request, command_digest)
        if known is None:
            return self.add(replica, request.origin, request.command, command_digest)
        return self._recall(request.site, known.sequence) if isinstance(known, Repeat) else known

    def add(
        self, replica: Replica, origin: Origin, command: AnyCommand, command_digest: str = ""
    ) -> Committed:
        """Decide a new command and put what it came to behind the head."""
        event, time_micros = self._decider.decide(replica, origin, command)
        entry = replica.add(origin, event, command_digest, time_micros)
        committed = Committed(entry.sequence, time_micros, event)
        self._entries.setdefault(replica.site, []).append(entry)
        self.events[replica.site, entry.sequence] = committed
        self._bytes += len(entry.body)
        if moves_meters(event):
            self.moved.add(replica.site)
        return committed

    def add_own(self, replica: Replica, command: AnyCommand) -> Committed:
        """The controller's own bookkeeping."""
        return self.add(replica, ControllerOrigin(), command)

    def append(self) -> None:
        """Check every site that changed, and hand its entries to the store."""
        for site, entries in self._entries.items():
            self._replicas[site].check()
            self._transaction.append(site, entries)

    def _recall(self, site: str, sequence: int) -> Committed:
        """The answer that a command was given before, perhaps a moment ago in this batch."""
        if found := self.events.get((site, sequence)):
            return found
        (entry,) = self._transaction.read(site, sequence - 1, 1)
        return Committed(sequence, entry.time_micros, codec.decode_entry(site, entry).event)


def sites_of(jobs: Iterable[Job]) -> set[str]:
    """The sites that a batch is about."""
    return {job.request.site for job in jobs}


def by_site(jobs: Iterable[Job]) -> list[list[Job]]:
    """The same jobs, each site's for itself and in order."""
    apart: dict[str, list[Job]] = {}
    for job in jobs:
        apart.setdefault(job.request.site, []).append(job)
    return list(apart.values())
