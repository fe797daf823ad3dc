"""PINs as a controller keeps them, for messages that nobody should send about them."""

import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from jackpot.auth.callers import Actor
from jackpot.auth.pins import PINS, Pins
from jackpot.server.pins import PinService

_UNTIL_S = 4e9


class FuzzedPins:
    """PinService without a door: whoever asks may."""

    def __init__(self, folder: Path, site: str, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        # Argon2 would take most of a run, and no message can tell.
        pins = Pins(folder / PINS, lambda _: "", hash_pin=lambda pin: f"not a hash of {len(pin)}")
        self._rpcs: dict[str, Any] = {**PinService(pins).rpcs()}
        self._actor = Actor("floor:flo", "table games", "floor", "", 1, site, _UNTIL_S)

    def serve(self, rpc: str, message: Any) -> None:
        """Answer a message; CallRefusedError where it is refused."""
        answer = self._loop.run_until_complete(self._rpcs[rpc](message, self._actor))
        answer.SerializeToString()


@contextmanager
def fuzzed_pins(site: str) -> Iterator[FuzzedPins]:
    """PINs in a folder that is gone afterwards."""
    loop = asyncio.new_event_loop()
    try:
        with tempfile.TemporaryDirectory() as folder:
            yield FuzzedPins(Path(folder), site, loop)
            loop.run_until_complete(loop.shutdown_default_executor())
    finally:
        loop.close()
