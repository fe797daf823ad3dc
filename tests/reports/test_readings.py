"""Meter readings: taken by the controller, kept in the journal, shown by `jackpot report`.

Reading 56: a reading a day, and records of five years.
"""

import datetime as dt
import json
from pathlib import Path

from click.testing import CliRunner

from jackpot.cli.main import main
from jackpot.core.commands import ReadMeters, SuspendAfterAbsence
from jackpot.core.commands.base import ControllerOrigin
from jackpot.core.commands.operator import ConfigureSite, ResumeLink, SetLimit, SetRate, SuspendLink
from jackpot.core.config import GamingDay
from jackpot.engine.gaming_day import bounds
from jackpot.reports.daily import DailyReport, daily_report
from jackpot.reports.daily_sections import sections
from jackpot.reports.walk import all_readings, open_walk
from tests.core.floor import Floor, all_bet, five_card_a, ok, table
from tests.reports.days import write_floor

DAY = GamingDay(6 * 60, "America/New_York")
FIRST = dt.date(2026, 3, 7)
HOUR = 3_600_000_000
FIVE_YEARS = 5 * 365 + 2  # with the leap days of 2028 and of 2032's February, at the most


def opened() -> Floor:
    """A floor that opens at six in the morning of the first day."""
    floor = Floor()
    floor.clock = bounds(DAY, FIRST)[0]
    ok(floor.operate(ConfigureSite(dual_control=False, day=DAY)))
    return floor.open_up([five_card_a(reserve_bps=500)], [table("t1", "a")])


def read(floor: Floor, date: dt.date, late: int = 0) -> None:
    """The controller takes the reading of a day."""
    due = bounds(DAY, date)[0]
    floor.clock = due + late
    ok(floor.handle(ControllerOrigin(), ReadMeters(date.isoformat(), due)))


def play(floor: Floor, seats: int) -> None:
    """A round with so many wagers."""
    floor.bets_in("t1", all_bet("a-five", seats=range(1, seats + 1)))
    floor.settle("t1")


def report_of(data: Path, date: dt.date) -> DailyReport:
    """The report of a day."""
    with open_walk(data) as walk:
        return daily_report(walk, date, 0)


def text_of(report: DailyReport, title: str) -> list[tuple[str, ...]]:
    """The rows of the section whose title begins so."""
    (found,) = [each for each in sections(report) if each.title.startswith(title)]
    return [tuple(map(str, row)) for row in found.rows]


def run(*args: str) -> str:
    """What a command prints."""
    result = CliRunner().invoke(main, ["report", "readings", *args])
    assert result.exit_code == 0, result.output
    return result.output


def three_days(folder: Path) -> Path:
    """Five wagers on the first day, two on the second; the third one's reading is late."""
    floor = opened()
    play(floor, 5)
    read(floor, FIRST + dt.timedelta(1))
    play(floor, 2)
    read(floor, FIRST + dt.timedelta(2), 2 * HOUR)
    return write_floor(folder, floor)


def test_the_daily_report_has_the_reading_of_its_day(tmp_path: Path) -> None:
    """And says where there is none. Wagers are counted by the day, and since the link's service."""
    data = three_days(tmp_path)
    first, second, third = (report_of(data, FIRST + dt.timedelta(n)) for n in range(3))
    assert text_of(first, "Meters at the start of the day") == []
    (row,) = text_of(second, "Meters at the start of the day")
    assert row == (
        *("2026-03-08", "2026-03-08 06:00:00", "a/main"),
        *("10,001.05", "0.25", "0.00", "5", "0"),
    )
    (row,) = text_of(third, "Meters at the start of the day")
    assert row[1:3] == ("2026-03-09 08:00:00", "a/main")
    titles = [each.title for report in (first, second, third) for each in sections(report)]
    assert [title for title in titles if title.startswith("Level")] == [
        "Level a/main, 5 wagers",
        "Level a/main, 2 wagers",
        "Level a/main, 0 wagers",
    ]
    assert [title.rpartition(", ")[2] for title in titles if title.startswith("Since")] == [
        "5 wagers",
        "7 wagers",
        "7 wagers",
    ]
    assert [note.what for note in third.notes if note.heading == "alarms"] == ["READING_LATE"]


def test_readings_are_listed(tmp_path: Path) -> None:
    """As text, as a table for a spreadsheet, and as JSON; of some days or of all."""
    data = str(three_days(tmp_path))
    assert run("--data", data).count("a/main") == 2
    assert "10,001.05" in run("--data", data, "--until", "2026-03-08")
    assert "No reading was taken." in run("--data", data, "--until", "2026-03-07")
    assert "2026-03-08" not in run("--data", data, "--since", "2026-03-09")
    row = run("--data", data, "--csv", "--since", "2026-03-09").splitlines()[2]
    assert row == "2026-03-09,2026-03-09 08:00:00,a/main,10001.47,0.35,0.00,7,0"
    found = [json.loads(line) for line in run("--data", data, "--json").splitlines()]
    assert [each["read"]["date"] for each in found] == ["2026-03-08", "2026-03-09"]


def test_readings_of_five_years_are_kept(tmp_path: Path) -> None:
    """The journal drops nothing: the first one is there with the last."""
    floor = opened()
    for days in range(1, FIVE_YEARS + 1):
        read(floor, FIRST + dt.timedelta(days))
    with open_walk(write_floor(tmp_path, floor)) as walk:
        dates = [found.read.date for found in all_readings(walk)]
    assert len(dates) == FIVE_YEARS
    assert (dates[0], dates[-1]) == ("2026-03-08", "2031-03-08")


def test_a_changed_rate_is_a_notice_to_accounting(tmp_path: Path) -> None:
    """Its own section of the report: before, after, from when, why and who. A limit is none."""
    floor = opened()
    ok(floor.operate(SuspendLink("a")))
    ok(floor.operate(SetLimit("a", "main", 20_000_000_000, "memo 1"), "ann"))
    ok(floor.operate(SetRate("a", "main", 2_200, 400, "memo 2"), "ann"))
    ok(floor.operate(SetLimit("a", "main", 30_000_000_000, "memo 3"), "ann"))
    ok(floor.operate(SetRate("a", "main", 2_200, 400, "memo 4"), "ann"))
    data = write_floor(tmp_path, floor)
    (row,) = text_of(report_of(data, FIRST), "For accounting: changed rates")
    before, after = "primary 21%, reserve 5%", "primary 22%, reserve 4%"
    assert row[2] == "a/main"
    assert row[3] == f"from {before} to {after}, when the link resumes: memo 2"
    assert row[4] == "by ann alone"


def test_a_suspension_after_an_absence_is_explained(tmp_path: Path) -> None:
    """The report says that the controller did it, and why."""
    floor = opened()
    ok(floor.handle(ControllerOrigin(), SuspendAfterAbsence("a", 26 * HOUR)))
    ok(floor.operate(ResumeLink("a"), "sue"))
    rows = text_of(report_of(write_floor(tmp_path, floor), FIRST), "Changes")
    assert [row[3:5] for row in rows] == [
        ("in-service", "ops"),
        ("suspended: no controller for 26 h 0 min", "the controller"),
        ("in-service", "sue"),
    ]
