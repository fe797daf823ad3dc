"""The kit's own authority: certificates for the controller, the client under test, and staff."""

import socket
from pathlib import Path

import grpc
from cryptography import x509

from jackpot.auth.authority import CA_CERTIFICATE, Authority
from jackpot.auth.holder import parse_holder
from jackpot.wire.identity import Identity

_DAYS = 1


class Certificates:
    """Everything that mutual TLS needs for as long as the trials last."""

    def __init__(self, folder: Path, site: str, table: str, host: str) -> None:
        self._authority = Authority.create(folder, "Conformance kit")
        self._site = site
        self.authority = folder / CA_CERTIFICATE
        hosts = dict.fromkeys((host, "127.0.0.1", "localhost", socket.gethostname()))
        self.server = self._authority.issue_server(tuple(hosts), _DAYS).certificate
        self.client = self.identity("table", table)

    def identity(self, role: str, name: str) -> Identity:
        """A certificate of its own for a table or a person."""
        certificate, _ = self._authority.issue(parse_holder(self._site, role, name), _DAYS)
        return Identity(certificate, self.authority)

    def server_credentials(self) -> grpc.ServerCredentials:
        """What the wire shows a client, and asks of it."""
        pair = (self.server.with_suffix(".key").read_bytes(), self.server.read_bytes())
        return grpc.ssl_server_credentials(
            [pair], self.authority.read_bytes(), require_client_auth=True
        )

    def environment(self) -> dict[str, str]:
        """Where a client finds its certificate, its key and the authority's certificate."""
        certificate = self.client.certificate
        if certificate is None:
            raise AssertionError("issued above")
        return {
            "JACKPOT_CA": str(self.authority),
            "JACKPOT_CERT": str(certificate),
            "JACKPOT_KEY": str(certificate.with_suffix(".key")),
        }

    def revoke_client(self) -> None:
        """Put the client's certificate on the list; the controller reads it within a second."""
        certificate = Path(self.environment()["JACKPOT_CERT"])
        serial = x509.load_pem_x509_certificate(certificate.read_bytes()).serial_number
        self._authority.revoke(serial)
