"""The fronts of a controller: the processes that own its gRPC sockets."""

import errno
import socket
import sys
import time
from collections.abc import Mapping

from grpc import StatusCode

from jackpot.core.reasons import Reason, refuse
from jackpot.engine.alarms import AlarmBoard
from jackpot.front.frames import Setup, write_ending
from jackpot.front.relay import Front
from jackpot.server.calls import Method
from jackpot.server.children import ChildError, Children, Recipe
from jackpot.server.errors import uncounted_status
from jackpot.wire.address import AddressError, bound, verify_free
from jackpot.wire.identity import Tls
from jackpot.wire.refusals import trailers_of

RETRY_S = 1.0  # for the fronts of a controller that was killed to be gone
_PAUSE_S = 0.05


class PortGuard:
    """Holds an address by a socket that is bound and never listens, while all fronts may be gone.

    Processes that bind the port with SO_REUSEPORT share it, as fronts must. Two controllers that
    start at the same moment would share it too, so each first takes the address's name, which only
    one can have.
    """

    def __init__(self) -> None:
        self._address = ""
        self._held: list[socket.socket] = []
        self.port = 0

    def take(self, address: str) -> None:
        """Hold an address; AddressError where somebody has it. Port 0 takes a free one."""
        if address == self._address:
            return
        until_s = time.monotonic() + RETRY_S
        while True:
            try:
                self._take(address)
            except AddressError as error:
                self.release()
                taken = getattr(error.__cause__, "errno", None) == errno.EADDRINUSE
                if not taken or time.monotonic() >= until_s:
                    raise
                time.sleep(_PAUSE_S)
            else:
                self._address = address
                return

    def release(self) -> None:
        """Let others have it."""
        for each in self._held:
            each.close()
        self._held.clear()
        self._address = ""

    def _take(self, address: str) -> None:
        if not address.endswith(":0") and sys.platform == "linux":
            self._held.append(_named(address))
        verify_free(address)
        guard = bound(address, shared=True)
        self._held.append(guard)
        self.port = guard.getsockname()[1]


def _named(address: str) -> socket.socket:
    """A socket with a name that one process of this machine can have at a time."""
    held = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        held.bind(f"\0jackpot controller on {address}")
    except OSError as error:
        held.close()
        raise AddressError(f"{address}: cannot listen there: {error.strerror}") from error
    return held


class Fronts:
    """All fronts of one controller on one address."""

    def __init__(
        self,
        methods: Mapping[str, Method],
        count: int,
        alarms: AlarmBoard,
        name: str = "a front",
    ) -> None:
        """With a count of 0 the front is in this process, without a socket between.

        The name is how the log and alarms speak of one.
        """
        self._methods = methods
        self._name = name
        self._count = count
        self._alarms = alarms
        self._guard = PortGuard()
        self._children: Children | None = None

    def take(self, address: str) -> str:
        """Keep everybody else off the address; where that is, if any port was asked for.

        AddressError where somebody has it.
        """
        self._guard.take(address)
        return f"{address.rpartition(':')[0]}:{self._guard.port}"

    def release(self) -> None:
        """Let others have the address."""
        self._guard.release()

    async def start(self, address: str, tls: Tls | None) -> str:
        """Listen; where, once all fronts do."""
        where = self.take(address)
        shapes = {name: (each.streams_in, each.streams_out) for name, each in self._methods.items()}
        status = uncounted_status(refuse(Reason.OVERLOADED))
        overloaded = write_ending(
            StatusCode.RESOURCE_EXHAUSTED, status.message, trailers_of(status)
        )
        setup = Setup(where, tls, shapes, overloaded)
        recipe = Recipe(self._name, "jackpot.front", Front, self._methods, setup)
        self._children = Children(recipe, self._count, self._alarms)
        try:
            await self._children.start()
        except ChildError as error:
            self._guard.release()
            raise AddressError(f"{where}: cannot listen there: {error}") from error
        return where

    async def stop(self) -> None:
        """Let every front answer what is under way, and end it."""
        if self._children is not None:
            await self._children.stop()
        self._guard.release()
