"""How fast a caller hears that it asks for too much: the first time at once, then ever later.

Calls that wait for such an answer take up what the caller's connections may have open. So a caller
that asks without pause gets slower by itself, and its calls come one by one instead of in bursts
that everybody else would have to wait for. One that has too many of them waiting is not listened to
until it has heard some: the ledger is not asked again.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

PER_S = 20  # refusals that one caller hears in a second, in the long run
LONGEST_S = 30.0  # to wait for one
MOST_WAITING = 32  # of one caller, before it is not listened to


class Pace:
    """When each caller may hear its next refusal."""

    def __init__(self) -> None:
        self._free_at: dict[int, float] = {}  # by certificate
        self._waiting: Counter[int] = Counter()
        self._last: dict[int, bytes] = {}  # what the ledger said to them last

    def wait_s(self, certificate: int, now_s: float) -> float:
        """How long a refusal is kept back; it is counted."""
        at = min(max(now_s, self._free_at.get(certificate, now_s)), now_s + LONGEST_S)
        self._free_at[certificate] = at + 1 / PER_S
        return at - now_s

    @contextmanager
    def waiting(self, certificate: int, end: bytes) -> Iterator[None]:
        """While a refusal is kept back."""
        self._last[certificate] = end
        self._waiting[certificate] += 1
        try:
            yield
        finally:
            self._waiting[certificate] -= 1
            if not self._waiting[certificate]:
                del self._waiting[certificate], self._last[certificate]

    def deaf_to(self, certificate: int) -> bytes | None:
        """What a caller is answered that is not listened to; None for all others."""
        return self._last[certificate] if self._waiting[certificate] >= MOST_WAITING else None
