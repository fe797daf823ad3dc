"""The floor of `jackpot demo`: tables that play whole rounds, on real devices and over real gRPC.

Tables and devices are those of `jackpot-table` and `jackpot-emulator`; only the time is the demo's.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from itertools import repeat
from typing import NamedTuple, Protocol

import grpc

from jackpot.core.config import Site, Table
from table_client.client import TableClient
from table_client.table.assembly import links_of, open_station, station_config, take_up
from table_client.table.devices.client import DeviceConnection
from table_client.table.devices.model import Method
from table_client.table.floor import Floor
from table_client.table.floor_calls import Calls
from table_client.table.games.catalogue import GAMES
from table_client.table.pace import Pace, PacedDeck, PacedProgressive
from table_client.table.players import SimulatedPlayer
from table_client.table.ports import SideAward
from table_client.table.randomness import seeded
from table_client.table.round import play
from table_client.table.trace import Record
from table_client.table.turns import Turns

RIGGED_PPM = 50_000  # of players' stacks: with six tables an award every few rounds
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
            client,
            links,
            floor,
            pace,
            lambda awards: watcher.awarded(name, seated.rounds, awards),
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
