"""Tables of a house behind TLS, each with the certificate that it has, and what they call for."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from jackpot.wire.v1 import table_pb2
from table_client.client import TableClient, open_channel
from tests.auth.secured import Secured
from tests.server.house import FIVE, ROYALS, SITE, hands, wager

VOID_ROUND = table_pb2.CallFloor(
    act=table_pb2.FLOOR_ACT_VOID_ROUND, round=1, irregularity="MISDEALT"
)


@asynccontextmanager
async def at_table(house: Secured, table: str) -> AsyncIterator[TableClient]:
    """A table that is attached."""
    async with (
        open_channel(house.address, house.identity("table", table)) as channel,
        TableClient(channel, SITE, table) as client,
    ):
        await client.attach()
        yield client


async def with_a_royal(client: TableClient, dollars: int = 1) -> int:
    """A settled round in which seat 2 has a royal flush; its payout."""
    await client.open_round()
    await client.place_wagers([wager(1, FIVE, dollars), wager(2, FIVE, dollars)])
    await client.lock_out()
    await client.confirm_collection({FIVE: 2})
    settle = hands({2: ROYALS["s"]}, 1, 2)
    payouts = (await client.settle(list(settle.hands), list(settle.dealer))).payouts
    return payouts[0].id
