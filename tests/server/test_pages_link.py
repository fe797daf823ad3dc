"""The link of the controller's own pages: everything can be read over it, nothing changed."""

import asyncio
from typing import Any

import msgspec
import pytest
from grpc.aio import AioRpcError

from jackpot.front import frames
from jackpot.front.client import LedgerChannel
from jackpot.front.frames import Ready, join
from jackpot.server.calls import FrontCalls
from jackpot.server.children import ChildError
from jackpot.server.pages import reads
from jackpot.wire.refusals import UnreachableError, from_rpc_error
from jackpot.wire.v1 import meter_pb2, meter_pb2_grpc, operator_pb2, operator_pb2_grpc
from tests.server.house import SITE, House


class Inside:
    """A process that shares a link and does nothing by itself."""

    def __init__(self, problem: str = "") -> None:
        self.problem = problem
        self.channel: Any = LedgerChannel(self._control, lambda: None)
        self.link = self.channel.link

    def _control(self, kind: int, _payload: bytes) -> None:
        if kind == frames.SETUP:
            self.link.tell(frames.READY, 0, Ready(self.problem))
        elif kind == frames.DRAIN:
            self.link.close()


class Nothing(msgspec.Struct):
    """What it is told."""


async def test_meters_are_read_and_watched(house: House) -> None:
    """A stub works over the link as over gRPC; a slow watcher gets the latest, not all."""
    inside = Inside()
    children = house.controller.pages("none", lambda: inside, Nothing(), ())
    await children.start()
    stub: meter_pb2_grpc.MeterServiceAsyncStub = meter_pb2_grpc.MeterServiceStub(inside.channel)
    listed = await stub.ListMeters(meter_pb2.ListMetersRequest(site=SITE), timeout=5)
    assert listed == await house.meters.ListMeters(meter_pb2.ListMetersRequest(site=SITE))
    answers = aiter(stub.WatchMeters(meter_pb2.WatchMetersRequest(site=SITE)))
    assert {link.link for link in (await anext(answers)).links} == {x.link for x in listed.links}
    dealer, seen = await house.dealer("t4"), 0
    for _ in range(20):
        await dealer.settled({}, 1)
    now = (await house.meter("five"))["main"]
    async with asyncio.timeout(5):
        while (await anext(answers)).links[0].meters[0].amount_micros != now:
            seen += 1
    assert seen <= 2
    await children.stop()
    with pytest.raises(AioRpcError) as lost:
        await stub.ListMeters(meter_pb2.ListMetersRequest(site=SITE), timeout=5)
    assert isinstance(from_rpc_error(lost.value), UnreachableError)


async def test_a_refusal_is_what_it_is_over_grpc(house: House) -> None:
    """Code, reason and details come over the link too."""
    inside = Inside()
    children = house.controller.pages("none", lambda: inside, Nothing(), ())
    await children.start()
    request = meter_pb2.ListMetersRequest(site=SITE, link="nope")
    told = []
    for channel in (inside.channel, house.channel):
        stub: meter_pb2_grpc.MeterServiceAsyncStub = meter_pb2_grpc.MeterServiceStub(channel)
        with pytest.raises(AioRpcError) as refused:
            await stub.ListMeters(request, timeout=5)
        told.append(str(from_rpc_error(refused.value)))
    assert told[0] == told[1]
    assert told[0].startswith("UNKNOWN_LINK")
    await children.stop()


async def test_nothing_can_be_changed(house: House) -> None:
    """A command is no method of that link: whoever sends one is not our pages, and is cut off."""
    inside = Inside()
    children = house.controller.pages("none", lambda: inside, Nothing(), ())
    await children.start()
    before = await house.sequence()
    stub: operator_pb2_grpc.OperatorServiceAsyncStub = operator_pb2_grpc.OperatorServiceStub(
        inside.channel
    )
    with pytest.raises(AioRpcError):
        await stub.SuspendLink(operator_pb2.SuspendLinkRequest(site=SITE, link="five"), timeout=5)
    assert await house.sequence() == before
    await children.stop()


async def test_a_child_that_cannot_work_says_why(house: House) -> None:
    """The start fails with its words, and at once."""
    children = house.controller.pages("none", lambda: Inside("no room"), Nothing(), ())
    async with asyncio.timeout(20):
        with pytest.raises(ChildError, match="no room"):
            await children.start()


def test_only_reads_are_methods() -> None:
    """Every method is one that lists, gets or watches."""
    rpcs = {
        descriptor: {method.name: None for method in descriptor.methods}
        for descriptor in (
            meter_pb2.DESCRIPTOR.services_by_name["MeterService"],
            operator_pb2.DESCRIPTOR.services_by_name["OperatorService"],
        )
    }
    names = {name.rpartition("/")[2] for name in reads(rpcs)}  # type: ignore[arg-type]  # not called
    assert all(name.startswith(("List", "Get", "Watch")) for name in names)
    assert {"ListAlarms", "GetTable", "WatchMeters"} <= names


async def test_a_link_knows_no_other_frames() -> None:
    """A frame of the other side's ends the link."""
    ended: list[str] = []
    calls = FrontCalls({}, lambda *_: None, ended.append)
    channel = LedgerChannel(lambda *_: None, lambda: None)
    join(calls.link, channel.link)
    with pytest.raises(AioRpcError):
        await channel.ask("/none", b"", 2)
    assert len(ended) == 1
