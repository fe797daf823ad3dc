"""A whole group's floor, simulated from measured costs.

Every message of every table is an event: it waits for its controller's processor, for its site's
turn, for the database's processors and for the next flush of the write-ahead log. What waits while
a site commits goes into its next commit, as in the engine.
"""

import random
from collections import deque
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from emulator.bench.queues import Clock, Log, Queue

RUN_S = 6.0
WARM_S = 2.0
ROUNDS_PER_HOUR = 60  # of a busy table
MESSAGES = (2, 2, 1)  # commands in each: open and wagers, lock-out and count, settle
HEARTBEAT_S = 5.0
POLL_S = 0.25
WRITERS = 8
BUSY = 0.7  # a resource that is used more than this is a limit: queues grow fast beyond it
LATE_MS = 100.0


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
        self.clock = Clock(RUN_S)
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
        self._random = random.Random(657)  # noqa: S311 - the same floor in each run
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
