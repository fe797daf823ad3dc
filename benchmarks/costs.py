"""What a wager costs on PostgreSQL, piece by piece: what the simulation of a whole group is fed.

Processor time, not time on the clock, so that a busy machine disturbs little: of this process for
what a controller does, of the server's for what the database does. What gRPC costs can't be had
alone: it is what remains of a real controller's time, once for messages that come one by one and
once for many at a time.

Run it from the repository: `python -m benchmarks.costs [--report FILE]`.
"""

import argparse
import itertools
import json
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import grpc
import msgspec
import uvloop

from benchmarks.postgres import Process, attach, controllers, cpu_s, load, site_of
from benchmarks.simulation import Costs
from emulator.bench.messages import commands
from emulator.bench.report import machine
from jackpot.core.commands import Request
from jackpot.core.commands.base import OperatorOrigin
from jackpot.core.commands.operator import AttachTable, DefineLink, DefineTable, PutInService
from jackpot.engine.answers import Job, Limits
from jackpot.engine.batch import Batch, Decider
from jackpot.engine.engine import clock_micros, draw_entropy
from jackpot.engine.replica import Replica
from jackpot.rules.hands import names
from jackpot.server.parse import play_requests
from jackpot.store.journal import GENESIS, Entry, Head, chained
from jackpot.store.postgres import PostgresJournal
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import table_pb2
from tests.postgres import Server, running_server

COMMANDS = 6_000
COMMITS = 1_500
BEATS = 2_000
ROWS = 30  # in a commit of many
SITES = 200  # in a poll of many
TABLES = 24
RUN_S = 4.0


class Kept:
    """A transaction that only keeps what is appended."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def append(self, _site: str, entries: list[Entry]) -> None:
        """Add entries."""
        self.entries += entries


def decided() -> tuple[list[Entry], float]:
    """Many commands decided as the engine does: their entries, and what one command cost."""
    site, kept = site_of(0, 2), Kept()
    replica, decider = Replica(site.id), Decider(names, clock_micros, draw_entropy, Limits())

    def run(requests: list[Request]) -> None:
        batch = Batch(decider, {site.id: replica}, {}, kept)  # type: ignore[arg-type]
        batch.run([Job(request, lambda _: None, None) for request in requests])
        batch.append()

    setup = [*map(DefineLink, site.links), *map(DefineTable, site.tables)]
    setup += [*map(PutInService, site.in_service), AttachTable("t0")]
    run([Request(site.id, OperatorOrigin("costs", new_request_id()), each) for each in setup])
    numbers, source = itertools.count(1), commands("wagers", 0, 1)
    requests: list[Request] = []
    while len(requests) < COMMANDS:
        sent = [table_pb2.PlayCommand(number=next(numbers), **each) for each in next(source)]
        message = table_pb2.PlayRequest(site=site.id, table="t0", epoch=1, commands=sent)
        parsed = [request for *_, request in play_requests(message)]
        requests += [request for request in parsed if isinstance(request, Request)]
    command_us = cost_us(lambda n: run(requests[n : n + ROWS]), range(0, COMMANDS, ROWS)) / ROWS
    refused = [entry.sequence for entry in kept.entries if entry.kind == "Refused"]
    assert not refused, refused
    return kept.entries, command_us


def cost_us(act: Callable[[int], object], over: Sequence[int], pid: int = 0) -> float:
    """Processor time of one act, of this process or of another."""
    began = cpu_s([pid]) if pid else time.process_time()
    for each in over:
        act(each)
    return ((cpu_s([pid]) if pid else time.process_time()) - began) / len(over) * 1e6


def store_costs(server: Server, entries: list[Entry]) -> dict[str, float]:
    """What the database does for a commit, for a row of it, for a lock and for a poll."""
    site, head, found = "s", GENESIS, {}

    def appended(journal: PostgresJournal, rows: int) -> None:
        nonlocal head
        added = []
        for entry in entries[:rows]:
            added.append(chained(site, head.hash, head.sequence + 1, *entry[1:-1]))
            head = Head(head.sequence + 1, added[-1].hash, entry.version)
        with journal.begin([site]) as transaction:
            transaction.append(site, added)
            transaction.commit()

    address = server.fresh("costs")
    with (
        closing(PostgresJournal.open(address)) as one,
        closing(PostgresJournal.open(address)) as two,
    ):
        appended(one, 1)
        before = log_bytes(server)
        many = cost_us(lambda _: appended(one, ROWS), range(COMMITS), one.backend_pid)
        found["log_bytes"] = (log_bytes(server) - before) / COMMITS / ROWS
        (size,) = server.query("SELECT pg_total_relation_size('costs.events')")[0]
        found["row_bytes"] = size / head.sequence
        single = cost_us(lambda _: appended(one, 1), range(COMMITS), one.backend_pid)
        found["database_row_us"] = (many - single) / (ROWS - 1)
        found["database_commit_us"] = single - found["database_row_us"]

        def in_turn(_: int) -> None:
            appended(one, 1)
            two.head(site)  # from the first time on, each knows that the other writes too
            appended(two, 1)
            one.head(site)

        two.head(site)
        locked = cost_us(in_turn, range(COMMITS), one.backend_pid)
        looks = cost_us(lambda _: one.head(site), range(COMMITS), one.backend_pid)
        found["database_lock_us"] = max(0.0, locked - looks - single)
        sites = [f"s{n}" for n in range(SITES)]
        for each in sites:
            server.query(f"INSERT INTO costs.streams VALUES ('{each}', 1, '', 0)")
        poll = cost_us(lambda _: one.heads(["s"]), range(COMMITS), one.backend_pid)
        polls = cost_us(lambda _: one.heads(sites), range(COMMITS), one.backend_pid)
        found["database_poll_site_us"] = max(0.1, (polls - poll) / (SITES - 1))
        found["database_poll_us"] = poll
        poll = cost_us(lambda _: one.heads(["s"]), range(COMMITS))
        polls = cost_us(lambda _: one.heads(sites), range(COMMITS))
        found["poll_us"], found["poll_site_us"] = poll, (polls - poll) / (SITES - 1)
    return found


def log_bytes(server: Server) -> int:
    """How much the write-ahead log has had since the beginning."""
    return int(server.query("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")[0][0])


def wire_costs(server: Server, command_us: float) -> dict[str, float]:
    """What a message and a commit cost a controller besides, and what a heartbeat does."""
    with controllers(server.fresh("wire"), 1, TABLES, count=1) as processes:
        runs = [
            uvloop.run(load(processes, server, 1, tables, RUN_S, spread=spread))
            for _ in range(3)
            for tables, spread in ((TABLES, True), (1, False))
        ]
        # message + command + commits a command * commit = what was used, for both kinds of run.
        (many, alone) = (
            (
                median(r.controller_us for r in kind),
                median(r.commits_per_s / r.commands_per_s for r in kind),
            )
            for kind in (runs[0::2], runs[1::2])
        )
        commit_us = (alone[0] - many[0]) / (alone[1] - many[1])
        beat_us = uvloop.run(heartbeats(processes[0]))
    message_us = many[0] - command_us - many[1] * commit_us
    return {"commit_us": commit_us, "message_us": message_us, "heartbeat_us": beat_us}


async def heartbeats(process: Process) -> float:
    """Processor time of a heartbeat; tables beat one by one."""
    async with grpc.aio.insecure_channel(process.address) as channel:
        epoch = await attach(channel, "site-0", "t0")
        beat: Any = channel.unary_unary(
            "/jackpot.v1.TableService/Heartbeat",
            request_serializer=table_pb2.HeartbeatRequest.SerializeToString,
        )
        message = table_pb2.HeartbeatRequest(site="site-0", table="t0", epoch=epoch)
        before_s = cpu_s([process.process.pid])
        for _ in range(BEATS):
            await beat(message)
        return (cpu_s([process.process.pid]) - before_s) / BEATS * 1e6


def measure(place: Path, about: dict[str, Any]) -> Costs:
    """Everything."""
    entries, command_us = decided()
    replica = Replica("site-0")
    follow_us = cost_us(lambda n: replica.follow(entries[n]), range(len(entries)))
    with running_server(place) as server:
        about["postgres"] = server.query("SHOW server_version")[0][0]
        found = store_costs(server, entries[-ROWS:]) | wire_costs(server, command_us)
    found |= {"command_us": command_us, "follow_us": follow_us}
    rounded = {name: float(f"{value:.3g}") for name, value in found.items()}
    return Costs(**rounded)


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--report", type=Path, help="write the costs as JSON into this file")
    options = parser.parse_args()
    place = Path(tempfile.gettempdir())
    about = machine(place) | {"at": datetime.now(UTC).isoformat(timespec="seconds")}
    costs = msgspec.to_builtins(measure(place, about))
    for name, value in costs.items():
        print(f"{name:24}{value:>10g}")
    if options.report:
        options.report.parent.mkdir(parents=True, exist_ok=True)
        report = json.dumps({"machine": about, "costs": costs}, indent=1)
        options.report.write_text(report + "\n", "utf-8")


if __name__ == "__main__":
    main()
