"""`jackpot-emulator bench costs`: what a wager costs on PostgreSQL, piece by piece.

Processor time, not time on the clock, so that a busy machine disturbs little: of this process for
what a controller does, of the server's for what the database does. What gRPC costs can't be had
alone: it is what remains of a real controller's time, once for messages that come one by one and
once for many at a time. `bench scaling` simulates a whole group's floor from these costs.
"""

import itertools
import signal
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import grpc
import msgspec
import uvloop
from msgspec.structs import astuple

from emulator.bench.cluster import Cluster, cluster_of
from emulator.bench.load import attach
from emulator.bench.messages import SITE, bench_site, commands
from emulator.bench.postgres import PostgresServer
from emulator.bench.processes import BenchError
from emulator.bench.report import machine, present
from emulator.bench.simulation import Costs
from emulator.linux_process import cpu_s
from jackpot.core.commands import AnyCommand, Request
from jackpot.core.commands.base import OperatorOrigin
from jackpot.core.commands.operator import AttachTable, DefineLink, DefineTable, PutInService
from jackpot.engine.batch import Batch, Decider
from jackpot.engine.messages import Job, Limits
from jackpot.engine.replica import Replica
from jackpot.rules.hands import names
from jackpot.server.codec.table import play_requests
from jackpot.sources import clock_micros, draw_entropy
from jackpot.store.journal import GENESIS, Entry, Head, chained
from jackpot.store.postgres import PostgresJournal
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import table_pb2

ROWS = 30  # in a commit of many
SITES = 200  # in a poll of many
_INSERT_SITES = """
INSERT INTO costs.streams SELECT 's' || n, 1, '', 0 FROM generate_series(0, 199) AS n
"""


class Size(NamedTuple):
    """How much is measured."""

    commands: int = 6_000
    commits: int = 1_500
    beats: int = 2_000
    runs: int = 3
    messages: int = 6_000  # a run of many tables; a fifth of them for one table alone
    tables: int = 24


QUICK = Size(1_500, 300, 300, 1, 1_200)


class Kept:
    """A transaction that only keeps what is appended."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []

    def append(self, _site: str, entries: list[Entry]) -> None:
        """Add entries."""
        self.entries += entries


def decided(count: int) -> tuple[list[Entry], float]:
    """Many commands decided as the engine does: their entries, and what one command cost."""
    site, kept = bench_site(2), Kept()
    replica, decider = Replica(site.id), Decider(names, clock_micros, draw_entropy, Limits())

    def run(requests: list[Request]) -> None:
        batch = Batch(decider, {site.id: replica}, {}, kept)  # type: ignore[arg-type]
        batch.run([Job(request, lambda _: None, None) for request in requests])
        batch.append()

    setup: list[AnyCommand] = [*map(DefineLink, site.links), *map(DefineTable, site.tables)]
    setup += [*map(PutInService, site.in_service), AttachTable("t0")]
    run([Request(site.id, OperatorOrigin("costs", new_request_id()), each) for each in setup])
    numbers, source = itertools.count(1), commands("wagers", 0, 1)
    requests: list[Request] = []
    while len(requests) < count:
        sent = [table_pb2.PlayCommand(number=next(numbers), **each) for each in next(source)]
        message = table_pb2.PlayRequest(site=site.id, table="t0", epoch=1, commands=sent)
        requests += [request for *_, request in play_requests(message)]
    command_us = cost_us(lambda n: run(requests[n : n + ROWS]), range(0, count, ROWS)) / ROWS
    if refused := [entry.sequence for entry in kept.entries if entry.kind == "Refused"]:
        raise BenchError(f"commands were refused, the first at entry {refused[0]}")
    return kept.entries, command_us


def cost_us(act: Callable[[int], object], over: Sequence[int], pid: int = 0) -> float:
    """Processor time of one act, of this process or of another."""
    began = cpu_s(pid) if pid else time.process_time()
    for each in over:
        act(each)
    return ((cpu_s(pid) if pid else time.process_time()) - began) / len(over) * 1e6


def store_costs(server: PostgresServer, entries: list[Entry], commits: int) -> dict[str, float]:
    """What the database does for a commit, for a row of it, for a lock and for a poll."""
    site, head, found = "s", GENESIS, {}
    often = range(commits)

    def appended(journal: PostgresJournal, rows: int) -> None:
        nonlocal head
        added = []
        for entry in entries[:rows]:
            added.append(chained(site, head.hash, head.sequence + 1, *astuple(entry)[1:-1]))
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
        many = cost_us(lambda _: appended(one, ROWS), often, one.backend_pid)
        found["log_bytes"] = (log_bytes(server) - before) / commits / ROWS
        (size,) = server.query("SELECT pg_total_relation_size('costs.events')")[0]
        found["row_bytes"] = size / head.sequence
        single = cost_us(lambda _: appended(one, 1), often, one.backend_pid)
        found["database_row_us"] = (many - single) / (ROWS - 1)
        found["database_commit_us"] = single - found["database_row_us"]

        def in_turn(_: int) -> None:
            appended(one, 1)
            two.head(site)  # from the first time on, each knows that the other writes too
            appended(two, 1)
            one.head(site)

        two.head(site)
        locked = cost_us(in_turn, often, one.backend_pid)
        looks = cost_us(lambda _: one.head(site), often, one.backend_pid)
        found["database_lock_us"] = max(0.0, locked - looks - single)
        sites = [f"s{n}" for n in range(SITES)]
        server.query(_INSERT_SITES)
        poll = cost_us(lambda _: one.heads(["s"]), often, one.backend_pid)
        polls = cost_us(lambda _: one.heads(sites), often, one.backend_pid)
        found["database_poll_site_us"] = max(0.1, (polls - poll) / (SITES - 1))
        found["database_poll_us"] = poll
        poll = cost_us(lambda _: one.heads(["s"]), often)
        polls = cost_us(lambda _: one.heads(sites), often)
        found["poll_us"], found["poll_site_us"] = poll, (polls - poll) / (SITES - 1)
    return found


def log_bytes(server: PostgresServer) -> int:
    """How much the write-ahead log has had since the beginning."""
    return int(server.query("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")[0][0])


def wire_costs(server: PostgresServer, command_us: float, size: Size) -> dict[str, float]:
    """What a message and a commit cost a controller besides, and what a heartbeat does."""
    with cluster_of(server, "wire", 1, size.tables) as one:
        runs = [
            one.run(tables, 1, messages, spread=tables > 1)
            for _ in range(size.runs)
            for tables, messages in ((size.tables, size.messages), (1, size.messages // 5))
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
        one.signal(signal.SIGCONT)
        beat_us = uvloop.run(heartbeats(one, size.beats))
    message_us = many[0] - command_us - many[1] * commit_us
    return {"commit_us": commit_us, "message_us": message_us, "heartbeat_us": beat_us}


async def heartbeats(cluster: Cluster, beats: int) -> float:
    """Processor time of a heartbeat; tables beat one by one."""
    (controller,) = cluster.controllers
    async with grpc.aio.insecure_channel(controller.address) as channel:
        epoch = await attach(channel, SITE, "t0")
        beat: Any = channel.unary_unary(
            "/jackpot.v1.TableService/Heartbeat",
            request_serializer=table_pb2.HeartbeatRequest.SerializeToString,
        )
        message = table_pb2.HeartbeatRequest(site=SITE, table="t0", epoch=epoch)
        before_s = cpu_s(controller.pid)
        for _ in range(beats):
            await beat(message)
        return (cpu_s(controller.pid) - before_s) / beats * 1e6


def measure_costs(server: PostgresServer, size: Size) -> Costs:
    """Everything."""
    entries, command_us = decided(size.commands)
    replica = Replica(SITE)
    follow_us = cost_us(lambda n: replica.follow(entries[n]), range(len(entries)))
    found = store_costs(server, entries[-ROWS:], size.commits)
    found |= wire_costs(server, command_us, size)
    found |= {"command_us": command_us, "follow_us": follow_us}
    rounded = {name: float(f"{value:.3g}") for name, value in found.items()}
    return Costs(**rounded)


def run(report: Path | None, *, quick: bool, as_json: bool) -> None:
    """Run it as `jackpot-emulator bench costs` does."""
    place = Path(tempfile.gettempdir())
    about = machine(place)
    with PostgresServer.running(place) as server:
        about["postgres"] = server.version()
        found = msgspec.to_builtins(measure_costs(server, QUICK if quick else Size()))
    lines = [f"{name:24}{value:>10g}" for name, value in found.items()]
    present("costs", {"machine": about, "costs": found}, lines, report, as_json=as_json)
