"""The servers of a benchmark, each a process of its own.

echo         reads every message and answers it with one message
tuned        the same, with the settings of gRPC that a front has
batching     the same, but whatever is ready goes into one message, as a controller's replies do
bytes        answers without looking: the floor of gRPC itself
controller   `jackpot serve`, for sites that no site file may describe: thirty seats, five bets
naive        one unary RPC and one SQLite commit a wager

python -m emulator.bench.servers ROLE STORE TABLES LINKS SITES
"""

import asyncio
import runpy
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import click
import grpc
import pysqlite3
import uvloop

from emulator.bench.messages import bench_site
from jackpot.tuning import calm_collector
from jackpot.wire.v1 import table_pb2 as pb

PLAY = "/jackpot.v1.TableService/Play"
PLACE = "/jackpot.v1.TableService/PlaceWagers"
RATE_BPS = 2_100


def _answer(number: int) -> pb.PlayResult:
    response = pb.PlaceWagersResponse(sequence=number)
    return pb.PlayResult(number=number, sequence=number, place_wagers=response)


async def _echo(requests: Any, _: Any) -> AsyncIterator[pb.PlayResponse]:
    async for request in requests:
        yield pb.PlayResponse(results=[_answer(c.number) for c in request.commands])


async def _batching(requests: Any, context: Any) -> None:
    """One task reads, another sends whatever is ready."""
    ready: list[pb.PlayResult] = []
    wake, ended = asyncio.Event(), False

    async def read() -> None:
        nonlocal ended
        async for request in requests:
            ready.extend(_answer(c.number) for c in request.commands)
            wake.set()
        ended = True
        wake.set()

    reading = asyncio.create_task(read())
    while not ended or ready:
        await wake.wait()
        wake.clear()
        if ready:
            results, ready[:] = list(ready), []
            await context.write(pb.PlayResponse(results=results))
    await reading


async def _bytes(_: Any, context: Any) -> None:
    canned = pb.PlayResponse(results=[_answer(1)]).SerializeToString()
    while (await context.read()) is not grpc.aio.EOF:
        await context.write(canned)


async def _serve_plain(path: str, handler: Any) -> None:
    server = grpc.aio.server()
    _, service, method = path.split("/")
    server.add_generic_rpc_handlers(
        (grpc.method_handlers_generic_handler(service, {method: handler}),)
    )
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    calm_collector()  # whatever helps the controller helps the others too
    click.echo(f"127.0.0.1:{port}")
    await server.wait_for_termination()


def _typed(handler: Any) -> Any:
    return grpc.stream_stream_rpc_method_handler(
        handler, pb.PlayRequest.FromString, pb.PlayResponse.SerializeToString
    )


def _controller(store: str, tables: int, links: int, sites: int) -> None:
    """The command itself; only what it takes for the site files is made here."""
    from jackpot.rules import site as site_files  # noqa: PLC0415 - too heavy for echoes

    def load(path: Path) -> site_files.SiteFile:
        site = bench_site(tables, links, int(str(path)))
        return site_files.SiteFile(str(path), site, site_files.ServerSettings(), (), (), {})

    site_files.load_site_file = load
    numbers = [word for number in range(sites) for word in ("--site", str(number))]
    # Stores come and go here; a witness would take the next one for a journal that was rolled back.
    where = ["--store", store, "--grpc", "127.0.0.1:0", "--witness", "none"]
    sys.argv = ["jackpot", "serve", *numbers, *where]
    runpy.run_module("jackpot", run_name="__main__")


async def _naive(folder: Path) -> None:
    """What one would write first: a handler that inserts, updates and commits."""
    database = pysqlite3.connect(str(folder / "naive.db"), isolation_level=None)
    database.executescript(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
        "CREATE TABLE IF NOT EXISTS meter (id INTEGER PRIMARY KEY, amount INTEGER);"
        "CREATE TABLE IF NOT EXISTS wager (id INTEGER PRIMARY KEY, table_id TEXT, seat INTEGER,"
        " bet TEXT, amount INTEGER, at TEXT DEFAULT CURRENT_TIMESTAMP);"
        "INSERT OR IGNORE INTO meter VALUES (1, 0);"
    )

    async def place(request: pb.PlaceWagersRequest, _: Any) -> pb.PlaceWagersResponse:
        database.execute("BEGIN IMMEDIATE")
        for wager in request.command.wagers:
            cursor = database.execute(
                "INSERT INTO wager (table_id, seat, bet, amount) VALUES (?, ?, ?, ?)",
                (request.id.table, wager.seat, wager.bet, wager.amount_micros),
            )
            database.execute(
                "UPDATE meter SET amount = amount + ? WHERE id = 1",
                (wager.amount_micros * RATE_BPS // 10_000,),
            )
        database.execute("COMMIT")
        return pb.PlaceWagersResponse(sequence=cursor.lastrowid or 0)

    handler = grpc.unary_unary_rpc_method_handler(
        place, pb.PlaceWagersRequest.FromString, pb.PlaceWagersResponse.SerializeToString
    )
    await _serve_plain(PLACE, handler)


def _roles(store: str) -> dict[str, Callable[[], Coroutine[Any, Any, None]]]:
    return {
        "echo": lambda: _serve_plain(PLAY, _typed(_echo)),
        "tuned": lambda: _serve_plain(PLAY, _typed(_echo)),
        "batching": lambda: _serve_plain(PLAY, _typed(_batching)),
        "bytes": lambda: _serve_plain(PLAY, grpc.stream_stream_rpc_method_handler(_bytes)),
        "naive": lambda: _naive(Path(store)),
    }


def main() -> None:
    """Serve in a role."""
    role, store, *size = sys.argv[1:]
    if role == "controller":
        _controller(store, *map(int, size))
    uvloop.run(_roles(store)[role]())


if __name__ == "__main__":
    main()
