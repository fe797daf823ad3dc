"""Keep a site's history up to the journal's head, without holding up the writer.

Commits of this process come as they happen. What they can't tell is read from the journal, page by
page in another thread: some of what was there before the start, and what other controllers wrote.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing, suppress

from jackpot.core import ledger
from jackpot.core.reasons import Refusal
from jackpot.core.state import State
from jackpot.display.history.site_history import SiteHistory
from jackpot.engine import CommittedBatch, Engine, JournaledAnswer
from jackpot.store import codec
from jackpot.store.journal import Archive, StoreError, UnsoundError

PAGE = 1_000
BACKFILL = 250_000  # entries; at a busy table a day has some 10,000
WAITING = 20_000  # events kept while the journal is read
LOOK_S = 0.5
_BREATH_S = 0.002  # between two pages: the loop shares the interpreter with this thread
_SILENT = frozenset({"WagersPlaced", "WagersWithdrawn", "Refused", "SnapshotTaken", "Probed"})
_log = logging.getLogger(__name__)


class JournalFollower:
    """Follows one site. `history` is None until what was there at the start has been read."""

    def __init__(
        self,
        engine: Engine,
        site: str,
        open_reader: Callable[[], Archive] | None,
        backfill: int = BACKFILL,
    ) -> None:
        self.history: SiteHistory | None = None
        self._engine = engine
        self._site = site
        self._open_reader = open_reader
        self._backfill = backfill if open_reader else 0
        self._behind = False
        self._waiting: deque[JournaledAnswer] = deque(maxlen=WAITING)
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to follow."""
        self._engine.observers.append(self._observe)
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Follow no more."""
        self._engine.observers.remove(self._observe)
        if self._task:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    def _observe(self, commit: CommittedBatch) -> None:
        self._waiting.extend(c for (site, _), c in commit.events.items() if site == self._site)
        if self.history is not None and not self._behind:
            self._join(self.history)

    def _join(self, history: SiteHistory) -> None:
        """Take in what waits, as far as nothing is missing before it."""
        while self._waiting and self._waiting[0].sequence <= history.sequence + 1:
            committed = self._waiting.popleft()
            if committed.sequence > history.sequence:
                history.take(committed)
        self._behind = bool(self._waiting)

    async def _run(self) -> None:
        while True:
            try:
                if self.history is None:
                    self.history = await self._begin()
                elif self._behind or self._overtaken(self.history):
                    self._behind = True
                    await self._fill(self.history)
            except (StoreError, UnsoundError) as error:
                _log.warning("the history of past rounds has a gap: %s", error)
                self.history = None
            await asyncio.sleep(LOOK_S)

    def _overtaken(self, history: SiteHistory) -> bool:
        """Whether meters show something that the history has not seen: another controller's."""
        frames = self._engine.meters.frames()
        return any(f.site == self._site and f.sequence > history.sequence for f in frames)

    async def _begin(self) -> SiteHistory | None:
        found = await self._engine.read(self._site, _meters)
        if isinstance(found, Refusal):
            return None
        sequence, time_micros, meters = found
        history = await asyncio.to_thread(self._read_back, sequence)
        history.rebase(meters, time_micros)
        self._behind = self._open_reader is not None
        return history

    def _read_back(self, until: int) -> SiteHistory:
        """A history of the last entries up to a sequence, its meters relative to the first."""
        history = SiteHistory(max(until - self._backfill, 0))
        while history.sequence < until:
            for committed in self._page(history.sequence, min(PAGE, until - history.sequence)):
                history.take(committed)
                self._engine.alarms.journaled(self._site, committed, old=True)
            time.sleep(_BREATH_S)
        history.sequence = until
        return history

    async def _fill(self, history: SiteHistory) -> None:
        while page := await asyncio.to_thread(self._read_page, history.sequence):
            for committed in page:
                history.take(committed)
                self._engine.alarms.journaled(self._site, committed)
            self._join(history)
            if not self._behind:
                return
        self._behind = False

    def _read_page(self, after: int) -> list[JournaledAnswer]:
        return list(self._page(after, PAGE))

    def _page(self, after: int, limit: int) -> Iterator[JournaledAnswer]:
        if self._open_reader is None:
            return
        with closing(self._open_reader()) as journal:
            entries = journal.read(self._site, after, limit)
        for entry in entries:
            if entry.kind not in _SILENT or entry is entries[-1]:
                event = codec.decode_entry(self._site, entry).event
                yield JournaledAnswer(entry.sequence, entry.time_micros, event)


def _meters(state: State) -> tuple[int, int, dict[str, int]]:
    keys = [
        ledger.key(link.config.id, level.id)
        for link in state.links.values()
        for level in link.config.levels
    ]
    meters = {key: state.balances.get(ledger.meter(key), 0) for key in keys}
    return state.sequence, state.time_micros, meters
