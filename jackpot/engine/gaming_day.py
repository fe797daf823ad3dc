"""Gaming days: from a time of day to the same time on the next, on the clocks of a time zone.

Where clocks are put forward or back, a day has 23 or 25 hours and none is counted twice.
"""

import datetime as dt
from zoneinfo import ZoneInfo

from jackpot.core.config import GamingDay

MICROS_PER_S = 1_000_000


def bounds(day: GamingDay, date: dt.date) -> tuple[int, int]:
    """The first moment of a gaming day and that of the next, in micros since 1970."""
    return _start(day, date), _start(day, date + dt.timedelta(days=1))


def date_of(day: GamingDay, time_micros: int) -> dt.date:
    """The gaming day that a moment belongs to."""
    date = dt.datetime.fromtimestamp(time_micros // MICROS_PER_S, ZoneInfo(day.zone)).date()
    return date if time_micros >= _start(day, date) else date - dt.timedelta(days=1)


def local_time(day: GamingDay, time_micros: int) -> str:
    """A moment on the day's clocks, to the second."""
    moment = dt.datetime.fromtimestamp(time_micros // MICROS_PER_S, ZoneInfo(day.zone))
    return moment.strftime("%F %T")


def _start(day: GamingDay, date: dt.date) -> int:
    clock = dt.time(*divmod(day.start_minutes, 60))
    moment = dt.datetime.combine(date, clock, ZoneInfo(day.zone))
    return int(moment.timestamp()) * MICROS_PER_S
