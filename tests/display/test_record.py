"""What the state forgets: past rounds, contributions, meters over time."""

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from jackpot.core.state import State
from jackpot.display.history.follower import JournalFollower
from jackpot.display.history.site_history import (
    DAY_S,
    MINUTE_S,
    STEPS,
    LevelHistory,
    Samples,
    SiteHistory,
    Thinned,
)
from jackpot.engine import Engine
from jackpot.rules.site import load_site
from jackpot.store.opening import open_to_read
from jackpot.wire.v1 import meter_pb2
from tests.engine.pit import eventually
from tests.server.house import SITE, House, fund_text, open_house, serving


def follow(house: House, backfill: int = 250_000) -> JournalFollower:
    """A tail on a house's journal."""

    async def meters() -> meter_pb2.ListMetersResponse:
        return await house.meters.ListMeters(meter_pb2.ListMetersRequest(site=SITE))

    reader = partial(open_to_read, house.store)
    tail = JournalFollower(SITE, reader, meters, backfill)
    tail.start()
    return tail


async def caught_up(tail: JournalFollower, engine: Engine) -> SiteHistory:
    """The record when it has come to the head."""
    head = await engine.read(SITE, lambda state: state.sequence)
    assert isinstance(head, int)
    tail.heed(head)
    await eventually(lambda: tail.history is not None and tail.history.sequence >= head)
    assert tail.history is not None
    return tail.history


async def meters(engine: Engine) -> dict[str, int]:
    """All meters in the state."""

    def look(state: State) -> dict[str, int]:
        return {a.removesuffix("/meter"): b for a, b in state.balances.items() if "/meter" in a}

    found = await engine.read(SITE, look)
    assert isinstance(found, dict)
    return found


async def check_meters(record: SiteHistory, engine: Engine) -> None:
    """The record's last values are the state's."""
    assert {key: record.level(key).value for key in await meters(engine)} == await meters(engine)


async def test_what_was_before_the_start_is_read_back(tmp_path: Path) -> None:
    """Rounds and contributions from before, and the same meters as the state's."""
    async with open_house(tmp_path) as house:
        dealer = await house.dealer("t2")
        for _ in range(9):
            await dealer.settled({}, 1, 2, dollars=5)
        tail = follow(house)
        record = await caught_up(tail, house.engine)
        await check_meters(record, house.engine)
        assert [r.number for r in record.table("t2").rounds] == [9, 8, 7, 6, 5, 4]
        assert record.table("t2").contributed_micros == 9 * 1_900_000
        await dealer.settled({}, 1, dollars=5)
        record = await caught_up(tail, house.engine)
        assert record.table("t2").rounds[0].number == 10
        await check_meters(record, house.engine)
        await tail.stop()


@pytest.mark.parametrize("entries", [0, 1, 7, 30])
async def test_a_bounded_look_back_still_ends_at_the_meter(tmp_path: Path, entries: int) -> None:
    """However little of the past is read, the values are right from there on."""
    async with open_house(tmp_path) as house:
        dealer = await house.dealer("t2")
        for _ in range(6):
            await dealer.settled({}, 1, 2, dollars=5)
        tail = follow(house, entries)
        record = await caught_up(tail, house.engine)
        await check_meters(record, house.engine)
        assert record.table("t2").contributed_micros <= (entries // 4 + 1) * 1_900_000
        await tail.stop()


async def test_what_another_controller_wrote_is_in_it(tmp_path: Path) -> None:
    """Rounds committed by a second controller on the same journal are followed too."""
    async with open_house(tmp_path) as house:
        tail = follow(house)
        await caught_up(tail, house.engine)
        site = load_site(tmp_path / "site.toml")
        async with serving(house.store, site) as other:
            dealer = await other.dealer("t4")
            for _ in range(3):
                await dealer.settled({}, 1, 2, 3)
        mine = await house.dealer("t2")
        await mine.settled({}, 1, dollars=5)
        record = await caught_up(tail, house.engine)
        assert record.table("t4").rounds[0].number == 3
        assert record.table("t2").rounds[0].number == 1
        await check_meters(record, house.engine)
        await tail.stop()


async def test_following_under_load_keeps_up(tmp_path: Path) -> None:
    """With several tables at once nothing is missed or taken twice."""
    async with open_house(tmp_path, many=6) as house:
        tail = follow(house)
        dealers = [await house.dealer(f"s{number}") for number in range(6)]

        async def play(index: int) -> None:
            for _ in range(10):
                await dealers[index].settled({}, 1, 2, 3)

        await asyncio.gather(*map(play, range(6)))
        record = await caught_up(tail, house.engine)
        await check_meters(record, house.engine)
        for number in range(6):
            assert record.table(f"s{number}").contributed_micros == 10 * 3 * 210_000
        await tail.stop()


async def test_a_void_takes_a_contribution_back(tmp_path: Path) -> None:
    """A voided round counts for nothing, and is listed as void."""
    async with open_house(tmp_path) as house:
        tail = follow(house)
        dealer = await house.dealer("t2")
        await dealer.settled({}, 1, dollars=5)
        await dealer.collected(1, 2, dollars=5)
        await house.operate("VoidTableRound", table="t2", round=2, irregularity="MISDEALT")
        record = await caught_up(tail, house.engine)
        assert record.table("t2").contributed_micros == 950_000
        assert record.table("t2").rounds[0].void == "MISDEALT"
        await check_meters(record, house.engine)
        await tail.stop()


async def test_a_table_is_heard_only_when_it_speaks(tmp_path: Path) -> None:
    """A table that never attached was never heard, though it was defined and its box counted."""
    async with open_house(tmp_path, more=fund_text()) as house:
        tail = follow(house)
        box: dict[str, Any] = {
            "table": "p1",
            "counted_micros": 0,
            "cashier": "Cy",
        }
        await house.operate("CountBox", link="fund", **box)
        await house.dealer("t4")
        record = await caught_up(tail, house.engine)
        await tail.stop()
        assert record.table("p1").heard_micros == 0
        assert record.table("t1").heard_micros == 0
        assert record.table("t4").heard_micros > 0


def test_samples_keep_the_last_value_of_a_step() -> None:
    """Values within a step replace each other, each at its own time; the next step begins anew."""
    samples = Samples(MINUTE_S)
    for time_s, value in ((0, 1), (59, 2), (60, 3), (110, 4), (120, 5)):
        samples.add(time_s, value)
    assert list(samples.values) == [2, 4, 5]
    assert list(samples.times_s) == [59, 110, 120]


def test_a_range_begins_with_what_the_meter_held() -> None:
    """A meter that has not moved in a range has held its value all through it."""
    history = LevelHistory()
    history.add(100, 7)
    now_s = 100 + 2 * DAY_S
    assert history.over("day", now_s) == [(now_s - DAY_S, 7), (now_s, 7)]
    assert history.over("week", now_s) == [(100, 7), (now_s, 7)]


def test_a_week_of_samples_is_a_week() -> None:
    """However busy the meter, the series for a week goes back seven days, in bounded memory."""
    history = LevelHistory()
    for time_s in range(0, 8 * DAY_S, MINUTE_S):
        history.add(time_s, time_s)
    week = history.over("week", 8 * DAY_S)
    assert week[0][0] <= DAY_S + 2 * 7 * MINUTE_S
    assert len(week) <= STEPS + 2


def test_samples_forget_the_oldest() -> None:
    """A series never holds more than its steps."""
    samples = Samples(1)
    for time_s in range(STEPS + 1):
        samples.add(time_s, time_s)
    assert len(samples.values) == STEPS
    assert samples.values[0] == 1


def test_a_thinned_series_keeps_its_beginning() -> None:
    """Since the last hit: bounded, from the first value to the last, in order."""
    series = Thinned(1, keep=100)
    for time_s in range(10_000):
        series.add(time_s, time_s)
    assert len(series.values) <= 100
    assert series.values[0] == 0
    assert series.values[-1] > 9_800
    assert list(series.times_s) == sorted(series.times_s)


def test_a_hit_begins_a_new_story() -> None:
    """After a hit the range since the last hit begins with the new meter."""
    history = LevelHistory()
    for time_s in range(0, 600, 10):
        history.add(time_s, 1_000 + time_s)
    history.add(600, 500)
    history.won(600)
    history.add(700, 520)
    assert history.over("hit", 700) == [(600, 500), (700, 520)]
    assert history.over("day", 700)[-1] == (700, 520)
    assert len(history.over("day", 700)) > 5
