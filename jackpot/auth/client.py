"""A client's side of mutual TLS: connections that show who is calling."""

from pathlib import Path
from typing import NamedTuple

import grpc

from jackpot.auth.authority import AuthorityError


class Identity(NamedTuple):
    """A certificate with its key, and the authority that the controller must be certified by."""

    certificate: Path
    authority: Path

    def credentials(self) -> grpc.ChannelCredentials:
        """What gRPC needs of it; AuthorityError where a file is missing."""
        key = self.certificate.with_suffix(".key")
        try:
            root, private, chain = (
                path.read_bytes() for path in (self.authority, key, self.certificate)
            )
        except OSError as error:
            raise AuthorityError(f"{error.filename}: {error.strerror}") from error
        return grpc.ssl_channel_credentials(root, private, chain)


def open_sync_channel(address: str, identity: Identity | None) -> grpc.Channel:
    """A connection for a command line; without an identity, to a controller on loopback."""
    if identity is None:
        return grpc.insecure_channel(address)
    return grpc.secure_channel(address, identity.credentials())
