"""Where a process can and may listen, found out before gRPC does: it tells its own log only."""

import errno
import ipaddress
import socket

from jackpot.wire.errors import PlainError


class AddressError(PlainError):
    """An address that nobody can, or the controller won't, listen on."""


def verify_address(address: str) -> None:
    """Raise unless it is HOST:PORT; gRPC takes a port of more than 65535 for another one."""
    host, colon, port = address.rpartition(":")
    if not (host and colon and port.isascii() and port.isdigit() and int(port) < 1 << 16):
        raise AddressError(
            f"{address!r} is not a valid address; expected HOST:PORT, such as 127.0.0.1:7400"
        )


def verify_loopback(address: str) -> None:
    """Raise unless only this machine can reach the address: there is no TLS."""
    host = address.rpartition(":")[0].strip("[]")
    try:
        loopback = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        loopback = False
    if not loopback:
        raise AddressError(
            f"{address}: without TLS the controller listens only on loopback, such as 127.0.0.1"
        )


def verify_free(address: str) -> None:
    """Raise unless somebody could listen there; gRPC would say why in its own log only."""
    host, _, port = address.rpartition(":")
    try:
        _bind_once(host.strip("[]"), int(port))
    except (OSError, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "no such host"
        raise AddressError(f"{address}: cannot listen there: {why}") from error


def _bind_once(host: str, port: int) -> None:
    """Bind to the first of a host's addresses that can be: gRPC is content with one, too."""
    problem: OSError | None = None
    for family, kind, protocol, _, where in socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    ):
        try:
            with socket.socket(family, kind, protocol) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(where)
        except OSError as error:
            problem = error
        else:
            return
    if problem and problem.errno != errno.EAFNOSUPPORT:  # without IPv6, gRPC takes [::] for IPv4
        raise problem
