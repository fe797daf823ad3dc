"""Request ids: UUIDs of version 7, whose text sorts by the time at which they were made.

The controller remembers only so many answers. Because ids grow with time, an id that is older than
all that are remembered is known to be old, and is refused instead of being carried out twice.
"""

import re
import secrets
import time

_PATTERN = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
_RANDOM_BITS = 74


def new_request_id() -> str:
    """A fresh id, by this machine's clock."""
    return make_request_id(time.time_ns() // 1_000_000, secrets.randbits(_RANDOM_BITS))


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
