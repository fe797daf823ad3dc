"""When a controller has something to do by the clock, for each of its sites.

At the start of a gaming day it reads the meters. A controller that was not there then does so as
soon as it is, once for all the days that it missed. Of several controllers of a site the first
does it: each looks again under the lock, after it has read what the others wrote.
"""

import datetime as dt
from collections.abc import Mapping

from jackpot.core import meter_readings
from jackpot.core.commands import AnyCommand, ReadMeters
from jackpot.core.state import State
from jackpot.engine.gaming_day import bounds, date_of
from jackpot.engine.replica import Replica


class Routine:
    """What one writer remembers of its sites."""

    def __init__(self) -> None:
        self._since: dict[str, str] = {}  # site -> the gaming day at which it was first looked at
        self._next: dict[str, int] = {}  # site -> when to look again
        self._soonest = 0

    def to_look_at(self, sites: Mapping[str, Replica], now_micros: int) -> list[str]:
        """The sites that may have something due; nearly always none."""
        if now_micros < self._soonest:
            return []
        return [site for site in sites if now_micros >= self._next.get(site, 0)]

    def due(self, state: State, now_micros: int) -> list[AnyCommand]:
        """What is to be done for a site now."""
        date = date_of(state.day, now_micros)
        # A journal that has no reading yet gets its first one on the day after its last entry.
        first = date_of(state.day, state.time_micros or now_micros).isoformat()
        last = state.last_read or self._since.setdefault(state.site, first)
        reading = None
        if date.isoformat() > last:
            missed = (date - dt.date.fromisoformat(last)).days - 1 if state.last_read else 0
            reading = ReadMeters(date.isoformat(), bounds(state.day, date)[0], missed)
        arriving = state.site not in self._next
        return list(meter_readings.due(state, now_micros, reading, arriving=arriving))

    def looked(self, state: State, now_micros: int) -> None:
        """Look at a site again when its next gaming day begins, or when it has been quiet."""
        tomorrow = bounds(state.day, date_of(state.day, now_micros))[1]
        quiet = state.time_micros + meter_readings.SIGN_OF_LIFE_MICROS
        if quiet <= now_micros:  # a site without links has no need of anything
            quiet = now_micros + meter_readings.SIGN_OF_LIFE_MICROS
        self._next[state.site] = min(tomorrow, quiet)
        self._soonest = min(self._next.values())
