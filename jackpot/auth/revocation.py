"""The list of revoked certificates: numbered, signed by its authority, and never an older one.

The authority writes it under a lock, so that of two revocations at once neither is lost. Whoever
reads it compares its bytes and its number, not its file's time: copying sets that to anything. A
controller keeps a copy of the newest list that it has read, so that a restart forgets nothing.
"""

import datetime as dt
import fcntl
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from jackpot.auth.keys import AuthorityError
from jackpot.durable import write_durably

_log = logging.getLogger(__name__)
_LASTS = dt.timedelta(days=3650)
SKEW = dt.timedelta(minutes=5)  # clocks on a gaming floor differ


class Revoked(NamedTuple):
    """What a list says."""

    serials: frozenset[int] = frozenset()
    number: int = 0  # 0 also where it has none, as lists of 0.1.0


class OlderListError(AuthorityError):
    """A list that came before the one in force, which stays in force."""


class RevocationList:
    """A list as a controller follows it."""

    def __init__(self, path: Path, authority: x509.Certificate, kept: Path | None = None) -> None:
        """`kept` is where the newest list is remembered."""
        self._path = path
        self._authority = authority
        self._kept = kept
        self._raw = b""
        self._known = Revoked()
        if kept is not None:
            self._remember(kept)

    @property
    def serials(self) -> frozenset[int]:
        """The revoked certificates, by the newest list that was read."""
        return self._known.serials

    def reload(self) -> bool:
        """Read the list again if it is another one; whether it was.

        An older one does not replace the one in force. But nothing is ever taken off a list, so
        what the older one has is revoked as well: an authority that was restored from a backup
        goes on with numbers that it gave before.
        """
        raw = _read(self._path)
        if raw == self._raw:
            return False
        found = _parse(raw, self._path, self._authority)
        if self._known.number and found.number <= self._known.number:
            self._known = self._known._replace(serials=self._known.serials | found.serials)
            raise OlderListError(
                f"{self._path} is revocation list {found.number}, but the controller already has "
                f"list {self._known.number}. Every certificate on either list stays revoked. Copy "
                f"the authority's newest list to {self._path}"
            )
        self._raw, self._known = raw, found
        if self._kept is not None:
            self._keep(self._kept, raw, found)
        return True

    def _remember(self, kept: Path) -> None:
        """Begin with the newest list that was read before, if there is one of this authority."""
        if not kept.exists():
            return
        try:
            raw = _read(kept)
            self._known = _parse(raw, kept, self._authority)
            self._raw = raw
        except AuthorityError as error:
            _log.error("the saved list of revoked certificates is not used: %s", error)

    def _keep(self, kept: Path, raw: bytes, found: Revoked) -> None:
        """Write it down, unless another controller has written a newer one."""
        try:
            kept.parent.mkdir(parents=True, exist_ok=True)
            lock = kept.with_name(f".{kept.name}.lock")
            lock.touch()
            with locked(lock):
                before = Revoked()
                with suppress(AuthorityError):
                    before = read_list(kept, self._authority)
                if found.number > before.number:
                    write_durably(kept, raw)
        except OSError as error:
            _log.error("can't save the list of revoked certificates: %s: %s", kept, error.strerror)


def read_list(path: Path, authority: x509.Certificate) -> Revoked:
    """A list, which the authority must have signed."""
    return _parse(_read(path), path, authority)


def write_list(
    path: Path, authority: x509.Certificate, key: ec.EllipticCurvePrivateKey, revoked: Revoked
) -> None:
    """Sign a list and put it in the place of the one before."""
    now = dt.datetime.now(dt.UTC)
    builder = (
        x509.CertificateRevocationListBuilder()
        .issuer_name(authority.subject)
        .last_update(now - SKEW)
        .next_update(now + _LASTS)
        .add_extension(x509.CRLNumber(revoked.number), critical=False)
    )
    for serial in sorted(revoked.serials):
        entry = x509.RevokedCertificateBuilder().serial_number(serial).revocation_date(now)
        builder = builder.add_revoked_certificate(entry.build())
    raw = builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
    # A controller that reads meanwhile must see the old list or the new one, never half.
    write_durably(path, raw)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep everyone else who does this waiting, on this machine; by a folder or a file."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise AuthorityError(f"{path}: {error.strerror}") from error


def _parse(raw: bytes, path: Path, authority: x509.Certificate) -> Revoked:
    try:
        crl = x509.load_pem_x509_crl(raw)
        numbers = [each.value for each in crl.extensions if isinstance(each.value, x509.CRLNumber)]
    except ValueError as error:
        raise AuthorityError(f"{path} is not a list of revoked certificates") from error
    key = authority.public_key()
    if not isinstance(key, ec.EllipticCurvePublicKey) or not crl.is_signature_valid(key):
        raise AuthorityError(f"{path} is not signed by this authority")
    serials = frozenset(revoked.serial_number for revoked in crl)
    return Revoked(serials, numbers[0].crl_number if numbers else 0)
