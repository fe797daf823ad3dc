"""How far it goes: a simulation of a whole group's floor from measured costs.

Every message of every table is an event: it waits for its controller's processor, for its site's
turn, for the database's processors and for the next flush of the write-ahead log. What waits while
a site commits goes into its next commit, as in the engine. The costs are those that
`benchmarks.costs` has measured; the options say what the database runs on.

  houses     sites of 20 tables, each served by one controller and followed by another
  wide area  all tables on one link of one site, spread over all controllers

Run it from the repository: `python -m benchmarks.scaling [--json] [--plot FILE] [--cores 8]`.
"""

import argparse
import heapq
import itertools
import json
import random
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

COSTS = Path(__file__).parent / "results" / "costs.json"
RUN_S = 6.0
WARM_S = 2.0
ROUNDS_PER_HOUR = 60  # of a busy table
MESSAGES = (2, 2, 1)  # commands in each: open and wagers, lock-out and count, settle
HEARTBEAT_S = 5.0
POLL_S = 0.25
WRITERS = 8
BUSY = 0.7  # a resource that is used more than this is a limit: queues grow fast beyond it
LATE_MS = 100.0
TABLES_A_HOUSE = 20


class Costs(msgspec.Struct, frozen=True):
    """Processor time in microseconds, and what goes to disk."""

    message_us: float  # controller: read, parse, answer and write a message
    commit_us: float  # controller: whatever a commit costs besides its commands
    command_us: float  # controller: decide, encode, hash
    follow_us: float  # controller: apply an entry that another one wrote
    heartbeat_us: float  # controller
    poll_us: float  # controller: ask for heads
    poll_site_us: float  # ... for each site
    database_commit_us: float
    database_lock_us: float  # more, where several controllers write to the site
    database_row_us: float
    database_poll_us: float
    database_poll_site_us: float
    log_bytes: float  # write-ahead log for each entry
    row_bytes: float  # on disk, with its index


class Place(NamedTuple):
    """Where the database runs."""

    cores: int
    flush_s: float  # of the log, with or without a synchronous standby
    round_trip_s: float  # from a controller to it


class Scene(NamedTuple):
    """What is simulated."""

    name: str
    tables: int
    sites: int
    controllers: int
    spread: bool  # a site's tables are at all controllers, not at one


class Found(NamedTuple):
    """What came of it."""

    name: str
    tables: int
    sites: int
    controllers: int
    messages_per_s: float
    commits_per_s: float
    controller: float  # share of its time that the busiest one is busy
    database: float
    flush: float
    site: float  # share of its time that the busiest site is committing
    median_ms: float
    p99_ms: float
    log_mb_per_s: float
    journal_gb_per_day: float
    limit: str


class Queue:
    """Servers that work off jobs in the order in which they come."""

    def __init__(self, clock: "Clock", servers: int = 1, background: float = 0.0) -> None:
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
            self._clock.after(service_s * self._slower, lambda done=done: self._end(done))  # type: ignore[misc]

    def _end(self, done: Callable[[], None]) -> None:
        self._free += 1
        done()
        self._go_on()


class Clock:
    """Events in the order of their time."""

    def __init__(self) -> None:
        self.now = 0.0
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()

    def after(self, delay_s: float, event: Callable[[], None]) -> None:
        """Let something happen later, unless that is after the end."""
        if self.now + delay_s <= RUN_S:
            heapq.heappush(self._events, (self.now + delay_s, next(self._numbers), event))

    def run(self) -> None:
        """Let everything happen until the end."""
        while self._events:
            self.now, _, event = heapq.heappop(self._events)
            event()
        self.now = RUN_S


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


class Writer:
    """One controller's part of a site: what has arrived there and waits for the next commit."""

    def __init__(self, controller: Queue) -> None:
        self.controller = controller
        self.waiting: list[tuple[int, float]] = []  # commands, time of arrival
        self.seen = 0  # entries that it has applied


class Site:
    """A stream: one commit at a time, whoever's it is."""

    def __init__(self, floor: "Floor", controllers: list[Queue]) -> None:
        self._floor = floor
        self._writers = [Writer(controller) for controller in controllers]
        self._turns: deque[Writer] = deque()
        self._entries = 0
        self._busy = False
        self.busy_s = 0.0

    def arrive(self, place: int, commands: int) -> None:
        """A message has reached a controller; its processor reads it first."""
        writer = self._writers[place % len(self._writers)]
        arrived = self._floor.clock.now

        def read() -> None:
            writer.waiting.append((commands, arrived))
            if writer not in self._turns:
                self._turns.append(writer)
            if not self._busy:
                self._commit()

        writer.controller.put(self._floor.costs.message_us / 1e6, read)

    def _commit(self) -> None:
        """The next writer in turn takes the head: catches up, decides, appends, flushes."""
        self._busy = True
        floor, costs, began = self._floor, self._floor.costs, self._floor.clock.now
        writer = self._turns.popleft()
        batch, writer.waiting = writer.waiting, []
        commands = sum(count for count, _ in batch)
        behind = self._entries - writer.seen if len(self._writers) > 1 else 0
        decide_us = costs.commit_us + commands * costs.command_us + behind * costs.follow_us
        alone = len(self._writers) == 1
        database_us = costs.database_commit_us + commands * costs.database_row_us
        database_us += 0 if alone else costs.database_lock_us
        trips_s = floor.place.round_trip_s * (1 if alone else 2)

        def done() -> None:
            self._entries += commands
            writer.seen = self._entries
            self.busy_s += floor.clock.now - began
            floor.committed(batch)
            self._busy = False
            if self._turns:
                self._commit()

        def durable() -> None:
            floor.clock.after(trips_s, done)

        def decided() -> None:
            floor.database.put(database_us / 1e6, lambda: floor.log.flush(durable))

        writer.controller.put(decide_us / 1e6, decided)


class Floor:
    """All sites, controllers and the database for a while."""

    def __init__(self, scene: Scene, costs: Costs, place: Place) -> None:
        self.scene = scene
        self.costs = costs
        self.place = place
        self.clock = Clock()
        controller_share, database_share = self._background(place.cores)
        self.controllers = [
            Queue(self.clock, background=controller_share) for _ in range(scene.controllers)
        ]
        self.database = Queue(self.clock, place.cores, background=database_share)
        self.log = Log(self.clock, place.flush_s)
        self.sites = [
            Site(
                self,
                self.controllers
                if scene.spread
                else [self.controllers[number % len(self.controllers)]],
            )
            for number in range(scene.sites)
        ]
        self._random = random.Random(657)
        self._latencies: list[float] = []
        self._commits = self._commands = self._messages = 0

    def run(self) -> Found:
        """Let every table play."""
        every_s = 3600 / ROUNDS_PER_HOUR
        for table in range(self.scene.tables):
            for commands in MESSAGES:
                self.clock.after(self._random.uniform(0, every_s), self._message(table, commands))
        self.clock.run()
        return self._found()

    def committed(self, batch: list[tuple[int, float]]) -> None:
        """A commit is durable: its messages are answered."""
        self._commits += 1
        for commands, arrived in batch:
            self._commands += commands
            self._messages += 1
            if arrived > WARM_S:
                self._latencies.append(self.clock.now - arrived)

    def _message(self, table: int, commands: int) -> Callable[[], None]:
        """A table's message of one kind, and again with its next round."""
        site = self.sites[table % len(self.sites)]
        every_s = 3600 / ROUNDS_PER_HOUR

        def send() -> None:
            site.arrive(table // len(self.sites), commands)
            again_s = self._random.expovariate(1 / every_s)
            self.clock.after(again_s, send)

        return send

    def _background(self, cores: int) -> tuple[float, float]:
        """Heartbeats, polls and following: the shares of a controller and of the database."""
        scene, costs = self.scene, self.costs
        commands_per_s = scene.tables * ROUNDS_PER_HOUR / 3600 * sum(MESSAGES)
        served = scene.sites if scene.spread else 2 * scene.sites / scene.controllers
        polls_per_s = min(WRITERS, served) / POLL_S
        heartbeats_per_s = scene.tables / HEARTBEAT_S
        followed = 0 if scene.spread else commands_per_s / scene.controllers
        controller_us = (
            heartbeats_per_s / scene.controllers * costs.heartbeat_us
            + polls_per_s * costs.poll_us
            + served / POLL_S * costs.poll_site_us
            + followed * costs.follow_us
        )
        database_us = scene.controllers * (
            polls_per_s * costs.database_poll_us + served / POLL_S * costs.database_poll_site_us
        )
        return controller_us / 1e6, database_us / 1e6 / cores

    def _found(self) -> Found:
        scene, latencies = self.scene, sorted(self._latencies) or [0.0]
        used = {
            "controller": max(queue.used() for queue in self.controllers),
            "database": self.database.used(),
        }
        limit, share = max(used.items(), key=lambda item: item[1])
        limit = limit if share > BUSY else ""
        p99_ms = latencies[int(len(latencies) * 0.99)] * 1e3
        # A commit and a flush take along whoever waits, so a busy site or log is no limit by
        # itself; it is one when those who wait have to wait long.
        if not limit and p99_ms > LATE_MS:
            limit = "site"
        entries_per_s = self._commands / self.clock.now
        return Found(
            *scene[:4],
            self._messages / self.clock.now,
            self._commits / self.clock.now,
            used["controller"],
            used["database"],
            self.log.busy_s / self.clock.now,
            max(site.busy_s for site in self.sites) / self.clock.now,
            latencies[len(latencies) // 2] * 1e3,
            p99_ms,
            entries_per_s * self.costs.log_bytes / 1e6,
            entries_per_s * self.costs.row_bytes * 86_400 / 1e9,
            limit,
        )


def controllers_for(tables: int, costs: Costs) -> int:
    """As many controllers as keep each at about half of its processor, and never less than two."""
    messages_per_s = tables * ROUNDS_PER_HOUR / 3600 * len(MESSAGES)
    commands_per_s = tables * ROUNDS_PER_HOUR / 3600 * sum(MESSAGES)
    used_us = messages_per_s * (costs.message_us + costs.commit_us)
    used_us += commands_per_s * (costs.command_us + costs.follow_us)
    used_us += tables / HEARTBEAT_S * costs.heartbeat_us
    return max(2, round(used_us / 1e6 / 0.5 + 0.5))


def scenes(costs: Costs) -> list[Scene]:
    """From one house to a group, and one wide-area link."""
    houses = [
        Scene("houses", tables, max(1, tables // TABLES_A_HOUSE), controllers, spread=False)
        for tables in (20, 1_000, 10_000, 50_000, 100_000, 200_000, 400_000)
        for controllers in (controllers_for(tables, costs),)
    ]
    wide = [
        Scene("wide area", tables, 1, controllers_for(tables, costs), spread=True)
        for tables in (60, 1_000, 10_000, 20_000, 50_000, 100_000)
    ]
    return houses + wide


def show(found: list[Found]) -> None:
    """Print it as a table."""
    print(
        f"{'':10}{'tables':>8}{'sites':>7}{'ctrl':>5}{'msg/s':>8}{'ctrl%':>6}{'db%':>5}"
        f"{'site%':>6}{'p50 ms':>8}{'p99 ms':>9}  limit"
    )
    for f in found:
        print(
            f"{f.name:10}{f.tables:>8,}{f.sites:>7,}{f.controllers:>5}{f.messages_per_s:>8,.0f}"
            f"{f.controller:>6.0%}{f.database:>5.0%}{f.site:>6.0%}"
            f"{f.median_ms:>8.1f}{f.p99_ms:>9.1f}  {f.limit}"
        )


def plot(found: list[Found], path: Path) -> None:
    """Draw how busy everything is and how long the slowest answers take, by tables."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415 - slow to load
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow to load

    figure = Figure(figsize=(10, 6.4), layout="constrained")
    FigureCanvasAgg(figure)
    names = list(dict.fromkeys(each.name for each in found))
    for column, name in enumerate(names, 1):
        shown = [each for each in found if each.name == name]
        tables = [each.tables for each in shown]
        busy = figure.add_subplot(2, len(names), column)
        busy.set_title(name)
        for label in ("controller", "database", "site"):
            shares = [100 * getattr(each, label) for each in shown]
            busy.plot(tables, shares, marker="o", label=label)
        busy.axhline(100 * BUSY, color="gray", linestyle=":")
        busy.set_ylabel("busiest one, % of its time")
        busy.legend()
        late = figure.add_subplot(2, len(names), len(names) + column)
        late.plot(tables, [each.p99_ms for each in shown], marker="o", color="black")
        late.axhline(LATE_MS, color="gray", linestyle=":")
        late.set_yscale("log")
        late.set_ylabel("99% are answered within, ms")
        late.set_xlabel("tables")
        for axes in (busy, late):
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    figure.savefig(path, dpi=100)


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument("--plot", type=Path, help="draw it into this file, PNG or SVG")
    parser.add_argument("--costs", type=Path, default=COSTS, help="what was measured")
    parser.add_argument("--cores", type=int, default=8, help="of the database")
    parser.add_argument("--flush-ms", type=float, default=1.0, help="a flush of the log")
    parser.add_argument("--round-trip-ms", type=float, default=0.3, help="to the database")
    options = parser.parse_args()
    measured = msgspec.json.decode(options.costs.read_bytes())["costs"]
    costs = msgspec.convert(measured, Costs)
    place = Place(options.cores, options.flush_ms / 1e3, options.round_trip_ms / 1e3)
    found = [Floor(scene, costs, place).run() for scene in scenes(costs)]
    if options.json:
        print(json.dumps([each._asdict() for each in found], indent=2))
    else:
        show(found)
    if options.plot:
        plot(found, options.plot)


if __name__ == "__main__":
    main()
