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
from emulator.devices.model import Method, Retirement, ShufflerKind, StationConfig
from jackpot.auth.client import Identity
from jackpot.cli.failures import one_line
from jackpot.cli.serve import make_controller
from jackpot.core.config import Link, Site
from jackpot.core.money import dollars
from jackpot.rules.site import load_site
from jackpot.v1 import table_pb2
from table_client.client import TableClient, open_channel
from table_client.devices import DeviceDeck
from table_client.floor import FLOORPERSON, Floor
from table_client.games.catalogue import GAMES
from table_client.games.model import Game
from table_client.outbox import Outbox
from table_client.players import SimulatedPlayer
from table_client.progressive import LinkedProgressive, NoProgressive
from table_client.round.play import RoundResult, Table
from table_client.trace import lines

_FILE = click.Path(path_type=Path, dir_okay=False)
_OVER = (table_pb2.ROUND_PHASE_UNSPECIFIED, table_pb2.ROUND_PHASE_SETTLED)


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
    async with _house(options) as (channel, site, table_id), _devices(options, game) as deck:
        links = _links(site, table_id)
        progressive = NoProgressive() if channel is None or not links else None
        async with contextlib.AsyncExitStack() as stack:
            linked = None
            if progressive is None and channel is not None and site is not None:
                outbox = Outbox(options.outbox) if options.outbox else None
                client = await stack.enter_async_context(
                    TableClient(channel, site.id, table_id, outbox=outbox)
                )
                await _take_up(client)
                linked = LinkedProgressive(client, links, Floor(channel, site.id).pay)
            table = Table(game, deck, linked or progressive)
            await _play(table, options)
            if linked:
                await linked.use_decks((), by_hand=False)  # the cards leave the table


def _links(site: Site | None, table_id: str) -> list[Link]:
    """The links of a table, none where the site has no such table."""
    if site is None:
        return []
    on = next((table.links for table in site.tables if table.id == table_id), ())
    return [link for link in site.links if link.id in on]


async def _take_up(client: TableClient) -> None:
    """Recover; a round that was under way has lost its cards, so it is void by rule."""
    left = (await client.recover()).round
    if left.phase not in _OVER:
        await client.void_round("TABLE_RESTARTED", FLOORPERSON)


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
    for number in itertools.count(1) if options.rounds is None else range(1, options.rounds + 1):
        result = await table.play_round(players)
        if options.json:
            click.echo(json.dumps(_summary(result)))
        elif options.trace:
            for line in lines(result.records):
                click.echo(line)
        else:
            click.echo(_one_line(number, result))


def _summary(result: RoundResult) -> dict[str, object]:
    return {
        "round": result.number,
        "void": result.void,
        "dealer": list(result.dealer),
        "community": list(result.community),
        "seats": {
            seat: {
                "cards": list(each.cards),
                "fate": each.fate,
                "net": dollars(each.net_micros),
                "awards": [
                    [award.kind, award.hand, dollars(award.amount_micros)] for award in each.awards
                ],
            }
            for seat, each in result.seats.items()
        },
    }


def _one_line(number: int, result: RoundResult) -> str:
    if result.void:
        return f"round {number}: void ({result.void})"
    nets = "  ".join(f"{seat}: {dollars(each.net_micros)}" for seat, each in result.seats.items())
    return f"round {number}: {nets}"


@contextlib.asynccontextmanager
async def _house(
    options: Options,
) -> AsyncIterator[tuple[grpc.aio.Channel | None, Site | None, str]]:
    """The controller that is asked for, or one that lives as long as the table."""
    if options.controller and options.site:
        site = load_site(options.site)
        async with open_channel(options.controller, options.identity) as channel:
            yield channel, site, options.table or ""
        return
    with as_file(files("table_client") / "own_house.toml") as file:
        site = load_site(file)
    if not _links(site, options.game):
        yield None, None, ""
        return
    with tempfile.TemporaryDirectory(prefix="jackpot-table-") as data:
        controller = make_controller(site, Path(data))
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
    config = StationConfig(
        method=method,
        shuffler=ShufflerKind.NONE if method is Method.CONTINUOUS_SHOE else ShufflerKind.COUNTING,
        joker=bool(game.rule.deal and game.rule.deal.joker),
        retire_by=Retirement.REMOVE if game.removes_devices else Retirement.COVER,
        seed=options.seed,
    )
    async with contextlib.AsyncExitStack() as stack:
        if options.devices:
            connection = await stack.enter_async_context(DeviceConnection(options.devices))
            station = await connection.open_station(options.table or options.game, config)
            stack.push_async_callback(station.close)
            yield DeviceDeck(station, config)
        else:
            yield DeviceDeck(LocalDevices(options.game, config, DeviceClock(speed=0)), config)
