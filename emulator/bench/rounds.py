"""`jackpot-emulator bench rounds`: whole rounds of a house, beside an echo and PostgreSQL.

`jackpot serve` on a site file, with awards, folds and voids in what the tables send. Beside it:

  echo       the same messages, each answered by one that says nothing, or whatever is ready at
             once; as gRPC comes, and with the settings of gRPC that a front has
  procedure  in PostgreSQL, the bookkeeping of a round in one durable call: reserve six wagers, post
             them, journal that; no gRPC in front of it and no rules
  naive      an RPC and an SQLite commit a wager; six of them are a round, and nobody settles it

All of them take their turn within a run, and ratios are taken within a run. So are latencies: at
half of the rate that the echo had just before, and with one table that waits for every answer.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from emulator.bench.command import progress, temporary_folder
from emulator.bench.load import Job
from emulator.bench.messages import WAGERS
from emulator.bench.postgres import with_procedures
from emulator.bench.processes import House, Measured, loader, measure, ratios_of, spread, started
from emulator.bench.report import Target, machine, machine_lines, present, target_lines
from emulator.output import counted, wrapped

NAMES = {
    "echo": "echo, one for one",
    "tuned": "echo, gRPC as in a front",
    "batching": "echo, replies batched",
    "controller": "this controller, durable",
    "postgres": "PostgreSQL, a call a round",
    "naive": "naive, a commit a wager",
}
HALF, ALONE = "at half of the echo's rate", "alone"
LEDGER_US, FRONT_US, P99_OF_ECHO = 65.0, 58.0, 3.0
_LEAST = 6  # messages of a table in a run: two rounds
# Messages unanswered at a table; they hold up to 24 commands, and a stream may have 32.
_WINDOW = 12


class Size(NamedTuple):
    """How much is measured."""

    tables: tuple[int, ...] = (8, 64)
    runs: int = 3
    run_s: float = 0.7  # of each server, about
    half_s: float = 0.7
    first: int = 400  # messages of the run that only warms up and shows how fast a server is
    alone: int = 300

    @property
    def steps(self) -> int:
        """Measurements in all; the first run has none of latencies."""
        at_full_speed = len(self.tables) * len(NAMES)
        return (self.runs + 1) * at_full_speed + self.runs * (len(self.tables) + 1) * 2


Runs = dict[str, list[Measured]]


class Rounds:
    """All servers, and a load that goes from one to the next."""

    def __init__(self, folder: Path, size: Size, done: Callable[[], object]) -> None:
        """`done` is told after each measurement."""
        self._folder = folder
        self._size = size
        self._done = done
        self._rates: dict[tuple[str, int], float] = {}  # that a server had in its last run
        self.notes: list[str] = []
        self.postgres_version = ""

    def measure(self) -> dict[int, Runs]:
        """What every run found, by number of tables; 1 is a table that is alone."""
        size = self._size
        found: dict[int, Runs] = {tables: {} for tables in (*size.tables, 1)}
        with ExitStack() as stack:
            servers = started(stack, self._folder, "echo", "tuned", "batching", "naive")
            house = House(self._folder / "house", max(size.tables))
            servers["controller"] = stack.enter_context(house)
            self._postgres = with_procedures(stack, self._folder / "postgres", self.notes)
            if self._postgres:
                self.postgres_version = f"PostgreSQL {self._postgres.version()}"
            self._servers = servers
            self._load = stack.enter_context(loader())
            for run in range(size.runs + 1):
                for name, tables, measured in self._run(latencies=run > 0):
                    self._done()
                    if run:
                        found[tables].setdefault(name, []).append(measured)
        return found

    def _run(self, *, latencies: bool) -> Iterator[tuple[str, int, Measured]]:
        """Everything once, or only what is measured at full speed: that warms up as well."""
        size, servers = self._size, self._servers
        for tables in size.tables:
            for name in ("echo", "tuned", "batching", "controller"):
                yield name, tables, self._at_full_speed(name, self._streams(name, tables))
            if self._postgres:
                job = Job("postgres", self._postgres.url(), tables, 0, messages="rounds")
                yield "postgres", tables, self._at_full_speed("postgres", job)
            naive = Job("unary", servers["naive"].address, tables, 0, wagers=1)
            yield "naive", tables, self._at_full_speed("naive", naive)
            for name in ("echo", "controller") if latencies else ():
                job = self._streams(name, tables)
                job.rate = self._rates["echo", tables] / 2
                job.count = int(job.rate * size.half_s)
                yield f"{name} {HALF}", tables, self._measure(name, job)
        for name in ("echo", "controller") if latencies else ():
            job = self._streams(name, 1)
            job.count, job.window = size.alone, 1
            yield f"{name} {ALONE}", 1, self._measure(name, job)

    def _streams(self, name: str, tables: int) -> Job:
        at, mine = self._servers[name].address, name == "controller"
        return Job("stream", at, tables, 0, _WINDOW, attach=mine, messages="rounds", channels=0)

    def _at_full_speed(self, name: str, job: Job) -> Measured:
        """As many messages as fill the time, going by the last run."""
        key, size = (name, job.tables), self._size
        job.count = int(self._rates[key] * size.run_s) if key in self._rates else size.first
        measured = self._measure(name, job)
        self._rates[key] = measured.messages_per_s
        return measured

    def _measure(self, name: str, job: Job) -> Measured:
        job.count = max(job.count, _LEAST * job.tables)
        server = self._postgres if name == "postgres" else self._servers[name]
        return measure(job, server.pid if server else 0, self._load)


def summary(found: dict[int, Runs]) -> dict[str, Any]:
    """The medians, and every ratio with its spread."""
    told: dict[str, Any] = {}
    for tables, runs in found.items():
        here: dict[str, Any] = {name: spread(measured) for name, measured in runs.items()}
        for name, row in here.items():
            if not name.startswith("controller"):
                del row["process_us"]

        here["of"] = {
            name: ratios_of("rounds_per_s", runs["controller"], runs[name])
            for name in NAMES
            if name in runs and name != "controller"
        }
        for suffix in (HALF, ALONE):
            if f"echo {suffix}" in runs:
                both = runs[f"controller {suffix}"], runs[f"echo {suffix}"]
                for field in ("p50_ms", "p99_ms"):
                    here["of"][f"{field} {suffix}"] = ratios_of(field, *both)
        told[str(tables)] = here
    return told


def targets(told: dict[str, Any]) -> Iterator[Target]:
    """Every goal that the figures can judge."""
    for tables, here in told.items():
        if "controller" not in here:
            continue
        at, ratio = f"{tables} tables", here["of"]["echo"]["median"]
        yield Target(f"rounds/s of the echo's, {at}", ratio, 1.0, ratio >= 1.0)
        for name, used in here["controller"]["process_us"].items():
            goal = LEDGER_US if name == "ledger" else FRONT_US
            yield Target(f"us a message, {name}, {at}", used, goal, used <= goal)
        ratio = here["of"][f"p99_ms {HALF}"]["median"]
        says = f"p99 of the echo's, at half of its rate, {at}"
        yield Target(says, ratio, P99_OF_ECHO, ratio <= P99_OF_ECHO)


def text_lines(report: dict[str, Any]) -> Iterator[str]:
    """For a terminal of 80 columns."""
    yield from machine_lines(report["machine"])
    yield "\nWhole rounds: latency in ms, processor time in us a message, memory in MB"
    told = report["tables"]
    for tables, here in told.items():
        if "controller" not in here:
            continue
        title = counted(tables, "table")
        yield f"\n{title:<28} rounds/s   msgs/s    p50   p99 server  load    MB"
        for name, says in NAMES.items():
            if row := here.get(name):
                load_us = row["client_cpu_us"] * row["wagers_per_s"] / row["messages_per_s"]
                yield (
                    f"  {says:<26}{row['rounds_per_s']:>9,.0f}{row['messages_per_s']:>9,.0f}"
                    f"{row['p50_ms']:>7.1f}{row['p99_ms']:>6.0f}"
                    f"{row['message_us']:>7.0f}{load_us:>6.0f}"
                    f"{row['resident_mb']:>6.0f}"
                )
        for name, says in NAMES.items():
            if name in here["of"]:
                yield f"  rounds/s of: {says:<28} {_ratio(here['of'][name])}"
        half = {name: here[f"{name} {HALF}"] for name in ("echo", "controller")}
        yield f"  {HALF}, {half['echo']['messages_per_s']:,.0f} messages/s:"
        yield from _latencies(half, here, HALF)
        used = here["controller"]["process_us"]
        each = ", ".join(f"{name} {us:.0f}" for name, us in used.items())
        yield from wrapped(
            "  us a message: ", f"{each}; {here['controller']['message_us']:.0f} in all"
        )
    here = told["1"]
    yield "\nOne table that waits for every answer:"
    yield from _latencies({n: here[f"{n} {ALONE}"] for n in ("echo", "controller")}, here, ALONE)
    yield ""
    yield from target_lines(Target(*each) for each in report["targets"])
    for note in report["notes"]:
        yield from wrapped("note: ", note)


def _latencies(rows: dict[str, Any], here: dict[str, Any], suffix: str) -> Iterator[str]:
    for field in ("p50_ms", "p99_ms"):
        mine, echo = rows["controller"][field], rows["echo"][field]
        says = f"{field[:-3]} {mine:.2f} ms, the echo's {echo:.2f}"
        yield f"    {says:<38} {_ratio(here['of'][f'{field} {suffix}'])}"


def _ratio(found: dict[str, float]) -> str:
    return f"{found['median']:6.2f} ({found['least']:.2f} to {found['most']:.2f})"


def run_rounds(folder: Path, size: Size, done: Callable[[], object]) -> dict[str, Any]:
    """Measure; the report."""
    here = machine(folder)
    rounds = Rounds(folder, size, done)
    told = summary(rounds.measure())
    here["postgres"] = rounds.postgres_version
    return {
        "at": here.pop("at"),
        "machine": here,
        "runs": size.runs,
        "wagers_a_round": WAGERS,
        "tables": told,
        "targets": [list(target) for target in targets(told)],
        "notes": rounds.notes,
    }


def run(
    tables: tuple[int, ...], runs: int, data: Path, report: Path | None, *, as_json: bool
) -> None:
    """Run it as `jackpot-emulator bench rounds` does."""
    size, folder = Size(tables, runs), temporary_folder(data)
    with progress(size.steps, "whole rounds") as done:
        found = run_rounds(folder, size, done)
    present("rounds", found, text_lines(found), report, as_json=as_json)
