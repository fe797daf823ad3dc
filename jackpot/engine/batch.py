"""Carry out the commands of one batch in one transaction, up to the commit.

Nothing here answers anybody: what a batch decides is worth nothing until it is durable.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec.structs import replace

from jackpot.core.bad_beat import NO_POKER, Poker
from jackpot.core.claims import Names
from jackpot.core.commands import AnyCommand, Request, name_of
from jackpot.core.commands.base import ControllerOrigin, Origin, TableOrigin
from jackpot.core.commands.operator import AttachTable
from jackpot.core.commands.table import LockOut
from jackpot.core.decide import decide
from jackpot.core.draws import drawing_links
from jackpot.core.events import AnyEvent, Refused
from jackpot.core.identity import Repeat, digest, identify
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.core.state import State
from jackpot.engine.alarms import AlarmBoard, AlarmKind, alarm
from jackpot.engine.messages import Answer, Job, JournaledAnswer, Limits, Outcome
from jackpot.engine.replica import Replica
from jackpot.quota import CallerQuota
from jackpot.store import codec
from jackpot.store.journal import (
    GENESIS,
    Entry,
    Head,
    Transaction,
    UnsoundError,
    verify_link,
)

SEALED_TOGETHER = 64  # commands whose entries are made at once
_JUMP_MICROS = 1_000_000  # a clock further behind than this is worth an alarm
_log = logging.getLogger(__name__)
TOO_MANY = refuse(Reason.OVERLOADED, problem="too many refused commands; wait a moment")
TOO_MANY_ATTACHES = refuse(Reason.OVERLOADED, problem="too many attachments; wait a moment")
UNAVAILABLE = refuse(Reason.STORE_UNAVAILABLE)
FAILED = "the controller failed on it; see its log"


def caller_of(origin: Origin) -> str:
    """By what name a caller is counted."""
    return (
        f"table:{origin.table}"
        if isinstance(origin, TableOrigin)
        else getattr(origin, "principal", "")
    )


def _refused(command: AnyCommand, refusal: Refusal) -> Refused:
    return Refused(name_of(command), refusal.reason, refusal.details)


class Decider:
    """Decides commands one after the other, on copies that run ahead of the journal."""

    def __init__(
        self,
        names: Names,
        clock: Callable[[], int],
        entropy: Callable[[], bytes],
        limits: Limits,
        passed: Callable[[], int] | None = None,
        poker: Poker = NO_POKER,
        alarms: AlarmBoard | None = None,
    ) -> None:
        """`passed` is time that no clock can set, to see a clock jump; a replay's clock may."""
        self._names = names
        self._poker = poker
        self._clock = clock
        self._passed = passed
        self._entropy = entropy
        self.alarms = alarms or AlarmBoard()
        self._clock_alarm = False
        self._last: tuple[int, int] | None = None  # the clock, and time that no clock can set
        self._refusals = CallerQuota(limits.refusals_burst, limits.refusals_per_s)
        self._attaches = CallerQuota(limits.attaches_burst, limits.attaches_per_s)
        self.batch_bytes = limits.batch_bytes

    def decide(self, state: State, request: Request) -> tuple[AnyEvent, int]:
        """What a new command comes to, and when. A refusal is an event too."""
        time_micros = self._time(state.time_micros)
        origin, entropy = request.origin, b""
        if type(request.command) is LockOut and isinstance(origin, TableOrigin):
            entropy = b"".join([self._entropy() for _ in drawing_links(state, origin.table)])
        timed = replace(request, time_micros=time_micros, entropy=entropy)
        decided = decide(state, timed, self._names, self._poker)
        if type(decided) is Refusal:
            return _refused(request.command, decided), time_micros
        return decided, time_micros

    def fail(self, replica: Replica, command: AnyCommand) -> tuple[AnyEvent, int]:
        """What a new command comes to that can't be decided."""
        about = {"table": command.table} if isinstance(command, AttachTable) else {}
        refusal = refuse(Reason.MALFORMED, problem=FAILED, **about)
        return _refused(command, refusal), self._time(replica.state.time_micros)

    def now_micros(self) -> int:
        """What the clock says."""
        return self._clock()

    def may_refuse(self, request: Request) -> bool:
        """Whether the journal takes one more refusal of this caller now."""
        now_micros = (self._passed or self._clock)()
        return self._refusals.take(request.site, caller_of(request.origin), now_micros)

    def may_attach(self, request: Request, table: str) -> bool:
        """Whether the journal takes one more attachment of this table now."""
        now_micros = (self._passed or self._clock)()
        return self._attaches.take(request.site, table, now_micros)

    def _time(self, previous_micros: int) -> int:
        """Time in a stream never goes back, whatever the clock does."""
        now_micros = self._clock()
        if now_micros >= previous_micros:
            self._clock_alarm = False
            return now_micros
        behind_micros = previous_micros - now_micros
        if behind_micros > _JUMP_MICROS and not self._clock_alarm:
            self.alarms.sound(alarm(AlarmKind.CLOCK_BEHIND, seconds=_seconds(behind_micros)))
        self._clock_alarm = behind_micros > _JUMP_MICROS
        return previous_micros

    def watch_clock(self) -> None:
        """Report a clock that moved forward by more than the time that has passed."""
        if self._passed is None:
            return
        now_micros, passed_micros = self._clock(), self._passed()
        if self._last is not None:
            ahead_micros = now_micros - self._last[0] - (passed_micros - self._last[1])
            if ahead_micros > _JUMP_MICROS:
                self.alarms.sound(alarm(AlarmKind.CLOCK_JUMPED, seconds=_seconds(ahead_micros)))
        self._last = now_micros, passed_micros


def _seconds(micros: int) -> str:
    return f"{micros / 1_000_000:,.1f}"


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
        self._entries: dict[str, list[Entry]] = {}  # of the sites that change, as far as sealed
        self.events: defaultdict[type, list[tuple[str, JournaledAnswer]]] = defaultdict(list)
        self._bytes = 0

    def run(self, jobs: Sequence[Job]) -> tuple[list[Answer], Sequence[Job]]:
        """Answers in order, and the jobs for which this batch has no room."""
        answers: list[Answer] = []
        for count in range(0, len(jobs), SEALED_TOGETHER):
            if self._bytes >= self._decider.batch_bytes:
                return answers, jobs[count:]
            some = jobs[count : count + SEALED_TOGETHER]
            answers += [(job.deliver, self._answer(job)) for job in some]
            self._seal()
        return answers, ()

    def _answer(self, job: Job) -> Outcome:
        order = job.order
        if order is not None and order.broken:
            return UNAVAILABLE
        if job.refusal is not None:
            if order is not None:
                order.broken = True
            return job.refusal
        request = job.request
        if request.site in self._halted:
            return refuse(Reason.SITE_HALTED, site=request.site)
        replica = self._replicas.get(request.site)
        if replica is None:
            return refuse(Reason.UNKNOWN_SITE, site=request.site)
        command = request.command
        command_digest = digest(command)
        known = identify(replica.state, request, command_digest)
        if known is not None:
            if isinstance(known, Repeat):
                return self._recall(request.site, known.sequence)
            return known
        decider = self._decider
        if type(command) is AttachTable and not decider.may_attach(request, command.table):
            return TOO_MANY_ATTACHES
        try:
            event, time_micros = decider.decide(replica.state, request)
        except Exception:  # noqa: BLE001 - as the next lines say
            # Deciding changes nothing, so only this command fails, whatever is wrong with it. As a
            # failed store it would be sent again, and stop every table each time; and unless the
            # refusal is journaled, its number stays unused and the table's next command is a gap.
            _log.exception("a %s could not be decided", name_of(command))
            event, time_micros = decider.fail(replica, command)
        if type(event) is Refused and not decider.may_refuse(request):
            if order is not None:
                order.broken = True  # what comes behind it must not overtake it
            return TOO_MANY
        return self._add(replica, request.origin, event, time_micros, command_digest)

    def _add(
        self,
        replica: Replica,
        origin: Origin,
        event: AnyEvent,
        time_micros: int,
        command_digest: str = "",
    ) -> JournaledAnswer:
        """Put what a command came to behind the head."""
        site = replica.site
        if site not in self._entries:
            self._entries[site] = []
        sequence = replica.add(origin, event, command_digest, time_micros)
        committed = JournaledAnswer(sequence, time_micros, event)
        self.events[type(event)].append((site, committed))
        return committed

    def _seal(self) -> None:
        """Make the entries of all that was added."""
        for site, before in self._entries.items():
            sealed = self._replicas[site].seal()
            before.extend(sealed)
            self._bytes += sum([len(entry.body) for entry in sealed])

    def add_own(self, replica: Replica, command: AnyCommand) -> JournaledAnswer:
        """The controller's own bookkeeping."""
        request = Request(replica.site, ControllerOrigin(), command)
        event, time_micros = self._decider.decide(replica.state, request)
        return self._add(replica, request.origin, event, time_micros)

    def append(self) -> None:
        """Check every site that changed, and hand its entries to the store."""
        self._decider.watch_clock()  # once a batch, and before what it dated is durable
        self._seal()
        for site, entries in self._entries.items():
            self._replicas[site].check()
            self._transaction.append(site, entries)

    def _recall(self, site: str, sequence: int) -> JournaledAnswer:
        """The answer that a command was given before, perhaps a moment ago in this batch."""
        for of_kind in self.events.values():
            for where, committed in of_kind:
                if committed.sequence == sequence and where == site:
                    return committed
        # With the row before it, so that an edited answer is not given as if it were the old one.
        rows = self._transaction.read(site, max(0, sequence - 2), min(2, sequence))
        if not rows or rows[-1].sequence != sequence:
            raise UnsoundError(site, sequence, "the entry that answered a command is gone")
        entry = rows[-1]
        before = Head(sequence - 1, rows[0].hash) if sequence > 1 else GENESIS
        verify_link(site, before, entry)
        return JournaledAnswer(sequence, entry.time_micros, codec.decode_entry(site, entry).event)


def sites_of(jobs: Iterable[Job]) -> set[str]:
    """The sites that a batch is about."""
    return {job.request.site for job in jobs}


def by_site(jobs: Iterable[Job]) -> list[list[Job]]:
    """The same jobs, each site's for itself and in order."""
    apart: dict[str, list[Job]] = {}
    for job in jobs:
        apart.setdefault(job.request.site, []).append(job)
    return list(apart.values())
