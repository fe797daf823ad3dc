"""The thread that owns its sites' state: it decides, commits, and only then answers.

Whatever waits while one commit is under way goes into the next. When a commit fails it is unknown
whether it is durable, so the writer answers "unknown" to all of the batch, throws its copies away,
reads the journal again and commits a probe before it takes anything more.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from typing import NamedTuple, TypeVar

from jackpot.core.commands import Probe, TakeSnapshot
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.engine.batch import UNAVAILABLE, Batch, Decider, by_site, sites_of
from jackpot.engine.commit_points import Faults
from jackpot.engine.messages import Answer, CommittedBatch, Job, Limits, Read
from jackpot.engine.meter_board import FrameMaker, MeterFrame, shows_at_once
from jackpot.engine.routine import Routine
from jackpot.engine.sites import Sites
from jackpot.engine.witness import Witness
from jackpot.processor import SharedProcessor
from jackpot.store import codec
from jackpot.store.journal import (
    Journal,
    LostRaceError,
    StoreError,
    Transaction,
    UnsoundError,
)

_LOCK_TRIES = 4  # times that a copy far behind is brought up to date without the lock
_FIRST_RETRY_S = 0.05
_log = logging.getLogger(__name__)
T = TypeVar("T")


class _Bell:
    """Wakes the writer. Rung by the loop's thread only; whoever waits for it unrings it.

    An Event does the same in ten times the steps, and every batch of a quiet table needs one.
    """

    def __init__(self) -> None:
        self._silent = threading.Lock()
        self._silent.acquire()

    def ring(self) -> None:
        if self._silent.locked():
            self._silent.release()

    def hush(self) -> None:
        self._silent.acquire(blocking=False)

    def wait(self, timeout_s: float) -> None:
        self._silent.acquire(timeout=timeout_s)


class WriterUpdate(NamedTuple):
    """What the writer tells the loop: one wake-up a batch."""

    answers: Sequence[Answer]
    frames: Sequence[MeterFrame]
    healthy: bool
    ended: bool
    halted: dict[str, str]
    commit: CommittedBatch | None = None
    touched: Sequence[tuple[str, str]] = ()  # sites and tables about which something has changed


class Writer(threading.Thread):
    """Takes jobs from a queue that only the loop fills."""

    def __init__(
        self,
        open_journal: Callable[[], Journal],
        decider: Decider,
        choose: Callable[[Journal], Iterable[str]],
        limits: Limits,
        faults: Faults,
        post: Callable[[WriterUpdate], None],
        witness: Witness | None = None,
        processor: SharedProcessor | None = None,
    ) -> None:
        super().__init__(name="writer", daemon=True)
        self.queue: deque[Job | Read] = deque()
        self.wake = _Bell()
        self.stopping = False
        self.busy_since = 0.0  # 0 while it waits for work
        self.failure: BaseException | None = None
        self._open_journal = open_journal
        self._decider = decider
        self._choose = choose
        self._limits = limits
        self._faults = faults
        self._post = post
        self._witness = witness
        self._processor = processor
        self._journal: Journal | None = None
        self._sites: Sites | None = None
        self._halted: dict[str, str] = {}
        self._unanswered: Sequence[Job | Read] = ()
        self._frames = FrameMaker()
        self._healthy = False
        self._ended = False
        self._polled = 0.0
        self._shown = 0.0  # when frames were last made after a commit
        self._crowd = 0  # commands in the last batch
        self.routine: Routine | None = None  # what is done by the clock

    # -- the thread ---------------------------------------------------------------------------

    def run(self) -> None:
        """Open and check everything, then serve until told to stop."""
        try:
            journal, sites = self._open()
            if self._processor is not None:
                self._processor.join()
            self._tell(frames=self._news(sites), healthy=True)
            while self.queue or not self.stopping:
                self._wait()
                try:
                    self._turn(journal, sites)
                except Exception as error:  # noqa: BLE001 - no command may stay without an answer
                    journal, sites = self._start_over(error, sites)
            self._snapshot(journal, sites, every=1)
        except BaseException as error:  # noqa: BLE001 - whatever ends the thread, the loop hears it
            _log.critical("the writer has ended: %r", error)
            self.failure = error
        finally:
            self._ended = True
            self.refuse_waiting()
            self._close()
            self._tell(healthy=False)

    def _wait(self) -> None:
        """Until there is something to do, and after a batch of many until its answers have left.

        What they set off then comes in together. It shares a commit, a wake-up, and a message for
        each stream, instead of several. Fewer than `crowd_commands` are not a crowd and never wait.
        """
        if self._crowd >= self._limits.crowd_commands:
            self.wake.wait(self._limits.delivery_s)
        if not self.queue:
            self.wake.hush()
            # Whoever queues a job after this look finds the bell silent and rings it.
            if not self.queue and not self.stopping:
                self.busy_since = 0.0
                self.wake.wait(self._limits.poll_s)
        self.busy_since = time.monotonic()

    def _turn(self, journal: Journal, sites: Sites) -> None:
        """One batch, and now and then a look at what others have committed."""
        if self.routine is not None:
            self._by_clock(journal, sites, self.routine)
        count = min(len(self.queue), self._limits.batch_commands)
        take = self.queue.popleft
        self._unanswered = jobs = [take() for _ in range(count)]
        self._crowd = count
        commands = [job for job in jobs if isinstance(job, Job)]
        reads = [job for job in jobs if isinstance(job, Read)] if len(commands) < count else []
        # Where many controllers write, no site may have to wait for another one's lock.
        apart = by_site(commands) if journal.shared else [commands] if commands else []
        for number, share in enumerate(apart, 1):
            rest = [job for others in apart[number:] for job in others]
            self._commit(journal, sites, share, [*rest, *reads])
        due = self.busy_since - self._polled >= self._limits.poll_s
        if reads or due:
            sites.follow_all(None if due else {read.site for read in reads if read.fresh})
            if due:
                self._polled = time.monotonic()
            answers = [(read.deliver, sites.answer(read)) for read in reads]
            self._unanswered = ()
            self._tell(answers, self._news(sites))
        self._snapshot(journal, sites, self._limits.snapshot_every)

    def _commit(
        self, journal: Journal, sites: Sites, jobs: Sequence[Job], left: Sequence[Job | Read]
    ) -> None:
        """Carry out jobs of which nothing is answered yet; `left` is what then still waits."""
        self._faults("before-lock")
        started_s = time.perf_counter()

        def work(batch: Batch, _: Transaction) -> tuple[Batch, list[Answer], Sequence[Job]]:
            answers, rest = batch.run(jobs)
            self._faults("after-decide")
            batch.append()
            self._faults("before-commit")
            return batch, answers, rest

        batch, answers, rest = self._transact(journal, sites, sites_of(jobs), work)
        self._faults("after-commit")
        self._faults("before-publish")
        self.queue.extendleft(reversed(rest))
        self._unanswered = left
        commit = CommittedBatch(batch.events, time.perf_counter() - started_s)
        self.wake.hush()  # whoever rings next has delivered these answers, or brings a new job
        self._tell(answers, self._frames_due(sites, commit), commit=commit)

    def _transact(
        self,
        journal: Journal,
        sites: Sites,
        about: AbstractSet[str],
        work: Callable[[Batch, Transaction], T],
    ) -> T:
        """Work on copies that are up to date, and commit; again where others were quicker."""
        for _ in range(_LOCK_TRIES):
            concerned = about & sites.replicas.keys()
            with journal.begin(concerned) as transaction:
                behind = [site for site in concerned if not sites.caught_up(site, transaction)]
                if not behind:
                    sites.mark(concerned)
                    result = work(self._batch(sites, transaction), transaction)
                    try:
                        transaction.commit()
                    except LostRaceError:
                        sites.rewind(concerned)
                    else:
                        self._confirmed(sites, concerned)
                        return result
            # So much is new that nobody should have to wait for the lock while it is read.
            for site in behind:
                sites.follow(site)
        raise StoreError("other controllers write faster than this one can read")

    def _confirmed(self, sites: Sites, about: Iterable[str]) -> None:
        """The store has said that these are durable; nothing else may be witnessed."""
        if self._witness is not None:
            for replica in (sites.replicas[site] for site in about):
                if replica.head.sequence:
                    self._witness.note(replica.state, replica.head)

    def _batch(self, sites: Sites, transaction: Transaction) -> Batch:
        return Batch(self._decider, sites.replicas, self._halted, transaction)

    def _by_clock(self, journal: Journal, sites: Sites, routine: Routine) -> None:
        """Do what is due at this hour, before anything that somebody asks for."""
        now_micros = self._decider.now_micros()
        for site in routine.to_look_at(sites.replicas, now_micros):

            def work(batch: Batch, _: Transaction, site: str = site) -> Batch:
                # Another controller may have been quicker, or have found the site unsound.
                if replica := sites.replicas.get(site):
                    for command in routine.due(replica.state, now_micros):
                        batch.add_own(replica, command)
                    batch.append()
                return batch

            if routine.due(sites.replicas[site].state, now_micros):
                batch = self._transact(journal, sites, {site}, work)
                self._decider.alarms.observe(CommittedBatch(batch.events, 0.0))
                self._tell(frames=self._news(sites))
            if replica := sites.replicas.get(site):
                routine.looked(replica.state, now_micros)

    def _snapshot(self, journal: Journal, sites: Sites, every: int) -> None:
        """Bind a snapshot to the chain for each site that has come far since its last one."""
        for site, replica in tuple(sites.replicas.items()):
            if replica.head.sequence - replica.snapshot_sequence < every:
                continue
            work = partial(self._take_snapshot, sites, site, every)
            self._transact(journal, sites, {site}, work)
            self._tell(frames=self._news(sites))  # of what it caught up with before

    def _take_snapshot(
        self, sites: Sites, site: str, every: int, batch: Batch, transaction: Transaction
    ) -> None:
        replica = sites.replicas.get(site)
        if replica is None or replica.head.sequence - replica.snapshot_sequence < every:
            return  # it was halted, or another controller was quicker
        replica.check(whole=True)
        snapshot = codec.encode_state(replica.state)
        digest = codec.state_digest(snapshot)
        batch.add_own(replica, TakeSnapshot(snapshot.sequence, digest))
        batch.append()
        transaction.save_snapshot(replica.site, snapshot)
        self._faults("snapshot")

    # -- when it fails ------------------------------------------------------------------------

    def _start_over(self, error: Exception, sites: Sites) -> tuple[Journal, Sites]:
        """Answer everyone at once, then begin again from what the journal really holds."""
        _log.error("a batch failed: %r", error)
        if isinstance(error, UnsoundError):
            sites.halt(error)
        self._healthy = False  # before anything else is said: refusals say it too
        self.refuse_waiting()
        self._tell(healthy=False)
        delay_s = _FIRST_RETRY_S
        while True:
            try:
                journal, sites = self._open()
                self._probe(journal, sites)
            except Exception as again:  # noqa: BLE001 - tried until it works or is told to stop
                _log.warning("the store is still failing: %r", again)
                self._wait_refusing(delay_s)
                delay_s = min(2 * delay_s, self._limits.retry_s)
            else:
                self._tell(frames=self._news(sites), healthy=True)
                return journal, sites

    def _probe(self, journal: Journal, sites: Sites) -> None:
        """Write to every stream: what a failed commit may have left behind is settled then.

        What is due by the clock comes first. Behind a sign of life, nobody would know any more that
        there was no controller for a day.
        """
        if self.routine is not None:
            self._by_clock(journal, sites, self.routine)
        served = set(sites.replicas)
        for share in [{site} for site in served] if journal.shared else [served]:

            def work(batch: Batch, _: Transaction, share: set[str] = share) -> None:
                for site in sorted(share & sites.replicas.keys()):
                    batch.add_own(sites.replicas[site], Probe())
                batch.append()

            self._transact(journal, sites, share, work)

    def _wait_refusing(self, delay_s: float) -> None:
        until = time.monotonic() + delay_s
        while (left_s := until - time.monotonic()) > 0:
            if self.stopping:
                raise SystemExit("stopped while the store was failing")
            self.wake.wait(left_s)
            self.refuse_waiting()

    def refuse_waiting(self) -> None:
        """Answer every waiting command as unknown.

        The loop calls this too, once the thread has ended.
        """
        waiting = [*self._unanswered]
        self._unanswered = ()
        while self.queue:
            waiting.append(self.queue.popleft())
        for job in waiting:
            if isinstance(job, Job) and job.order is not None:
                job.order.broken = True
        self._tell([(job.deliver, self._refusal(job)) for job in waiting])

    def _refusal(self, job: Job | Read) -> Refusal:
        if isinstance(job, Job) and job.refusal is not None:
            return job.refusal
        site = job.request.site if isinstance(job, Job) else job.site
        return refuse(Reason.SITE_HALTED, site=site) if site in self._halted else UNAVAILABLE

    # -- the store and the loop ---------------------------------------------------------------

    def _open(self) -> tuple[Journal, Sites]:
        self._close()
        self._journal = self._open_journal()
        chosen = self._choose(self._journal)
        alarms = self._decider.alarms
        self._sites = Sites(self._journal, chosen, self._halted, alarms, self._witness)
        return self._journal, self._sites

    def _close(self) -> None:
        self._sites = None
        journal, self._journal = self._journal, None
        try:
            if journal is not None:
                journal.close()
        except StoreError as error:
            _log.warning("%s", error)

    def _frames_due(self, sites: Sites, commit: CommittedBatch) -> Sequence[MeterFrame]:
        """The news after a commit. While more commands wait, another commit follows that tells it.

        No sign shows hundreds of frames a second, and to make them all takes time from commands.
        Where that next commit fails, signs are behind by the wagers of `frames_s` until the store
        is back; hits are never held back.
        """
        early = self.busy_since - self._shown < self._limits.frames_s
        if self.queue and early and not shows_at_once(commit.events):
            return ()
        self._shown = self.busy_since
        return self._news(sites)

    def _news(self, sites: Sites) -> list[MeterFrame]:
        """The frames that differ from those shown last, whoever wrote what moved them.

        Asked for only where every copy is what the journal has: after a commit, never before one.
        """
        return [frame for state in sites.take_moved() for frame in self._frames.changed(state)]

    def _tell(
        self,
        answers: Sequence[Answer] = (),
        frames: Sequence[MeterFrame] = (),
        *,
        healthy: bool | None = None,
        commit: CommittedBatch | None = None,
    ) -> None:
        if healthy is not None:
            self._healthy = healthy
        touched = self._sites.take_touched() if self._sites else ()
        if answers or frames or touched or healthy is not None:
            halted = dict(self._halted)
            self._post(
                WriterUpdate(answers, frames, self._healthy, self._ended, halted, commit, touched)
            )
