"""Check that a process can and may listen on an address, because gRPC only logs why it can't."""

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


def may_be_one(address: str, other: str) -> bool:
    """Whether two addresses could be the same socket: a host may have, or stand for, several."""
    (host, _, port), (host2, _, port2) = address.rpartition(":"), other.rpartition(":")
    if port != port2 or int(port) == 0:
        return False
    try:
        one, two = (ipaddress.ip_address(each.strip("[]")) for each in (host, host2))
    except ValueError:  # a name
        return True
    return one == two or one.is_unspecified or two.is_unspecified


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
    bound(address).close()


def bound(address: str, *, shared: bool = False) -> socket.socket:
    """A socket bound there, to the first of a host's addresses that can be; AddressError else.

    gRPC is content with one, too. Shared: others of this user may bind the port as well.
    """
    host, _, port = address.rpartition(":")
    try:
        return _bound(host.strip("[]"), int(port), shared)
    except (OSError, UnicodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "no such host"
        raise AddressError(f"{address}: cannot listen there: {why}") from error


def _bound(host: str, port: int, shared: bool) -> socket.socket:  # noqa: FBT001 - as above
    problem: OSError = OSError(errno.EADDRNOTAVAIL, "the host has no address")
    flags = socket.AI_PASSIVE
    for family, kind, protocol, _, where in socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=flags
    ):
        try:
            probe = socket.socket(family, kind, protocol)
        except OSError as error:  # the machine has no such family
            problem = error
            continue
        try:
            option = socket.SO_REUSEPORT if shared else socket.SO_REUSEADDR
            probe.setsockopt(socket.SOL_SOCKET, option, 1)
            probe.bind(where)
        except OSError as error:
            probe.close()
            problem = error
        else:
            return probe
    if problem.errno == errno.EAFNOSUPPORT and host == "::":  # without IPv6 gRPC takes it for IPv4
        return _bound("0.0.0.0", port, shared)  # noqa: S104 - what was asked for
    raise problem
