"""The table client against a real controller: order, retries, resumption."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest

from jackpot.wire.refusals import RefusedError, UnreachableError
from jackpot.wire.v1 import table_pb2
from table_client.client import TableClient, open_channel
from table_client.table.floor import Floor
from tests.server.house import FIVE, ROYALS, SITE, House, free_port, hands, open_house, wager


@asynccontextmanager
async def client_of(
    address: str, table: str = "t4", *, deadline_s: float = 10, streaming: bool = True
) -> AsyncIterator[TableClient]:
    """An attached client."""
    async with (
        open_channel(address) as channel,
        TableClient(channel, SITE, table, deadline_s=deadline_s, streaming=streaming) as client,
    ):
        await client.attach()
        yield client


@pytest.fixture(params=[True, False], ids=["stream", "unary"])
def streaming(request: pytest.FixtureRequest) -> bool:
    """Both ways to talk must behave the same."""
    return bool(request.param)


async def test_a_round(tmp_path: Path, streaming: bool) -> None:
    """From wagers to awards through the typed calls."""
    async with (
        open_house(tmp_path) as house,
        client_of(house.address, streaming=streaming) as client,
    ):
        assert (await client.open_round()).round == 1
        await client.place_wagers([wager(1), wager(2), wager(3)])
        await client.withdraw_wagers([table_pb2.PlacedWager(seat=3, bet=FIVE)])
        locked = await client.lock_out()
        assert [w.seat for w in locked.wagers] == [1, 2]
        act = table_pb2.FLOOR_ACT_REMOVE_WAGER
        asked = table_pb2.CallFloor(act=act, round=1, seat=2, bet=FIVE)
        call = (await client.call_floor(asked)).call
        await house.operate("ApproveFloorCall", call=call)
        await client.confirm_collection({FIVE: 1})
        round_ = hands({1: ROYALS["s"]}, 1)
        (payout,) = (await client.settle(round_.hands, round_.dealer)).payouts
        assert (payout.seat, payout.hand, payout.amount_micros) == (1, "royal-flush", 10000210000)
        with pytest.raises(RefusedError, match="call the floor") as caught:
            await client.void_round("MISDEALT")
        assert caught.value.reason == "VOID_BY_FLOOR_ONLY"
        by_floor = await house.operate(
            "VoidTableRound", table="t4", round=1, irregularity="MISDEALT"
        )
        assert (by_floor.returned_micros, by_floor.changes[0].closed) == (1_000_000, True)
        assert (await client.open_round()).round == 2
        assert (await client.void_round("MISDEALT")).returned_micros == 0
        assert (await client.heartbeat()).last_number == 10


async def test_a_refusal_is_raised_and_not_repeated(tmp_path: Path, streaming: bool) -> None:
    """What no retry can help is raised with its reason, and what follows goes on."""
    async with (
        open_house(tmp_path) as house,
        client_of(house.address, streaming=streaming) as client,
    ):
        with pytest.raises(RefusedError) as caught:
            await client.lock_out()
        assert (caught.value.reason, caught.value.metadata["table"]) == ("NO_ROUND", "t4")
        assert caught.value.retry_s is None
        assert (await client.open_round()).sequence == await house.sequence()


async def test_more_than_a_stream_may_hold_can_be_sent_at_once(tmp_path: Path) -> None:
    """The client keeps within the controller's limit of unanswered commands by itself."""
    async with open_house(tmp_path) as house, client_of(house.address) as client:
        answers: list[Awaitable[Any]] = [client.open_round()]
        for _ in range(50):
            answers.append(client.place_wagers([wager(1)]))
            answers.append(client.withdraw_wagers([table_pb2.PlacedWager(seat=1, bet=FIVE)]))
        sequences = [response.sequence for response in await asyncio.gather(*answers)]
        assert sequences == list(range(sequences[0], sequences[0] + 101))


async def test_a_restart_is_survived(tmp_path: Path, streaming: bool) -> None:
    """Commands sent while the controller is away are answered when it is back, in order."""
    address = f"127.0.0.1:{free_port()}"
    async with open_channel(address) as channel:
        client = TableClient(channel, SITE, "t4", deadline_s=20, streaming=streaming)
        async with open_house(tmp_path, address=address):
            await client.attach()
            await client.open_round()
            await client.place_wagers([wager(1)])
        away: list[Awaitable[Any]] = [client.place_wagers([wager(2)]), client.lock_out()]
        await asyncio.sleep(0.3)
        assert not any(answer.done() for answer in away if isinstance(answer, asyncio.Future))
        async with open_house(tmp_path, address=address), client:
            _, locked = await asyncio.gather(*away)
            assert [w.seat for w in locked.wagers] == [1, 2]


async def test_a_command_that_was_carried_out_unheard_is_not_doubled(
    tmp_path: Path, streaming: bool
) -> None:
    """The commit is durable, the answer is lost; the retry gets the first answer."""
    async with (
        open_house(tmp_path) as house,
        client_of(house.address, streaming=streaming) as client,
    ):
        await client.open_round()
        before = await house.sequence()
        house.faults.raise_at = "after-commit"
        placing = client.place_wagers([wager(1)])
        await asyncio.sleep(0.2)
        house.faults.raise_at = None
        assert (await placing).sequence == before + 1
        assert [w.seat for w in (await client.lock_out()).wagers] == [1]


async def test_past_the_deadline_the_controller_is_unreachable(
    tmp_path: Path, streaming: bool
) -> None:
    """Nothing waits for ever; everything behind the first fails too."""
    address = f"127.0.0.1:{free_port()}"
    async with open_channel(address) as channel:
        client = TableClient(channel, SITE, "t4", deadline_s=0.5, streaming=streaming)
        async with open_house(tmp_path, address=address), client:
            await client.attach()
        client = TableClient(channel, SITE, "t4", deadline_s=0.5, streaming=streaming)
        with pytest.raises(UnreachableError):
            await client.attach()


async def test_a_controller_that_hangs_is_unreachable(house: House) -> None:
    """A stream that stays open without answers ends at the deadline."""
    async with client_of(house.address, deadline_s=0.5) as client:
        house.faults.hold_at = "before-lock"
        answers = [client.open_round(), client.lock_out()]
        for answer in answers:
            with pytest.raises(UnreachableError):
                await answer
        house.faults.hold_at = None
        house.faults.go_on.set()


async def test_who_is_fenced_learns_it(house: House) -> None:
    """After another has attached, commands fail with FENCED."""
    async with client_of(house.address) as first, client_of(house.address) as second:
        with pytest.raises(RefusedError) as caught:
            await first.open_round()
        assert caught.value.reason == "FENCED"
        with pytest.raises(RefusedError):
            await first.heartbeat()
        assert (await second.open_round()).round == 1


async def test_attaching_again_shows_the_round(house: House) -> None:
    """The answer has all that is needed to relight the lamps."""
    async with client_of(house.address) as client:
        await client.open_round()
        await client.place_wagers([wager(2), wager(5)])
        response = await client.attach()
        assert response.last_number == 2
        assert response.round.phase == table_pb2.ROUND_PHASE_OPEN
        assert [w.seat for w in response.round.wagers] == [2, 5]
        await client.lock_out()


async def test_without_attaching_there_is_no_command(house: House) -> None:
    """A client that was not attached says so before it sends anything."""
    client = TableClient(house.channel, SITE, "t4")
    with pytest.raises(RefusedError, match="NOT_ATTACHED"):
        client.open_round()


async def test_heartbeats_go_on_while_the_table_waits(tmp_path: Path) -> None:
    """Across a controller that is away for a moment; none after the end."""
    address = f"127.0.0.1:{free_port()}"
    async with open_channel(address) as channel:
        client = TableClient(channel, SITE, "t4")
        async with client, client.alive(every_s=0.02):
            for _ in range(2):
                async with open_house(tmp_path, address=address) as house:
                    await client.attach()
                    first = await _heard(house, 0)
                    last = await _heard(house, first)
        async with open_house(tmp_path, address=address) as house:
            await asyncio.sleep(0.2)
            assert (SITE, "t4") not in house.controller.heartbeats
    assert last > first


async def _heard(house: House, after: int) -> int:
    async with asyncio.timeout(20):
        while (heard := house.controller.heartbeats.get((SITE, "t4"), 0)) <= after:  # noqa: ASYNC110 - nobody tells of one
            await asyncio.sleep(0.01)
    return heard


async def void_round(table: TableClient, channel: grpc.aio.Channel, round_: int) -> None:
    """Call the floor to void a collected round, and have it approved."""
    act = table_pb2.FLOOR_ACT_VOID_ROUND
    asked = table_pb2.CallFloor(act=act, round=round_, irregularity="MISDEALT")
    await Floor(channel, SITE).approve((await table.call_floor(asked)).call)


async def test_meters_are_watched_across_a_restart(tmp_path: Path) -> None:
    """First as they are, then after each change; nothing twice, and nothing older."""
    address = f"127.0.0.1:{free_port()}"
    async with open_channel(address) as channel:
        client = TableClient(channel, SITE, "t4")
        frames = client.watch_meters(["five"])
        seen = []
        for number in range(2):
            async with open_house(tmp_path, address=address), asyncio.timeout(30):
                if number == 0:
                    seen.append(await anext(frames))
                async with TableClient(channel, SITE, "t4") as table:
                    await table.attach()
                    await table.open_round()
                    await table.place_wagers([wager(1)])
                    await table.lock_out()
                    await table.confirm_collection({FIVE: 1})
                    seen.append(await anext(frames))
                    await void_round(table, channel, number + 1)
                    seen.append(await anext(frames))
    amounts = [frame.meters[0].amount_micros - 10_000_000_000 for frame in seen]
    assert amounts == [0, 210_000, 0, 210_000, 0]
    assert {frame.link for frame in seen} == {"five"}
    order = [frame.sequence for frame in seen]
    assert order == sorted(set(order))


async def test_a_watch_of_what_is_not_there_is_refused(tmp_path: Path) -> None:
    """No retry helps, so it is said at once."""
    async with open_house(tmp_path) as house, open_channel(house.address) as channel:
        frames = TableClient(channel, SITE, "t4").watch_meters(["nowhere"])
        with pytest.raises(RefusedError) as refused:
            await anext(frames)
        assert refused.value.reason == "UNKNOWN_LINK"
