"""`jackpot-emulator bench wagers`: a micro-benchmark of wagers alone, and what grows with a house.

Tables place wagers and void them again, so no meter moves; `bench rounds` measures what a house
does. Rates by number of tables, latency at one load, growth of the journal, links, restarts. Runs
on the servers alternate, so that whatever else the machine does hits all of them; every figure is a
median with its spread, and only ratios within one run mean much.
"""

import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from emulator.bench.command import PARTS, TABLES, temporary_folder
from emulator.bench.growth import Growth
from emulator.bench.load import Job
from emulator.bench.markdown import around_figures, rewrite
from emulator.bench.messages import WAGERS
from emulator.bench.postgres import PostgresServer, with_procedures
from emulator.bench.processes import (
    FULL_LENGTHS,
    QUICK,
    BenchError,
    Measured,
    Plan,
    Server,
    measure,
    ratios_of,
    spread,
    started,
)
from emulator.bench.report import html_page, machine, targets, text_lines
from emulator.output import counted

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

    def by_tables(self, counts: Sequence[int] = TABLES) -> dict[str, Any]:
        """All servers, at each number of tables."""
        with ExitStack() as stack:
            roles = ("echo", "batching", "bytes", "controller", "naive")
            servers = started(stack, self._folder, *roles)
            postgres = with_procedures(stack, self._folder / "postgres", self.notes)
            if postgres:
                self.postgres_version = f"PostgreSQL {postgres.version()}"
            return {str(tables): self._at_tables(tables, servers, postgres) for tables in counts}

    def _at_tables(
        self, tables: int, servers: dict[str, Server], postgres: PostgresServer | None
    ) -> dict[str, Any]:
        jobs: dict[str, tuple[Job, int]] = {
            role: (self.plan.stream(server, tables), server.pid)
            for role, server in servers.items()
            if role != "naive"
        }
        naive = servers["naive"]
        count = max(self.plan.calls, 2 * tables)
        unary = Job("unary", naive.address, tables, count, wagers=1)
        jobs["naive"] = (unary, naive.pid)
        if postgres:
            for name, six in (("postgres", 1), ("postgres-six", WAGERS)):
                job = Job("postgres", postgres.url(), tables, count, wagers=six)
                jobs[name] = (job, postgres.pid)
        runs = self._interleave(jobs, counted(tables, "table"))
        found = {name: spread(measured) for name, measured in runs.items()}
        mine = runs["controller"]
        for name in ("echo", "batching"):
            found[f"of_{name}"] = ratios_of("messages_per_s", mine, runs[name])
        for name in ("postgres", "postgres-six", "naive"):  # wagers acknowledged and durable
            if name in runs:
                found[f"of_{name}"] = ratios_of("wagers_per_s", mine, runs[name])
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

    def at_load(self, rates: dict[str, Any]) -> dict[str, Any]:
        """Echo and controller at the same offered load, by the clock."""
        found: dict[str, Any] = {}
        with ExitStack() as stack:
            servers = started(stack, self._folder, "echo", "controller")
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
                        "p99_of_echo": ratios_of("p99_ms", runs["controller"], runs["echo"]),
                    }
        return found

    def by_length(self) -> dict[str, Any]:
        """Cost a wager and time to restart, with journals of several lengths."""
        return Growth(self.plan, self._folder, self._journals, self._say).measure()

    def by_links(self) -> dict[str, Any]:
        """Cost a wager with tables spread over several links."""
        with ExitStack() as stack:
            jobs = {}
            for links in LINKS:
                server = Server("controller", self._folder / f"links-{links}", 64, links)
                stack.enter_context(server)
                job = replace(self.plan.stream(server, 64), links=links)
                jobs[str(links)] = (job, server.pid)
            runs = self._interleave(jobs, "links")
        return {name: spread(measured) for name, measured in runs.items()}


def run(
    only: tuple[str, ...],
    tables: tuple[int, ...],
    data: Path,
    journals: Path | None,
    report: Path | None,
    page: Path | None,
    *,
    quick: bool,
    full: bool,
    as_json: bool,
) -> None:
    """Run it as `jackpot-emulator bench wagers` does."""
    if "load" in only and tables and not set(tables) & set(LOAD_TABLES):
        named = " or ".join(map(str, LOAD_TABLES))
        raise click.UsageError(f"--only load is measured at {named} tables; --tables has neither")
    plan = QUICK if quick else Plan()
    if full:
        plan = replace(plan, lengths=FULL_LENGTHS)
    if page:
        try:
            around_figures(page)
        except (BenchError, OSError, UnicodeDecodeError) as error:
            raise click.ClickException(f"--page: {error}") from None
    folder = temporary_folder(data)
    say: Say = (lambda _: None) if as_json else partial(click.echo, err=True)
    bench = Bench(plan, folder, say, journals)
    found = run_bench(bench, folder, only or PARTS, tables or TABLES)
    if report:
        write_report(found, report)
    click.echo(json.dumps(found) if as_json else "\n".join(text_lines(found)))
    if page:
        rewrite(page, found)


def run_bench(
    run: Bench, folder: Path, parts: tuple[str, ...], tables: tuple[int, ...]
) -> dict[str, Any]:
    """Run the parts that were asked for; the report."""
    here = machine(folder)
    report: dict[str, Any] = {"at": here.pop("at"), "machine": here}
    if "tables" in parts or "load" in parts:
        report["by_tables"] = run.by_tables(tables)
    if "load" in parts:
        report["at_load"] = run.at_load(report["by_tables"])
    if "length" in parts:
        report["by_length"] = run.by_length()
    if "links" in parts:
        report["by_links"] = run.by_links()
    report["machine"]["postgres"] = run.postgres_version
    report["notes"] = run.notes
    report["targets"] = [list(target) for target in targets(report)]
    return report


def write_report(found: dict[str, Any], folder: Path) -> None:
    """The report in all its forms."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bench.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    (folder / "bench.html").write_text(html_page(found), "utf-8")
    (folder / "bench.txt").write_text("\n".join(text_lines(found)) + "\n", "utf-8")
