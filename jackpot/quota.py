"""How much a caller may have written down that costs others: a burst, and then so many a second.

Every refusal is an entry, and one table that asks for nonsense without pause would fill the disk.
Every attachment is a commit, and one that attaches without pause would keep others waiting. Every
denial is a line of the audit log.
"""

_MICROS_PER_S = 1_000_000
_CALLERS = 4_096  # remembered; whoever has been quiet longest is forgotten first


class CallerQuota:
    """What is left to each caller."""

    def __init__(self, burst: int, per_s: int) -> None:
        self._burst_micros = burst * _MICROS_PER_S
        self._per_s = per_s
        self._left: dict[tuple[str, str], tuple[int, int]] = {}  # millionths of one, since when

    def take(self, site: str, name: str, now_micros: int) -> bool:
        """Whether one more may be written; if so, it is counted."""
        caller = (site, name)
        left, since_micros = self._left.pop(caller, (self._burst_micros, now_micros))
        left = min(self._burst_micros, left + max(0, now_micros - since_micros) * self._per_s)
        allowed = left >= _MICROS_PER_S
        if allowed:
            left -= _MICROS_PER_S
        if len(self._left) >= _CALLERS:
            del self._left[next(iter(self._left))]
        self._left[caller] = (left, now_micros)
        return allowed
