"""Three controllers on one PostgreSQL, next to the stored procedure that one would write by hand.

A real server with fsync on, on the disk of the temporary directory, in the same run for both:

  procedure  one row for the meter; a call inserts a wager (or six) and adds its share to the row,
             and is durable when it returns; `pgbench` calls it directly from 60 connections,
             prepared, with nothing in front of it, which is in its favour
  hot link   three controllers, 60 tables on one link of one site, spread over all of them; a
             message has the six wagers of a table's seats
  sites      the same three controllers with 1, 10 and 100 sites, two tables each that wait for
             every answer before they send more, all tables of a site at one controller

Runs alternate, so that whatever else the machine does hits all, and whoever has no turn is stopped.
Medians and the whole spread are shown, what a command costs in processor time on each side, and how
busy the machine was.

Run it from the repository: `python -m benchmarks.postgres [--quick] [--report FILE]`.
"""

import argparse
import asyncio
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import grpc
import msgspec
import uvloop

from emulator.bench.messages import WAGERS, bench_site, commands
from emulator.bench.report import machine
from emulator.bench.servers import PLAY
from jackpot.core.config import Site
from jackpot.server.assembly import make_controller
from jackpot.server.collector import calm_collector
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import table_pb2
from tests.postgres import DATABASE, USER, Server, binaries, running_server

GOAL_OF_PROCEDURE = 5.0
CONTROLLERS = 3
HOT_TABLES = 60
SITES = (1, 10, 100)
TABLES_A_SITE = 2
WINDOW = 4  # messages that a table of the hot link has under way
CONNECTIONS = 60
PROCEDURES = {  # rows, wagers a call
    "procedure, one row": (1, 1),
    "... six wagers a call": (1, 6),
    "procedure, 100 rows": (100, 1),
}
_TICK_S = 1 / os.sysconf("SC_CLK_TCK")

_PROCEDURE = """
    CREATE TABLE meters (id integer PRIMARY KEY, micros bigint NOT NULL) WITH (fillfactor = 20);
    INSERT INTO meters SELECT id, 10000000000 FROM generate_series(1, 100) AS id;
    CREATE TABLE wagers (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, meter integer NOT NULL,
        seat integer NOT NULL, micros bigint NOT NULL, at timestamptz NOT NULL DEFAULT now());
    CREATE FUNCTION wager(which integer, seats integer, amount bigint) RETURNS bigint AS $$
        INSERT INTO wagers (meter, seat, micros)
            SELECT which, seat, amount FROM generate_series(1, seats) AS seat;
        UPDATE meters SET micros = micros + seats * amount * 21 / 100 WHERE id = which
            RETURNING micros;
    $$ LANGUAGE sql;
"""


class Run(NamedTuple):
    """What a run came to."""

    wagers_per_s: float
    commits_per_s: float
    machine: float  # share of all its processors' time that was used, by whomever
    commands_per_s: float = 0.0
    controller_us: float = 0.0  # processor time a command, of the controllers
    database_us: float = 0.0  # ... of the database


# -- the controllers ------------------------------------------------------------------------------


def site_of(number: int, tables: int) -> Site:
    """A site like the other benchmark's, with fewer tables."""
    return msgspec.structs.replace(bench_site(tables), id=f"site-{number}")


async def serve(store: str, sites: int, tables: int) -> None:
    """A controller of several sites, as `jackpot serve` runs it."""
    controller = make_controller(
        site_of(0, tables), store, None, *(site_of(number, tables) for number in range(1, sites))
    )
    address = await controller.start("127.0.0.1:0")
    calm_collector()
    print(address, flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await controller.stop()


class Process(NamedTuple):
    """A controller's process and where it listens."""

    process: "subprocess.Popen[str]"
    address: str


@contextmanager
def controllers(
    store: str, sites: int, tables: int, count: int = CONTROLLERS
) -> Iterator[list[Process]]:
    """Controllers of the same sites."""
    with ExitStack() as stack:
        started: list[Process] = []
        for _ in range(count):
            role = [sys.executable, "-m", "benchmarks.postgres", "--store", store]
            role += ["--sites", str(sites), "--tables", str(tables)]
            process = stack.enter_context(
                subprocess.Popen(role, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            )
            assert process.stdout is not None
            started.append(Process(process, process.stdout.readline().strip()))
        try:
            yield started
        finally:
            let(started, signal.SIGCONT)
            for each in started:
                assert each.process.stdin is not None
                each.process.stdin.close()


def let(processes: list[Process], number: signal.Signals) -> None:
    """Stop controllers, or let them go on."""
    for each in processes:
        each.process.send_signal(number)


# -- the load -------------------------------------------------------------------------------------


async def attach(channel: Any, site: str, table: str) -> int:
    """Speak for a table that has no round; its epoch."""
    call = channel.unary_unary(
        "/jackpot.v1.TableService/Attach",
        request_serializer=table_pb2.AttachRequest.SerializeToString,
        response_deserializer=table_pb2.AttachResponse.FromString,
    )
    request = table_pb2.AttachRequest(site=site, table=table, request_id=new_request_id())
    answer = await call(request)
    return int(answer.epoch)


async def play(channel: Any, site: str, table: str, window: int, until: float) -> tuple[int, int]:
    """Send wagers until the time has come; how many, and in how many commands."""
    epoch = await attach(channel, site, table)
    call = channel.stream_stream(PLAY)()
    waiting, wagers, answered = 0, 0, 0
    numbers = itertools.count(1)
    void = table_pb2.VoidRound(irregularity="benchmark")
    source = itertools.chain([[{"void_round": void}]], commands("wagers", 0, 1))
    parse = table_pb2.PlayResponse.FromString
    while waiting or time.monotonic() < until:
        while waiting < window and time.monotonic() < until:
            sent = [table_pb2.PlayCommand(number=next(numbers), **each) for each in next(source)]
            message = table_pb2.PlayRequest(site=site, table=table, epoch=epoch, commands=sent)
            await call.write(message.SerializeToString())
            waiting += len(sent)
        for result in parse(await call.read()).results:
            waiting -= 1
            answered += 1
            if result.WhichOneof("result") == "place_wagers":
                wagers += WAGERS
    call.cancel()
    return wagers, answered


async def load(
    processes: list[Process], server: Server, sites: int, tables: int, run_s: float, *, spread: bool
) -> Run:
    """All tables of all sites at once."""
    ways = [  # one a table: a connection has only so many streams
        (
            grpc.aio.insecure_channel(
                processes[(table if spread else number) % len(processes)].address,
                options=[("grpc.use_local_subchannel_pool", 1)],
            ),
            f"site-{number}",
            f"t{table}",
        )
        for number in range(sites)
        for table in range(tables)
    ]
    pids = [each.process.pid for each in processes]
    before_s, database_s, commits = cpu_s(pids), cpu_s(children(server)), commits_of(server)
    busy, began = Busy(), time.monotonic()
    window = WINDOW if spread else 1
    counts = await asyncio.gather(*(play(*way, window, began + run_s) for way in ways))
    took_s, machine = time.monotonic() - began, busy.share()
    used_s, database_used_s = cpu_s(pids) - before_s, cpu_s(children(server)) - database_s
    wagers, commands = (sum(column) for column in zip(*counts, strict=True))
    await asyncio.sleep(1.1)  # the server counts with a delay
    commits = commits_of(server) - commits
    await asyncio.gather(*(channel.close() for channel, _, _ in ways))
    return Run(
        wagers / took_s,
        commits / took_s,
        machine,
        commands / took_s,
        used_s / commands * 1e6,
        database_used_s / commands * 1e6,
    )


class Busy:
    """How much of the machine's processor time is used from now on."""

    def __init__(self) -> None:
        self._began = self._read()

    def share(self) -> float:
        """The share until now."""
        idle, total = (now - then for now, then in zip(self._read(), self._began, strict=True))
        return 1 - idle / total

    def _read(self) -> tuple[int, int]:
        times = [int(ticks) for ticks in Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
        return times[3] + times[4], sum(times)


def cpu_s(pids: list[int]) -> float:
    """Processor time that processes have used."""
    total = 0.0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except FileNotFoundError:
            continue
        total += (int(fields[11]) + int(fields[12])) * _TICK_S
    return total


def children(server: Server) -> list[int]:
    """The processes of a database."""
    text = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text()
    return [server.pid, *map(int, text.split())]


def commits_of(server: Server) -> int:
    """How often a head was moved, as far as the server has counted."""
    query = "SELECT coalesce(sum(n_tup_upd), 0) FROM pg_stat_user_tables WHERE relname = 'streams'"
    return int(server.query(query)[0][0])


# -- the procedure --------------------------------------------------------------------------------


def procedure(server: Server, rows: int, wagers: int, run_s: float) -> Run:
    """Call the stored procedure from as many connections as there are tables."""
    script = Path(server.folder) / "wager.sql"
    script.write_text(f"\\set which random(1, {rows})\nSELECT wager(:which, {wagers}, 1000000);\n")
    busy = Busy()
    done = subprocess.run(
        [
            binaries() / "pgbench",
            *("-h", "127.0.0.1", "-p", str(server.port), "-U", USER, "-n", "-M", "prepared"),
            *("-c", str(CONNECTIONS), "-j", "2", "-T", str(max(1, round(run_s)))),
            *("-f", str(script), DATABASE),
        ],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PGOPTIONS": "-csearch_path=procedure"},
    )
    found = re.search(r"tps = ([0-9.]+)", done.stdout)
    assert found, done.stdout
    calls_per_s = float(found[1])
    return Run(wagers * calls_per_s, calls_per_s, busy.share())


# -- the whole ------------------------------------------------------------------------------------


def measure(place: Path, about: dict[str, Any], *, runs: int, run_s: float) -> dict[str, list[Run]]:
    """Everything, in turn, as often as wanted."""
    found: dict[str, list[Run]] = {}
    with running_server(place) as server, ExitStack() as stack:
        about["postgres"] = server.query("SHOW server_version")[0][0]
        server.query("CREATE SCHEMA procedure")
        server.query("SET search_path = procedure;" + _PROCEDURE)
        kinds = {"hot link": (1, HOT_TABLES, True)}
        kinds |= {f"{count} sites": (count, TABLES_A_SITE, False) for count in SITES}
        served = {
            kind: stack.enter_context(
                controllers(server.fresh(kind.replace(" ", "_")), sites, tables)
            )
            for kind, (sites, tables, _) in kinds.items()
        }
        for processes in served.values():
            let(processes, signal.SIGSTOP)
        for _ in range(runs):
            for key, (rows, wagers) in PROCEDURES.items():
                found.setdefault(key, []).append(procedure(server, rows, wagers, run_s))
            for kind, (sites, tables, spread) in kinds.items():
                let(served[kind], signal.SIGCONT)
                run = uvloop.run(load(served[kind], server, sites, tables, run_s, spread=spread))
                let(served[kind], signal.SIGSTOP)
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


def show(told: dict[str, dict[str, float]]) -> bool:
    """Print the medians; whether the goals are met."""
    print(f"{'':22}{'wagers/s':>9} {'(least-most)':>16}{'commits/s':>10}{'machine':>8}", end="")
    print(f"{'us a command':>15}")
    for kind, run in told.items():
        spread = f"({run['least']:,.0f}-{run['most']:,.0f})"
        costs = f"{run['controller_us']:,.0f} + {run['database_us']:,.0f}"
        print(
            f"{kind:22}{run['wagers_per_s']:>9,.0f} {spread:>16}{run['commits_per_s']:>10,.0f}",
            end="",
        )
        print(f"{run['machine']:>8.0%}{costs if run['controller_us'] else '':>15}")
    hot, row, six = (told[kind]["wagers_per_s"] for kind in ("hot link", *list(PROCEDURES)[:2]))
    grown = [told[f"{count} sites"]["wagers_per_s"] for count in SITES]
    print(f"hot link: {hot / row:.1f} times the procedure (goal {GOAL_OF_PROCEDURE:.0f}),", end=" ")
    print(f"{hot / six:.1f} times the one that takes six wagers")
    print(f"sites: {' -> '.join(f'{rate / grown[0]:.1f}' for rate in grown)} times one site")
    return hot >= GOAL_OF_PROCEDURE * row and grown == sorted(grown)


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one short run of each")
    parser.add_argument("--report", type=Path, help="write everything as JSON into this file")
    parser.add_argument("--store", help=argparse.SUPPRESS)
    parser.add_argument("--sites", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--tables", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.store:
        uvloop.run(serve(options.store, options.sites, options.tables))
        return
    place = Path(tempfile.gettempdir())
    about = machine(place) | {"at": datetime.now(UTC).isoformat(timespec="seconds")}
    found = measure(place, about, runs=1 if options.quick else 5, run_s=3 if options.quick else 6)
    told = summary(found)
    good = show(told)
    if options.report:
        runs = {kind: [run._asdict() for run in runs] for kind, runs in found.items()}
        report = {"machine": about, "middle": told, "runs": runs}
        options.report.parent.mkdir(parents=True, exist_ok=True)
        options.report.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
