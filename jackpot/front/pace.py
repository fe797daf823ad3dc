"""How fast a caller hears that it asks for too much: the first time at once, then ever later.

Calls that wait for such an answer take up what the caller's connections may have open. So a caller
that asks without pause gets slower by itself, and its calls come one by one instead of in bursts
that everybody else would have to wait for.
"""

PER_S = 20  # refusals that one caller hears in a second, in the long run
LONGEST_S = 30.0  # to wait for one


class Pace:
    """When each caller may hear its next refusal."""

    def __init__(self) -> None:
        self._free_at: dict[int, float] = {}  # by certificate

    def wait_s(self, certificate: int, now_s: float) -> float:
        """How long a refusal is kept back; it is counted."""
        at = min(max(now_s, self._free_at.get(certificate, now_s)), now_s + LONGEST_S)
        self._free_at[certificate] = at + 1 / PER_S
        return at - now_s

    def clear(self) -> None:
        """Forget everybody."""
        self._free_at.clear()
