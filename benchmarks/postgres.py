"""Three controllers on one PostgreSQL, next to the stored procedure that one would write by hand.

A real server with fsync on, on the disk of the temporary directory, in the same run for both:

  procedure  one row for the meter; a call inserts a wager and adds its share to the row, and is
             durable when it returns; `pgbench` calls it from 60 connections, prepared
  hot link   three controllers, 60 tables on one link of one site, spread over all of them; a
             message has the six wagers of a table's seats
  sites      the same three controllers with 1, 10 and 100 sites, two tables each that wait for
             every answer before they send more, all tables of a site at one controller

Runs alternate, so that whatever else the machine does hits all; medians and the whole spread are
shown, and what a commit and a command cost in processor time on each side.

Run it from the repository: `python -m benchmarks.postgres [--quick] [--json]`.
"""

import argparse
import asyncio
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import grpc
import msgspec
import uvloop

from benchmarks import throughput
from jackpot.core.config import Site
from jackpot.engine import Engine
from jackpot.request_id import new_request_id
from jackpot.rules.hands import names
from jackpot.server.collector import calm_collector
from jackpot.server.controller import Controller
from jackpot.server.setup import set_up
from jackpot.store.opening import journal_opener
from jackpot.v1 import table_pb2
from tests.postgres import DATABASE, USER, Server, binaries, running_server

GOAL_OF_PROCEDURE = 5.0
CONTROLLERS = 3
HOT_TABLES = 60
SITES = (1, 10, 100)
TABLES_A_SITE = 2
WINDOW = 4  # messages that a table of the hot link has under way
CONNECTIONS = 60
WRITERS = 8
_TICK_S = 1 / os.sysconf("SC_CLK_TCK")

_PROCEDURE = """
    CREATE TABLE meters (id integer PRIMARY KEY, micros bigint NOT NULL) WITH (fillfactor = 20);
    INSERT INTO meters SELECT id, 10000000000 FROM generate_series(1, 100) AS id;
    CREATE TABLE wagers (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, meter integer NOT NULL,
        seat integer NOT NULL, micros bigint NOT NULL, at timestamptz NOT NULL DEFAULT now());
    CREATE FUNCTION wager(which integer, seat integer, amount bigint) RETURNS bigint AS $$
        INSERT INTO wagers (meter, seat, micros) VALUES (which, seat, amount);
        UPDATE meters SET micros = micros + amount * 21 / 100 WHERE id = which RETURNING micros;
    $$ LANGUAGE sql;
"""


class Run(NamedTuple):
    """What a run came to."""

    wagers_per_s: float
    commands_per_s: float = 0.0
    commits_per_s: float = 0.0
    controller_us: float = 0.0  # processor time a command, of the controller
    database_us: float = 0.0  # ... a commit, of the database


# -- the controllers ------------------------------------------------------------------------------


def site_of(number: int, tables: int) -> Site:
    """A site like the other benchmark's, with fewer tables."""
    site = throughput.site()
    return msgspec.structs.replace(site, id=f"site-{number}", tables=site.tables[:tables])


async def serve(store: str, sites: int, tables: int, first: bool) -> None:  # noqa: FBT001 - a role
    """A controller of several sites; the first one defines them."""
    served = [site_of(number, tables) for number in range(sites)]
    engine = Engine(
        journal_opener(store),
        names,
        sites=[site.id for site in served],
        writers=min(WRITERS, sites),
    )
    controller = Controller(engine, served[0])
    address = await controller.start("127.0.0.1:0")
    if first:
        await asyncio.gather(*(set_up(engine, site) for site in served[1:]))
    calm_collector()
    print(address, flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await controller.stop()


class Process(NamedTuple):
    """A controller's process and where it listens."""

    process: "subprocess.Popen[str]"
    address: str


@contextmanager
def controllers(store: str, sites: int, tables: int) -> Iterator[list[Process]]:
    """Three controllers of the same sites."""
    with ExitStack() as stack:
        started: list[Process] = []
        for number in range(CONTROLLERS):
            role = [sys.executable, "-m", "benchmarks.postgres", "--store", store]
            role += ["--sites", str(sites), "--tables", str(tables), "--number", str(number)]
            process = stack.enter_context(
                subprocess.Popen(role, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            )
            assert process.stdout is not None
            started.append(Process(process, process.stdout.readline().strip()))
        try:
            yield started
        finally:
            for each in started:
                assert each.process.stdin is not None
                each.process.stdin.close()


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
    call = channel.stream_stream(throughput.PLAY)()
    waiting, wagers, commands = 0, 0, 0
    numbers = itertools.count(1)
    void = table_pb2.VoidRound(irregularity="benchmark", floorperson="benchmark")
    source = itertools.chain([{"void_round": void}], throughput.wager_commands())
    parse = table_pb2.PlayResponse.FromString
    while waiting or time.monotonic() < until:
        while waiting < window and time.monotonic() < until:
            sent = [throughput.command(next(numbers), **{k: v}) for k, v in next(source).items()]
            message = table_pb2.PlayRequest(site=site, table=table, epoch=epoch, commands=sent)
            await call.write(message.SerializeToString())
            waiting += len(sent)
        for result in parse(await call.read()).results:
            waiting -= 1
            commands += 1
            if result.WhichOneof("result") == "place_wagers":
                wagers += throughput.WAGERS
    call.cancel()
    return wagers, commands


async def load(
    processes: list[Process], server: Server, sites: int, tables: int, run_s: float, *, spread: bool
) -> Run:
    """All tables of all sites at once."""
    channels = [
        grpc.aio.insecure_channel(each.address, options=[("grpc.use_local_subchannel_pool", 1)])
        for each in processes
    ]
    pids = [each.process.pid for each in processes]
    before_s, database_s, commits = cpu_s(pids), cpu_s(children(server)), commits_of(server)
    began = time.monotonic()
    counts = await asyncio.gather(
        *(
            play(
                channels[(table if spread else number) % len(channels)],
                f"site-{number}",
                f"t{table}",
                WINDOW if spread else 1,
                began + run_s,
            )
            for number in range(sites)
            for table in range(tables)
        )
    )
    took_s = time.monotonic() - began
    wagers, commands = (sum(column) for column in zip(*counts, strict=True))
    await asyncio.sleep(1.1)  # the server counts with a delay
    commits = commits_of(server) - commits
    used_s, database_used_s = cpu_s(pids) - before_s, cpu_s(children(server)) - database_s
    await asyncio.gather(*(channel.close() for channel in channels))
    return Run(
        wagers / took_s,
        commands / took_s,
        commits / took_s,
        used_s / commands * 1e6,
        database_used_s / max(1, commits) * 1e6,
    )


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
    """How many transactions the database has committed, as far as it has counted."""
    query = f"SELECT xact_commit FROM pg_stat_database WHERE datname = '{DATABASE}'"
    return int(server.query(query)[0][0])


# -- the procedure --------------------------------------------------------------------------------


def procedure(server: Server, rows: int, run_s: float) -> Run:
    """Call the stored procedure from as many connections as there are tables."""
    script = Path(server.folder) / f"wager-{rows}.sql"
    script.write_text(
        f"\\set which random(1, {rows})\n\\set seat random(1, 6)\n"
        "SELECT wager(:which, :seat, 1000000);\n"
    )
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
    return Run(float(found[1]), commits_per_s=float(found[1]))


# -- the whole ------------------------------------------------------------------------------------


def measure(*, runs: int, run_s: float) -> dict[str, list[Run]]:
    """Everything, in turn, as often as wanted."""
    found: dict[str, list[Run]] = {}
    with running_server(Path(tempfile.gettempdir())) as server, ExitStack() as stack:
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
        for _ in range(runs):
            for rows in (1, 100):
                key = "procedure, one row" if rows == 1 else f"procedure, {rows} rows"
                found.setdefault(key, []).append(procedure(server, rows, run_s))
            for kind, (sites, tables, spread) in kinds.items():
                run = uvloop.run(load(served[kind], server, sites, tables, run_s, spread=spread))
                found.setdefault(kind, []).append(run)
    return found


def show(found: dict[str, list[Run]]) -> bool:
    """Print the medians; whether the goal is met."""
    head = f"{'wagers/s':>9} {'(least-most)':>15}{'commits/s':>11}{'us/cmd':>8}{'us/commit':>11}"
    print(f"{'':22}{head}")
    middle = {}
    for kind, runs in found.items():
        wagers = sorted(run.wagers_per_s for run in runs)
        middle[kind] = median(wagers)
        spread = f"({wagers[0]:,.0f}-{wagers[-1]:,.0f})"
        commits, command_us, commit_us = (median(run[place] for run in runs) for place in (2, 3, 4))
        costs = f"{command_us:>8.0f}{commit_us:>11.0f}" if command_us else ""
        print(f"{kind:22}{middle[kind]:>9,.0f} {spread:>15}{commits:>11,.0f}{costs}")
    times = middle["hot link"] / middle["procedure, one row"]
    grown = middle[f"{SITES[-1]} sites"] / middle[f"{SITES[0]} sites"]
    print(f"hot link: {times:.1f} times the procedure (goal {GOAL_OF_PROCEDURE:.0f})")
    print(f"{SITES[-1]} sites: {grown:.1f} times one site")
    return times >= GOAL_OF_PROCEDURE and grown > 1


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one short run of each")
    parser.add_argument("--json", action="store_true", help="print every run as JSON")
    parser.add_argument("--store", help=argparse.SUPPRESS)
    parser.add_argument("--sites", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--tables", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--number", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.store:
        uvloop.run(serve(options.store, options.sites, options.tables, options.number == 0))
        return
    found = measure(runs=1 if options.quick else 5, run_s=3 if options.quick else 6)
    if options.json:
        print(json.dumps({kind: [run._asdict() for run in runs] for kind, runs in found.items()}))
        return
    sys.exit(0 if show(found) else 1)


if __name__ == "__main__":
    main()
