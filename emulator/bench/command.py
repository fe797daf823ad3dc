"""`jackpot-emulator bench`: this controller next to an echo, PostgreSQL and a naive one."""

import json
import shutil
import signal
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from emulator.bench.markdown import around_figures, rewrite
from emulator.bench.plan import FULL_LENGTHS, QUICK, Plan
from emulator.bench.processes import BenchError
from emulator.bench.report import html_page, machine, targets, text_lines
from emulator.bench.scenarios import LOAD_TABLES, TABLES, Bench
from emulator.folders import make_folder

PARTS = ("tables", "load", "length", "links")


@click.command()
@click.option("--quick", is_flag=True, help="Fewer and shorter runs, shorter journals.")
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
@click.option(
    "--journals",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep the long journals in this folder, and use those that are there.",
)
@click.option(
    "--report",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write bench.json, bench.html and bench.txt into this folder.",
)
@click.option(
    "--page",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Also put the figures between the marks of this Markdown page.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def bench(
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
    r"""Measure wagers a second, latency, cost and memory, side by side in one run.

    The load has a process of its own, runs alternate between the servers, and only ratios within
    one run mean much.

    \b
    Example:
      jackpot-emulator bench --quick --report out
    """
    if "load" in only and tables and not set(tables) & set(LOAD_TABLES):
        named = " or ".join(map(str, LOAD_TABLES))
        raise click.UsageError(f"--only load is measured at {named} tables; --tables has neither")
    signal.signal(signal.SIGTERM, _end)
    plan = QUICK if quick else Plan()
    if full:
        plan = replace(plan, lengths=FULL_LENGTHS)
    for wanted, option in ((report, "--report"), (journals, "--journals")):
        if wanted:
            make_folder(wanted, option)  # before minutes are measured for it
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
    except BenchError as error:
        raise click.ClickException(str(error)) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if report:
        write_report(found, report)
    click.echo(json.dumps(found) if as_json else "\n".join(text_lines(found)))
    if page:
        rewrite(page, found)


def _end(*_: object) -> None:
    """Whatever was started is stopped, and the folder goes."""
    sys.exit(128 + signal.SIGTERM)


def _say(what: str) -> None:
    click.echo(what, err=True)


def _quiet(_what: str) -> None:
    """Whoever reads JSON wants nothing else."""


def run_bench(
    run: Bench, folder: Path, parts: tuple[str, ...], tables: tuple[int, ...]
) -> dict[str, Any]:
    """Run the parts that were asked for; the report."""
    report: dict[str, Any] = {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(folder),
    }
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
