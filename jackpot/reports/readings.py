"""The readings of all meters that controllers have taken, each at the start of a gaming day."""

import datetime as dt
from collections.abc import Iterator

from msgspec import Struct

from jackpot.core.config import MIDNIGHT, GamingDay
from jackpot.core.events.operator import MetersRead
from jackpot.reports.walk import Walk, site_day
from jackpot.store import codec


class Reading(Struct, frozen=True):
    """A reading, where it is in the journal, and when it was taken."""

    sequence: int
    time_micros: int
    read: MetersRead
    day: GamingDay = MIDNIGHT  # by whose clocks


def all_readings(
    walk: Walk, since: dt.date | None = None, until: dt.date | None = None
) -> Iterator[Reading]:
    """The readings of the gaming days from one date to another, both included."""
    first, last = (date.isoformat() if date else "" for date in (since, until))
    day = MIDNIGHT
    for entry in walk.chained():
        day = site_day(walk.site, entry, day)
        if entry.kind != MetersRead.__name__:
            continue
        event = codec.decode_entry(walk.site, entry).event
        if isinstance(event, MetersRead) and first <= event.date and not "" < last < event.date:
            yield Reading(entry.sequence, entry.time_micros, event, day)
