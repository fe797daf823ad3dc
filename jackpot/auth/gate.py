"""The controller's gate: who a caller is by certificate, and whether the call is theirs to make.

TLS itself turns away whoever has no certificate of this authority, or one that has expired. What is
left to judge here: is it revoked, is it for this site, does its role make this call or see this
page, is the table its own. Denied calls leave one line in the audit log and nothing else.
"""

import asyncio
import logging
import ssl
import time
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.exceptions import InvalidSignature

from jackpot.auth.authority import CRL, AuthorityError, is_servers
from jackpot.auth.callers import Actor, Fault, denied, unknown
from jackpot.auth.holder import Holder, holder_of
from jackpot.auth.revocation import OlderListError, RevocationList
from jackpot.auth.roles import DEPARTMENTS, FOR_ONE_TABLE
from jackpot.wire.identity import Tls

_log = logging.getLogger(__name__)
_CACHED = 4_096  # certificates whose parsing is remembered


class Files(NamedTuple):
    """Where a controller finds what TLS needs."""

    authority: Path
    certificate: Path
    key: Path
    revoked: Path
    kept: Path | None = None  # where the newest list of revoked certificates is remembered

    @classmethod
    def beside(cls, certificate: Path, authority: Path, kept: Path | None = None) -> "Files":
        """A certificate with its key beside it, and an authority with its list beside it."""
        key, revoked = certificate.with_suffix(".key"), authority.parent / CRL
        return cls(authority, certificate, key, revoked, kept)

    def as_text(self) -> tuple[str, ...]:
        """For another process."""
        return tuple(str(path or "") for path in self)

    @classmethod
    def from_text(cls, text: tuple[str, ...]) -> "Files":
        """What `as_text` has told."""
        authority, certificate, key, revoked, kept = text
        needed = Path(authority), Path(certificate), Path(key), Path(revoked)
        return cls(*needed, Path(kept) if kept else None)


class Gate:
    """Judges callers by certificate."""

    def __init__(self, files: Files, *sites: str) -> None:
        self.files = files
        self._sites = frozenset(sites)
        self._authority = _load(files.authority)
        self._parsed: dict[bytes, x509.Certificate] = {}
        self._revoked = RevocationList(files.revoked, self._authority, files.kept)
        self._unread = ""  # why the list could not be read when it was last tried
        self.clock = time.time
        try:
            self.reload()
        except OlderListError as error:  # the one that was kept is in force
            self._complain(error)

    def tls(self) -> Tls:
        """TLS that asks every client for a certificate of this authority."""
        if not is_servers(_load(self.files.certificate)):
            raise AuthorityError(
                f"{self.files.certificate} is not a controller's certificate; "
                "make one with: jackpot ca server HOST"
            )
        files = self.files
        try:
            return Tls(
                *(each.read_bytes() for each in (files.key, files.certificate, files.authority))
            )
        except OSError as error:
            raise AuthorityError(f"{error.filename}: {error.strerror}") from error

    def web_context(self) -> ssl.SSLContext:
        """TLS for browsers: a certificate is looked at where there is one, and not demanded."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        try:
            context.load_cert_chain(self.files.certificate, self.files.key)
            context.load_verify_locations(self.files.authority)
        except OSError as error:  # a key that does not fit is an SSLError, which is one
            raise AuthorityError(f"{self.files.certificate}: {error.strerror}") from error
        context.verify_mode = ssl.CERT_OPTIONAL
        return context

    def reload(self) -> bool:
        """Read the list of revoked certificates again if it is new; whether it was."""
        return self._revoked.reload()

    async def refresh(self) -> None:
        """Read the list again if it is new; where it can't be read, the one before stays."""
        try:
            await asyncio.to_thread(self.reload)
            self._unread = ""
        except (AuthorityError, OSError) as error:
            self._complain(error)

    def _complain(self, error: Exception) -> None:
        """Say once why a list is not taken, and not every second."""
        if self._unread != str(error):
            self._unread = str(error)
            _log.error("the list of revoked certificates can't be read: %s", error)

    def now_s(self) -> float:
        """What the clock says by which certificates are judged."""
        return self.clock()

    def fault(self, actor: Actor) -> Fault | None:
        """Why a caller's certificate is good no longer; None while it is."""
        if actor.serial in self._revoked.serials:
            return Fault.REVOKED
        return Fault.EXPIRED if actor.expires_s <= self.clock() else None

    def holder(self, pem: bytes) -> Actor:
        """Whom a certificate names that is of this authority, good, and for one of the sites."""
        actor = self.known(pem)
        self.verify_site(actor)
        return actor

    def verify_site(self, actor: Actor) -> None:
        """Raise DeniedError unless a caller is of one of the sites."""
        if actor.site not in self._sites:
            why = f"the certificate is for site {actor.site}"
            raise denied(actor, why, needs_site=", ".join(sorted(self._sites)))

    def known(self, pem: bytes) -> Actor:
        """Whom a certificate names that is of this authority, and good, whatever its site."""
        if not pem:
            raise unknown(Fault.MISSING)
        certificate = self._parse(pem)
        holder = holder_of(certificate)
        if holder is None:
            raise unknown(Fault.NOBODY)
        actor = _actor(holder, certificate)
        if fault := self.fault(actor):
            raise unknown(fault, actor.principal)
        return actor

    def _parse(self, pem: bytes) -> x509.Certificate:
        if pem not in self._parsed:
            if len(self._parsed) >= _CACHED:
                self._parsed.clear()
            self._parsed[pem] = self._verified(x509.load_pem_x509_certificate(pem))
        return self._parsed[pem]

    def _verified(self, certificate: x509.Certificate) -> x509.Certificate:
        """TLS has found it to be of this authority; whoever owned the socket might be lied to."""
        try:
            certificate.verify_directly_issued_by(self._authority)
        except (ValueError, TypeError, InvalidSignature) as error:
            raise unknown(Fault.FOREIGN) from error
        return certificate


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
        table=holder.name if holder.role in FOR_ONE_TABLE else "",
        serial=certificate.serial_number,
        site=holder.site,
        expires_s=certificate.not_valid_after_utc.timestamp(),
    )
