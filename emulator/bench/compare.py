"""`jackpot-emulator bench compare`: this controller next to an echo, PostgreSQL and a naive one.

Rates by number of tables, latency at one load, growth of the journal, links, restarts. Runs on the
servers alternate, so that whatever else the machine does hits all of them; every figure is a median
with its spread, and only ratios within one run mean much.
"""

import json
import shutil
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Any

import click
from msgspec.structs import replace

from emulator.bench.command import folder_option, json_option, quick_option, report_option
from emulator.bench.growth import Growth
from emulator.bench.load import Job
from emulator.bench.markdown import around_figures, rewrite
from emulator.bench.messages import WAGERS
from emulator.bench.postgres import PROCEDURE, NoPostgresError, PostgresServer
from emulator.bench.processes import (
    FULL_LENGTHS,
    QUICK,
    BenchError,
    Measured,
    Plan,
    Server,
    measure,
    spread,
)
from emulator.bench.report import html_page, machine, targets, text_lines
from emulator.output import counted

PARTS = ("tables", "load", "length", "links")
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

    def by_tables(self, counts: Sequence[int] = TABLES) -> dict[str, Any]:
        """All servers, at each number of tables."""
        with ExitStack() as stack:
            servers = {
                role: stack.enter_context(Server(role, self._folder / role))
                for role in ("echo", "batching", "bytes", "controller", "naive")
            }
            postgres = self._postgres(stack)
            return {str(tables): self._at_tables(tables, servers, postgres) for tables in counts}

    def _postgres(self, stack: ExitStack) -> PostgresServer | None:
        server = PostgresServer(self._folder / "postgres", shared_buffers="256MB")
        stack.callback(server.stop)
        try:
            server.create().start().query(PROCEDURE)
        except NoPostgresError as error:
            self.notes.append(str(error))
            return None
        self.postgres_version = f"PostgreSQL {server.version()}"
        return server

    def _at_tables(
        self, tables: int, servers: dict[str, Server], postgres: PostgresServer | None
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
        if postgres:
            for name, wagers in (("postgres", 1), ("postgres-six", WAGERS)):
                job = Job("postgres", postgres.url(), tables, count, wagers=wagers)
                jobs[name] = (job, postgres.pid)
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

    def at_load(self, rates: dict[str, Any]) -> dict[str, Any]:
        """Echo and controller at the same offered load, by the clock."""
        found: dict[str, Any] = {}
        with ExitStack() as stack:
            servers = {
                role: stack.enter_context(Server(role, self._folder / role))
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

    def by_length(self) -> dict[str, Any]:
        """Cost a wager and time to restart, with journals of several lengths."""
        return Growth(self.plan, self._folder, self._journals, self._say).measure()

    def by_links(self) -> dict[str, Any]:
        """Cost a wager with tables spread over several links."""
        with ExitStack() as stack:
            servers = {}
            for links in LINKS:
                server = Server("controller", self._folder / f"links-{links}", 64, links)
                servers[str(links)] = stack.enter_context(server)
            jobs = {}
            for name, server in servers.items():
                job = self.plan.stream(server, 64)
                job.links = int(name)
                jobs[name] = (job, server.pid)
            runs = self._interleave(jobs, "links")
        return {name: spread(measured) for name, measured in runs.items()}


def _ratios(mine: Sequence[Measured], other: Sequence[Measured], field: str) -> dict[str, float]:
    """Each run against the one that ran beside it."""
    found = [getattr(a, field) / getattr(b, field) for a, b in zip(mine, other, strict=True)]
    return {"median": median(found), "least": min(found), "most": max(found)}


@click.command()
@quick_option
@click.option("--full", is_flag=True, help="Also a journal of ten million entries (12 GB of disk).")
@click.option(
    "--only", type=click.Choice(PARTS), multiple=True, help="Some parts; may be given again."
)
@click.option(
    "--tables",
    type=click.IntRange(1, 512),
    multiple=True,
    help=f"How many tables; may be given again.  [default: {', '.join(map(str, TABLES))}]",
)
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="On which disk the journals are; a folder is made there and removed.",
)
@folder_option("--journals", "Keep the long journals in this folder, and use those that are there.")
@report_option
@click.option(
    "--page",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Also put the figures between the marks of this Markdown page.",
)
@json_option
def compare(
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
    r"""Compare the controller with an echo and with PostgreSQL.

    Wagers a second, latency, processor time and memory, side by side in one run.

    The load has a process of its own, runs alternate between the servers, and only ratios within
    one run mean much. The report is bench.json, bench.html and bench.txt.

    \b
    Example:
      jackpot-emulator bench compare --quick --report out
    """
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
    try:
        folder = Path(tempfile.mkdtemp(prefix="bench-", dir=data))
    except OSError as error:
        says = f"can't write into --data {data}: {error.strerror}"
        raise click.ClickException(says) from None
    try:
        folder.chmod(0o755)
        run = Bench(plan, folder, _quiet if as_json else _say, journals)
        found = run_bench(run, folder, only or PARTS, tables or TABLES)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if report:
        write_report(found, report)
    click.echo(json.dumps(found) if as_json else "\n".join(text_lines(found)))
    if page:
        rewrite(page, found)


def _say(what: str) -> None:
    click.echo(what, err=True)


def _quiet(_what: str) -> None:
    """With --json, only JSON is printed."""


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
