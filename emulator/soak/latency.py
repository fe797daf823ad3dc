"""How long answers took, in steps of 5%: bounded, however many there were."""

import math
from collections.abc import Iterator

_STEP = math.log(1.05)
_LEAST_S = 1e-5


class Latencies:
    """A histogram of durations."""

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}
        self.count = 0
        self.longest_s = 0.0

    def note(self, seconds: float) -> None:
        """One answer."""
        place = max(0, int(math.log(max(seconds, _LEAST_S) / _LEAST_S) / _STEP))
        self._counts[place] = self._counts.get(place, 0) + 1
        self.count += 1
        self.longest_s = max(self.longest_s, seconds)

    def quantile_s(self, share: float) -> float:
        """The duration that this share of answers did not exceed."""
        wanted, seen = share * self.count, 0
        for _, to_s, count in self.buckets():
            seen += count
            if seen >= wanted:
                return min(to_s, self.longest_s)
        return self.longest_s

    def buckets(self) -> Iterator[tuple[float, float, int]]:
        """From, to, how many."""
        for place, count in sorted(self._counts.items()):
            yield (
                _LEAST_S * math.exp(place * _STEP),
                _LEAST_S * math.exp((place + 1) * _STEP),
                count,
            )
