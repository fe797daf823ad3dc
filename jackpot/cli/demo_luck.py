"""Winning hands for whoever watches the demo.

A jackpot falls so rarely that nobody would see one. While the demo plays for people, and says so,
it deals a winning hand to somebody about once a minute; with `--rounds` every card is left to
chance.
"""

import random
import time
from collections.abc import Iterable

EVERY_S = 40.0
FIRST_S = 12.0
# By turns: a straight flush wins a share on every link of the demo, four of a kind on one.
_HANDS = (
    "9{s} 8{s} 7{s} 6{s} 5{s}",
    "{r}s {r}h {r}d {r}c 2s",
    "A{s} K{s} Q{s} J{s} T{s}",
    "{r}s {r}h {r}d {r}c 3d",
)


class Luck:
    """Decides when somebody is lucky, for all tables together."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._due_s = time.monotonic() + FIRST_S
        self._turn = 0

    def hand(self, bettors: Iterable[int], seat_cards: int) -> tuple[int, list[str]] | None:
        """A seat and the cards that it shall have, now and then."""
        seats = sorted(set(bettors))
        if seat_cards != 5 or not seats or time.monotonic() < self._due_s:  # noqa: PLR2004 - a hand
            return None
        self._due_s = time.monotonic() + EVERY_S * self._rng.uniform(0.7, 1.3)
        pattern = _HANDS[self._turn % len(_HANDS)]
        self._turn += 1
        text = pattern.format(r=self._rng.choice("456789TJQKA"), s=self._rng.choice("shdc"))
        return self._rng.choice(seats), text.split()
