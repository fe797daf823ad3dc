"""The controller's gate: who a caller is by certificate, and whether the call is theirs to make.

TLS itself turns away whoever has no certificate of this authority, or one that has expired. What is
left to judge here: is it revoked, is it for this site, does its role make this call or see this
page, is the table its own. Denied calls leave one line in the audit log and nothing else.
"""

import json
import logging
import math
import ssl
import time
from pathlib import Path
from typing import Any, NamedTuple

import grpc
from cryptography import x509

from jackpot.auth.authority import CRL, AuthorityError, is_servers, revoked_serials
from jackpot.auth.names import Holder, holder_of
from jackpot.auth.roles import ACCESS, DEPARTMENTS, PAGES, Role

audit = logging.getLogger("jackpot.audit")
_CACHED = 4_096  # certificates whose parsing is remembered


class Actor(NamedTuple):
    """A caller, by the name that the journal records."""

    principal: str
    department: str = ""
    role: Role | None = None  # None without TLS: whoever can reach loopback may do everything
    table: str = ""  # the one table that a table's certificate speaks for
    serial: int = 0
    site: str = ""  # the one site that a certificate is good for
    expires_s: float = math.inf  # when its certificate does, in seconds since 1970


class DeniedError(Exception):
    """The call is not for this caller."""

    def __init__(self, *, known: bool, why: str) -> None:
        super().__init__(why)
        self.known = known  # False: it is not even clear who is calling


class Files(NamedTuple):
    """Where a controller finds what TLS needs."""

    authority: Path
    certificate: Path
    key: Path
    revoked: Path

    @classmethod
    def beside(cls, certificate: Path, authority: Path) -> "Files":
        """A certificate with its key beside it, and an authority with its list beside it."""
        return cls(authority, certificate, certificate.with_suffix(".key"), authority.parent / CRL)


class Gate:
    """Judges callers by certificate."""

    def __init__(self, files: Files, *sites: str) -> None:
        self._files = files
        self._sites = frozenset(sites)
        self._authority = _load(files.authority)
        self._parsed: dict[bytes, x509.Certificate] = {}
        self._read_at = 0.0
        self._revoked: frozenset[int] = frozenset()
        self.clock = time.time
        self.reload()

    def credentials(self) -> grpc.ServerCredentials:
        """TLS that asks every client for a certificate of this authority."""
        if not is_servers(_load(self._files.certificate)):
            raise AuthorityError(
                f"{self._files.certificate} is not a controller's certificate; "
                "make one with: jackpot ca server"
            )
        try:
            pair = (self._files.key.read_bytes(), self._files.certificate.read_bytes())
            root = self._files.authority.read_bytes()
        except OSError as error:
            raise AuthorityError(f"{error.filename}: {error.strerror}") from error
        return grpc.ssl_server_credentials([pair], root, require_client_auth=True)

    def web_context(self) -> ssl.SSLContext:
        """TLS for browsers: a certificate is looked at where there is one, and not demanded."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            context.load_cert_chain(self._files.certificate, self._files.key)
            context.load_verify_locations(self._files.authority)
        except OSError as error:  # a key that does not fit is an SSLError, which is one
            raise AuthorityError(f"{self._files.certificate}: {error.strerror}") from error
        context.verify_mode = ssl.CERT_OPTIONAL
        return context

    def reload(self) -> bool:
        """Read the list of revoked certificates again if it is new; whether it was."""
        try:
            changed = self._files.revoked.stat().st_mtime
        except OSError as error:
            raise AuthorityError(f"{self._files.revoked}: {error.strerror}") from error
        if changed == self._read_at:
            return False
        self._revoked = revoked_serials(self._files.revoked, self._authority)
        self._read_at = changed
        return True

    def fault(self, actor: Actor) -> str:
        """Why a caller's certificate is good no longer; empty while it is."""
        if actor.serial in self._revoked:
            return "the certificate is revoked"
        return "the certificate has expired" if actor.expires_s <= self.clock() else ""

    def identify(self, context: Any) -> Actor:
        """The caller behind a call, whose certificate is ours and good."""
        certificates = context.auth_context().get("x509_pem_cert")
        if not certificates:
            raise DeniedError(known=False, why="no certificate")
        return self.holder(certificates[0])

    def holder(self, pem: bytes) -> Actor:
        """Whom a certificate names that TLS has found to be of this authority."""
        certificate = self._parse(pem)
        holder = holder_of(certificate)
        if holder is None:
            raise DeniedError(known=False, why="the certificate names nobody")
        actor = _actor(holder, certificate)
        if fault := self.fault(actor):
            raise DeniedError(known=False, why=fault)
        if holder.site not in self._sites:
            raise DeniedError(known=True, why=f"the certificate is for site {holder.site}")
        return actor

    def _parse(self, pem: bytes) -> x509.Certificate:
        if pem not in self._parsed:
            if len(self._parsed) >= _CACHED:
                self._parsed.clear()
            self._parsed[pem] = x509.load_pem_x509_certificate(pem)
        return self._parsed[pem]


def _load(path: Path) -> x509.Certificate:
    try:
        return x509.load_pem_x509_certificate(path.read_bytes())
    except OSError as error:
        raise AuthorityError(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise AuthorityError(f"{path} is not a certificate") from error


def _actor(holder: Holder, certificate: x509.Certificate) -> Actor:
    return Actor(
        principal=f"{holder.role}:{holder.name}",
        department=DEPARTMENTS.get(holder.role, ""),
        role=holder.role,
        table=holder.name if holder.role == "table" else "",
        serial=certificate.serial_number,
        site=holder.site,
        expires_s=certificate.not_valid_after_utc.timestamp(),
    )


def allow(actor: Actor, what: str, table: str | None = None, site: str | None = None) -> None:
    """Raise DeniedError unless the role makes this call, or sees this page, for table and site."""
    if actor.role is None:
        return
    if site and site != actor.site:
        raise DeniedError(known=True, why=f"the certificate is for site {actor.site}")
    if actor.role not in (ACCESS.get(what) or PAGES[what]):
        raise DeniedError(known=True, why=f"{what} is not for {actor.role}")
    if actor.role == "table" and table and table != actor.table:
        raise DeniedError(known=True, why="a table acts for itself only")


def record_denial(what: str, peer: str, principal: str, why: str) -> None:
    """The one trace that a denied call leaves."""
    line = {"denied": what, "peer": peer, "principal": principal, "why": why}
    audit.warning("%s", json.dumps(line, sort_keys=True))


def record_login(what: str, peer: str, principal: str) -> None:
    """That a browser was let in, or let itself out."""
    line = {"login": what, "peer": peer, "principal": principal}
    audit.info("%s", json.dumps(line, sort_keys=True))
