"""What a table finds when it is started again."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from jackpot.wire.v1 import operator_pb2, operator_pb2_grpc, payout_pb2
from table_client.client import TableClient, open_channel
from table_client.table.assembly import open_station, station_config
from table_client.table.devices.client import DeviceConnection
from table_client.table.devices.device_deck import DeviceDeck
from table_client.table.devices.device_faults import Target
from table_client.table.devices.model import Delivery, Method
from table_client.table.floor import Floor
from table_client.table.games.catalogue import GAMES
from table_client.table.ports import DeckLostError
from tests.emulator.device_process import running
from tests.server.house import FIVE, ROYALS, SITE, hands, open_house, wager

GAME = GAMES["pa-crazy-4-poker"]


def test_a_deck_lives_as_long_as_the_games_rule_says() -> None:
    """A jurisdiction's own hours reach the devices; without a text at hand, the usual ones stay."""
    deck = GAME.rule.deck
    assert deck is not None
    other = replace(deck, by_hand_hours=3, by_shoe_hours=5)
    for rule, hours in (
        (replace(GAME.rule, deck=other), (3, 5)),
        (replace(GAME.rule, deck=None), (0, 0)),
    ):
        config = station_config(replace(GAME, rule=rule), Method.HAND, "one")
        assert (config.by_hand_hours, config.by_shoe_hours) == hours


@pytest.mark.process
async def test_devices_left_in_mid_round_are_opened_anew() -> None:
    """A killed table's station, with cards out and another seed, is no obstacle to the next."""
    with running("--speed", "0") as process:
        async with DeviceConnection(process.address) as connection:
            left = await connection.open_station(
                "t1", station_config(GAME, Method.AUTOMATED_SHOE, "one")
            )
            await DeviceDeck(left, station_config(GAME, Method.AUTOMATED_SHOE, "one")).prepare()
            await left.dispense([Delivery(Target.PLAYER, 5, 1)])
            config = station_config(GAME, Method.MANUAL_SHOE, "two")
            async with open_station(connection, "t1", config) as station:
                status = await station.status()
                assert (status.method, status.dealt_cards) == (Method.MANUAL_SHOE, 0)
                await DeviceDeck(station, config).prepare()
            process.kill()
            with pytest.raises(DeckLostError, match="are lost"):
                async with open_station(connection, "t1", config):
                    raise AssertionError("there are no devices")


async def test_the_floor_clears_what_an_earlier_run_left_unpaid(tmp_path: Path) -> None:
    """Awards pending or validated, envy among them, are paid; then the next round can open."""
    async with (
        open_house(tmp_path) as house,
        open_channel(house.address) as channel,
        TableClient(channel, SITE, "t4") as client,
    ):
        await client.attach()
        await client.open_round()
        await client.place_wagers([wager(1), wager(2)])
        await client.lock_out()
        await client.confirm_collection({FIVE: 2})
        round_ = hands({2: ROYALS["s"]}, 1, 2)
        payouts = (await client.settle(round_.hands, round_.dealer)).payouts
        (royal,) = (p.id for p in payouts if p.kind == payout_pb2.PAYOUT_KIND_SHARE)
        assert len(payouts) == 2
        await house.operate("ValidatePayout", payout=royal, floorperson="Ann")
        floor = Floor(channel, SITE)
        await floor.clear("t4")
        await floor.clear("t4")  # nothing is left
        stub: operator_pb2_grpc.OperatorServiceAsyncStub = operator_pb2_grpc.OperatorServiceStub(
            channel
        )
        listed = await stub.ListPayouts(operator_pb2.ListPayoutsRequest(site=SITE, table="t4"))
        assert not listed.payouts
        assert (await client.open_round()).round == 2
