"""`jackpot-table`: runs one table, against a controller or one of its own."""

import asyncio
import contextlib
import itertools
import json
import secrets
import tempfile
from collections.abc import AsyncIterator
from importlib.resources import as_file, files
from pathlib import Path

import click
import grpc
import msgspec
import uvloop

from emulator.devices.client import DeviceConnection
from emulator.devices.clock import DeviceClock
from emulator.devices.local import LocalDevices
from emulator.devices.model import Method
from jackpot.auth.client import Identity
from jackpot.cli.failures import one_line
from jackpot.cli.replay import replay_start_ms
from jackpot.cli.serve import make_controller
from jackpot.core.config import Site
from jackpot.rules.site import load_site
from jackpot.sources import MACHINE, REPLAY_START_MS, Sources, replayed
from table_client.assembly import links_of, open_station, station_config, take_up
from table_client.client import TableClient, open_channel
from table_client.devices import DeviceDeck
from table_client.floor import Floor
from table_client.games.catalogue import GAMES
from table_client.games.model import Game
from table_client.outbox import Outbox
from table_client.players import SimulatedPlayer
from table_client.progressive import LinkedProgressive
from table_client.round.play import Table
from table_client.telling import as_json, in_a_line
from table_client.trace import lines

_FILE = click.Path(path_type=Path, dir_okay=False)


class Options(msgspec.Struct, frozen=True):
    """What the command line asks for."""

    game: str
    seed: str
    rounds: int | None
    players: int
    dealing: str
    trace: bool
    json: bool
    controller: str | None
    data: Path | None
    site: Path | None
    table: str | None
    devices: str | None
    outbox: Path | None
    identity: Identity | None


_EXAMPLE = (
    """\b
Games:
  """
    + "\n  ".join(sorted(GAMES))
    + """

\b
Example:
  jackpot-table --game pa-crazy-4-poker --seed 7 --trace
  jackpot-table --game pa-2011-caribbean-stud --rounds 100
"""
)


@click.command(epilog=_EXAMPLE)
@click.option(
    "--game", type=click.Choice(sorted(GAMES)), required=True, metavar="NAME", help="See below."
)
@click.option("--seed", help="The same seed deals the same cards. [default: a new one]")
@click.option("--rounds", type=click.IntRange(1), default=1, show_default=True, help="How many.")
@click.option("--forever", is_flag=True, help="Until Ctrl-C.")
@click.option(
    "--players", type=click.IntRange(1, 14), default=4, show_default=True, help="Seats taken."
)
@click.option(
    "--dealing",
    type=click.Choice(["hand", "manual-shoe", "automated-shoe", "continuous-shoe"]),
    default="automated-shoe",
    show_default=True,
    help="How the cards are dealt.",
)
@click.option("--trace", is_flag=True, help="Print every step with its clause.")
@click.option("--json", "json_", is_flag=True, help="One line of JSON a round.")
@click.option("--controller", metavar="HOST:PORT", help="[default: one of its own, for this run]")
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep the journal of its own controller here. [default: nowhere]",
)
@click.option("--site", type=_FILE, help="The site file, with --controller.")
@click.option("--table", help="The table's id in the site file.")
@click.option("--devices", metavar="HOST:PORT", help="A device process. [default: none needed]")
@click.option("--outbox", type=_FILE, help="Keeps unanswered commands over a restart.")
@click.option("--cert", type=_FILE, envvar="JACKPOT_CERT", help="The table's certificate.")
@click.option("--ca", type=_FILE, envvar="JACKPOT_CA", help="The authority's ca.pem.")
@one_line
def main(
    *,
    seed: str | None,
    rounds: int,
    forever: bool,
    json_: bool,
    cert: Path | None,
    ca: Path | None,
    **rest: object,
) -> None:
    """Run one table: wagers, lock-out, cards, decisions, settlement, discard rack."""
    if rest["controller"] and not (rest["site"] and rest["table"]):
        raise click.UsageError("--controller needs --site and --table")
    if rest["controller"] and rest["data"]:
        raise click.UsageError("--data is for a controller of its own, not with --controller")
    if (cert is None) != (ca is None):
        raise click.UsageError("--cert and --ca go together")
    options = msgspec.convert(
        rest
        | {
            "seed": seed or secrets.token_hex(4),
            "rounds": None if forever else rounds,
            "json": json_,
            "identity": Identity(cert, ca) if cert and ca else None,
        },
        Options,
        strict=False,
    )
    with (
        contextlib.suppress(KeyboardInterrupt),
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        runner.run(_run(options))


async def _run(options: Options) -> None:
    game = GAMES[options.game]
    sources = MACHINE if options.controller else replayed(options.seed, _start_ms(options))
    async with (
        _house(options, sources) as (channel, site, table_id),
        _devices(options, game) as deck,
    ):
        links = links_of(site, table_id) if site else []
        if channel is None or site is None or not links:
            await _play(Table(game, deck), options)
            return
        outbox = Outbox(options.outbox) if options.outbox else None
        floor = Floor(channel, site.id, sources.request_id)
        async with (
            TableClient(
                channel, site.id, table_id, outbox=outbox, request_id=sources.request_id
            ) as client,
            client.alive(),
        ):
            await take_up(client)
            await floor.clear(table_id)
            linked = LinkedProgressive(client, links, floor.pay)
            await _play(Table(game, deck, linked), options)
            await linked.use_decks((), by_hand=False)  # the cards leave the table


async def _play(table: Table, options: Options) -> None:
    seats = table.game.rule.table.seats if table.game.rule.table else options.players
    players = {
        seat: SimulatedPlayer(f"p{seat}", options.seed)
        for seat in range(1, min(options.players, seats) + 1)
    }
    if options.trace:
        click.echo(f"{table.game.name}, seed {options.seed}")
        for line in lines(table.open_for_gaming()):
            click.echo(line)
    for _ in itertools.count() if options.rounds is None else range(options.rounds):
        result = await table.play_round(players)
        if options.json:
            click.echo(json.dumps(as_json(result)))
        elif options.trace:
            for line in lines(result.records):
                click.echo(line)
        else:
            click.echo(in_a_line(result))


def _start_ms(options: Options) -> int:
    return replay_start_ms(options.data, "own") if options.data else REPLAY_START_MS


@contextlib.asynccontextmanager
async def _house(
    options: Options, sources: Sources
) -> AsyncIterator[tuple[grpc.aio.Channel | None, Site | None, str]]:
    """The controller that is asked for, or one that lives as long as the table."""
    if options.controller and options.site:
        site = load_site(options.site)
        async with open_channel(options.controller, options.identity) as channel:
            yield channel, site, options.table or ""
        return
    with as_file(files("table_client") / "own_house.toml") as file:
        site = load_site(file)
    if not links_of(site, options.game):
        yield None, None, ""
        return
    with tempfile.TemporaryDirectory(prefix="jackpot-table-") as folder:
        controller = make_controller(site, options.data or Path(folder), sources=sources)
        address = await controller.start("127.0.0.1:0")
        try:
            async with open_channel(address) as channel:
                yield channel, site, options.game
        finally:
            await controller.stop()


@contextlib.asynccontextmanager
async def _devices(options: Options, game: Game) -> AsyncIterator[DeviceDeck]:
    """A shuffler and a way of dealing, in a process of their own or in this one."""
    method = Method[options.dealing.replace("-", "_").upper()]
    config = station_config(game, method, options.seed)
    if options.devices is None:
        yield DeviceDeck(LocalDevices(options.game, config, DeviceClock(speed=0)), config)
        return
    name = options.table or options.game
    async with (
        DeviceConnection(options.devices) as connection,
        open_station(connection, name, config) as station,
    ):
        yield DeviceDeck(station, config)
