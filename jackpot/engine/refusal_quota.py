"""How many refusals a caller may have journaled: a burst, and then so many a second.

Every refusal is an entry. One table that asks for nonsense without pause would fill the disk.
"""

from jackpot.core.commands.base import Origin, TableOrigin

_MICROS_PER_S = 1_000_000
_CALLERS = 4_096  # remembered; those with the most left are forgotten first


class RefusalQuota:
    """What is left to each caller. Past it, the caller waits."""

    def __init__(self, burst: int, per_s: int) -> None:
        self._burst_micros = burst * _MICROS_PER_S
        self._per_s = per_s
        self._left: dict[tuple[str, str], tuple[int, int]] = {}  # millionths of one, since when

    def take(self, site: str, origin: Origin, now_micros: int) -> bool:
        """Whether one more may be journaled; if so, it is counted."""
        caller = (site, _caller(origin))
        left, since_micros = self._left.get(caller, (self._burst_micros, now_micros))
        left = min(self._burst_micros, left + max(0, now_micros - since_micros) * self._per_s)
        allowed = left >= _MICROS_PER_S
        if allowed:
            left -= _MICROS_PER_S
        if caller not in self._left and len(self._left) >= _CALLERS:
            del self._left[max(self._left, key=lambda each: self._left[each])]
        self._left[caller] = (left, now_micros)
        return allowed


def _caller(origin: Origin) -> str:
    return (
        f"table:{origin.table}"
        if isinstance(origin, TableOrigin)
        else getattr(origin, "principal", "")
    )
