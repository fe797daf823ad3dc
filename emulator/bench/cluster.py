"""`jackpot-emulator bench cluster`: three controllers on one PostgreSQL, next to a procedure in it.

A real server with fsync on, on the disk of the temporary directory, in the same run for both:

  procedure  one row for the meter; a call inserts a wager (or six) and adds its share to the row,
             and is durable when it returns; `pgbench` calls it directly from 60 connections,
             prepared, with nothing in front of it, which is in its favor
  hot link   three controllers, 60 tables on one link of one site, spread over all of them, four
             messages unanswered at each; a message has the six wagers of a table's seats
  sites      the same three controllers with 1, 10 and 100 sites, two tables each that wait for
             every answer before they send more, all tables of a site at one controller

Runs alternate, so that whatever else the machine does hits all, and whoever has no turn is stopped.
Medians and the whole spread are shown, what a command costs in processor time on each side, and how
busy the machine was.
"""

import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import click

from emulator.bench.load import Job
from emulator.bench.postgres import DATABASE, PROCEDURE, USER, PostgresServer, binaries
from emulator.bench.processes import BenchError, Server, loading, run_load
from emulator.bench.report import machine, present
from emulator.linux_process import cpu_s

GOAL_OF_PROCEDURE = 5.0
WINDOW = 4  # messages that a table of the hot link has unanswered
CONNECTIONS = 60
PROCEDURES = {  # meters, wagers a call
    "procedure, one row": (1, 1),
    "... six wagers a call": (1, 6),
    "procedure, 100 rows": (100, 1),
}
_COUNTED_S = 1.1  # the server counts commits with a delay


class Size(NamedTuple):
    """How much is measured."""

    runs: int = 5
    run_s: float = 6.0  # of the procedure
    messages: int = 12_000  # a run on the hot link; half of them where there are sites
    controllers: int = 3
    hot_tables: int = 60
    sites: tuple[int, ...] = (1, 10, 100)
    tables_a_site: int = 2


QUICK = Size(runs=1, run_s=2.0, messages=2_400)


class Run(NamedTuple):
    """What a run came to."""

    wagers_per_s: float
    commits_per_s: float
    machine: float  # share of all its processors' time that was used, by whomever
    commands_per_s: float = 0.0
    controller_us: float = 0.0  # processor time a command, of the controllers
    database_us: float = 0.0  # ... of the database


class Cluster:
    """Controllers of the same sites, stopped while it is not their turn."""

    def __init__(self, database: PostgresServer, controllers: list[Server]) -> None:
        self._database = database
        self.controllers = controllers

    def run(self, tables: int, sites: int, messages: int, *, spread: bool) -> Run:
        """All tables of all sites at once; one site's tables at one controller, or spread."""
        self.signal(signal.SIGCONT)
        first, *others = (controller.address for controller in self.controllers)
        job = Job(
            "stream",
            first,
            tables,
            messages,
            window=WINDOW if spread else 1,
            attach=True,
            others=tuple(others) if spread or sites > 1 else (),
            sites=sites,
        )
        pids = [controller.pid for controller in self.controllers]
        with loading(job) as load:
            commits, busy = self._commits(), Busy()
            used_s, database_s = sum(map(cpu_s, pids)), cpu_s(self._database.pid)
            seen = run_load(load)
            used_s = sum(map(cpu_s, pids)) - used_s
            database_s = cpu_s(self._database.pid) - database_s
            share = busy.share()
            time.sleep(_COUNTED_S)
            commits = self._commits() - commits
        self.signal(signal.SIGSTOP)
        return Run(
            seen.wagers / seen.elapsed_s,
            commits / seen.elapsed_s,
            share,
            seen.commands / seen.elapsed_s,
            used_s / seen.commands * 1e6,
            database_s / seen.commands * 1e6,
        )

    def signal(self, number: signal.Signals) -> None:
        """Stop all controllers, or let them go on."""
        for controller in self.controllers:
            controller.signal(number)

    def _commits(self) -> int:
        """How often a head was moved, as far as the server has counted."""
        query = "SELECT coalesce(sum(n_tup_upd), 0) FROM pg_stat_user_tables"
        return int(self._database.query(f"{query} WHERE relname = 'streams'")[0][0])


@contextmanager
def cluster_of(
    database: PostgresServer, name: str, count: int, tables: int, sites: int = 1
) -> Iterator[Cluster]:
    """Controllers on an empty schema; they are stopped until they are told to run."""
    store = database.fresh(name.replace(" ", "_"))
    with ExitStack() as stack:
        started = [
            stack.enter_context(Server("controller", store, tables, sites=sites))
            for _ in range(count)
        ]
        cluster = Cluster(database, started)
        cluster.signal(signal.SIGSTOP)
        yield cluster


class Busy:
    """How much of the machine's processor time is used from now on."""

    def __init__(self) -> None:
        self._began = self._read()

    def share(self) -> float:
        """The share until now."""
        idle, total = (now - then for now, then in zip(self._read(), self._began, strict=True))
        return 1 - idle / max(1, total)

    def _read(self) -> tuple[int, int]:
        times = [int(ticks) for ticks in Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
        return times[3] + times[4], sum(times)


def procedure(server: PostgresServer, rows: int, wagers: int, run_s: float) -> Run:
    """Call the stored procedure from as many connections as there are tables."""
    call = "place_wager(:which, 1, 1000000)"
    if wagers > 1:
        call = f"place_wagers(:which, {wagers}, 1000000)"
    script = server.folder / "wager.sql"
    script.write_text(f"\\set which random(1, {rows})\nSELECT {call};\n")
    busy = Busy()
    done = subprocess.run(  # noqa: S603 - a command of our own making
        [
            binaries() / "pgbench",
            *("-h", "127.0.0.1", "-p", str(server.port), "-U", USER, "-n", "-M", "prepared"),
            *("-c", str(CONNECTIONS), "-j", "2", "-T", str(max(1, round(run_s)))),
            *("-f", str(script), DATABASE),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    found = re.search(r"tps = ([0-9.]+)", done.stdout)
    if not found:
        raise BenchError(f"pgbench failed: {done.stderr.strip()}")
    calls_per_s = float(found[1])
    return Run(wagers * calls_per_s, calls_per_s, busy.share())


def measure_cluster(database: PostgresServer, size: Size) -> dict[str, list[Run]]:
    """Everything, in turn, as often as wanted."""
    found: dict[str, list[Run]] = {}
    database.query(PROCEDURE)
    kinds = {"hot link": (size.hot_tables, 1, size.messages, True)}
    for count in size.sites:
        kinds[f"{count} sites"] = (size.tables_a_site, count, size.messages // 2, False)
    with ExitStack() as stack:
        clusters = {
            kind: stack.enter_context(cluster_of(database, kind, size.controllers, tables, sites))
            for kind, (tables, sites, *_) in kinds.items()
        }
        for _ in range(size.runs):
            for key, (rows, wagers) in PROCEDURES.items():
                run = procedure(database, rows, wagers, size.run_s)
                found.setdefault(key, []).append(run)
            for kind, (tables, sites, messages, spread) in kinds.items():
                run = clusters[kind].run(tables, sites, messages, spread=spread)
                found.setdefault(kind, []).append(run)
    return found


def summary(found: dict[str, list[Run]]) -> dict[str, dict[str, float]]:
    """The middle of everything, and the whole spread of what counts."""
    told = {}
    for kind, runs in found.items():
        middle = {field: median(run._asdict()[field] for run in runs) for field in Run._fields}
        wagers = [run.wagers_per_s for run in runs]
        told[kind] = middle | {"least": min(wagers), "most": max(wagers)}
    return told


def rates(told: dict[str, dict[str, float]]) -> tuple[list[float], list[float]]:
    """The hot link as a multiple of each procedure; every count of sites as one of the first's."""
    hot = told["hot link"]["wagers_per_s"]
    grown = [row["wagers_per_s"] for kind, row in told.items() if kind.endswith(" sites")]
    of_procedures = [hot / told[kind]["wagers_per_s"] for kind in PROCEDURES]
    return of_procedures, [rate / grown[0] for rate in grown]


def text_lines(told: dict[str, dict[str, float]]) -> Iterator[str]:
    """The medians, for a terminal."""
    yield (
        f"{'':22}{'wagers/s':>9} {'(least-most)':>16}{'commits/s':>10}{'machine':>8}"
        f"{'us a command':>15}"
    )
    for kind, run in told.items():
        spread = f"({run['least']:,.0f}-{run['most']:,.0f})"
        costs = f"{run['controller_us']:,.0f} + {run['database_us']:,.0f}"
        yield (
            f"{kind:22}{run['wagers_per_s']:>9,.0f} {spread:>16}{run['commits_per_s']:>10,.0f}"
            f"{run['machine']:>8.0%}{costs if run['controller_us'] else '':>15}"
        ).rstrip()
    (row, six, _), grown = rates(told)
    yield (
        f"hot link: {row:.1f} times the procedure (goal {GOAL_OF_PROCEDURE:g}), "
        f"{six:.1f} times the one that takes six wagers"
    )
    yield f"sites: {' -> '.join(f'{rate:.1f}' for rate in grown)} times one site"


def run(report: Path | None, *, quick: bool, as_json: bool) -> None:
    """Run it as `jackpot-emulator bench cluster` does."""
    place = Path(tempfile.gettempdir())
    about = machine(place)
    with PostgresServer.running(place) as database:
        about["postgres"] = database.version()
        found = measure_cluster(database, QUICK if quick else Size())
    told = summary(found)
    runs = {kind: [run._asdict() for run in kind_runs] for kind, kind_runs in found.items()}
    whole: dict[str, Any] = {"machine": about, "middle": told, "runs": runs}
    present("cluster", whole, text_lines(told), report, as_json=as_json)
    of_procedures, grown = rates(told)
    if of_procedures[0] < GOAL_OF_PROCEDURE or grown != sorted(grown):
        raise click.exceptions.Exit(1)
