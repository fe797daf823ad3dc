"""`jackpot demo`: a controller with tables that play, and its meters live in the terminal."""

import asyncio
import contextlib
import random
import secrets
import tempfile
from importlib.resources import as_file, files
from pathlib import Path

import click
import grpc
import uvloop

from jackpot.cli.demo_luck import Luck
from jackpot.cli.demo_tables import DemoTable
from jackpot.cli.demo_view import Show
from jackpot.cli.failures import one_line
from jackpot.cli.http import ADDRESS as HTTP_ADDRESS
from jackpot.cli.http import pages_somewhere
from jackpot.cli.serve import make_controller
from jackpot.core.config import Site
from jackpot.display.app import Settings
from jackpot.rules.site import load_site
from jackpot.server.controller import AddressError, Controller
from jackpot.v1 import meter_pb2, meter_pb2_grpc
from table_client.client import open_channel

ADDRESS = "127.0.0.1:7400"
PAUSE_S = 1.0  # between two rounds of a table that plays for people to watch


@click.command()
@click.option("--rounds", type=click.IntRange(1), help="Stop after so many rounds, all tables.")
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep the journal here. [default: a temporary directory]",
)
@click.option("--grpc", "address", metavar="HOST:PORT", help=f"[default: {ADDRESS} if free]")
@click.option(
    "--http", metavar="HOST:PORT", help=f"Signs and pages. [default: {HTTP_ADDRESS} if free]"
)
@click.option("--seed", type=int, help="The same seed deals the same cards.")
@one_line
def demo(
    rounds: int | None, data: Path | None, address: str | None, http: str | None, seed: int | None
) -> None:
    r"""Run a controller with demo links, and tables that play on it, until Ctrl-C.

    Somebody is dealt a winning hand about once a minute, so that there is something to see; with
    --rounds the cards are left to chance.

    \b
    Example:
      jackpot demo --rounds 30 --seed 7
    """
    with contextlib.ExitStack() as stack:
        site_file = stack.enter_context(as_file(files("jackpot.rules") / "data" / "demo.toml"))
        site = load_site(site_file)
        if data is None:
            data = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="jackpot-demo-")))
        show = Show(secrets.randbits(32) if seed is None else seed)
        with (
            contextlib.suppress(KeyboardInterrupt),
            asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
        ):
            runner.run(_run(site, data, address, http, rounds, show))
        show.summary(data)


async def _run(
    site: Site, data: Path, address: str | None, http: str | None, rounds: int | None, show: Show
) -> None:
    controller, where = await _start(site, data, address)
    try:
        async with (
            pages_somewhere(controller, data, http, Settings()) as url,
            open_channel(where) as channel,
        ):
            show.opened(where, url, [link.id for link in site.links])
            await _play(channel, site, rounds, show)
    finally:
        await controller.stop()


async def _start(site: Site, data: Path, address: str | None) -> tuple[Controller, str]:
    """On the usual port if it is free; where a port was asked for, there or not at all."""
    if address is None:
        with contextlib.suppress(AddressError):
            controller = make_controller(site, data)
            return controller, await controller.start(ADDRESS)
    controller = make_controller(site, data)
    return controller, await controller.start(address or "127.0.0.1:0")


async def _play(channel: grpc.aio.Channel, site: Site, rounds: int | None, show: Show) -> None:
    watch = asyncio.create_task(_watch(channel, site.id, show))
    pause_s = PAUSE_S if rounds is None else 0.0
    luck = Luck(random.Random(show.seed)) if rounds is None else None  # noqa: S311 - as below
    try:
        with show.live():
            async with asyncio.TaskGroup() as tables:
                for number, table in enumerate(site.tables):
                    rng = random.Random(f"{show.seed}/{number}")  # noqa: S311 - a demo, replayable
                    player = DemoTable(channel, site, table, rng, show.award, luck)
                    share = None if rounds is None else _share(rounds, number, len(site.tables))
                    tables.create_task(player.play(share, show.tally, pause_s))
            await asyncio.sleep(0.1)  # the last frame is on its way
    finally:
        watch.cancel()


async def _watch(channel: grpc.aio.Channel, site: str, show: Show) -> None:
    stub: meter_pb2_grpc.MeterServiceAsyncStub = meter_pb2_grpc.MeterServiceStub(channel)
    async for response in stub.WatchMeters(meter_pb2.WatchMetersRequest(site=site)):
        show.frame(response)


def _share(rounds: int, number: int, tables: int) -> int:
    """How many of the rounds a table plays, so that a seed always gives the same ones."""
    return rounds // tables + (number < rounds % tables)
