"""Keep a site's history up to the journal's head, read from the journal, page by page in a thread.

Whoever hears from the controller says up to where its journal goes, so that the store is looked at
only when there is something new.
"""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from contextlib import closing, suppress

from jackpot.core import ledger
from jackpot.display.history.site_history import SiteHistory
from jackpot.engine import JournaledAnswer
from jackpot.store import codec
from jackpot.store.journal import Archive, StoreError, UnsoundError
from jackpot.wire.v1 import meter_pb2

PAGE = 1_000
BACKFILL = 250_000  # entries; at a busy table a day has some 10,000
LOOK_S = 0.5
_BREATH_S = 0.002  # between two pages: the loop shares the interpreter with this thread
_SILENT = frozenset({"WagersPlaced", "WagersWithdrawn", "Refused", "SnapshotTaken", "Probed"})
_log = logging.getLogger(__name__)
Meters = Callable[[], Awaitable[meter_pb2.ListMetersResponse | None]]


class JournalFollower:
    """Follows one site. `history` is None until what was there at the start has been read."""

    def __init__(
        self,
        site: str,
        open_reader: Callable[[], Archive],
        meters: Meters,
        backfill: int = BACKFILL,
    ) -> None:
        """`meters` asks the controller what every meter holds, and at which sequence."""
        self.history: SiteHistory | None = None
        self._site = site
        self._open_reader = open_reader
        self._meters = meters
        self._backfill = backfill
        self._head = 0  # up to where the journal goes, as far as anybody has heard
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to follow."""
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Follow no more."""
        if self._task:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    def heed(self, sequence: int) -> None:
        """The journal goes up to here, or further."""
        self._head = max(self._head, sequence)

    async def _run(self) -> None:
        while True:
            try:
                if self.history is None:
                    self.history = await self._begin()
                elif self._head > self.history.sequence:
                    await self._fill(self.history)
            except (StoreError, UnsoundError) as error:
                _log.warning("the history of past rounds has a gap: %s", error)
                self.history = None
            await asyncio.sleep(LOOK_S)

    async def _begin(self) -> SiteHistory | None:
        found = await self._meters()
        if found is None:
            return None
        history = await asyncio.to_thread(self._read_back, found.sequence)
        meters = {
            ledger.key(link.link, meter.level): meter.amount_micros
            for link in found.links
            for meter in link.meters
        }
        history.rebase(meters, max((link.time.ToMicroseconds() for link in found.links), default=0))
        return history

    def _read_back(self, until: int) -> SiteHistory:
        """A history of the last entries up to a sequence, its meters relative to the first."""
        history = SiteHistory(max(until - self._backfill, 0))
        while history.sequence < until:
            for committed in self._page(history.sequence, min(PAGE, until - history.sequence)):
                history.take(committed)
            time.sleep(_BREATH_S)
        return history

    async def _fill(self, history: SiteHistory) -> None:
        head = self._head  # and no further: on a busy floor there is always more
        while history.sequence < head:
            for committed in await asyncio.to_thread(self._page, history.sequence, PAGE):
                history.take(committed)

    def _page(self, after: int, limit: int) -> list[JournaledAnswer]:
        with closing(self._open_reader()) as journal:
            entries = journal.read(self._site, after, limit)
        if not entries:
            raise StoreError(f"the journal of {self._site} has no entry after {after}")
        return [
            JournaledAnswer(
                entry.sequence, entry.time_micros, codec.decode_entry(self._site, entry).event
            )
            for entry in entries
            if entry.kind not in _SILENT or entry is entries[-1]
        ]
