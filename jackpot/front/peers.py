"""Close a connection that gRPC has no way to close: find its socket by the peer's address."""

import os
import socket
import stat
from contextlib import suppress
from pathlib import Path
from urllib.parse import unquote

_OPEN_FILES = Path("/proc/self/fd")


def hang_up(peer: str) -> int:
    """Shut down the connections of a peer, named as gRPC names it; how many there were."""
    address = _address(peer)
    if address is None:
        return 0
    return sum(_shut_down(int(each.name), address) for each in _OPEN_FILES.iterdir())


def _address(peer: str) -> tuple[str, int] | None:
    """ipv4:127.0.0.1:5000 or ipv6:%5B::1%5D:5000 as sockets have it."""
    family, _, rest = unquote(peer).partition(":")
    host, _, port = rest.rpartition(":")
    return (host.strip("[]"), int(port)) if family in ("ipv4", "ipv6") and port.isdigit() else None


def _shut_down(descriptor: int, address: tuple[str, int]) -> bool:
    with suppress(OSError):  # it was closed meanwhile, or is not connected
        if not stat.S_ISSOCK(os.fstat(descriptor).st_mode):
            return False
        # A duplicate: the descriptor itself is gRPC's to close.
        with socket.socket(fileno=os.dup(descriptor)) as found:
            if found.family in (socket.AF_INET, socket.AF_INET6):
                host, port = found.getpeername()[:2]
                if (host.removeprefix("::ffff:"), port) == address:
                    found.shutdown(socket.SHUT_RDWR)
                    return True
    return False
