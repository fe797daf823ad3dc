"""A client's side of the wire: connections that show who is calling, and why one was refused."""

import json
from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import grpc

from jackpot.wire.handshake import TlsProbe
from jackpot.wire.identity import Identity
from jackpot.wire.keepalive import keepalive
from jackpot.wire.v1 import table_pb2

__all__ = ["Identity", "is_secured", "open_async_channel", "open_sync_channel", "refusal_of"]

# gRPC's service config: deadlines, and what gRPC may retry itself. Reads may be sent again by gRPC,
# and so may an operator's changes: they have a request id. A table's commands are not: whoever
# speaks for a table must know what was answered, may have another controller to ask, and resends in
# order. docs/reference/table-contract.md shows this config.
_RETRY: dict[str, Any] = {
    "maxAttempts": 3,
    "initialBackoff": "0.1s",
    "maxBackoff": "1s",
    "backoffMultiplier": 2,
    "retryableStatusCodes": ["UNAVAILABLE"],
}
_TABLES = table_pb2.DESCRIPTOR.services_by_name["TableService"]

SERVICE_CONFIG: dict[str, Any] = {
    "methodConfig": [
        {
            "name": [
                {"service": "jackpot.v1.MeterService"},
                {"service": "jackpot.v1.OperatorService"},
            ],
            "retryPolicy": _RETRY,
        },
        {
            # Every command by itself; a Play stream lasts as long as the table plays.
            "name": [
                {"service": _TABLES.full_name, "method": method.name}
                for method in _TABLES.methods
                if not method.client_streaming and not method.server_streaming
            ],
            "timeout": "10s",
        },
    ]
}

SERVICE_CONFIG_OPTION = ("grpc.service_config", json.dumps(SERVICE_CONFIG))

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
