"""What a controller does by the clock: readings, signs of life, and its own absence noticed."""

import pytest

from jackpot.core.commands import AnyCommand, Probe, ReadMeters, SuspendAfterAbsence
from jackpot.core.commands.base import ControllerOrigin
from jackpot.core.commands.operator import (
    CountBox,
    DefineLink,
    PutInService,
    ResumeLink,
    RetireLink,
    SuspendLink,
)
from jackpot.core.commands.table import ContributePot
from jackpot.core.config import Table
from jackpot.core.events.operator import LevelReading, LinkChanged, MetersRead
from jackpot.core.meter_readings import due
from jackpot.core.reasons import Reason
from tests.core.floor import DOLLAR, Floor, bad_beat_fund, five_card_a, ok, reason, table
from tests.core.meter_room import two_links

HOUR = 3_600_000_000
TODAY = ReadMeters("2026-03-02", 1_772_449_200_000_000)


def read(floor: Floor, command: ReadMeters) -> MetersRead:
    """The controller takes a reading."""
    event = ok(floor.handle(ControllerOrigin(), command))
    assert isinstance(event, MetersRead)
    return event


def due_after(floor: Floor, micros: int, reading: ReadMeters | None = None) -> list[AnyCommand]:
    """What is due so long after the last entry."""
    return list(due(floor.state, floor.state.time_micros + micros, reading, arriving=True))


@pytest.mark.parametrize("later", [-1, 0, 1])
def test_links_without_a_controller_for_more_than_24_hours_are_suspended(later: int) -> None:
    """Mich. Admin. Code R 432.1841(2)(e): not within 24 hours, then play is suspended."""
    floor = two_links()
    ok(floor.operate(SuspendLink("b")))
    away = 24 * HOUR + later
    found = due_after(floor, away)
    assert [type(command) for command in found] == [
        *([SuspendAfterAbsence] if later > 0 else []),
        Probe,
    ]
    if later > 0:
        assert found[0] == SuspendAfterAbsence("a", away)


def test_an_absence_is_kept_until_somebody_resumes_the_link() -> None:
    """The journal says why it is suspended, and for how long there was no controller."""
    floor = two_links()
    event = ok(floor.handle(ControllerOrigin(), SuspendAfterAbsence("a", 25 * HOUR)))
    assert event == LinkChanged("a", "suspended", time_micros=floor.clock, away_micros=25 * HOUR)
    link = floor.state.links["a"]
    assert (link.status, link.away_micros, link.out_micros) == ("suspended", 25 * HOUR, floor.clock)
    again = floor.handle(ControllerOrigin(), SuspendAfterAbsence("a", 25 * HOUR))
    assert reason(again) is Reason.WRONG_LINK_STATE
    ok(floor.operate(ResumeLink("a")))
    assert (link.status, link.away_micros, link.out_micros) == ("in-service", 0, 0)
    assert floor.replayed() == floor.state


@pytest.mark.parametrize(
    ("after", "found"), [(HOUR - 1, []), (HOUR, [Probe()]), (HOUR + 1, [Probe()])]
)
def test_a_quiet_controller_writes_every_hour(after: int, found: list[AnyCommand]) -> None:
    """So a longer silence in the journal was an absence, however quiet the floor is."""
    assert due_after(two_links(), after) == found


def test_a_reading_is_a_sign_of_life() -> None:
    """Nothing else is written with it."""
    assert due_after(two_links(), HOUR, TODAY) == [TODAY]


def test_a_site_without_links_has_nothing_due() -> None:
    """Nobody has set it up yet."""
    assert not due_after(Floor(), 100 * HOUR, TODAY)


def test_a_reading_has_every_level() -> None:
    """Meter, reserve, overflow, wagers and hits of each, retired links among them."""
    floor = two_links(reserve_bps=500)
    floor.bets_in("t1", [])
    floor.settle("t1")
    ok(floor.operate(DefineLink(five_card_a("gone"))))
    for command in (PutInService, SuspendLink, RetireLink):
        ok(floor.operate(command("gone")))
    floor.set_level("a/main", "12345.67", "8.90")
    event = read(floor, TODAY)
    assert event.levels[0] == LevelReading("a/main", 12_345_670_000, 8_900_000, 0, 0, 0)
    assert [level.level for level in event.levels] == ["a/main", "b/main", "gone/main"]
    assert (event.date, floor.state.last_read) == ("2026-03-02", "2026-03-02")
    assert floor.replayed() == floor.state


@pytest.mark.parametrize(
    ("late", "missed", "alarms"),
    [
        (59_999_999, 0, ()),
        (60_000_000, 0, ()),
        (60_000_001, 0, ("READING_LATE",)),
        (0, 1, ("READING_LATE",)),
    ],
)
def test_a_late_reading_says_so(late: int, missed: int, alarms: tuple[str, ...]) -> None:
    """More than a minute after the day began, or after days without one."""
    floor = two_links()
    floor.clock = TODAY.due_micros + late - 1
    assert read(floor, ReadMeters(TODAY.date, TODAY.due_micros, missed)).alarms == alarms


def poker_room() -> Floor:
    """Two Poker tables on a Bad Beat fund; the meters were read once."""
    tables = [Table(name, "poker", ("bb",), 10, 0) for name in ("p1", "p2")]
    floor = Floor().open_up([bad_beat_fund(), five_card_a()], [*tables, table("t1", "a")])
    read(floor, ReadMeters("2026-03-01", 0))
    return floor


def uncounted(floor: Floor, date: str) -> list[str]:
    """The boxes that the next reading says nobody has counted."""
    said = read(floor, ReadMeters(date, 0)).alarms
    return [alarm.removeprefix("BOX_NOT_COUNTED ") for alarm in said if "BOX" in alarm]


@pytest.mark.rule("PA2010 553.20(d)")
def test_a_box_is_counted_at_least_once_each_gaming_day() -> None:
    """One with money in it that nobody has counted raises an alarm when the day is over."""
    floor = poker_room()
    for name in ("p1", "p2"):
        ok(floor.play(name, ContributePot(100 * DOLLAR)))
    ok(floor.operate(CountBox("bb", "p1", 2 * DOLLAR, "carl")))
    ok(floor.play("p1", ContributePot(100 * DOLLAR)))  # after the count of the day
    assert uncounted(floor, "2026-03-02") == ["bb/p2"]
    assert uncounted(floor, "2026-03-03") == ["bb/p1", "bb/p2"]
    for name in ("p1", "p2"):
        ok(floor.operate(CountBox("bb", name, 2 * DOLLAR, "carl")))
    assert not uncounted(floor, "2026-03-04")
    assert not uncounted(floor, "2026-03-05")  # a box without money needs no count


def test_before_the_first_reading_no_box_is_said_to_be_uncounted() -> None:
    """An old journal does not say on which day a box was counted."""
    tables = [Table("p1", "poker", ("bb",), 10, 0)]
    floor = Floor().open_up([bad_beat_fund()], tables)
    ok(floor.play("p1", ContributePot(100 * DOLLAR)))
    assert not uncounted(floor, "2026-03-01")
    assert uncounted(floor, "2026-03-02") == ["bb/p1"]
