"""Gaming days on real clocks."""

import datetime as dt
import itertools

import pytest

from jackpot.core.config import GamingDay
from jackpot.engine.gaming_day import bounds, date_of, local_time

NEW_YORK = GamingDay(6 * 60, "America/New_York")
HOUR = 3_600_000_000


@pytest.mark.parametrize(
    ("date", "hours"),
    [("2026-03-06", 24), ("2026-03-07", 23), ("2026-03-08", 24), ("2026-10-31", 25)],
)
def test_a_day_has_as_many_hours_as_its_clocks_say(date: str, hours: int) -> None:
    """In the night in which clocks are put forward or back it has one less or more."""
    start, end = bounds(NEW_YORK, dt.date.fromisoformat(date))
    assert end - start == hours * HOUR
    assert local_time(NEW_YORK, start) == f"{date} 06:00:00"


@pytest.mark.parametrize(("offset", "days"), [(-1, -1), (0, 0), (1, 0)])
def test_a_moment_belongs_to_one_day(offset: int, days: int) -> None:
    """The first micro is in the day, the one before it in the day before."""
    date = dt.date(2026, 3, 8)
    start, _ = bounds(NEW_YORK, date)
    assert date_of(NEW_YORK, start + offset) == date + dt.timedelta(days=days)


def test_days_follow_one_another_without_a_gap() -> None:
    """The end of each day of a year is the start of the next."""
    dates = [dt.date(2026, 1, 1) + dt.timedelta(days=number) for number in range(366)]
    for one, two in itertools.pairwise(dates):
        assert bounds(NEW_YORK, one)[1] == bounds(NEW_YORK, two)[0]
