"""One time for a floor of tables, in which one table acts after the other.

Several tables on one controller race, and the journal keeps who was first. For a replay they take
turns instead: each says how long what it does takes, and the one whose time comes first goes on,
alone, until it says so again. The order then follows from the seed and not from the machine, and
so does the time. At a speed people can watch; at speed 0 nobody waits, and the order is the same.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from heapq import heappop, heappush
from itertools import count


class Turns:
    """The time of a floor. All tables must have joined before the first takes its turn."""

    def __init__(self, start_ms: int, speed: float = 0) -> None:
        self._start_ms = start_ms
        self._speed = speed
        self._now_ms = start_ms
        self._began_s: float | None = None
        self._at_work = 0
        self._order = count()  # whoever asked first is first, where two are due at once
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []

    def now_micros(self) -> int:
        """The floor's time in micros since 1970; may be asked in any thread."""
        return self._now_ms * 1_000

    @asynccontextmanager
    async def table(self, ms: int = 0) -> AsyncIterator[None]:
        """Take part for as long as this lasts; begins with the table's first turn."""
        try:
            await self.spend(ms)
            yield
        finally:
            self._rest()

    def join(self, tables: int) -> None:
        """So many tables are about to take part."""
        self._at_work += tables

    async def spend(self, ms: int) -> None:
        """Let time pass for the table whose turn it is; others go on meanwhile."""
        turn = asyncio.get_running_loop().create_future()
        heappush(self._waiting, (self._now_ms + ms, next(self._order), turn))
        self._rest()
        await turn

    def _rest(self) -> None:
        """A table waits or leaves; when all do, the next is due."""
        self._at_work -= 1
        if self._at_work == 0 and self._waiting:
            due_ms, _, turn = heappop(self._waiting)
            self._at_work = 1
            loop = asyncio.get_running_loop()
            if self._began_s is None:
                self._began_s = loop.time()
            if self._speed:
                at_s = self._began_s + (due_ms - self._start_ms) / 1_000 / self._speed
                loop.call_at(at_s, self._go_on, due_ms, turn)
            else:
                self._go_on(due_ms, turn)

    def _go_on(self, due_ms: int, turn: "asyncio.Future[None]") -> None:
        self._now_ms = due_ms
        if not turn.done():  # else the table has been stopped, and with it the floor
            turn.set_result(None)
