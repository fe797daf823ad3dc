"""What is measured: rates by number of tables, latency at one load, growth, links, restarts.

Runs on the servers alternate, so that whatever else the machine does hits all of them; every
figure is a median with its spread, and only ratios within one run mean much.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

from emulator.bench.growth import Growth
from emulator.bench.load import Job
from emulator.bench.messages import WAGERS
from emulator.bench.plan import Plan
from emulator.bench.postgres import NoPostgresError, Postgres
from emulator.bench.processes import Measured, Server, measure, spread
from emulator.words import counted

TABLES = (1, 8, 64, 512)
_ROUND_WINDOW = 12
_ROUNDS = 0.5  # of a run's messages: whole rounds take longer
LOAD_TABLES = (8, 64)
LOADS = (0.25, 0.5)  # of the echo's rate
LINKS = (1, 8, 64)
Say = Callable[[str], None]


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
            role: (self.plan.stream(server, tables), server.pid)
            for role, server in servers.items()
            if role != "naive"
        }
        for role in ("echo", "batching", "controller"):
            job = self.plan.stream(servers[role], tables, share=_ROUNDS)
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
                        role: (self.plan.stream(server, tables, rate), server.pid)
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
        return Growth(self.plan, self._folder, self._journals, self._say).measure()

    def by_links(self) -> dict[str, Any]:
        """Cost a wager with tables spread over several links."""
        with ExitStack() as stack:
            servers = {}
            for links in LINKS:
                server = Server("controller", self._folder / f"links-{links}", 64, links)
                servers[str(links)] = stack.enter_context(_running(server))
            jobs = {}
            for name, server in servers.items():
                job = self.plan.stream(server, 64)
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
