"""How fast a caller hears that it asks for too much: the first time at once, then ever later.

Calls that wait for such an answer take up what the caller's connections may have open. So a caller
that asks without pause gets slower by itself, and its calls come one by one instead of in bursts
that everybody else would have to wait for. The ledger is asked in vain by one caller only so often:
past that the front refuses that caller's further calls by itself and leaves the ledger alone. In
vain is also what the caller gives up before it is answered, or giving up would be a way around.
"""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

PER_S = 20  # refusals that one caller hears in a second, in the long run
LONGEST_S = 30.0  # to wait for one
MOST_ASKED = 32  # calls in vain at once before the ledger is asked no more
MOST_WAITING = 1_024  # refusals of one caller that may wait in all


class Backoff:
    """When each caller, known by its certificate's number, may hear its next refusal."""

    def __init__(self, overloaded: bytes = b"") -> None:
        """`overloaded` is what a caller hears to whom the ledger has said nothing yet."""
        self._overloaded = overloaded
        self._free_at: dict[int, float] = {}
        self._waiting: Counter[int] = Counter()
        self._paid_at: dict[int, float] = {}  # when what the ledger was asked in vain is forgotten
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
    def waiting(self, certificate: int) -> Iterator[None]:
        """While a refusal is kept back."""
        self._waiting[certificate] += 1
        try:
            yield
        finally:
            self._waiting[certificate] -= 1
            if not self._waiting[certificate]:
                del self._waiting[certificate]

    def asked_in_vain(self, certificate: int, now_s: float, end: bytes = b"") -> None:
        """The ledger was asked for what it refused with `end`, or for what nobody waits for."""
        paid_at = max(now_s, self._paid_at.get(certificate, now_s)) + 1 / PER_S
        self._paid_at[certificate] = min(paid_at, now_s + LONGEST_S)
        if end:
            self._last[certificate] = end

    def refusal_for(self, certificate: int, now_s: float) -> bytes | None:
        """The refusal of a caller whose calls the ledger is not asked about; None for others."""
        if self._paid_at.get(certificate, now_s) - now_s < (MOST_ASKED - 0.5) / PER_S:
            return None
        return self._last.get(certificate, self._overloaded)
