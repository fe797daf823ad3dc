"""What a running table is put together of: its links, its game, its devices, its last round."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from jackpot.core.config import BaseTerms, Link, Site, WagerTerms
from jackpot.wire.v1 import table_config_pb2, table_pb2
from table_client.client import OVER, TableClient
from table_client.table.devices.client import DeviceConnection, RemoteDevices
from table_client.table.devices.model import Method, Retirement, ShufflerKind, StationConfig
from table_client.table.devices.refusals import DeviceLost, DeviceRefused
from table_client.table.floor import Calls
from table_client.table.games.model import Game
from table_client.table.ports import DeckLostError


def links_of(site: Site, table_id: str) -> list[Link]:
    """The links of a table, none where the site has no such table."""
    on = next((table.links for table in site.tables if table.id == table_id), ())
    return [link for link in site.links if link.id in on]


def filed_terms(config: table_config_pb2.TableConfig) -> BaseTerms:
    """What the house filed for a table's base game, as the controller has told the table."""
    base = config.base
    return BaseTerms(
        rule=base.rule,
        minimum_micros=base.minimum_micros,
        maximum_micros=base.maximum_micros,
        wagers=tuple(map(_filed_wager, base.wagers)),
        options=dict(base.options),
        payout_limit_micros=base.payout_limit_micros,
    )


def _filed_wager(wager: table_config_pb2.BaseWager) -> WagerTerms:
    return WagerTerms(
        bet=wager.bet,
        paytable=wager.paytable,
        pays=dict(wager.pays),
        minimum_micros=wager.minimum_micros,
        maximum_micros=wager.maximum_micros,
        fold_forfeits=wager.fold_forfeits if wager.HasField("fold_forfeits") else None,
    )


def station_config(game: Game, method: Method, seed: str, rigged_ppm: int = 0) -> StationConfig:
    """A shuffler that counts, a way of dealing and the life of decks, as the chapter has them."""
    deck = game.rule.deck
    return StationConfig(
        method=method,
        shuffler=ShufflerKind.NONE if method is Method.CONTINUOUS_SHOE else ShufflerKind.COUNTING,
        joker=bool(game.rule.deal and game.rule.deal.joker),
        retire_by=Retirement.REMOVE if game.removes_devices else Retirement.COVER,
        seed=seed,
        rigged_ppm=rigged_ppm,
        by_hand_hours=deck.by_hand_hours if deck else 0,
        by_shoe_hours=deck.by_shoe_hours if deck else 0,
    )


@asynccontextmanager
async def open_station(
    connection: DeviceConnection, name: str, config: StationConfig
) -> AsyncIterator[RemoteDevices]:
    """A table's station in a device process, given up at the end; DeckLostError without one.

    What an earlier run of the table has left there goes first: its round is void.
    """
    try:
        await RemoteDevices(connection, name).close()
        station = await connection.open_station(name, config)
    except (DeviceLost, DeviceRefused) as error:
        raise DeckLostError(str(error)) from error
    try:
        yield station
    finally:
        await _close(station)


async def _close(station: RemoteDevices) -> None:
    try:
        await station.close()
    except DeviceLost:
        return  # with its process


async def take_up(client: TableClient, calls: Calls) -> None:
    """Recover, and end the round that was under way."""
    await end_left((await client.recover()).round, calls)


async def end_left(left: table_pb2.Round, calls: Calls) -> None:
    """A round that an earlier run has left has lost its cards, so it is void by rule."""
    if left.phase not in OVER:
        await calls.void_left(left, "TABLE_RESTARTED")
