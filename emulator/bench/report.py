"""What a benchmark found: machine, figures, and each target with whether it was met."""

import json
import os
import platform
import tempfile
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from html import escape
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import click
import pysqlite3

from emulator import report_html
from emulator.output import counted, wrapped
from jackpot import charts

NAMES = {
    "echo": "echo, one for one",
    "batching": "echo, replies batched",
    "bytes": "echo of bytes, unread",
    "controller": "this controller, durable",
    "postgres": "PostgreSQL procedure, a call a wager",
    "postgres-six": "PostgreSQL procedure, six a call",
    "naive": "naive: an RPC and a commit a wager",
}
# Where the whole name does not fit.
_SHORT_NAMES = {
    "postgres": "PostgreSQL, a call a wager",
    "postgres-six": "PostgreSQL, six a call",
    "naive": "naive: a commit a wager",
}
MEMORY_MB = 300.0
RESTART_S = 2.0


class Target(NamedTuple):
    """A goal, what was found, and whether that is enough."""

    says: str
    found: float
    goal: float
    met: bool


def machine(folder: Path) -> dict[str, Any]:
    """When and on what it runs; the disk is told by what a durable write of a page takes."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line for line in lines if line.startswith("model name")), "")
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "processor": model.partition(":")[2].strip(),
        "processors": os.cpu_count(),
        "system": platform.platform(),
        "python": platform.python_version(),
        "grpcio": version("grpcio"),
        "protobuf": version("protobuf"),
        "sqlite": pysqlite3.sqlite_version,
        "fsync_ms": fsync_ms(folder),
        "load_average": os.getloadavg()[0],
    }


def fsync_ms(folder: Path) -> float:
    """How long a durable write of one page takes, in the middle."""
    found = []
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        for _ in range(60):
            file.write(b"\0" * 4096)
            began = time.perf_counter()
            file.flush()
            os.fsync(file.fileno())
            found.append(time.perf_counter() - began)
    return round(median(found) * 1000, 3)


def present(
    name: str, found: Any, lines: Iterable[str], report: Path | None, *, as_json: bool
) -> None:
    """Print what was found, and write it into a folder where one is named."""
    if report:
        (report / f"{name}.json").write_text(json.dumps(found, indent=1) + "\n", "utf-8")
    click.echo(json.dumps(found) if as_json else "\n".join(lines))


def targets(report: dict[str, Any]) -> list[Target]:
    """Every goal that the figures can judge."""
    found: list[Target] = []

    def at_least(says: str, value: float, goal: float) -> None:
        found.append(Target(says, value, goal, value >= goal))

    def at_most(says: str, value: float, goal: float) -> None:
        found.append(Target(says, value, goal, value <= goal))

    tables = report.get("by_tables", {})
    for count in ("8", "64"):
        if count in tables:
            here = tables[count]
            at_least(f"messages/s of the echo's, {count} tables", here["of_echo"]["median"], 1.1)
            batching = here["of_batching"]["median"]
            at_least(f"messages/s of a batching echo's, {count} tables", batching, 0.8)
            if "of_postgres" in here:
                times = here["of_postgres"]["median"]
                at_least(f"wagers/s of PostgreSQL's, {count} tables", times, 10.0)
    for name, here in report.get("at_load", {}).items():
        ratio = here["p99_of_echo"]["median"]
        at_most(f"p99 of the echo's, {name} of its rate", ratio, 3.0)
    if lengths := by_length(report):
        first, last = min(lengths), max(lengths)
        grown = lengths[last]["server_cpu_us"] / lengths[first]["server_cpu_us"]
        at_most(f"cost a wager at {last:,} entries, of {first:,}", grown, 1.1)
        slowest = max(here["restart_s"] for here in lengths.values())
        at_most("seconds to restart, any journal", slowest, RESTART_S)
    if "512" in tables:
        at_most("MB with 512 tables", tables["512"]["controller"]["resident_mb"], MEMORY_MB)
    return found


def by_length(report: dict[str, Any]) -> dict[int, dict[str, Any]]:
    """What was found for each length of a journal."""
    return {int(k): v for k, v in report.get("by_length", {}).items() if k.isdigit()}


def machine_lines(here: dict[str, Any]) -> Iterator[str]:
    """On what it ran, and how busy that was before."""
    processors = counted(here["processors"], "processor")
    yield from wrapped("", f"{here['processor']}, {processors}, load {here['load_average']:.1f}")
    yield f"Python {here['python']}, gRPC {here['grpcio']}, fsync {here['fsync_ms']} ms"


def target_lines(judged: Iterable[Target]) -> Iterator[str]:
    """Each goal, and whether it was met."""
    for target in judged:
        mark = "met   " if target.met else "MISSED"
        yield f"{mark} {target.says:<52} {target.found:>8.2f}  goal {target.goal:g}"


def text_lines(report: dict[str, Any]) -> Iterator[str]:
    """For a terminal of 80 columns."""
    yield from machine_lines(report["machine"])
    if report.get("by_tables"):
        yield "\nMicro-benchmark: wagers alone, no meter moves; see `bench rounds`"
        yield "\nLatency in ms, processor time of the server in us a wager"
    for count, found in report.get("by_tables", {}).items():
        yield f"\n{counted(count, 'table'):<32}wagers/s    p50   p99 p99.9   CPU    MB  limit"
        for name, says in NAMES.items():
            if row := found.get(name):
                yield (
                    f"  {_SHORT_NAMES.get(name, says):<29}{row['wagers_per_s']:>9,.0f}"
                    f"{row['p50_ms']:>7.1f}{row['p99_ms']:>6.0f}{row['p999_ms']:>6.0f}"
                    f"{row['server_cpu_us']:>6.0f}{row['resident_mb']:>6.0f}  {row['limit']}"
                )
    for name, found in report.get("at_load", {}).items():
        echo, mine = found["echo"], found["controller"]
        title = f"{name} of the echo's rate, {found['rate']:,.0f} messages/s"
        yield f"\n{title:<50}{'p50':>8}{'p99':>8}{'p99.9':>8} ms"
        for says, row in (("echo", echo), ("this controller", mine)):
            yield f"  {says:<48}{row['p50_ms']:>8.1f}{row['p99_ms']:>8.1f}{row['p999_ms']:>8.1f}"
    yield ""
    for length, found in by_length(report).items():
        yield (
            f"{length:>12,} entries: {found['server_cpu_us']:.1f} us CPU a wager, "
            f"restart {found['restart_s']:.2f} s"
        )
    for links, found in report.get("by_links", {}).items():
        title = "link:" if links == "1" else "links:"
        yield f"{links:>12} {title:<8} {found['server_cpu_us']:.1f} us CPU a wager"
    yield ""
    yield from target_lines(Target(*each) for each in report["targets"])
    for note in report["notes"]:
        yield from wrapped("note: ", note)


def html_page(report: dict[str, Any]) -> str:
    """One page with its charts."""
    tables = report.get("by_tables", {})
    parts = ["<h1>Micro-benchmark: wagers alone</h1>", _machine_line(report), "<h2>Targets</h2>"]
    parts.append(_targets_table(report))
    parts += report_html.section("As fast as possible", _at_full_speed(tables))
    if tables:
        parts.append(_rates_table(tables))
    parts += report_html.section(
        "At the same load, and as it grows", [*_at_load(report), *_growth(report)]
    )
    return report_html.page("Micro-benchmark: wagers alone", "".join(parts))


def _at_full_speed(tables: dict[str, Any]) -> list[str]:
    drawn = []
    known = [name for name in NAMES if all(name in found for found in tables.values())]
    labels = [counted(count, "table") for count in tables]
    for title, field in (
        ("Wagers a second", "wagers_per_s"),
        ("p99 of an answer, ms", "p99_ms"),
        ("Processor time a wager, server, microseconds", "server_cpu_us"),
        ("Processor time a wager, load, microseconds", "client_cpu_us"),
        ("Memory of the server, MB", "resident_mb"),
    ):
        series = {NAMES[n]: [found[n][field] for found in tables.values()] for n in known}
        drawn.append(charts.bars(title, labels, series if tables else {}, log_y=True))
    return drawn


def _at_load(report: dict[str, Any]) -> Iterator[str]:
    for name, found in report.get("at_load", {}).items():
        fields = ("p50_ms", "p99_ms", "p999_ms")
        series = {NAMES[n]: [found[n][field] for field in fields] for n in ("echo", "controller")}
        title = f"Latency, {name} of the echo's rate ({found['rate']:,.0f} messages/s), ms"
        yield charts.bars(title, ["p50", "p99", "p99.9"], series)


def _growth(report: dict[str, Any]) -> Iterator[str]:
    lengths = by_length(report)
    for title, field in (
        ("Processor time a wager by journal length, microseconds", "server_cpu_us"),
        ("Restart after SIGKILL by journal length, s", "restart_s"),
    ):
        line = [(length, found[field]) for length, found in lengths.items()]
        yield charts.lines(title, {field: line}, log_x=True, from_zero=True, x_title="entries")
    links = report.get("by_links", {})
    labels = [counted(count, "link") for count in links]
    costs = {"server": [found["server_cpu_us"] for found in links.values()]}
    yield charts.bars("Processor time a wager by links, microseconds", labels, costs)


def _rates_table(tables: dict[str, Any]) -> str:
    head = ["", "tables", "messages/s", "wagers/s", "p50", "p99", "p99.9 ms"]
    head += ["server us", "load us", "MB", "limit"]
    rows = [
        (says, count, *rate_cells(found[name]))
        for count, found in tables.items()
        for name, says in NAMES.items()
        if name in found
    ]
    return report_html.table(head, rows)


def rate_cells(row: dict[str, Any]) -> Iterator[str]:
    """What a server did, for a table: rates, latencies, costs, memory, and who was the limit."""
    yield from (f"{row[field]:,.0f}" for field in ("messages_per_s", "wagers_per_s"))
    costs = ("p50_ms", "p99_ms", "p999_ms", "server_cpu_us", "client_cpu_us")
    yield from (f"{row[field]:,.1f}" for field in costs)
    yield from (f"{row['resident_mb']:,.0f}", row["limit"])


def _machine_line(report: dict[str, Any]) -> str:
    words = ", ".join(f"{key} {value}" for key, value in report["machine"].items())
    return f"<p>{escape(words)}</p>"


def _targets_table(report: dict[str, Any]) -> str:
    rows = [
        (target.says, f"{target.found:.2f}", f"{target.goal:g}", "met" if target.met else "missed")
        for target in (Target(*each) for each in report["targets"])
    ]
    return report_html.table(["target", "found", "goal", ""], rows)
