"""Keep a port for one controller, although its fronts share it and may all be gone for a moment."""

import errno
import socket
import sys
import time

from jackpot.wire.address import AddressError, bound, verify_free

RETRY_S = 1.0  # for the fronts of a controller that was killed to be gone
_PAUSE_S = 0.05


class PortGuard:
    """Holds an address by a socket that is bound and never listens.

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
