"""Tell the devices' time: how long devices and dealers take, and a clock that may run faster.

Durations are in milliseconds of the devices' own clock: typical figures for such machines and for a
practiced dealer, not those of any one maker.
"""

import asyncio
import time
from typing import Final

OPEN_DECK_MS: Final = 120_000  # inspect, spread, wash and stack a new deck
GATHER_MS: Final = 4_000  # square the cards of a round and insert them
AUTOMATED_SHUFFLE_MS: Final = 25_000  # the whole cycle, counting included
CLEAR_JAM_MS: Final = 20_000  # open the shuffler, free the cards, close it
MANUAL_SHUFFLE_MS: Final = 45_000
CUT_MS: Final = 4_000
EJECT_MS: Final = 2_000
CARD_MS: Final = 700  # one card by the dealer's hand
STACK_MS: Final = 600  # an automated shoe's pause before a stack ...
STACK_CARD_MS: Final = 150  # ... and each card of it
FEED_CARD_MS: Final = 120  # a continuous shoe takes a card back
REMOVE_STUB_MS: Final = 2_000
COUNT_CARD_MS: Final = 350  # a dealer counts a stub face down
REMOVE_DECK_MS: Final = 10_000
RETIRE_MS: Final = 60_000


MAX_SPEED = 10_000


class DeviceClock:
    """Milliseconds since the clock was made, `speed` times as fast as real ones.

    At speed 0 the clock stands still by itself and jumps to wherever somebody waits for, so the
    same commands always see the same times.
    """

    def __init__(self, speed: float = 0) -> None:
        if not 0 <= speed <= MAX_SPEED:
            raise ValueError(f"the speed is 0 to {MAX_SPEED}, not {speed}")
        self.speed = speed
        self._start_s = time.monotonic()
        self._ahead_ms = 0

    def now_ms(self) -> int:
        """The devices' time."""
        return self._ahead_ms + int((time.monotonic() - self._start_s) * 1000 * self.speed)

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
