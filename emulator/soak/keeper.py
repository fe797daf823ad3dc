"""Controllers that are kept running, and what is to be made of their ends.

A controller that has ended is started again. If nothing that was done to it explains its exit code,
that is a failure of its own; so is one that does not start.
"""

import asyncio
import signal
import time

from emulator.soak.controllers import ControllerError, ControllerProcess

KILLED = -signal.SIGKILL
_CODES = {signal.SIGKILL: KILLED, signal.SIGTERM: 0}  # what a controller ends with by each


class UnexpectedEndError(Exception):
    """A controller ended by itself."""


class Keeper:
    """Keeps one controller running."""

    def __init__(self, controller: ControllerProcess) -> None:
        self.controller = controller
        self.fault = ""  # what this life is to meet and has not felt yet
        self.next_fault = ""
        self.last_code = 0  # of the life before this one
        self.up = asyncio.Event()
        self.restarts: list[float] = []  # seconds from the end to serving again
        self._may_end: set[int] = set()  # this life's exit codes that were brought about

    @property
    def is_doomed(self) -> bool:
        """Whether something was done that ends or stops this life, perhaps later."""
        return bool(self.fault or self._may_end)

    def end_by(self, number: signal.Signals) -> None:
        """Send a signal that ends it."""
        self._may_end.add(_CODES[number])
        self.controller.signal(number)

    async def keep(self) -> None:
        """Start again whatever ends, for as long as it lasts."""
        self.up.set()
        while True:
            self.last_code = await self.controller.ended()
            self.up.clear()
            if self.last_code not in self._may_end:
                why = f"the controller ended by itself (exit code {self.last_code})"
                raise UnexpectedEndError(why)
            self.fault, self.next_fault = self.next_fault, ""
            self._may_end = {KILLED} if ":kill:" in self.fault else set()
            began = time.monotonic()
            try:
                await self.controller.start(self.fault)
            except ControllerError as error:
                if error.code not in self._may_end:
                    raise
                continue  # it met its fault before it served
            self.restarts.append(time.monotonic() - began)
            self.up.set()
