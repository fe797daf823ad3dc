"""A table that calls the floor: it asks, waits, shows the answer, and goes on."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from jackpot.wire.refusals import RefusedError
from jackpot.wire.v1 import operator_pb2, table_pb2
from table_client.client import TableClient, open_channel
from table_client.table.floor import Calls, Floor
from table_client.table.progressive import LinkedProgressive
from table_client.table.running import _what
from tests.server.house import FIVE, ROYALS, SITE, House, hands, open_house, wager

WAIT_S = 30.0


async def royal(client: TableClient) -> None:
    """A round that is settled with a royal flush."""
    await client.attach()
    await client.open_round()
    await client.place_wagers([wager(1)])
    await client.lock_out()
    await client.confirm_collection({FIVE: 1})
    settled = hands({1: ROYALS["s"]}, 1)
    await client.settle(settled.hands, settled.dealer)


async def open_calls(house: House) -> list[int]:
    """The numbers of the open calls."""
    request = operator_pb2.ListFloorCallsRequest(site=SITE)
    return [call.id for call in (await house.operators.ListFloorCalls(request)).calls]


class Staff:
    """Hears what a table waits for, and does something about it."""

    def __init__(self, act: Callable[[RefusedError], Awaitable[None]]) -> None:
        self.heard: list[str] = []
        self._act = act

    async def told(self, refusal: RefusedError) -> None:
        """What the table says."""
        self.heard.append(_what(refusal))
        await self._act(refusal)


async def test_a_table_waits_for_the_answer_and_asks_again(tmp_path: Path) -> None:
    """A decline is shown with its person; an approval ends the wait."""
    async with (
        open_house(tmp_path) as house,
        open_channel(house.address) as channel,
        TableClient(channel, SITE, "t4") as client,
        asyncio.timeout(WAIT_S),
    ):
        answers = ["DeclineFloorCall", "ApproveFloorCall"]

        async def answer(refusal: RefusedError) -> None:
            if "outcome" not in refusal.metadata:
                call = int(refusal.metadata["call"])
                await house.operate(answers.pop(0), who="flo", call=call)

        staff = Staff(answer)
        await royal(client)
        await Calls(client, staff=staff.told).void_round(1, "MISDEALT", collected=True)
        assert staff.heard == [
            "waiting for a floorperson: jackpot floor approve 1",
            "call 1 was declined by flo; calling again",
            "waiting for a floorperson: jackpot floor approve 2",
        ]
        assert (await client.open_round()).round == 2


async def test_a_floorperson_at_hand_answers_at_once(tmp_path: Path) -> None:
    """As `--floor-cert` has it; a call that an earlier run has left open goes first."""
    async with (
        open_house(tmp_path) as house,
        open_channel(house.address) as channel,
        TableClient(channel, SITE, "t4") as client,
        asyncio.timeout(WAIT_S),
    ):
        await royal(client)
        act = table_pb2.FLOOR_ACT_VOID_ROUND
        asked = table_pb2.CallFloor(act=act, round=1, irregularity="MISDEALT")
        await client.call_floor(asked)
        assert (await client.attach()).call.id == 1
        floor = Floor(channel, SITE)
        await Calls(client, floor).void_round(1, "TABLE_RESTARTED", collected=True)
        assert not await open_calls(house)
        assert (await client.open_round()).round == 2


async def test_without_anybody_the_call_stays_open(tmp_path: Path) -> None:
    """And whoever runs the table is told."""
    async with (
        open_house(tmp_path) as house,
        open_channel(house.address) as channel,
        TableClient(channel, SITE, "t4") as client,
    ):
        await royal(client)
        with pytest.raises(RefusedError, match="call 1 waits for a floorperson"):
            await Calls(client).void_round(1, "MISDEALT", collected=True)
        assert await open_calls(house) == [1]


async def test_a_table_watches_instead_of_trying(tmp_path: Path) -> None:
    """One refused OpenRound is journaled, however long staff take; then the round opens."""
    async with (
        open_house(tmp_path) as house,
        open_channel(house.address) as channel,
        TableClient(channel, SITE, "t4") as client,
        asyncio.timeout(WAIT_S),
    ):
        told = asyncio.Event()

        async def note(_: RefusedError) -> None:
            told.set()

        await royal(client)
        linked = LinkedProgressive(client, staff=Staff(note).told)
        opening = asyncio.create_task(linked.open_round())
        await told.wait()
        before = await house.sequence()
        await house.operate("ValidatePayout", payout=1, floorperson="flo")
        await house.operate("PayPayout", payout=1, form="F-1")
        assert await opening
        assert await house.sequence() == before + 3  # validated, paid, opened


async def test_a_watch_ends_when_the_table_attaches_again(tmp_path: Path) -> None:
    """Whoever was fenced hears it."""
    async with (
        open_house(tmp_path) as house,
        open_channel(house.address) as channel,
        TableClient(channel, SITE, "t4") as client,
        TableClient(channel, SITE, "t4") as other,
        asyncio.timeout(WAIT_S),
    ):
        await client.attach()
        frames = client.watch_table()
        assert (await anext(frames)).may_open_round
        await other.attach()
        with pytest.raises(RefusedError) as caught:
            await anext(frames)
        assert caught.value.reason == "FENCED"
