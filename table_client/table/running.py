"""What `jackpot-table` runs: a house, devices, and a table that plays until it is told to stop."""

import asyncio
import contextlib
import importlib
import itertools
import json
import socket
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import suppress
from importlib.resources import as_file, files
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import grpc
import msgspec

from jackpot.core.config import BaseTerms, Site
from jackpot.rules.site import load_site
from jackpot.wire.channels import Identity
from jackpot.wire.refusals import RefusedError, UnreachableError
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import table_pb2
from jackpot.wire.v1.table_config_pb2 import TableConfig
from table_client.client import TableClient, open_channel
from table_client.outbox import Outbox
from table_client.table.assembly import (
    end_left,
    filed_terms,
    links_of,
    open_station,
    station_config,
)
from table_client.table.devices.client import DeviceConnection
from table_client.table.devices.device_deck import DeviceDeck
from table_client.table.devices.model import Method
from table_client.table.floor import CALL_CLOSED, Calls, Floor
from table_client.table.games.catalogue import GAMES
from table_client.table.games.model import Game
from table_client.table.players import USUAL_PLAYERS, SimulatedPlayer
from table_client.table.ports import Way
from table_client.table.progressive import LinkedProgressive
from table_client.table.round.play import Table
from table_client.table.round.round_state import MOST_SEATS
from table_client.table.trace import Record, as_json, in_a_line, lines


class Options(msgspec.Struct, frozen=True):
    """What the command line asks for."""

    game: str
    seed: str
    rounds: int | None
    players: int | None
    dealing: str
    trace: bool
    json: bool
    controller: tuple[str, ...]
    data: Path | None
    site: Path | None
    table: str | None
    devices: str | None
    outbox: Path | None
    identity: Identity | None
    floor: Identity | None
    cage: Identity | None


async def run(options: Options) -> None:
    """Play as asked."""
    game, site = GAMES[options.game], _site(options)
    seats = _fit(options, game, site)
    sources = (
        None if options.controller else _own().own_sources(options.seed, options.data, site.id)
    )
    request_id = sources.request_id if sources else new_request_id
    table_id = options.table or options.game
    async with _devices(options, game) as deck:
        if not (options.controller or links_of(site, table_id)):  # a game of its own house
            terms = next((each.base for each in site.tables if each.id == table_id), None)
            await _play(Table(game, deck, terms=terms), options, seats)
            return
        async with (
            _outbox(options.outbox) as outbox,
            _house(options, site, sources, request_id) as (channels, floor),
            TableClient(
                channels, site.id, table_id, outbox=outbox, request_id=request_id
            ) as client,
            client.alive(),
        ):
            staff = Waiting(floor, table_id).wait
            left = await reach(client, options.controller)
            await end_left(left, Calls(client, floor, staff))
            if floor:
                await floor.clear(table_id)
            # The journal has what the house filed; a copy of its file may be an older one.
            told = client.config
            terms, boxes = _told_terms(told, game), told.boxes_per_player
            linked = LinkedProgressive(client, floor, staff=staff) if told.links else None
            await _play(Table(game, deck, linked, terms, boxes=boxes), options, seats)
            if linked:
                await linked.use_decks((), by_hand=False)  # the cards leave the table


def _told_terms(config: TableConfig, game: Game) -> BaseTerms:
    """The terms of the table's game; an error where the controller knows it for another one."""
    if config.base.rule != game.name:
        plays = config.base.rule or config.game
        raise click.ClickException(
            f"the controller has {config.table} as a table of {plays}, not {game.name}; "
            "restart the controller with the new site file"
        )
    return filed_terms(config)


@contextlib.asynccontextmanager
async def _outbox(path: Path | None) -> AsyncIterator[Outbox | None]:
    """The file where the table notes what it has sent, closed at the end."""
    if path is None:
        yield None
        return
    with contextlib.closing(Outbox(path)) as outbox:
        yield outbox


def _site(options: Options) -> Site:
    if options.site:
        return load_site(options.site)
    with as_file(files("table_client.table") / "own_house.toml") as file:
        return load_site(file)


def _fit(options: Options, game: Game, site: Site) -> int:
    """How many seats are taken; what does not fit together fails before anything is sent."""
    if Way(_method(options).value) not in game.plans:
        how = options.dealing.replace("-", " ")
        raise click.ClickException(
            f"this project's copy of the regulation does not say how {game.name} is dealt by {how}"
        )
    most = game.rule.table.seats if game.rule.table else MOST_SEATS
    table = next((each for each in site.tables if each.id == options.table), None)
    if options.controller and table is None:
        raise click.ClickException(f"{options.site} has no table {options.table}")
    if table:
        most = min(most, table.seats)
        if table.base is None or table.base.rule != game.name:
            plays = table.base.rule if table.base else table.game
            raise click.ClickException(f"{table.id} plays {plays}, not {game.name}")
    if (options.players or 1) > most:
        who = options.table or game.name
        raise click.UsageError(f"{who} has {most} seats, not {options.players}")
    return options.players or min(USUAL_PLAYERS, most)


async def _play(table: Table, options: Options, seats: int) -> None:
    players = {seat: SimulatedPlayer(f"p{seat}", options.seed) for seat in range(1, seats + 1)}
    if not options.json:  # where each line has it
        click.echo(f"{table.game.name}, seed {options.seed}")
    _tell(table.open_for_gaming(), options)
    for _ in itertools.count() if options.rounds is None else range(options.rounds):
        result = await table.play_round(players)
        _tell(result.records, options)
        if options.json:
            click.echo(json.dumps({"seed": options.seed} | as_json(result)))
        elif not options.trace:
            click.echo(in_a_line(result))


def _tell(records: Iterable[Record], options: Options) -> None:
    """Trace, if that is wanted; beside JSON, not within it."""
    for line in lines(records) if options.trace else ():
        click.echo(line, err=options.json)


def _own() -> ModuleType:
    """The emulator, for a table that has no controller or no devices to connect to."""
    try:
        return importlib.import_module("emulator.own_house")
    except ModuleNotFoundError as error:
        raise click.ClickException(
            "without --controller and --devices a table needs the emulator: "
            "pip install 'jackpot-controller[emulator]'"
        ) from error


@contextlib.asynccontextmanager
async def _house(
    options: Options, site: Site, sources: Any, request_id: Callable[[], str]
) -> AsyncIterator[tuple[list[grpc.aio.Channel], Floor | None]]:
    """The controllers that are asked for, or one that lives as long as the table; and who pays.

    Where certificates say who calls, a table may not pay: without a floor staff do, in their time.
    """
    async with contextlib.AsyncExitStack() as stack:
        addresses = options.controller or (
            await stack.enter_async_context(_own().own_controller(site, options.data, sources)),
        )

        async def connect(identity: Identity | None) -> list[grpc.aio.Channel]:
            opened = [open_channel(each, identity) for each in addresses]
            return [await stack.enter_async_context(each) for each in opened]

        channels = await connect(options.identity if options.controller else None)
        if options.floor and options.cage:
            people = [await connect(each) for each in (options.floor, options.cage)]
            yield channels, Floor(people[0], site.id, request_id, cage=people[1])
        elif options.controller and options.identity:
            yield channels, None
        else:
            yield channels, Floor(channels, site.id, request_id)


def _method(options: Options) -> Method:
    return Method[options.dealing.replace("-", "_").upper()]


@contextlib.asynccontextmanager
async def _devices(options: Options, game: Game) -> AsyncIterator[DeviceDeck]:
    """A shuffler and a way of dealing, in a process of their own or in this one."""
    config = station_config(game, _method(options), options.seed)
    if options.devices is None:
        yield DeviceDeck(_own().own_devices(options.game, config), config)
        return
    name = options.table or options.game
    async with (
        DeviceConnection(options.devices) as connection,
        open_station(connection, name, config) as station,
    ):
        yield DeviceDeck(station, config)


_SILENCE_S = 0.5  # after which whoever looks on is told what is waited for
_CONNECT_S = 2.0


async def reach(client: TableClient, addresses: Sequence[str]) -> table_pb2.Round:
    """The round that was left; `UnreachableError` with addresses and causes if nobody answers."""
    what = f"waiting for the controller at {', '.join(addresses)}"
    telling = asyncio.get_running_loop().call_later(_SILENCE_S, _say, what)
    if not addresses:  # its own, which has started
        telling.cancel()
    try:
        return (await client.recover()).round
    except UnreachableError as error:
        why = [f"{each} ({await asyncio.to_thread(_cause, each, error)})" for each in addresses]
        raise UnreachableError("UNAVAILABLE", f"no answer from {', '.join(why)}") from error
    finally:
        telling.cancel()


def _cause(address: str, error: UnreachableError) -> str:
    """Why nobody answers there: gRPC, which goes on trying, tells only that time is up."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), _CONNECT_S):
            return str(error)
    except (OSError, UnicodeError) as failure:
        return getattr(failure, "strerror", "") or str(failure)


class Waiting:
    """Tells whoever looks on what staff must do before the table may go on, each thing once.

    The table's own people, where there are some, try again.
    """

    def __init__(self, floor: Floor | None, table: str) -> None:
        self._floor = floor
        self._table = table
        self._said = ""

    async def wait(self, refusal: RefusedError) -> None:
        """Tell, and let its own people try."""
        what = _what(refusal)
        if what != self._said:
            _say(what)
            self._said = what
        if self._floor:
            with suppress(RefusedError):  # as when it was to be paid at first
                await self._floor.clear(self._table)


def _what(refusal: RefusedError) -> str:
    call, by = refusal.metadata.get("call", ""), refusal.metadata.get("by", "")
    if refusal.reason == CALL_CLOSED:
        outcome = refusal.metadata["outcome"]
        return f"call {call} was {outcome}" + (f" by {by}" if by else "") + "; calling again"
    if call:
        return f"waiting for a floorperson: jackpot floor approve {call}"
    payout = refusal.metadata.get("payout", "")
    commands = f"jackpot validate {payout}, then jackpot pay {payout}"
    return f"waiting for staff: payout {payout} is not paid ({commands})"


def _say(what: str) -> None:
    click.echo(what, err=True)
