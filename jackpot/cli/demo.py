"""`jackpot demo`: a whole floor at work, live in the terminal.

A controller, its pages, a process with shufflers and shoes, and six tables of three games.
"""

import asyncio
import contextlib
import secrets
import signal
import tempfile
from collections.abc import AsyncIterator
from importlib.resources import as_file, files
from pathlib import Path

import click
import grpc
import msgspec
import uvloop

from emulator.devices.child import device_process
from jackpot.cli.demo_floor import RIGGED_PPM, House, play_floor
from jackpot.cli.demo_view import Show
from jackpot.console import FiniteRange, one_line
from jackpot.core.config import Site
from jackpot.display.web.app import Settings
from jackpot.display.web.beside import ADDRESS as HTTP_ADDRESS
from jackpot.display.web.beside import pages_somewhere
from jackpot.rules.site import load_site
from jackpot.server.assembly import make_controller, replay_start_ms
from jackpot.server.controller import Controller
from jackpot.server.setup import SetupError, unasked
from jackpot.sources import MACHINE, Sources, clock_micros, replayed
from jackpot.store.opening import is_postgres, open_to_read
from jackpot.store.sqlite import FILE_NAME
from jackpot.wire.address import AddressError, verify_address, verify_free
from table_client.client import open_channel
from table_client.controllers import Controllers
from table_client.meters import watch_meters
from table_client.table.devices.client import DeviceConnection
from table_client.table.devices.faults import PPM
from table_client.table.devices.refusals import DeviceLost
from table_client.table.turns import Turns

ADDRESS = "127.0.0.1:7400"
SPEED = 8.0  # so that something happens every few seconds
_RIGGED = f"Rigged, to have something to see: one hand in {PPM // RIGGED_PPM} is made to win."


class Options(msgspec.Struct, frozen=True):
    """What the command line asks for."""

    rounds: int | None
    data: Path
    address: str | None
    http: str | None
    seed: str
    speed: float
    fair: bool
    fault_rate_ppm: int


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
@click.option(
    "--speed",
    type=FiniteRange(0, 1_000),
    help=f"Times as fast as people play; 0: at once. [default: {SPEED:g}, with --rounds 0]",
)
@click.option("--fair", is_flag=True, help="Leave the cards to chance; jackpots are rare then.")
@click.option(
    "--fault-rate",
    type=click.IntRange(0, PPM),
    default=0,
    show_default=True,
    metavar="PPM",
    help="How often each fault of devices and cards happens, in a million chances.",
)
@click.option("--json", "json_", is_flag=True, help="One line of JSON a round.")
@one_line
def demo(
    rounds: int | None,
    data: Path | None,
    address: str | None,
    http: str | None,
    seed: int | None,
    speed: float | None,
    fault_rate: int,
    *,
    fair: bool,
    json_: bool,
) -> None:
    r"""Run a controller, shufflers and shoes, and six tables on it, until Ctrl-C.

    The cards are rigged, so that an award falls every few rounds; --fair leaves them to chance.
    With --rounds the time is the demo's own too: the same seed gives the same journal.

    \b
    Example:
      jackpot demo --rounds 30 --seed 7
    """
    with contextlib.ExitStack() as stack:
        site_file = stack.enter_context(as_file(files("jackpot.rules") / "data" / "demo.toml"))
        site = load_site(site_file)
        if data is None:
            data = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="jackpot-demo-")))
        if speed is None:
            speed = SPEED if rounds is None else 0
        name = str(secrets.randbits(32) if seed is None else seed)
        options = Options(rounds, data, address, http, name, speed, fair, fault_rate)
        show = Show(site, name, json_=json_)
        with (
            contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError),
            asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
        ):
            try:
                runner.run(_run(site, options, show))
            except DeviceLost as lost:  # the process did not start
                raise click.ClickException(str(lost)) from lost
        show.summary(data)


def _verify_data(data: Path, site: str) -> None:
    """Raise where a directory can't be the demo's, because another site's journal is there."""
    if is_postgres(data) or not (data / FILE_NAME).exists():
        return
    with contextlib.closing(open_to_read(data)) as journal:
        held = journal.heads()
    if unasked(held, [site], ()):
        raise SetupError(
            f"{data} holds the journal of {', '.join(sorted(held))}: nothing was written. "
            "Give the demo a directory of its own"
        )


async def _run(site: Site, options: Options, show: Show) -> None:
    task = asyncio.current_task()
    if task is not None:  # ends as with Ctrl-C, and takes the device process along
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    for asked in (options.address, options.http):  # before anything is journaled
        if asked is not None:
            verify_address(asked)
            verify_free(asked)
    if options.address == options.http is not None and not options.http.endswith(":0"):
        raise AddressError(f"{options.http}: cannot listen there twice")
    _verify_data(options.data, site.id)
    start_ms = clock_micros() // 1_000
    if options.rounds is not None:
        start_ms = replay_start_ms(options.data, site.id)
    turns = Turns(start_ms, options.speed)
    sources = MACHINE
    if options.rounds is not None:
        sources = replayed(options.seed, start_ms, turns.now_micros)
    # The process first, while nothing of gRPC runs yet that a fork would disturb. Its devices wait
    # for nobody: they say how long a step takes, and the floor's time passes by it.
    async with (
        device_process("--speed", "0", "--fault-rate", str(options.fault_rate_ppm)) as devices,
        _controller(site, options, sources) as (controller, where),
        pages_somewhere(controller, options.data, options.http, Settings()) as url,
        DeviceConnection(devices) as connection,
        open_channel(where) as channel,
    ):
        rigged_ppm, rigged = (0, "") if options.fair else (RIGGED_PPM, _RIGGED)
        show.opened(where, devices, url, [link.id for link in site.links], rigged)
        house = House(
            site, channel, connection, turns, sources.request_id, options.seed, rigged_ppm
        )
        await _play(house, options.rounds, show)


@contextlib.asynccontextmanager
async def _controller(
    site: Site, options: Options, sources: Sources
) -> AsyncIterator[tuple[Controller, str]]:
    controller, where = await _start(site, options, sources)
    try:
        yield controller, where
    finally:
        await controller.stop()


async def _start(site: Site, options: Options, sources: Sources) -> tuple[Controller, str]:
    """On the usual port if it is free; where a port was asked for, there or not at all."""
    if options.address is None:
        with contextlib.suppress(AddressError):
            controller = make_controller(site, options.data, sources=sources)
            return controller, await controller.start(ADDRESS)
    controller = make_controller(site, options.data, sources=sources)
    return controller, await controller.start(options.address or "127.0.0.1:0")


async def _play(house: House, rounds: int | None, show: Show) -> None:
    watch = asyncio.create_task(_watch(house.channel, house.site.id, show))
    try:
        with show.live():
            await play_floor(house, show, rounds)
            await asyncio.sleep(0.1)  # the last frame is on its way
    finally:
        watch.cancel()


async def _watch(channel: grpc.aio.Channel, site: str, show: Show) -> None:
    async for link in watch_meters(Controllers([channel]), site):
        show.meters(link)
