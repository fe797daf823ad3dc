"""WatchTable over real gRPC: what others change about a table, its latest value, never a queue."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc.aio import AioRpcError

from jackpot.wire.v1 import meter_pb2, table_pb2
from tests.server.house import ROYALS, SITE, Dealer, House, info_of, open_house, status_of
from tests.server.test_floor_calls import VOID

WAIT_S = 30.0


class Watch:
    """One table's stream."""

    def __init__(self, dealer: Dealer) -> None:
        request = table_pb2.WatchTableRequest(site=SITE, table=dealer.table, epoch=dealer.epoch)
        self.call: Any = dealer.house.tables.WatchTable(request)

    async def until(
        self, ready: Callable[[table_pb2.WatchTableResponse], bool]
    ) -> table_pb2.WatchTableResponse:
        """The first frame that is so."""
        async with asyncio.timeout(WAIT_S):
            while True:
                frame: table_pb2.WatchTableResponse = await self.call.read()
                if ready(frame):
                    return frame


@asynccontextmanager
async def watching(dealer: Dealer) -> AsyncIterator[Watch]:
    """A watch for as long as this lasts."""
    watch = Watch(dealer)
    try:
        yield watch
    finally:
        watch.call.cancel()


async def test_a_table_learns_when_it_may_go_on(house: House) -> None:
    """Why not, when its payout is validated, and when it is paid; nothing is journaled by it."""
    dealer = await house.dealer("t4")
    async with watching(dealer) as watch:
        first = await watch.until(lambda _: True)
        assert first.may_open_round
        assert [(link.link, link.status) for link in first.links] == [
            ("five", meter_pb2.LINK_STATUS_IN_SERVICE)
        ]
        (payout,) = await dealer.settled({1: ROYALS["s"]}, 1)
        shut = await watch.until(lambda frame: bool(frame.payouts))
        assert (shut.may_open_round, shut.shut_reason) == (False, "DOCUMENTATION_OPEN")
        assert shut.shut_metadata["payout"] == str(payout.id)
        assert shut.payouts[0].state == table_pb2.WATCHED_PAYOUT_STATE_PENDING
        assert shut.round.phase == table_pb2.ROUND_PHASE_SETTLED
        await house.operate("ValidatePayout", payout=payout.id, floorperson="flo")
        payable = table_pb2.WATCHED_PAYOUT_STATE_PAYABLE
        await watch.until(lambda frame: [p.state for p in frame.payouts] == [payable])
        before = await house.sequence()
        await house.operate("PayPayout", payout=payout.id, form="F-1")
        opened = await watch.until(lambda frame: frame.may_open_round)
        assert not opened.payouts
        assert await house.sequence() == before + 1
    await dealer.do("open_round")


async def test_a_table_learns_the_answer_to_its_call(house: House) -> None:
    """Open, declined, called again, approved: with who it was."""
    dealer = await house.dealer("t4")
    await dealer.settled({1: ROYALS["s"]}, 1)
    async with watching(dealer) as watch:
        call = (await dealer.do("call_floor", VOID)).call
        await watch.until(lambda frame: frame.call.id == call and not frame.call.outcome)
        await house.operate("DeclineFloorCall", who="flo", call=call)
        declined = await watch.until(lambda frame: bool(frame.call.outcome))
        assert declined.call.outcome == table_pb2.CALL_OUTCOME_DECLINED
        assert declined.call.by == "flo"
        second = (await dealer.do("call_floor", VOID)).call
        await house.operate("ApproveFloorCall", who="eve", call=second)
        done = await watch.until(lambda frame: frame.call.id == second and frame.may_open_round)
        assert (done.call.outcome, done.call.by) == (table_pb2.CALL_OUTCOME_APPROVED, "eve")
        assert not done.HasField("round")


async def test_a_table_learns_that_its_link_is_suspended_and_resumed(house: House) -> None:
    """By whichever screen."""
    dealer = await house.dealer("t4")
    async with watching(dealer) as watch:
        for rpc, status in (
            ("SuspendLink", meter_pb2.LINK_STATUS_SUSPENDED),
            ("ResumeLink", meter_pb2.LINK_STATUS_IN_SERVICE),
        ):
            await watch.until(lambda _: True)
            await house.operate(rpc, link="five")
            await watch.until(lambda frame, s=status: frame.links[0].status == s)  # type: ignore[misc]


async def test_a_fenced_table_is_told_and_others_are_not_disturbed(house: House) -> None:
    """The stream ends with FENCED when the table attaches again."""
    dealer, other = await house.dealer("t4"), await house.dealer("t1")
    async with watching(dealer) as watch, watching(other) as undisturbed:
        await watch.until(lambda _: True)
        await undisturbed.until(lambda _: True)
        await house.dealer("t4")
        with pytest.raises(AioRpcError) as caught:
            await watch.until(lambda _: False)
        assert info_of(status_of(caught.value)).reason == "FENCED"
        suspended = meter_pb2.LINK_STATUS_SUSPENDED
        await house.operate("SuspendLink", link="five")
        await undisturbed.until(lambda frame: suspended in [x.status for x in frame.links])


@pytest.mark.parametrize(("ahead", "why"), [(1, "NOT_ATTACHED"), (-1, "FENCED")])
async def test_only_who_speaks_for_the_table_watches_it(house: House, ahead: int, why: str) -> None:
    """As with a heartbeat."""
    await house.dealer("t4")
    dealer = await house.dealer("t4")
    dealer.epoch += ahead
    async with watching(dealer) as watch:
        with pytest.raises(AioRpcError) as caught:
            await watch.until(lambda _: True)
    assert info_of(status_of(caught.value)).reason == why


async def test_silence_is_broken_by_progress(tmp_path: Path) -> None:
    """A frame that says that nothing has changed; it has the latest sequence."""
    async with open_house(tmp_path) as house:
        house.controller._tables.watches.progress_s = 0.05
        dealer = await house.dealer("t4")
        async with watching(dealer) as watch:
            first = await watch.until(lambda _: True)
            assert not first.progress
            again = await watch.until(lambda frame: frame.progress)
            again.progress = False
            assert again == first


async def test_a_slow_reader_gets_the_latest_value(house: House) -> None:
    """However much happened while it did not read, few frames come, and the last is the truth."""
    dealer = await house.dealer("t4")
    async with watching(dealer) as watch:
        await watch.until(lambda _: True)
        for _ in range(100):
            await dealer.do("open_round")
            await dealer.do("void_round", table_pb2.VoidRound(irregularity="MISDEALT"))
        await dealer.do("open_round")
        frames = 0

        def is_last(frame: table_pb2.WatchTableResponse) -> bool:
            nonlocal frames
            frames += 1
            return frame.round.number == 101

        await watch.until(is_last)
        assert frames < 100


async def test_a_stop_ends_watches(tmp_path: Path) -> None:
    """With DRAINING, so that a client goes to another controller."""
    async with open_house(tmp_path) as house:
        watch = Watch(await house.dealer("t4"))
        await watch.until(lambda _: True)
        stopping = asyncio.create_task(house.controller.stop())
        with pytest.raises(AioRpcError) as caught:
            await watch.until(lambda _: False)
        assert caught.value.code() is grpc.StatusCode.UNAVAILABLE
        await stopping
