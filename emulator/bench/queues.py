"""What a simulation is made of: a clock, servers with a queue, and a log that flushes."""

import heapq
import itertools
from collections import deque
from collections.abc import Callable
from functools import partial


class Clock:
    """Events in the order of their time."""

    def __init__(self, run_s: float) -> None:
        self.now = 0.0
        self._run_s = run_s
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()

    def after(self, delay_s: float, event: Callable[[], None]) -> None:
        """Let something happen later, unless that is after the end."""
        if self.now + delay_s <= self._run_s:
            heapq.heappush(self._events, (self.now + delay_s, next(self._numbers), event))

    def run(self) -> None:
        """Let everything happen until the end."""
        while self._events:
            self.now, _, event = heapq.heappop(self._events)
            event()
        self.now = self._run_s


class Queue:
    """Servers that work off jobs in the order in which they come."""

    def __init__(self, clock: Clock, servers: int = 1, background: float = 0.0) -> None:
        self._clock = clock
        self._free = servers
        self._servers = servers
        self._waiting: deque[tuple[float, Callable[[], None]]] = deque()
        self._slower = 1 / max(0.02, 1 - background)  # what else it does makes it slower
        self._background = background
        self._busy_s = 0.0

    def put(self, service_s: float, done: Callable[[], None]) -> None:
        """Have a job done."""
        self._waiting.append((service_s, done))
        self._go_on()

    def used(self) -> float:
        """The share of its time that it was busy."""
        own = self._busy_s / self._slower / self._servers / self._clock.now
        return min(1.0, own + self._background)

    def _go_on(self) -> None:
        while self._free and self._waiting:
            service_s, done = self._waiting.popleft()
            self._free -= 1
            self._busy_s += service_s * self._slower
            self._clock.after(service_s * self._slower, partial(self._end, done))

    def _end(self, done: Callable[[], None]) -> None:
        self._free += 1
        done()
        self._go_on()


class Log:
    """The write-ahead log: whatever waits when a flush begins is durable when it ends."""

    def __init__(self, clock: Clock, flush_s: float) -> None:
        self._clock = clock
        self._flush_s = flush_s
        self._waiting: list[Callable[[], None]] = []
        self._flushing = False
        self.busy_s = 0.0

    def flush(self, done: Callable[[], None]) -> None:
        """Make a commit durable."""
        self._waiting.append(done)
        if not self._flushing:
            self._begin()

    def _begin(self) -> None:
        self._flushing = True
        batch, self._waiting = self._waiting, []
        self.busy_s += self._flush_s
        self._clock.after(self._flush_s, lambda: self._end(batch))

    def _end(self, batch: list[Callable[[], None]]) -> None:
        for done in batch:
            done()
        self._flushing = False
        if self._waiting:
            self._begin()
