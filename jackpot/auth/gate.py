"""The controller's gate: who a caller is by certificate, and whether the call is theirs to make.

TLS itself turns away whoever has no certificate of this authority, or one that has expired. What is
left to judge here: is it revoked, is it for this site, does its role make this call, is the table
its own. Denied calls leave one line in the audit log and nothing else.
"""

import datetime as dt
import json
import logging
from pathlib import Path
from typing import Any, NamedTuple

import grpc
from cryptography import x509

from jackpot.auth.authority import CRL, AuthorityError, revoked_serials
from jackpot.auth.names import Holder, holder_of
from jackpot.auth.roles import ACCESS, DEPARTMENTS, Role

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
        self.reload()

    def credentials(self) -> grpc.ServerCredentials:
        """TLS that asks every client for a certificate of this authority."""
        try:
            pair = (self._files.key.read_bytes(), self._files.certificate.read_bytes())
            root = self._files.authority.read_bytes()
        except OSError as error:
            raise AuthorityError(f"{error.filename}: {error.strerror}") from error
        return grpc.ssl_server_credentials([pair], root, require_client_auth=True)

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

    def is_revoked(self, actor: Actor) -> bool:
        """Whether a caller's certificate is on the list."""
        return actor.serial in self._revoked

    def identify(self, context: Any) -> Actor:
        """The caller behind a call, whose certificate is ours and good."""
        certificates = context.auth_context().get("x509_pem_cert")
        if not certificates:
            raise DeniedError(known=False, why="no certificate")
        certificate = self._parse(certificates[0])
        holder = holder_of(certificate)
        if holder is None:
            raise DeniedError(known=False, why="the certificate names nobody")
        if certificate.serial_number in self._revoked:
            raise DeniedError(known=False, why="the certificate is revoked")
        if certificate.not_valid_after_utc <= dt.datetime.now(dt.UTC):
            raise DeniedError(known=False, why="the certificate has expired")
        if holder.site not in self._sites:
            raise DeniedError(known=True, why=f"the certificate is for site {holder.site}")
        return _actor(holder, certificate.serial_number)

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
        raise AuthorityError(f"{path} is no certificate") from error


def _actor(holder: Holder, serial: int) -> Actor:
    table = holder.name if holder.role == "table" else ""
    principal = f"{holder.role}:{holder.name}"
    department = DEPARTMENTS.get(holder.role, "")
    return Actor(principal, department, holder.role, table, serial, holder.site)


def allow(actor: Actor, rpc: str, table: str | None = None, site: str | None = None) -> None:
    """Raise DeniedError unless the caller's role makes this call, for this table and site."""
    if actor.role is None:
        return
    if site and site != actor.site:
        raise DeniedError(known=True, why=f"the certificate is for site {actor.site}")
    if actor.role not in ACCESS[rpc]:
        raise DeniedError(known=True, why=f"{actor.role} may not call {rpc}")
    if actor.role == "table" and table and table != actor.table:
        raise DeniedError(known=True, why="a table acts for itself only")


def record_denial(rpc: str, peer: str, principal: str, why: str) -> None:
    """The one trace that a denied call leaves."""
    line = {"denied": rpc, "peer": peer, "principal": principal, "why": why}
    audit.warning("%s", json.dumps(line, sort_keys=True))
