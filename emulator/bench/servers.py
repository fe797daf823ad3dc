"""The servers of a benchmark, each a process of its own.

echo         reads every message and answers it with one message
batching     the same, but whatever is ready goes into one message, as a controller's replies do
bytes        answers without looking: the floor of gRPC itself
controller   this controller on its store, as `jackpot serve` runs it
pages        the same with signs and pages
naive        one unary RPC and one SQLite commit a wager

python -m emulator.bench.servers ROLE STORE TABLES LINKS SITES
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import grpc
import pysqlite3
import uvloop

from emulator.bench.messages import bench_site
from jackpot.server.garbage_collection import calm_collector
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
    await _until_told(f"127.0.0.1:{port}")
    await server.stop(None)


async def _until_told(address: str) -> None:
    """Say where, and serve until the other end of the pipe is closed."""
    sys.stdout.write(address + "\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)


def _typed(handler: Any) -> Any:
    return grpc.stream_stream_rpc_method_handler(
        handler, pb.PlayRequest.FromString, pb.PlayResponse.SerializeToString
    )


async def _controller(store: str, tables: int, links: int, sites: int, *, shown: bool) -> None:
    # Echoes don't carry the weight of these.
    from jackpot.display.web.app import Settings  # noqa: PLC0415
    from jackpot.display.web.beside import FREE, pages  # noqa: PLC0415
    from jackpot.server.assembly import make_controller  # noqa: PLC0415

    first, *more = (bench_site(tables, links, number) for number in range(sites))
    controller = make_controller(first, store, None, *more)
    address = await controller.start("127.0.0.1:0")
    calm_collector()
    if shown:
        async with pages(controller, store, FREE, Settings()) as url:
            await _until_told(f"{address} {url}")
    else:
        await _until_told(address)
    await controller.stop()


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


def _roles(store: str, *size: int) -> dict[str, Callable[[], Awaitable[None]]]:
    return {
        "echo": lambda: _serve_plain(PLAY, _typed(_echo)),
        "batching": lambda: _serve_plain(PLAY, _typed(_batching)),
        "bytes": lambda: _serve_plain(PLAY, grpc.stream_stream_rpc_method_handler(_bytes)),
        "controller": lambda: _controller(store, *size, shown=False),
        "pages": lambda: _controller(store, *size, shown=True),
        "naive": lambda: _naive(Path(store)),
    }


def main() -> None:
    """Serve in a role."""
    role, store, *size = sys.argv[1:]
    serve = _roles(store, *map(int, size))[role]

    async def run() -> None:
        await serve()

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(run())


if __name__ == "__main__":
    main()
