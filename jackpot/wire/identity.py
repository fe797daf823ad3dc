"""A client's identity: its own certificate and key, and the authority that it trusts."""

import ssl
from pathlib import Path
from typing import NamedTuple

import grpc
import msgspec

from jackpot.wire.errors import PlainError

# Without TLS a caller on loopback says by metadata who they are.
PRINCIPAL_KEY, DEPARTMENT_KEY = "x-jackpot-principal", "x-jackpot-department"
# What the controller's own pages show for somebody at a page; nobody else is asked for it.
SESSION_KEY = "x-jackpot-session"


class CredentialError(PlainError):
    """A certificate, its key or the authority's certificate can't be used."""


class Identity(NamedTuple):
    """A certificate with its key, and the authority that the controller must be certified by."""

    certificate: Path | None  # None shows nothing, which no controller takes
    authority: Path

    def credentials(self) -> grpc.ChannelCredentials:
        """What gRPC needs of it; CredentialError where a file is missing."""
        try:
            root = self.authority.read_bytes()
            if self.certificate is None:
                return grpc.ssl_channel_credentials(root)
            # The certificate first: where both are missing, it is the one that was named.
            chain = self.certificate.read_bytes()
            key = self.certificate.with_suffix(".key").read_bytes()
            return grpc.ssl_channel_credentials(root, key, chain)
        except OSError as error:
            raise CredentialError(f"{error.filename}: {error.strerror}") from error

    def show_in(self, context: ssl.SSLContext) -> None:
        """The same for a TLS connection of our own; CredentialError where a file is no good."""
        try:
            context.load_verify_locations(self.authority)
        except ssl.SSLError as error:
            raise CredentialError(f"{self.authority} is not an authority's certificate") from error
        except OSError as error:
            raise CredentialError(f"{self.authority}: {error.strerror}") from error
        if self.certificate is None:
            return
        try:
            context.load_cert_chain(self.certificate, self.certificate.with_suffix(".key"))
        except ssl.SSLError as error:
            raise CredentialError(f"{self.certificate} and its key do not match") from error
        except OSError as error:
            raise CredentialError(
                f"{self.certificate} or the key beside it: {error.strerror}"
            ) from error


class Tls(msgspec.Struct, array_like=True):
    """What a server needs to prove who it is, and to ask callers who they are; PEM."""

    key: bytes
    certificate: bytes
    authority: bytes
