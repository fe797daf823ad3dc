"""A client's side of mutual TLS: connections that show who is calling, and why one was refused."""

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import grpc

from jackpot.wire.handshake import TlsProbe
from jackpot.wire.identity import Identity
from jackpot.wire.keepalive import keepalive
from jackpot.wire.service_config import SERVICE_CONFIG_OPTION

__all__ = ["Identity", "is_secured", "open_async_channel", "open_sync_channel", "refusal_of"]

_OPTIONS: tuple[tuple[str, int | str], ...] = (*keepalive(), SERVICE_CONFIG_OPTION)
# gRPC's channels do not tell where they lead; whoever is refused must ask at the same address why.
_PROBES: WeakKeyDictionary[object, TlsProbe] = WeakKeyDictionary()


def open_sync_channel(address: str, identity: Identity | None) -> grpc.Channel:
    """A connection for a command line; without an identity, to a controller on loopback."""
    channel = (
        grpc.secure_channel(address, identity.credentials(), options=_OPTIONS)
        if identity
        else grpc.insecure_channel(address, options=_OPTIONS)
    )
    _PROBES[channel] = TlsProbe(address, identity)
    return channel


def open_async_channel(
    address: str, identity: Identity | None, options: Sequence[tuple[str, int | str]] = ()
) -> grpc.aio.Channel:
    """A connection for a table or a sign; without an identity, to a controller on loopback."""
    options = (*options, *_OPTIONS)
    if identity is None:
        return grpc.aio.insecure_channel(address, options=options)
    channel = grpc.aio.secure_channel(address, identity.credentials(), options=options)
    _PROBES[channel] = TlsProbe(address, identity)
    return channel


def is_secured(channel: object) -> bool:
    """Whether a channel was opened with an identity."""
    return channel in _PROBES


def refusal_of(channel: object) -> str | None:
    """Why TLS let a channel not come about; None where it was something else. Takes a second."""
    probe = _PROBES.get(channel)
    return probe.refusal() if probe else None
