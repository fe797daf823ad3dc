"""Where a controller's time, chance and request ids come from.

The journal keeps all three. With sources that a seed makes, the same commands give the same
journal, byte for byte: that is how a replay is shown to be one.
"""

import os
import time
from collections.abc import Callable
from hashlib import sha256
from itertools import count
from typing import NamedTuple

from jackpot.wire.request_id import make_request_id, new_request_id

REPLAY_START_MS = 1_767_268_800_000  # noon of the first day of 2026: a replay's time is its own
_STEP_MICROS = 1_000_000


def clock_micros() -> int:
    """Now, in micros since 1970."""
    return time.time_ns() // 1_000


def passed_micros() -> int:
    """Time that has passed, whatever the clock was set to."""
    return time.monotonic_ns() // 1_000


def draw_entropy() -> bytes:
    """32 random bytes, from the system's own generator each time."""
    return os.urandom(32)


class Sources(NamedTuple):
    """The machine's own, unless said otherwise."""

    clock: Callable[[], int] = clock_micros
    entropy: Callable[[], bytes] = draw_entropy
    request_id: Callable[[], str] = new_request_id


MACHINE = Sources()


def replayed(
    seed: str, start_ms: int = REPLAY_START_MS, clock: Callable[[], int] | None = None
) -> Sources:
    """Sources for a replay: for tests and demonstrations, since a seed makes draws foreseeable.

    Without a clock each look at the time is a second later than the last. Request ids are a
    millisecond apart, so that they never run ahead of the machine's own clock, which is refused.
    """
    looks, draws, ids = count(), count(), count(1)
    return Sources(
        clock or (lambda: start_ms * 1_000 + next(looks) * _STEP_MICROS),
        lambda: sha256(f"{seed}/{next(draws)}".encode()).digest(),
        lambda: make_request_id(start_ms + next(ids), 0),
    )
