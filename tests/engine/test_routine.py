"""What an engine does by the clock, on real journals: a reading a day, and none too many."""

import asyncio
import datetime as dt
import itertools
import shutil
import time
from collections.abc import AsyncIterator, Callable
from collections.abc import Set as AbstractSet
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from jackpot.core.commands.operator import ConfigureSite, ResumeLink
from jackpot.core.commands.table import OpenRound
from jackpot.core.config import GamingDay
from jackpot.core.events import Probed
from jackpot.core.events.operator import LinkChanged, MetersRead
from jackpot.core.reasons import Reason
from jackpot.engine import AlarmKind, Engine, Limits
from jackpot.engine.gaming_day import bounds
from jackpot.engine.witness import Witnessed
from jackpot.restoring import begin_incarnations, restore
from jackpot.store import codec
from jackpot.store.journal import Journal, StoreError
from jackpot.store.opening import Address, journal_opener, open_to_read
from tests.core.floor import tagged_names
from tests.engine.pit import SITE, Pit, eventually, ok, reason, wagers

DAY = GamingDay(6 * 60, "America/New_York")
DATE = dt.date(2026, 3, 7)  # the day before clocks go forward
START = bounds(DAY, DATE)[0]
HOUR = 3_600_000_000


class Clock:
    """Stands still until it is set."""

    def __init__(self, micros: int = START) -> None:
        self.micros = micros

    def __call__(self) -> int:
        """What the engine calls."""
        return self.micros


@asynccontextmanager
async def by_clock(
    store: Address, clock: Clock, opened: Callable[[], Journal] | None = None
) -> AsyncIterator[Engine]:
    """An engine that lives by a clock."""
    engine = Engine(
        opened or journal_opener(store),
        tagged_names,
        sites=(SITE,),
        clock=clock,
        limits=Limits(poll_s=0.01),
        by_clock=True,
    )
    await engine.start()
    try:
        yield engine
    finally:
        await engine.drain()


async def open_up(engine: Engine) -> Pit:
    """A link and a table of a house whose gaming day begins at six in the morning."""
    pit = Pit(engine)
    await pit.operate(ConfigureSite(dual_control=False, day=DAY))
    await pit.open_up("t1")
    return pit


async def looked(engine: Engine) -> None:
    """Wait until the engine has looked at the clock: it does so before each question."""
    for _ in range(2):
        await engine.read(SITE, lambda state: state.sequence)


def written(store: Address) -> list[tuple[int, object]]:
    """All events of a journal, and when they were written."""
    journal = open_to_read(store)
    try:
        rows = journal.read(SITE, 0, 10_000)
        return [(row.time_micros, codec.decode_entry(SITE, row).event) for row in rows]
    finally:
        journal.close()


def readings(store: Address) -> list[tuple[int, MetersRead]]:
    """The readings of a journal."""
    return [(when, event) for when, event in written(store) if isinstance(event, MetersRead)]


@pytest.mark.parametrize("later", [-1, 0, 1])
async def test_the_meters_are_read_when_the_gaming_day_begins(store: Address, later: int) -> None:
    """By the site's own clocks: this day has 23 hours. And once only, however long it runs."""
    clock = Clock()
    tomorrow = bounds(DAY, DATE)[1]
    assert tomorrow - START == 23 * HOUR
    async with by_clock(store, clock) as engine:
        await open_up(engine)
        await looked(engine)
        clock.micros = tomorrow + later
        await looked(engine)
        for _ in range(3 if later >= 0 else 0):
            clock.micros += 50
            await looked(engine)
    found = readings(store)
    assert len(found) == (0 if later < 0 else 1)
    for when, event in found:
        assert (when, event.due_micros, event.missed) == (tomorrow + later, tomorrow, 0)
        assert (event.date, event.alarms) == ("2026-03-08", ())
        assert [level.level for level in event.levels] == ["a/main"]


async def test_two_controllers_take_one_reading(store: Address) -> None:
    """Whoever is first; the other reads it and has nothing left to do."""
    clock = Clock()
    async with by_clock(store, clock) as one, by_clock(store, clock) as two:
        await open_up(one)
        await looked(two)
        for days in (1, 2, 3):
            clock.micros = bounds(DAY, DATE + dt.timedelta(days))[0]
            await asyncio.gather(looked(one), looked(two))
    dates = [event.date for _, event in readings(store)]
    assert dates == ["2026-03-08", "2026-03-09", "2026-03-10"]


async def test_a_controller_that_was_down_reads_at_its_start_and_says_so(
    store: Address, caplog: pytest.LogCaptureFixture
) -> None:
    """One reading for the day that it is, late, with the number of days that have none."""
    clock = Clock()
    async with by_clock(store, clock) as engine:
        await open_up(engine)
        await looked(engine)
        clock.micros = bounds(DAY, DATE)[1]
        await looked(engine)
    clock.micros = bounds(DAY, dt.date(2026, 3, 11))[0] + 2 * HOUR
    async with by_clock(store, clock) as engine:
        await looked(engine)
        kinds = [alarm.kind for alarm in engine.alarms.alarms(SITE)]
    _, (when, event) = readings(store)
    assert (event.date, event.missed, event.alarms) == ("2026-03-11", 2, ("READING_LATE",))
    assert when - event.due_micros == 2 * HOUR
    assert kinds == [AlarmKind.READING_LATE]
    said = "the meters of gaming day 2026-03-11 were read 2 h 0 min after the day began"
    assert f"{said}; 2 earlier days have no reading" in caplog.text


async def test_the_first_reading_is_of_the_day_after_the_last_entry(store: Address) -> None:
    """A journal of an earlier version has none; the day that it was last played on is over."""
    clock = Clock()
    async with by_clock(store, clock) as engine:
        await open_up(engine)
    for later in (23 * HOUR - 1, 23 * HOUR):
        clock.micros = START + later
        async with by_clock(store, clock) as engine:
            await looked(engine)
    assert [(event.date, event.missed) for _, event in readings(store)] == [("2026-03-08", 0)]


@pytest.mark.parametrize("later", [-1, 0, 1])
async def test_a_start_after_24_hours_finds_its_links_suspended(store: Address, later: int) -> None:
    """Before any table can play; somebody resumes them, and play goes on."""
    clock = Clock()
    async with by_clock(store, clock) as engine:
        await open_up(engine)
    last = written(store)[-1][0]
    clock.micros = last + 24 * HOUR + later
    async with by_clock(store, clock) as engine:
        pit = Pit(engine)
        pit._requests = itertools.count(1_000)
        await pit.attach("t1")
        await pit.play("t1", OpenRound())
        placed = await pit.play("t1", wagers(1))
        if later > 0:
            assert reason(placed) is Reason.LINK_NOT_IN_SERVICE
            await pit.operate(ResumeLink("a"))
            placed = await pit.play("t1", wagers(1))
        ok(placed)
    changed = [event for _, event in written(store) if isinstance(event, LinkChanged)]
    away = [event.away_micros for event in changed if event.status == "suspended"]
    assert away == ([24 * HOUR + 1] if later > 0 else [])


def failing_at_first(store: Address) -> Callable[[], Journal]:
    """A journal whose first commit fails."""
    left = [StoreError("the disk is full")]

    def opened() -> Journal:
        journal = journal_opener(store)()
        begin = journal.begin

        def begin_or_fail(sites: AbstractSet[str]) -> Any:
            if left:
                raise left.pop()
            return begin(sites)

        spoiled: Any = journal
        spoiled.begin = begin_or_fail
        return journal

    return opened


def _has_probed(store: Address) -> bool:
    with suppress(StoreError):  # the engine begins to write while this reads
        return any(isinstance(event, Probed) for _, event in written(store))
    return False


async def test_an_absence_is_found_though_the_first_commit_fails(store: Address) -> None:
    """What a controller then writes to try its store is no sign that it was there."""
    clock = Clock()
    async with by_clock(store, clock) as engine:
        await open_up(engine)
    clock.micros = written(store)[-1][0] + 24 * HOUR + 1
    async with by_clock(store, clock, failing_at_first(store)):
        await eventually(lambda: _has_probed(store))
    changed = [event for _, event in written(store) if isinstance(event, LinkChanged)]
    assert (changed[-1].status, changed[-1].away_micros) == ("suspended", 24 * HOUR + 1)


@pytest.mark.parametrize("later", [0, 1])
async def test_an_absence_is_found_after_a_restore(
    store: Address, later: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is a restore: counted from the last entry that is known, lost or not."""
    clock = Clock()
    async with by_clock(store, clock) as engine:
        await open_up(engine)
    last = written(store)[-1][0]
    known = {SITE: Witnessed(10_000, "", last + HOUR)}
    with monkeypatch.context() as patch:
        patch.setattr(time, "time_ns", lambda: (last + 24 * HOUR) * 1_000)
        begin_incarnations(store, [SITE], reason="disk failed", by="ann", known=known)
    clock.micros = last + 25 * HOUR + later
    async with by_clock(store, clock) as engine:
        await looked(engine)
        status = await engine.read(SITE, lambda state: state.links["a"].status)
    assert status == ("suspended" if later else "in-service")


async def test_a_second_restore_hides_no_absence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """First the wrong backup, an hour later the right one: no controller was there between them."""
    store, backup, clock = tmp_path / "data", tmp_path / "backup", Clock()
    async with by_clock(store, clock) as engine:
        await open_up(engine)
    shutil.copytree(store, backup)
    last = written(store)[-1][0]
    for hours in (48, 49):
        with monkeypatch.context() as patch:
            patch.setattr(time, "time_ns", partial(int, (last + hours * HOUR) * 1_000))
            restore(backup, store, reason="disk failed", by="ann", discard_newer=True)
    clock.micros = last + 50 * HOUR
    async with by_clock(store, clock) as engine:
        await looked(engine)
        status = await engine.read(SITE, lambda state: state.links["a"].status)
    assert status == "suspended"


async def test_a_controller_that_nobody_needs_is_not_away(store: Address) -> None:
    """On a closed floor it writes every hour: a short stop after a long night is no absence."""
    clock = Clock()
    async with by_clock(store, clock) as engine:
        await open_up(engine)
        await looked(engine)
        for minutes in range(0, 40 * 60, 30):
            clock.micros = START + minutes * HOUR // 60
            await looked(engine)
    marks = [when for when, event in written(store) if isinstance(event, Probed | MetersRead)]
    assert len(marks) == 39
    assert max(late - early for early, late in itertools.pairwise(marks)) == HOUR
    clock.micros += HOUR // 2
    async with by_clock(store, clock) as engine:
        status = await engine.read(SITE, lambda state: state.links["a"].status)
    assert status == "in-service"


async def test_a_clock_that_jumps_is_no_absence(store: Address) -> None:
    """A controller that runs was there, whatever its clock says; a day's reading is due, though."""
    clock = Clock()
    async with by_clock(store, clock) as engine:
        pit = await open_up(engine)
        await looked(engine)
        clock.micros += 30 * HOUR
        await looked(engine)
        await pit.attach("t1")
        await pit.play("t1", OpenRound())
        ok(await pit.play("t1", wagers(1)))
    assert len(readings(store)) == 1


async def test_a_replay_takes_no_reading(store: Address) -> None:
    """Its clock counts how often it is looked at: a look too many, and it is another journal."""
    clock = Clock()
    engine = Engine(journal_opener(store), tagged_names, sites=(SITE,), clock=clock)
    await engine.start()
    await open_up(engine)
    clock.micros += 100 * 24 * HOUR
    await looked(engine)
    await engine.drain()
    assert not readings(store)
