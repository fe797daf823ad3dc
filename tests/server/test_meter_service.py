"""Meters: listed, watched, resumed, conflated."""

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from grpc.aio import AioRpcError

from jackpot.core.invariants import BrokenInvariantError
from jackpot.core.reasons import Reason
from jackpot.core.state import State
from jackpot.engine import replica
from jackpot.server.calls import Call
from jackpot.store.opening import Address
from jackpot.wire.v1 import meter_pb2
from tests.engine.pit import eventually
from tests.server.house import DOLLAR, ROYALS, SITE, House, info_of, open_house, status_of


def watch(house: House, *links: str, after: int = 0) -> Any:
    """Begin a watch."""
    return house.meters.WatchMeters(
        meter_pb2.WatchMetersRequest(site=SITE, links=links, after_sequence=after)
    )


async def read(call: Any) -> meter_pb2.WatchMetersResponse:
    """The next frame."""
    response: meter_pb2.WatchMetersResponse = await asyncio.wait_for(call.read(), 5)
    return response


async def test_a_watch_begins_with_what_there_is(house: House) -> None:
    """The first message has every link, all levels of a link in one frame."""
    response = await read(watch(house))
    shown = {link.link: [m.level for m in link.meters] for link in response.links}
    assert shown == {
        "five": ["main"],
        "mega": ["mega", "major", "minor"],
        "spare": ["main"],
        "bonus": ["main"],
    }
    assert response.sequence == max(link.sequence for link in response.links)


async def test_only_what_changes_is_sent_after_that(house: House) -> None:
    """A round on one link sends that link's frame, with the meter that the round left."""
    call = watch(house)
    await read(call)
    dealer = await house.dealer("t4")
    await dealer.collected(1, 2, 3, 4, 5, 6)
    response = await read(call)
    (link,) = response.links
    assert (link.link, link.meters[0].amount_micros) == ("five", 10_001_260_000)


async def test_a_watch_resumes_after_a_sequence(house: House) -> None:
    """What was seen is not sent again; what changed since is sent at once."""
    call = watch(house)
    seen = (await read(call)).sequence
    call.cancel()
    resumed = watch(house, after=seen)
    dealer = await house.dealer("t4")
    await dealer.collected(1)
    response = await read(resumed)
    assert [link.link for link in response.links] == ["five"]
    again = await read(watch(house, after=seen))
    assert again.links == response.links


async def test_a_hit_shows_with_its_count(house: House) -> None:
    """A hit raises the counter and is listed, pending until it is validated and paid."""
    dealer = await house.dealer("t4")
    (payout,) = await dealer.settled({1: ROYALS["s"]}, 1)
    (link,) = (await read(watch(house, "five"))).links
    assert link.hit_count == 1
    (hit,) = link.recent_hits
    assert (hit.table, hit.seat, hit.hand, hit.status) == (
        "t4",
        1,
        "royal-flush",
        meter_pb2.HIT_STATUS_PENDING,
    )
    call = watch(house, "five")
    await read(call)
    await house.operate("ValidatePayout", payout=payout.id, floorperson="Ann")
    await house.operate("PayPayout", payout=payout.id, form="W2G-1")
    statuses = []
    while meter_pb2.HIT_STATUS_PAID not in statuses:
        statuses.append((await read(call)).links[0].recent_hits[0].status)


async def test_a_slow_watcher_skips_to_the_latest(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader held up through many changes gets the one it was held up in and the last one."""
    gate, write = asyncio.Event(), Call.write

    async def slowly(call: Call, raw: bytes) -> None:
        await gate.wait()
        await write(call, raw)

    house.controller._meters.gap_s = 0
    call = watch(house, "five")
    await read(call)
    monkeypatch.setattr(Call, "write", slowly)
    dealer = await house.dealer("t4")
    await dealer.settled({}, 1, 2)
    await asyncio.sleep(0.05)
    for _ in range(19):
        await dealer.settled({}, 1, 2)
    gate.set()
    shown = [(await read(call)).links[0].meters[0].amount_micros for _ in range(2)]
    assert shown == [10_000 * DOLLAR + rounds * 2 * 210_000 for rounds in (1, 20)]


async def test_a_sign_is_sent_no_more_frames_than_eyes_can_follow(house: House) -> None:
    """Changes that come close behind a frame are one frame, with the last of them."""
    house.controller._meters.gap_s = 3.0
    call = watch(house, "five")
    await read(call)
    dealer = await house.dealer("t4")
    for _ in range(5):
        await dealer.settled({}, 1, 2)
    (link,) = (await read(call)).links
    assert link.meters[0].amount_micros == 10_000 * DOLLAR + 5 * 2 * 210_000


async def test_an_unknown_link_cannot_be_watched(house: House) -> None:
    """A misspelt link is refused, not silent for ever."""
    with pytest.raises(AioRpcError) as caught:
        await watch(house, "fife").read()
    assert info_of(status_of(caught.value)).reason == Reason.UNKNOWN_LINK


async def test_more_watchers_than_allowed_are_turned_away(house: House) -> None:
    """The watcher that is one too many is refused."""
    house.controller._meters._max_watchers = 2
    calls = [watch(house) for _ in range(2)]
    for call in calls:
        await read(call)
    with pytest.raises(AioRpcError) as caught:
        await watch(house).read()
    assert info_of(status_of(caught.value)).reason == Reason.OVERLOADED


async def test_sites_are_listed(house: House) -> None:
    """A client can ask which sites a controller serves."""
    response = await house.meters.ListSites(meter_pb2.ListSitesRequest())
    assert list(response.sites) == [SITE]


async def test_a_sign_elsewhere_is_at_most_a_second_behind(tmp_path: Path, store: Address) -> None:
    """What a table does through one controller shows on a sign that watches another."""
    async with open_house(tmp_path, store) as one, open_house(tmp_path, store) as other:
        call = watch(other, "five")
        await read(call)
        dealer = await one.dealer("t4")
        for played in range(1, 4):
            await dealer.settled({}, 1)
            async with asyncio.timeout(1):
                (link,) = (await read(call)).links
            assert link.meters[0].amount_micros == 10_000 * DOLLAR + played * 210_000


async def test_a_watch_ends_when_its_site_is_halted(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever was shown of it may not be so; another watch is refused for the same reason."""

    def check(_state: State) -> None:
        raise BrokenInvariantError("for the test")

    before = watch(house)
    await read(before)
    monkeypatch.setattr(replica, "check_open", check)
    with suppress(AioRpcError):
        await house.operate("SuspendLink", link="bonus")
    # The site is halted, and the store is open again.
    await eventually(lambda: bool(house.engine.halted) and house.engine.healthy, within_s=20)
    for call in (before, watch(house)):
        with pytest.raises(AioRpcError) as ended:
            await read(call)
        assert info_of(status_of(ended.value)).reason == "SITE_HALTED"
