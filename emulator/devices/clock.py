"""The devices' clock: real time times a speed, or, at speed 0, no waiting at all."""

import asyncio
import time
from collections.abc import Callable

MAX_SPEED = 10_000


class DeviceClock:
    """Milliseconds since the clock was made, `speed` times as fast as real ones.

    At speed 0 the clock stands still by itself and jumps to wherever somebody waits for, so the
    same commands always see the same times.
    """

    def __init__(self, speed: float = 0, real_s: Callable[[], float] = time.monotonic) -> None:
        if not 0 <= speed <= MAX_SPEED:
            raise ValueError(f"the speed is 0 to {MAX_SPEED}, not {speed}")
        self.speed = speed
        self._real_s = real_s
        self._start_s = real_s()
        self._ahead_ms = 0

    def now_ms(self) -> int:
        """The devices' time."""
        return self._ahead_ms + int((self._real_s() - self._start_s) * 1000 * self.speed)

    def skip(self, ms: int) -> None:
        """Put the clock forward."""
        self._ahead_ms += ms

    async def until(self, at_ms: int) -> None:
        """Wait for a moment of the devices' time."""
        wait_ms = at_ms - self.now_ms()
        if wait_ms <= 0:
            return
        if self.speed == 0:
            self.skip(wait_ms)
        else:
            await asyncio.sleep(wait_ms / 1000 / self.speed)
