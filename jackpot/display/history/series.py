"""A meter's past in little memory: a day by the minute, a week by seven, and since the last hit."""

from array import array
from bisect import bisect_left

from jackpot.display.views.values import Range

MINUTE_S = 60
DAY_S = 24 * 60 * MINUTE_S
STEPS = 1_440  # samples that a series keeps


class Samples:
    """The last value of each step, at its own time; when it is full it forgets the oldest."""

    def __init__(self, step_s: int, keep: int = STEPS) -> None:
        self.step_s = step_s
        self.keep = keep
        self.times_s = array("q")
        self.values = array("q")

    def add(self, time_s: int, value: int) -> None:
        """Take in a value; later values of the same step replace it."""
        if self.times_s and time_s // self.step_s == self.times_s[-1] // self.step_s:
            self.times_s[-1], self.values[-1] = time_s, value
            return
        self.times_s.append(time_s)
        self.values.append(value)
        if len(self.times_s) > self.keep:
            self.shrink()

    def shrink(self) -> None:
        """Make room."""
        del self.times_s[0], self.values[0]

    def shift(self, by: int) -> None:
        """Raise every value."""
        for index, value in enumerate(self.values):
            self.values[index] = value + by


class Thinned(Samples):
    """Goes back as far as it began; when it is full it becomes coarser instead."""

    def shrink(self) -> None:
        """Keep every second sample, and the newest."""
        self.step_s *= 2
        newest = self.times_s[-1], self.values[-1]
        self.times_s, self.values = self.times_s[::2], self.values[::2]
        if self.times_s[-1] != newest[0]:
            self.times_s.append(newest[0])
            self.values.append(newest[1])


class LevelHistory:
    """One meter over each range that a chart offers."""

    def __init__(self) -> None:
        self.value = 0
        self.hit_s = 0  # when it last paid 100%, as far as this goes back
        self._ranges: dict[Range, Samples] = {}
        self._ranges["day"] = Samples(MINUTE_S)
        self._ranges["week"] = Samples(7 * MINUTE_S)
        self._begin(MINUTE_S // 6)

    def _begin(self, step_s: int) -> None:
        self._ranges["hit"] = Thinned(step_s)

    def add(self, time_s: int, value: int) -> None:
        """The meter now shows another value."""
        self.value = value
        for samples in self._ranges.values():
            samples.add(time_s, value)

    def won(self, time_s: int) -> None:
        """The meter was won and begins anew."""
        self.hit_s = time_s
        self._begin(1)
        self._ranges["hit"].add(time_s, self.value)

    def shift(self, by: int) -> None:
        """Raise everything: what was read began in the middle of the story."""
        self.value += by
        for samples in self._ranges.values():
            samples.shift(by)

    def over(self, range_: Range, now_s: int) -> list[tuple[int, int]]:
        """(time, value) pairs of a range, up to now."""
        samples = self._ranges[range_]
        begin_s = {"day": now_s - DAY_S, "week": now_s - 7 * DAY_S, "hit": 0}[range_]
        first = bisect_left(samples.times_s, begin_s)
        found = list(zip(samples.times_s[first:], samples.values[first:], strict=True))
        if first and (not found or found[0][0] > begin_s):  # what it held when the range begins
            found.insert(0, (begin_s, samples.values[first - 1]))
        if not found or found[-1][0] < now_s:
            found.append((now_s, self.value))
        return found
