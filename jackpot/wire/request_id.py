"""Request ids: UUIDs of version 7, whose text sorts by the time at which they were made.

The controller remembers only so many answers. Because ids grow with time, an id that is older than
all that are remembered is known to be old, and is refused instead of being carried out twice. So a
process's own ids must grow too: within a millisecond, and when its clock is set back.
"""

import re
import secrets
import threading
import time

_PATTERN = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_RANDOM_BITS = 74
_STEP_BITS = 62  # thousands of ids fit into one millisecond, and nobody guesses the next


class _Ids:
    """Ids that only ever grow."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._time_ms, self._bits = 0, 0

    def next(self) -> str:
        """An id greater than every one before it, and at or after this machine's time."""
        with self._lock:
            now_ms = time.time_ns() // 1_000_000
            self._bits += 1 + secrets.randbits(_STEP_BITS)
            if now_ms > self._time_ms or self._bits >> _RANDOM_BITS:
                self._time_ms = max(now_ms, self._time_ms + 1)
                self._bits = secrets.randbits(_RANDOM_BITS)
            return make_request_id(self._time_ms, self._bits)


_ids = _Ids()


def new_request_id() -> str:
    """A fresh id by this machine's clock, greater than every one that this process made before."""
    return _ids.next()


def make_request_id(time_ms: int, random_bits: int) -> str:
    """The id with this time and these 74 bits."""
    high, low = random_bits >> 62 & 0xFFF, random_bits & (1 << 62) - 1
    text = f"{time_ms << 80 | 7 << 76 | high << 64 | 2 << 62 | low:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def request_id_time_ms(text: str) -> int:
    """When an id was made; ValueError for text that is no request id in its one spelling."""
    if not _PATTERN.fullmatch(text):
        raise ValueError("not a UUID of version 7 in lower case")
    return int(text[:8] + text[9:13], 16)
