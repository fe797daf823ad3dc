"""Where chance comes from: the operating system's cryptographic source, or a seed for a replay.

The standard library's generator promises its shuffle for no other Python version, so the stream of
a seed is SHA-256 in counter mode and the arithmetic on it is written out here: the same seed gives
the same cards on every machine, for ever. Draws are unbiased in both cases. A seed is for tests and
replays; whoever knows it knows the cards.
"""

import os
from collections.abc import Callable, Iterable
from hashlib import sha256

_WORD_BYTES = 4
_WORDS = 1 << 8 * _WORD_BYTES  # how many values one word of a stream can have
_OS_BLOCK_BYTES = 256  # a shuffle takes some 51 words; one read of the source serves it


class RandomStream:
    """Unbiased draws from a stream of random bytes."""

    __slots__ = ("_block", "_next_block", "_place")

    def __init__(self, next_block: Callable[[], bytes]) -> None:
        """A stream over blocks of bytes; each a multiple of four bytes long."""
        self._next_block = next_block
        self._block = b""
        self._place = 0

    def below(self, bound: int) -> int:
        """A whole number from 0 to bound - 1, each equally likely."""
        if not 0 < bound <= _WORDS:
            raise ValueError(f"a draw is below a bound of 1 to {_WORDS}, not {bound}")
        # Words past the last whole multiple of the bound would favor small numbers: draw again.
        limit = _WORDS - _WORDS % bound
        while True:
            if self._place == len(self._block):
                self._block = self._next_block()
                self._place = 0
            end = self._place + _WORD_BYTES
            word = int.from_bytes(self._block[self._place : end], "big")
            self._place = end
            if word < limit:
                return word % bound

    def shuffled(self, cards: Iterable[str]) -> list[str]:
        """The cards in an order drawn from all orders alike (Fisher and Yates)."""
        stack = list(cards)
        for last in range(len(stack) - 1, 0, -1):
            other = self.below(last + 1)
            stack[last], stack[other] = stack[other], stack[last]
        return stack


def seeded(seed: str, *labels: str | int) -> RandomStream:
    """The stream that a seed and labels name; other labels give an unrelated stream."""
    # Each part carries its length, so that ("ab", "c") and ("a", "bc") differ.
    name = b"".join(
        len(part).to_bytes(_WORD_BYTES, "big") + part
        for part in (str(label).encode() for label in (seed, *labels))
    )
    key = sha256(name).digest()
    counter = 0

    def next_block() -> bytes:
        nonlocal counter
        counter += 1
        return sha256(key + counter.to_bytes(8, "big")).digest()

    return RandomStream(next_block)


def unpredictable() -> RandomStream:
    """A stream from the operating system's cryptographic source."""
    return RandomStream(lambda: os.urandom(_OS_BLOCK_BYTES))


def stream(seed: str, *labels: str | int) -> RandomStream:
    """The seed's stream under these labels; without a seed, an unpredictable one."""
    return seeded(seed, *labels) if seed else unpredictable()
