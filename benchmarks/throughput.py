"""How many durable commands a controller takes, next to a bare echo of the same messages.

Three processes: a real controller on a real SQLite file; a server of the same service that reads
every message and answers it with one message, and does nothing else; and this one, which makes
the load. A third figure, "bytes", is the same server not even reading the messages. Runs alternate,
so that whatever else the machine does hits all; medians and the whole spread are shown. Messages
are built before the clock starts.

  wagers  PlaceWagers with six wagers a message on one Play stream a table; every 26th message
          voids the full round and opens the next
  rounds  whole rounds, as a table would batch them: open and wagers, lock-out and count, settle

Run it from the repository: `python benchmarks/throughput.py [--quick] [--json]`.
"""

import argparse
import asyncio
import itertools
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import grpc
import uvloop

from jackpot.core.config import Bet, Level, Link, PayLine, Site, Table
from jackpot.engine import Engine
from jackpot.request_id import new_request_id
from jackpot.rules.cards import DECK
from jackpot.rules.hands import names
from jackpot.server.collector import calm_collector
from jackpot.server.controller import Controller
from jackpot.store.sqlite import SqliteJournal
from jackpot.v1 import table_pb2

GOAL_WAGERS_PER_S = 20_000
GOAL_OF_ECHO = 1.0
PLAY, BYTES = "/jackpot.v1.TableService/Play", "/benchmark/Bytes"
SITE, LINK = "bench", "link"
BETS = tuple(f"bet-{n}" for n in range(5))
SEATS = 30
DOLLAR = 1_000_000
WAGERS = 6
MOST_TABLES = 64


def site() -> Site:
    """Tables so large that a round takes 25 messages of six wagers."""
    paytable = (PayLine("royal-flush", "main", 10_000), PayLine("straight-flush", "main", 1_000))
    bets = tuple(Bet(bet, "five-card", paytable) for bet in BETS)
    level = Level("main", 10_000 * DOLLAR, 10_000 * DOLLAR, 2_100)
    link = Link(LINK, "Benchmark", "benchmark", DOLLAR, (level,), bets)
    tables = tuple(
        Table(f"t{n}", "benchmark", (LINK,), SEATS, 5, dealer_cards=5) for n in range(MOST_TABLES)
    )
    return Site(SITE, (link,), tables, in_service=(LINK,))


# -- the two servers ------------------------------------------------------------------------------


async def serve_controller(directory: str) -> None:
    """A controller as `jackpot serve` runs it."""
    engine = Engine(lambda: SqliteJournal.open(Path(directory)), names, sites=[SITE])
    controller = Controller(engine, site())
    address = await controller.start("127.0.0.1:0")
    calm_collector()
    print(address, flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await controller.stop()


async def echo(requests: Any, _: Any) -> AsyncIterator[table_pb2.PlayResponse]:
    """Every message is read as what it is and answered with one message; nothing else happens."""
    async for request in requests:
        yield table_pb2.PlayResponse(results=[answer(c.number) for c in request.commands])


def answer(number: int) -> table_pb2.PlayResult:
    """What a controller would say of six wagers."""
    response = table_pb2.PlaceWagersResponse(sequence=number)
    return table_pb2.PlayResult(number=number, sequence=number, place_wagers=response)


async def serve_bytes(_: Any, context: Any) -> None:
    """A canned answer for every message, which is not even looked at."""
    canned = table_pb2.PlayResponse(results=[answer(1)]).SerializeToString()
    while (await context.read()) is not grpc.aio.EOF:
        await context.write(canned)


async def serve_echo(_: str) -> None:
    """The floor: what gRPC itself costs. Play echoes messages, Bytes not even those."""
    server = grpc.aio.server()
    play: Any = grpc.stream_stream_rpc_method_handler(
        echo,
        table_pb2.PlayRequest.FromString,
        table_pb2.PlayResponse.SerializeToString,
    )
    raw: Any = grpc.stream_stream_rpc_method_handler(serve_bytes)
    for path, handler in ((PLAY, play), (BYTES, raw)):
        _, service, method = path.split("/")
        handlers = grpc.method_handlers_generic_handler(service, {method: handler})
        server.add_generic_rpc_handlers((handlers,))
    print(f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}", flush=True)
    await server.start()
    await asyncio.to_thread(sys.stdin.read)
    await server.stop(None)


class Server(NamedTuple):
    """A server's process and where it listens."""

    process: "subprocess.Popen[str]"
    address: str


def start(role: str, directory: str) -> Server:
    """Start one of the two."""
    process = subprocess.Popen(
        [sys.executable, __file__, "--role", role, "--data", directory],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    return Server(process, process.stdout.readline().strip())


# -- messages -------------------------------------------------------------------------------------


def command(number: int, **kind: Any) -> table_pb2.PlayCommand:
    """A command of a Play stream."""
    return table_pb2.PlayCommand(number=number, **kind)


def placed(seats: range, bet: str) -> table_pb2.PlaceWagers:
    """A dollar from each seat."""
    return table_pb2.PlaceWagers(
        wagers=[table_pb2.Wager(seat=seat, bet=bet, amount_micros=DOLLAR) for seat in seats]
    )


def wager_commands() -> Iterator[dict[str, Any]]:
    """Messages of six wagers; a full round is voided. Each item is one message's commands."""
    void = table_pb2.VoidRound(irregularity="benchmark", floorperson="benchmark")
    yield {"open_round": table_pb2.OpenRound()}
    while True:
        for bet in BETS:
            for first in range(1, SEATS, WAGERS):
                yield {"place_wagers": placed(range(first, first + WAGERS), bet)}
        yield {"void_round": void, "open_round": table_pb2.OpenRound()}


def losing_deals(count: int) -> list[table_pb2.Settle]:
    """Hands for six seats and the dealer that win nothing."""
    draw, paying = random.Random(657), {"royal-flush", "straight-flush"}
    deals: list[table_pb2.Settle] = []
    while len(deals) < count:
        cards = draw.sample(DECK, 5 * (WAGERS + 1))
        hands = [cards[n : n + 5] for n in range(0, len(cards), 5)]
        if any(paying & set(names("five-card", tuple(hand))) for hand in hands):
            continue
        seats = [
            table_pb2.SeatHand(seat=seat, cards=hand, fate=table_pb2.FATE_PLAYED)
            for seat, hand in enumerate(hands[1:], 1)
        ]
        deals.append(table_pb2.Settle(hands=seats, dealer=hands[0]))
    return deals


def round_commands() -> Iterator[dict[str, Any]]:
    """Whole rounds of six wagers, three messages each."""
    count = table_pb2.ConfirmCollection(chips={BETS[0]: WAGERS})
    six = placed(range(1, WAGERS + 1), BETS[0])
    for settle in itertools.cycle(losing_deals(64)):
        yield {"open_round": table_pb2.OpenRound(), "place_wagers": six}
        yield {"lock_out": table_pb2.LockOut(), "confirm_collection": count}
        yield {"settle": settle}


def messages(kind: str, table: str, epoch: int, count: int) -> list[tuple[bytes, int]]:
    """Serialised messages with the number of their commands."""
    source = wager_commands() if kind == "wagers" else round_commands()
    number, made = 1, []
    for kinds in itertools.islice(source, count):
        commands = []
        for name, content in kinds.items():
            commands.append(command(number, **{name: content}))
            number += 1
        message = table_pb2.PlayRequest(site=SITE, table=table, epoch=epoch, commands=commands)
        made.append((message.SerializeToString(), len(commands)))
    return made


# -- the load -------------------------------------------------------------------------------------


async def stream(channel: Any, load: list[tuple[bytes, int]], window: int, path: str) -> None:
    """Send a table's messages, so many ahead of the answers, until all are answered."""
    call = channel.stream_stream(path)()
    room = asyncio.Semaphore(window)
    parse = table_pb2.PlayResponse.FromString

    async def send() -> None:
        for raw, _ in load:
            await room.acquire()
            await call.write(raw)
        await call.done_writing()

    sending = asyncio.create_task(send())
    left = 0
    for _, commands in load:
        left += commands
        while left > 0:
            results = parse(await call.read()).results
            left -= commands if path == BYTES else len(results)
            for result in results:
                assert result.WhichOneof("result") != "error", result
        room.release()
    await sending


async def attach(channel: Any, table: str) -> int:
    """Speak for a table; its new epoch."""
    call = channel.unary_unary(
        "/jackpot.v1.TableService/Attach",
        request_serializer=table_pb2.AttachRequest.SerializeToString,
        response_deserializer=table_pb2.AttachResponse.FromString,
    )
    request = table_pb2.AttachRequest(site=SITE, table=table, request_id=new_request_id())
    answer = await call(request)
    if answer.round.phase in (table_pb2.ROUND_PHASE_OPEN, table_pb2.ROUND_PHASE_LOCKED):
        await void(channel, table, answer.epoch)
        return await attach(channel, table)
    return int(answer.epoch)


async def void(channel: Any, table: str, epoch: int) -> None:
    """End the round that an earlier run left open."""
    call = channel.unary_unary(
        "/jackpot.v1.TableService/VoidRound",
        request_serializer=table_pb2.VoidRoundRequest.SerializeToString,
        response_deserializer=table_pb2.VoidRoundResponse.FromString,
    )
    which = table_pb2.CommandId(site=SITE, table=table, epoch=epoch, number=1)
    undo = table_pb2.VoidRound(irregularity="benchmark", floorperson="benchmark")
    await call(table_pb2.VoidRoundRequest(id=which, command=undo))


class Target(NamedTuple):
    """What a run is made against."""

    address: str
    path: str
    attaches: bool


async def one_run(target: Target, kind: str, tables: int, count: int) -> float:
    """Messages a second over all tables."""
    window = {8: 16, 64: 4}[tables] if kind == "wagers" else 6
    async with grpc.aio.insecure_channel(target.address) as channel:
        load = []
        for n in range(tables):
            epoch = await attach(channel, f"t{n}") if target.attaches else 1
            load.append(messages(kind, f"t{n}", epoch, count // tables))
        began = time.perf_counter()
        await asyncio.gather(*(stream(channel, each, window, target.path) for each in load))
        return sum(map(len, load)) / (time.perf_counter() - began)


class Result(NamedTuple):
    """A scenario's rates over all runs."""

    kind: str
    tables: int
    controller: list[float]
    echo: list[float]
    raw: list[float]

    @property
    def unit(self) -> tuple[str, float]:
        """What a person counts, and how many of them a message is worth."""
        return ("wagers", 25 * WAGERS / 26) if self.kind == "wagers" else ("rounds", 1 / 3)

    @property
    def of_echo(self) -> list[float]:
        """Each run against the echo that ran beside it."""
        return [mine / theirs for mine, theirs in zip(self.controller, self.echo, strict=True)]

    def lines(self) -> Iterator[str]:
        """For a person."""
        unit, worth = self.unit
        rates = [rate * worth for rate in self.controller]
        yield f"{self.kind}, {self.tables} tables"
        yield f"  controller {shown(self.controller)} messages/s"
        yield f"  echo       {shown(self.echo)} messages/s"
        yield f"  bytes      {shown(self.raw)} messages/s"
        yield f"  durable    {shown(rates)} {unit}/s"
        low, high = min(self.of_echo), max(self.of_echo)
        yield f"  of echo    {median(self.of_echo):8.2f}  ({low:.2f} to {high:.2f})"

    def summary(self) -> dict[str, object]:
        """For a machine."""
        unit, worth = self.unit
        return {
            "scenario": self.kind,
            "tables": self.tables,
            "messages_per_s": self.controller,
            "echo_messages_per_s": self.echo,
            "bytes_messages_per_s": self.raw,
            f"{unit}_per_s": median(self.controller) * worth,
            "of_echo": median(self.of_echo),
        }


def shown(rates: list[float]) -> str:
    """A median and its spread."""
    return f"{median(rates):8,.0f}  ({min(rates):,.0f} to {max(rates):,.0f})"


def main() -> None:
    """Run every scenario and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer and shorter runs")
    parser.add_argument("--json", action="store_true", help="for machines")
    parser.add_argument("--only", choices=["wagers", "rounds"], help="one scenario")
    parser.add_argument("--role", choices=["controller", "echo"], help=argparse.SUPPRESS)
    parser.add_argument("--data", help="keep the journal here")
    options = parser.parse_args()
    if options.role:
        serve = serve_controller if options.role == "controller" else serve_echo
        uvloop.run(serve(options.data))
        return
    runs, count = (3, 6_000) if options.quick else (7, 12_000)
    results = []
    with tempfile.TemporaryDirectory(dir=".") as scratch:
        directory = options.data or scratch
        controller, echo = start("controller", directory), start("echo", directory)
        targets = (
            Target(controller.address, PLAY, attaches=True),
            Target(echo.address, PLAY, attaches=False),
            Target(echo.address, BYTES, attaches=False),
        )
        try:
            for kind, tables in (("wagers", 8), ("wagers", 64), ("rounds", 8), ("rounds", 64)):
                if options.only in (None, kind):
                    result = uvloop.run(compare(kind, tables, runs, count, targets))
                    results.append(result)
                    if not options.json:
                        print(*result.lines(), sep="\n", flush=True)
        finally:
            for server in (controller, echo):
                server.process.communicate("")
    if options.json:
        print(json.dumps([result.summary() for result in results]))


async def compare(
    kind: str, tables: int, runs: int, count: int, targets: tuple[Target, ...]
) -> Result:
    """Take turns; the first turn only warms everybody up."""
    rates: tuple[list[float], ...] = tuple([] for _ in targets)
    for run in range(runs + 1):
        for target, seen in zip(targets, rates, strict=True):
            rate = await one_run(target, kind, tables, count)
            if run:
                seen.append(rate)
    return Result(kind, tables, *rates)


if __name__ == "__main__":
    main()
