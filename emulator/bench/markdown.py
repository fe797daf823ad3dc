"""A benchmark's figures as Markdown, for the handbook: what it says is what was measured."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from emulator.bench.processes import BenchError
from emulator.bench.report import NAMES, Target, by_length, rate_cells
from emulator.output import counted

BEGIN, END = "<!-- figures: from docs/internals/bench/bench.json -->", "<!-- end of figures -->"


def around_figures(path: Path) -> tuple[str, str]:
    """What stands before and after the figures of a page."""
    before, found, rest = path.read_text("utf-8").partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not (found and ended):
        raise BenchError(f"{path} has no place for figures: it needs {BEGIN} and {END}")
    return before, after


def rewrite(path: Path, report: dict[str, Any]) -> None:
    """Put a report's figures between the marks of a page."""
    before, after = around_figures(path)
    path.write_text(before + "\n".join([BEGIN, "", *figures(report), "", END]) + after, "utf-8")


def figures(report: dict[str, Any]) -> Iterator[str]:
    """All tables."""
    here = report["machine"]
    yield (
        f"{report['at'][:10]}, {here['processors']} processors ({here['processor']}), Python "
        f"{here['python']}, gRPC {here['grpcio']}, SQLite {here['sqlite']}, "
        f"{here.get('postgres') or 'no PostgreSQL'}; a durable write of a page takes "
        f"{here['fsync_ms']} ms; load average {here['load_average']:.1f} before it began."
    )
    yield from ("", "### Targets", "")
    yield from _table(["target", "goal", "found", ""], _targets(report))
    for count, found in report.get("by_tables", {}).items():
        yield from ("", f"### {counted(count, 'table')}", "")
        yield from _table(_RATES, _rates(found))
    if report.get("at_load"):
        yield from ("", "### At the same offered load", "")
        head = ["messages/s", "", "p50", "p99", "p99.9 ms", "server µs", "processors"]
        yield from _table(head, _loads(report["at_load"]))
    if lengths := by_length(report):
        yield from ("", "### By journal length", "")
        head = ["entries", "server µs a wager", "wagers/s", "restart s"]
        yield from _table(head, _lengths(lengths))
        yield ""
        started_s = report["by_length"]["baseline_start_s"]
        yield f"A server that only echoes takes {started_s:.2f} s to start."
    if report.get("by_links"):
        yield from ("", "### By links", "")
        rows = [
            (links, f"{row['server_cpu_us']:.1f}", f"{row['wagers_per_s']:,.0f}")
            for links, row in report["by_links"].items()
        ]
        yield from _table(["links", "server µs a wager", "wagers/s"], rows)
    for note in report["notes"]:
        yield from ("", note)


_RATES = ["", "messages/s", "wagers/s", "p50", "p99", "p99.9 ms"]
_RATES += ["server µs", "load µs", "MB", "limit"]


def _targets(report: dict[str, Any]) -> Iterator[Sequence[str]]:
    for target in (Target(*each) for each in report["targets"]):
        by = abs(target.found / target.goal - 1)
        met = "met" if target.met else f"missed by {by:.0%}"
        yield (target.says, f"{target.goal:g}", f"{target.found:.2f}", met)


def _rates(found: dict[str, Any]) -> Iterator[Sequence[str]]:
    for name, says in NAMES.items():
        if row := found.get(name):
            yield (says, *rate_cells(row))


def _loads(loads: dict[str, Any]) -> Iterator[Sequence[str]]:
    for name, found in loads.items():
        for role in ("echo", "controller"):
            row = found[role]
            times = (f"{row[field]:.1f}" for field in ("p50_ms", "p99_ms", "p999_ms"))
            cost = f"{row['server_cpu_us']:.1f}", f"{row['server_busy']:.2f}"
            yield (f"{found['rate']:,.0f} ({name})", NAMES[role], *times, *cost)


def _lengths(lengths: dict[int, Any]) -> Iterator[Sequence[str]]:
    for length, row in lengths.items():
        yield (
            f"{length:,}",
            f"{row['server_cpu_us']:.1f}",
            f"{row['wagers_per_s']:,.0f}",
            f"{row['restart_s']:.2f}",
        )


def _table(head: Sequence[str], rows: Iterator[Sequence[str]] | list[Any]) -> Iterator[str]:
    yield "| " + " | ".join(head) + " |"
    yield "|---|" + "---:|" * (len(head) - 1)
    for row in rows:
        yield "| " + " | ".join(row) + " |"
