"""What is measured: rates by number of tables, latency at one load, growth, links, restarts.

Runs on the servers alternate, so that whatever else the machine does hits all of them; every
figure is a median with its spread, and only ratios within one run mean much.
"""

import shutil
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

import msgspec

from emulator.bench.journal import build
from emulator.bench.load import Job
from emulator.bench.messages import WAGERS
from emulator.bench.postgres import NoPostgresError, Postgres
from emulator.bench.processes import Measured, Server, measure
from emulator.words import counted

TABLES = (1, 8, 64, 512)
WINDOWS = {1: 24, 8: 16, 64: 16, 512: 2}  # messages unanswered at each table
MOST_UNANSWERED = 24  # messages; some hold two commands, and a stream may have 32
_ROUND_WINDOW = 12
LOAD_TABLES = (8, 64)
LOADS = (0.25, 0.5)  # of the echo's rate
LINKS = (1, 8, 64)
Say = Callable[[str], None]


class Plan(msgspec.Struct):
    """How long everything takes."""

    runs: int = 5
    messages: int = 8_000  # a run, on the streaming servers
    calls: int = 1_500  # a run, on the others
    seconds: float = 3.0  # a run at a fixed load
    lengths: tuple[int, ...] = (10_000, 100_000, 1_000_000)


QUICK = Plan(runs=3, messages=2_500, calls=400, seconds=1.5, lengths=(10_000, 100_000))
FULL_LENGTHS = (10_000, 100_000, 1_000_000, 10_000_000)


def spread(runs: Sequence[Measured]) -> dict[str, Any]:
    """Medians of everything, and the spread of the rate."""
    fields = Measured.__struct_fields__
    found: dict[str, Any] = {name: median(getattr(run, name) for run in runs) for name in fields}
    rates = [run.wagers_per_s for run in runs]
    found["wagers_per_s_spread"] = [min(rates), max(rates)]
    limits = [run.limit for run in runs]
    found["limit"] = max(set(limits), key=limits.count)
    return found


class Bench:
    """One benchmark."""

    def __init__(self, plan: Plan, folder: Path, say: Say, journals: Path | None = None) -> None:
        self.plan = plan
        self._folder = folder
        self._journals = journals or folder
        self._say = say
        self.notes: list[str] = []
        self.postgres_version = ""

    # -- rates by number of tables ------------------------------------------------------------

    def by_tables(self, counts: Sequence[int] = TABLES) -> dict[str, Any]:
        """All servers, at each number of tables."""
        with ExitStack() as stack:
            servers = {
                role: stack.enter_context(_running(Server(role, self._folder / role)))
                for role in ("echo", "batching", "bytes", "controller", "naive")
            }
            postgres = self._postgres(stack)
            return {str(tables): self._at_tables(tables, servers, postgres) for tables in counts}

    def _postgres(self, stack: ExitStack) -> Postgres | None:
        try:
            postgres = Postgres(self._folder)
            postgres.start()
        except NoPostgresError as error:
            self.notes.append(str(error))
            return None
        stack.callback(postgres.stop)
        self.postgres_version = postgres.version()
        return postgres

    def _at_tables(
        self, tables: int, servers: dict[str, Server], postgres: Postgres | None
    ) -> dict[str, Any]:
        jobs: dict[str, tuple[Job, int]] = {
            role: (self._stream(server, tables), server.pid)
            for role, server in servers.items()
            if role != "naive"
        }
        for role in ("echo", "batching", "controller"):
            job = self._stream(servers[role], tables)
            job.messages, job.window = "rounds", min(job.window, _ROUND_WINDOW)
            jobs[f"{role}-rounds"] = (job, servers[role].pid)
        naive = servers["naive"]
        count = max(self.plan.calls, 2 * tables)
        unary = Job("unary", naive.address, tables, count, wagers=1)
        jobs["naive"] = (unary, naive.pid)
        if postgres and postgres.process:
            for name, wagers in (("postgres", 1), ("postgres-six", WAGERS)):
                job = Job("postgres", postgres.dsn, tables, count, wagers=wagers)
                jobs[name] = (job, postgres.process.pid)
        runs = self._interleave(jobs, counted(tables, "table"))
        found = {name: spread(measured) for name, measured in runs.items()}
        found["of_echo"] = _ratios(runs["controller"], runs["echo"], "messages_per_s")
        found["of_batching"] = _ratios(runs["controller"], runs["batching"], "messages_per_s")
        whole = runs["controller-rounds"]
        found["rounds_of_echo"] = _ratios(whole, runs["echo-rounds"], "messages_per_s")
        found["rounds_of_batching"] = _ratios(whole, runs["batching-rounds"], "messages_per_s")
        # Wagers acknowledged and durable; and in whole rounds, which put them on the meter as well.
        for name in ("postgres", "postgres-six", "naive"):
            if name in runs:
                mine = runs["controller"]
                found[f"of_{name}"] = _ratios(mine, runs[name], "wagers_per_s")
                found[f"rounds_of_{name}"] = _ratios(whole, runs[name], "wagers_per_s")
        return found

    def _stream(self, server: Server, tables: int, rate: float = 0.0) -> Job:
        count = max(self.plan.messages, 20 * tables)
        if rate:
            count = max(tables, int(rate * self.plan.seconds))
        return Job(
            "stream",
            server.address,
            tables,
            count,
            window=MOST_UNANSWERED if rate else WINDOWS.get(tables, 4),
            attach=server.role == "controller",
            one_reply_each=server.role == "bytes",
            rate=rate,
            channels=0,
        )

    def _interleave(self, jobs: dict[str, tuple[Job, int]], what: str) -> dict[str, list[Measured]]:
        """Each server in turn, so many times; the first turn only warms up."""
        found: dict[str, list[Measured]] = {name: [] for name in jobs}
        for run in range(self.plan.runs + 1):
            self._say(f"{what}, run {run} of {self.plan.runs}")
            for name, (job, pid) in jobs.items():
                measured = measure(job, pid)
                if run:
                    found[name].append(measured)
        return found

    # -- latency at one load ------------------------------------------------------------------

    def at_load(self, rates: dict[str, Any]) -> dict[str, Any]:
        """Echo and controller at the same offered load, by the clock."""
        found: dict[str, Any] = {}
        with ExitStack() as stack:
            servers = {
                role: stack.enter_context(_running(Server(role, self._folder / role)))
                for role in ("echo", "controller")
            }
            for tables in (count for count in LOAD_TABLES if str(count) in rates):
                echo_rate = rates[str(tables)]["echo"]["messages_per_s"]
                for share in LOADS:
                    rate = echo_rate * share
                    jobs = {
                        role: (self._stream(server, tables, rate), server.pid)
                        for role, server in servers.items()
                    }
                    runs = self._interleave(jobs, f"{tables} tables at {rate:,.0f} messages/s")
                    found[f"{tables} at {share}"] = {
                        "rate": rate,
                        **{name: spread(measured) for name, measured in runs.items()},
                        "p99_of_echo": _ratios(runs["controller"], runs["echo"], "p99_ms"),
                    }
        return found

    # -- growth -------------------------------------------------------------------------------

    def by_length(self) -> dict[str, Any]:
        """Cost a wager and time to restart, with journals of several lengths."""
        with ExitStack() as stack:
            servers: dict[str, Server] = {}
            before: Path | None = None
            for length in self.plan.lengths:
                folder = self._journals / f"journal-{length}"
                self._say(f"building a journal of {length:,} entries")
                if before and not folder.exists():
                    shutil.copytree(before, folder)
                build(folder, length)
                before = folder
                server = Server("controller", folder, tables=64)
                servers[str(length)] = stack.enter_context(_running(server))
            jobs = {name: (self._stream(s, 8), s.pid) for name, s in servers.items()}
            runs = self._interleave(jobs, "journal length")
            restarts = self._restarts(servers)
        return {name: {**spread(runs[name]), "restart_s": restarts[name]} for name in servers} | {
            "baseline_start_s": self._baseline_s()
        }

    def _restarts(self, servers: dict[str, Server]) -> dict[str, float]:
        """From SIGKILL under load to serving again: the spread's middle."""
        seconds: dict[str, list[float]] = {name: [] for name in servers}
        for _ in range(max(3, self.plan.runs // 2)):
            for name, server in servers.items():
                measure(self._stream(server, 8), server.pid)
                server.kill()
                seconds[name].append(server.start().started_s)
        return {name: median(found) for name, found in seconds.items()}

    def _baseline_s(self) -> float:
        """What a process that serves nothing but an echo takes to start."""
        found = []
        for _ in range(3):
            server = Server("echo", self._folder / "echo").start()
            found.append(server.started_s)
            server.stop()
        return median(found)

    def by_links(self) -> dict[str, Any]:
        """Cost a wager with tables spread over several links."""
        with ExitStack() as stack:
            servers = {}
            for links in LINKS:
                server = Server("controller", self._folder / f"links-{links}", 64, links)
                servers[str(links)] = stack.enter_context(_running(server))
            jobs = {}
            for name, server in servers.items():
                job = self._stream(server, 64)
                job.links = int(name)
                jobs[name] = (job, server.pid)
            runs = self._interleave(jobs, "links")
        return {name: spread(measured) for name, measured in runs.items()}


class _running:  # noqa: N801 - reads as a phrase
    """A server while a block lasts."""

    def __init__(self, server: Server) -> None:
        self._server = server

    def __enter__(self) -> Server:
        return self._server.start()

    def __exit__(self, *_: object) -> None:
        self._server.stop()


def _ratios(mine: Sequence[Measured], other: Sequence[Measured], field: str) -> dict[str, float]:
    """Each run against the one that ran beside it."""
    found = [getattr(a, field) / getattr(b, field) for a, b in zip(mine, other, strict=True)]
    return {"median": median(found), "least": min(found), "most": max(found)}
