"""How fast a caller hears that it asks for too much: the first time at once, then ever later.

Calls that wait for such an answer take up what the caller's connections may have open. So a caller
that asks without pause gets slower by itself, and its calls come one by one instead of in bursts
that everybody else would have to wait for. While many refusals of the ledger wait to be heard, the
front refuses that caller's further calls by itself and leaves the ledger alone.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

PER_S = 20  # refusals that one caller hears in a second, in the long run
LONGEST_S = 30.0  # to wait for one
MOST_ASKED = 32  # refusals of the ledger that may wait before it is asked no more
MOST_WAITING = 1_024  # refusals of one caller that may wait in all


class Pace:
    """When each caller, known by its certificate's number, may hear its next refusal."""

    def __init__(self) -> None:
        self._free_at: dict[int, float] = {}
        self._waiting: Counter[int] = Counter()
        self._asked: Counter[int] = Counter()  # those of them that the ledger gave
        self._last: dict[int, bytes] = {}  # what the ledger said to them last

    def wait_s(self, certificate: int, now_s: float) -> float:
        """How long a refusal is kept back; it is counted."""
        at = min(max(now_s, self._free_at.get(certificate, now_s)), now_s + LONGEST_S)
        self._free_at[certificate] = at + 1 / PER_S
        return at - now_s

    def is_full(self, certificate: int) -> bool:
        """Whether no more refusals of a caller can be kept back."""
        return self._waiting[certificate] >= MOST_WAITING

    @contextmanager
    def waiting(self, certificate: int, end: bytes, *, asked: bool) -> Iterator[None]:
        """While a refusal is kept back; `asked` is whether the ledger gave it."""
        self._last[certificate] = end
        self._waiting[certificate] += 1
        self._asked[certificate] += asked
        try:
            yield
        finally:
            self._asked[certificate] -= asked
            self._waiting[certificate] -= 1
            if not self._waiting[certificate]:
                del self._waiting[certificate], self._asked[certificate], self._last[certificate]

    def refusal_for(self, certificate: int) -> bytes | None:
        """The refusal of a caller whose calls the ledger is not asked about; None for others."""
        return self._last[certificate] if self._asked[certificate] >= MOST_ASKED else None
