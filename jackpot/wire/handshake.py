"""Find out why a TLS connection failed: make one more handshake, and see how it ends.

A controller turns strangers away inside the handshake, and gRPC then reports no more than that
nobody answers, as for a cable that was cut. Whoever asks must know the difference: sending again
helps against the one and never against the other.
"""

import socket
import ssl
from contextlib import suppress
from typing import NamedTuple
from urllib.parse import urlsplit

from jackpot.wire.identity import CredentialError, Identity

TIMEOUT_S = 1.0  # a controller that is there answers in milliseconds
# What an alert says of our certificate, by what OpenSSL calls the alert.
_ALERTS = {
    "CERTIFICATE_REQUIRED": "the controller requires a certificate",
    "UNKNOWN_CA": "the controller's authority has not issued this certificate",
    "CERTIFICATE_EXPIRED": "the certificate has expired",
    "CERTIFICATE_REVOKED": "the certificate is revoked",
    "CERTIFICATE_UNKNOWN": "the controller does not accept this certificate",
    "BAD_CERTIFICATE": "the controller does not accept this certificate",
    "UNSUPPORTED_CERTIFICATE": "the controller does not accept this certificate",
}
# The same by the code that OpenSSL gives when it verifies a certificate itself (X509_V_ERR_*).
_FAULTS = {
    9: "the certificate is not valid yet",
    10: _ALERTS["CERTIFICATE_EXPIRED"],
}


class TlsProbe(NamedTuple):
    """Where a controller is reached, and what is shown to it."""

    address: str  # HOST:PORT
    identity: Identity | None  # None speaks without TLS, which a controller may not

    def refusal(self) -> str | None:
        """Why TLS does not let us in; None where it does, or where nobody answers."""
        try:
            return self._knock()
        except CredentialError as error:
            return str(error)
        except ssl.SSLCertVerificationError as error:
            return f"the controller's certificate is not trusted: {error.verify_message}"
        except (ssl.SSLEOFError, ConnectionResetError, BrokenPipeError):
            return fault_of(self.identity) if self.identity else None
        except ssl.SSLError as error:  # "TLSV13_ALERT_CERTIFICATE_REQUIRED"
            return _ALERTS.get((error.reason or "").partition("_ALERT_")[2])
        except (OSError, ValueError):  # nobody there, silence, or no such address
            return None

    def _knock(self) -> str | None:
        where = urlsplit(f"//{self.address}")
        host, port = where.hostname or "", where.port or 0
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.set_alpn_protocols(["h2"])  # gRPC's servers speak to nobody else
        if self.identity:
            self.identity.show_in(context)
        else:
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with (
            socket.create_connection((host, port), TIMEOUT_S) as connection,
            context.wrap_socket(connection, server_hostname=host) as tls,
        ):
            if self.identity is None:  # it speaks TLS
                return _ALERTS["CERTIFICATE_REQUIRED"]
            # TLS 1.3 judges a client's certificate only after the client has finished. Whoever is
            # let in is greeted; gRPC hangs up on everybody else without a word.
            return None if tls.recv(1) else fault_of(self.identity)


def fault_of(identity: Identity) -> str | None:
    """What a controller that hung up may have had against our certificate.

    Found by a handshake with ourselves, in memory, where we judge as a controller would. None where
    the certificate looks good: then it hung up for another reason, as it stops perhaps.
    """
    if identity.certificate is None:
        return _ALERTS["CERTIFICATE_REQUIRED"]
    judge = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    identity.show_in(judge)
    judge.verify_mode = ssl.CERT_REQUIRED
    caller = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    identity.show_in(caller)
    caller.check_hostname, caller.verify_mode = False, ssl.CERT_NONE
    to_judge, to_caller = ssl.MemoryBIO(), ssl.MemoryBIO()
    ours = caller.wrap_bio(to_caller, to_judge)
    theirs = judge.wrap_bio(to_judge, to_caller, server_side=True)
    try:
        for side in (ours, theirs, ours, theirs):
            with suppress(ssl.SSLWantReadError):
                side.do_handshake()
    except ssl.SSLCertVerificationError as error:
        return _FAULTS.get(error.verify_code, _ALERTS["UNKNOWN_CA"])
    return None
