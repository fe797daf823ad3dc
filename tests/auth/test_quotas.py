"""What one certificate may hold at once: past it, only that one is refused."""

import asyncio
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import grpc
import pytest

from jackpot.auth.callers import Actor
from jackpot.auth.logins import MAX_EACH, Logins
from jackpot.front import frames
from jackpot.front.backoff import LONGEST_S, MOST_ASKED, MOST_WAITING, PER_S, Backoff
from jackpot.server import admission
from jackpot.server.admission import Admission
from jackpot.server.errors import CallRefusedError
from jackpot.wire.limits import MAX_CALLS_EACH, MAX_TABLE_STREAMS
from jackpot.wire.refusals import from_rpc_error
from jackpot.wire.v1 import meter_pb2, meter_pb2_grpc, table_pb2_grpc
from tests.auth.secured import Secured, code_of, secured
from tests.server.house import SITE

ENDED_S = 20.0  # far more than it takes


async def reason_of(call: Any, within_s: float = 0.5) -> str:
    """Why a stream was ended; empty while it is open after a while."""
    reading = asyncio.ensure_future(call.read())  # to cancel it would be to cancel the stream
    await asyncio.wait((reading,), timeout=within_s)
    if not reading.done():
        return ""
    error: Any = reading.exception()
    return from_rpc_error(error).reason


def play(channel: grpc.aio.Channel) -> Any:
    """A stream that says nothing."""
    return table_pb2_grpc.TableServiceStub(channel).Play()


async def test_a_tables_streams_cost_no_other_table_its_place(tmp_path: Path) -> None:
    """At the limit, one more of the same table is refused; another table's is not."""
    async with secured(tmp_path) as house:
        greedy, modest = house.identity("table", "t4"), house.identity("table", "t5")
        async with house.channel(greedy) as first, house.channel(modest) as second:
            held = [play(first) for _ in range(MAX_TABLE_STREAMS)]
            assert set(await asyncio.gather(*map(reason_of, held))) == {""}
            assert await reason_of(play(first), ENDED_S) == "OVERLOADED"
            assert await reason_of(play(second)) == ""
            held[0].cancel()
            async with asyncio.timeout(ENDED_S):
                while await reason_of(play(first)):
                    pass


async def test_who_asks_for_too_much_hears_so_ever_later(tmp_path: Path) -> None:
    """The first time at once, then 20 times a second; another table hears it at once."""
    async with secured(tmp_path) as house:
        greedy, modest = house.identity("table", "t4"), house.identity("table", "t5")
        async with house.channel(greedy) as first, house.channel(modest) as second:
            held = [play(each) for each in (first, second) for _ in range(MAX_TABLE_STREAMS)]
            assert set(await asyncio.gather(*map(reason_of, held))) == {""}
            began = time.monotonic()
            assert await reason_of(play(first), ENDED_S) == "OVERLOADED"
            flood = [asyncio.ensure_future(reason_of(play(first), ENDED_S)) for _ in range(60)]
            assert await reason_of(play(second), ENDED_S) == "OVERLOADED"
            assert not any(each.done() for each in flood[-5:])
            assert set(await asyncio.gather(*flood)) == {"OVERLOADED"}
            assert time.monotonic() - began >= len(flood) / PER_S
            held[0].cancel()
            async with asyncio.timeout(ENDED_S):  # and is heard again when it has a place
                while await reason_of(play(first)):
                    pass


@pytest.mark.parametrize("given_up", [False, True])
def test_the_ledger_is_asked_in_vain_only_so_often(*, given_up: bool) -> None:
    """At the limit, for that caller alone; what the front refuses by itself does not count."""
    backoff = Backoff(b"overloaded")
    end = b"" if given_up else b"too much"
    for _ in range(MOST_ASKED - 1):
        backoff.asked_in_vain(1, 100.0, end)
    with ExitStack() as held:
        for _ in range(MOST_ASKED):  # or they would keep the caller out by themselves
            held.enter_context(backoff.waiting(1))
            backoff.wait_s(1, 100.0)
        assert backoff.refusal_for(1, 100.0) is None
    backoff.asked_in_vain(1, 100.0, end)
    assert backoff.refusal_for(1, 100.0) == (end or b"overloaded")
    assert backoff.refusal_for(2, 100.0) is None
    assert backoff.refusal_for(1, 100.0 + 1 / PER_S) is None
    for _ in range(100 * MOST_ASKED):
        backoff.asked_in_vain(1, 100.0, end)
    assert backoff.refusal_for(1, 100.0 + LONGEST_S) is None


async def test_giving_up_is_no_way_around(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A caller that cancels each call at once reaches the ledger as rarely as one that waits."""
    opened = []
    tell = frames.Link.tell

    def count(link: frames.Link, kind: int, call: int, value: Any) -> None:
        if kind == frames.OPEN:
            opened.append(value.certificate)
        tell(link, kind, call, value)

    monkeypatch.setattr(frames.Link, "tell", count)
    async with secured(tmp_path) as house:
        impatient, modest = house.identity("table", "t4"), house.identity("table", "t1")
        began = time.monotonic()
        async with house.channel(impatient) as channel:
            stub: Any = table_pb2_grpc.TableServiceStub(channel)
            for _ in range(12):
                streams = [stub.Play() for _ in range(40)]
                sent = (each.wait_for_connection() for each in streams)
                await asyncio.gather(*sent, return_exceptions=True)
                await asyncio.sleep(0.02)
                for stream in streams:
                    stream.cancel()
        passed_s = time.monotonic() - began
        # A batch may be on its way before the first is given up.
        assert len(opened) <= 2 * 40 + MOST_ASKED + passed_s * PER_S
        async with house.channel(modest) as channel:
            assert await code_of(channel, "MeterService/ListSites") == "OK"


def test_refusals_that_wait_are_bounded() -> None:
    """At the limit no more of that caller are kept back: its connection is closed instead."""
    backoff = Backoff()
    with ExitStack() as held:
        for _ in range(MOST_WAITING - 1):
            held.enter_context(backoff.waiting(1))
        assert not backoff.is_full(1)
        with backoff.waiting(1):
            assert backoff.is_full(1)
            assert not backoff.is_full(2)


def test_how_long_a_refusal_is_kept_back() -> None:
    """By what was refused before, up to half a minute; a pause makes it as it was."""
    backoff = Backoff()
    waits = [backoff.wait_s(1, 100.0) for _ in range(3)]
    assert waits == pytest.approx([0.0, 1 / PER_S, 2 / PER_S])
    assert backoff.wait_s(2, 100.0) == 0.0
    for _ in range(int(LONGEST_S * PER_S) * 2):
        backoff.wait_s(1, 100.0)
    assert backoff.wait_s(1, 100.0) == pytest.approx(LONGEST_S)
    assert backoff.wait_s(1, 100.0 + LONGEST_S + 1 / PER_S) == 0.0


async def test_calls_at_once_are_counted_by_certificate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While a commit hangs, one caller's questions pile up to its own limit only."""
    monkeypatch.setattr(admission, "MAX_CALLS_EACH", 4)
    async with secured(tmp_path) as house:
        release = hold_answers(house, monkeypatch)
        many, other = house.identity("operations", "olga"), house.identity("operations", "otto")
        async with house.channel(many) as first, house.channel(other) as second:
            asked = {asyncio.ensure_future(list_meters(first)) for _ in range(5)}
            (refused,), held = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
            assert refused.result() == "OVERLOADED"
            waiting = asyncio.ensure_future(list_meters(second))
            await asyncio.sleep(0.3)
            assert not waiting.done()
            release.set()
            assert [*await asyncio.gather(*held), await waiting] == [""] * 5
            assert await code_of(first, "MeterService/ListSites") == "OK"


async def list_meters(channel: grpc.aio.Channel) -> str:
    """Ask once; the reason of a refusal, or nothing."""
    stub: Any = meter_pb2_grpc.MeterServiceStub(channel)
    try:
        await stub.ListMeters(meter_pb2.ListMetersRequest(site=SITE))
    except grpc.RpcError as error:
        return from_rpc_error(error).reason
    return ""


def hold_answers(house: Secured, monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """Let the engine answer nobody until the event is set."""
    release, read = asyncio.Event(), house.engine.read

    async def later(*args: Any, **options: Any) -> Any:
        await release.wait()
        return await read(*args, **options)

    monkeypatch.setattr(house.engine, "read", later)
    return release


def test_a_site_costs_another_of_the_same_names_nothing() -> None:
    """A controller may serve several sites, and each has its table t1 and its Flo."""
    ours, theirs = (Actor("table:t1", role="table", site=site) for site in ("a", "b"))
    door = Admission()
    with ExitStack() as held:
        for _ in range(MAX_CALLS_EACH):
            held.enter_context(door.busy(ours))
        with pytest.raises(CallRefusedError):
            held.enter_context(door.busy(ours))
        held.enter_context(door.busy(theirs))
    logins = Logins(lambda _: "")
    token, _ = logins.grant(theirs, "", "")
    for _ in range(MAX_EACH):
        logins.grant(ours, "", "")
    assert logins.single(token)
