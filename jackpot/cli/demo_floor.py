"""The floor of `jackpot demo`: tables that play whole rounds, on real devices and over real gRPC.

Tables and devices are those of `jackpot-table` and `jackpot-emulator`; only the time is the demo's.
"""

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack
from importlib.resources import as_file, files
from itertools import repeat
from pathlib import Path
from typing import NamedTuple, Protocol

import click
import grpc
import msgspec
import uvloop

from emulator.devices.process import device_process
from jackpot.cli.demo_view import Show
from jackpot.cli.shared.connection import DEFAULT_CONTROLLER
from jackpot.core.commands import Request
from jackpot.core.commands.base import OperatorOrigin
from jackpot.core.commands.operator import ResumeLink
from jackpot.core.config import Site, Table
from jackpot.core.state import State
from jackpot.display.web.app import Settings
from jackpot.display.web.beside import pages_somewhere
from jackpot.rules.site import load_site
from jackpot.server.controller import Controller, make_controller, replay_start_ms
from jackpot.server.errors import seen
from jackpot.server.setup import SetupError, unasked
from jackpot.sources import MACHINE, Sources, clock_micros, replayed
from jackpot.store.opening import is_postgres, open_to_read
from jackpot.store.sqlite import FILE_NAME
from jackpot.wire.address import AddressError, verify_address, verify_free
from table_client.client import TableClient, open_channel
from table_client.controllers import Controllers
from table_client.table.assembly import links_of, open_station, station_config, take_up
from table_client.table.devices.client import DeviceConnection
from table_client.table.devices.device_faults import PPM
from table_client.table.devices.model import Method
from table_client.table.devices.refusals import DeviceLost
from table_client.table.floor import Calls, Floor
from table_client.table.games.catalogue import GAMES
from table_client.table.pace import Pace, PacedDeck, PacedProgressive
from table_client.table.players import SimulatedPlayer
from table_client.table.ports import SideAward
from table_client.table.randomness import seeded
from table_client.table.round import play
from table_client.table.trace import Record
from table_client.table.turns import Turns
from table_client.watching import watch_meters

LOOK = Settings(staff_on_loopback=True)  # a demonstration is for whoever started it
RIGGED_PPM = 50_000  # of players' stacks: with six tables an award every few rounds
_RIGGED = f"The cards are rigged: one hand in {PPM // RIGGED_PPM} is made to win."
_TAKEN_PERCENT = 80  # of the seats
_STAGGER_MS = 5_000  # between the first rounds of two tables


class Watcher(Protocol):
    """Whoever is told what happens."""

    def heard(self, table: str, record: Record) -> None:
        """One step of a round."""

    def awarded(self, table: str, number: int, awards: Sequence[SideAward]) -> None:
        """What a round's hands have won; it is yet to be paid."""

    def played(self, table: str, result: play.RoundResult) -> None:
        """A round is over."""


class House(NamedTuple):
    """What the tables of a floor have in common."""

    site: Site
    channel: grpc.aio.Channel
    devices: DeviceConnection
    turns: Turns
    request_id: Callable[[], str]
    seed: str
    rigged_ppm: int


async def play_floor(house: House, watcher: Watcher, rounds: int | None) -> None:
    """Play so many rounds on all tables together, or until cancelled."""
    tables = house.site.tables
    house.turns.join(len(tables))
    try:
        async with asyncio.TaskGroup() as group:
            for number, table in enumerate(tables):
                share = _share(rounds, number, len(tables))
                group.create_task(_play_table(house, table, watcher, number * _STAGGER_MS, share))
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None  # the first stopped the others


def _share(rounds: int | None, number: int, tables: int) -> int | None:
    """How many of the rounds a table plays, so that a seed always gives the same ones."""
    return None if rounds is None else rounds // tables + (number < rounds % tables)


async def _play_table(
    house: House, table: Table, watcher: Watcher, after_ms: int, rounds: int | None
) -> None:
    site, name, seed = house.site, table.id, house.seed
    links = links_of(site, name)
    game = GAMES[links[0].rule]
    pace = Pace(house.turns, seeded(seed, name, "pace"))
    config = station_config(game, Method.AUTOMATED_SHOE, seed, house.rigged_ppm)
    floor = Floor(house.channel, site.id, house.request_id)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(house.turns.table(after_ms))
        station = await stack.enter_async_context(open_station(house.devices, name, config))
        client = await stack.enter_async_context(
            TableClient(house.channel, site.id, name, request_id=house.request_id)
        )
        await stack.enter_async_context(client.alive())
        await take_up(client, Calls(client, floor))
        await floor.clear(name)
        progressive = PacedProgressive(
            client, floor, pace, lambda awards: watcher.awarded(name, seated.rounds, awards)
        )
        seated = play.Table(
            game,
            PacedDeck(station, config, pace),
            progressive,
            listener=lambda record: watcher.heard(name, record),
        )
        players = _players(table, seed)
        for _ in repeat(None) if rounds is None else repeat(None, rounds):
            watcher.played(name, await seated.play_round(players))
        await progressive.use_decks((), by_hand=False)  # the cards leave the table


def _players(table: Table, seed: str) -> dict[int, SimulatedPlayer]:
    """Who sits where; at least one plays."""
    draws = seeded(seed, table.id, "seats")
    taken = [seat for seat in range(1, table.seats + 1) if draws.below(100) < _TAKEN_PERCENT]
    return {seat: SimulatedPlayer(f"{table.id} {seat}", seed) for seat in taken or [1]}


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


def run_demo(options: Options, *, json_: bool) -> None:
    """Run the demo until its rounds are played or Ctrl-C, then print what became of it."""
    with as_file(files("jackpot.rules") / "data" / "demo.toml") as site_file:
        site = load_site(site_file)
    show = Show(site, options.seed, json_=json_)
    with (
        contextlib.suppress(KeyboardInterrupt, asyncio.CancelledError),
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        try:
            runner.run(_run(site, options, show))
        except DeviceLost as lost:  # the process did not start
            raise click.ClickException(str(lost)) from lost
    show.summary(options.data)


def _verify_data(data: Path, site: str) -> None:
    """Raise where a directory can't be the demo's, because another site's journal is there."""
    if is_postgres(data) or not (data / FILE_NAME).exists():
        return
    with contextlib.closing(open_to_read(data)) as journal:
        held = journal.heads()
    if unasked(held, [site], ()):
        raise SetupError(
            f"{data} holds the journal of {', '.join(sorted(held))}; nothing was written. "
            "To start a demo, choose an empty directory"
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
        raise AddressError(f"--grpc and --http are both {options.http}; give each its own port")
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
        pages_somewhere(controller, options.data, options.http, LOOK) as url,
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
    await _resume(controller, sources)
    try:
        yield controller, where
    finally:
        await controller.stop()


async def _start(site: Site, options: Options, sources: Sources) -> tuple[Controller, str]:
    """On the usual port if it is free; where a port was asked for, there or not at all."""
    if options.address is None:
        with contextlib.suppress(AddressError):
            controller = make_controller(site, options.data, sources=sources)
            return controller, await controller.start(DEFAULT_CONTROLLER)
    controller = make_controller(site, options.data, sources=sources)
    return controller, await controller.start(options.address or "127.0.0.1:0")


async def _resume(controller: Controller, sources: Sources) -> None:
    """Resume the links of an old demo, which had no controller since then."""
    engine, site = controller.engine, controller.site.id

    def away(state: State) -> list[str]:
        return [name for name, link in state.links.items() if link.away_micros]

    for link in seen(await engine.read(site, away)):
        origin = OperatorOrigin("demo", sources.request_id())
        await engine.execute(Request(site, origin, ResumeLink(link)))


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
