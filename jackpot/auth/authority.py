"""A local certificate authority in a folder: `jackpot ca`.

EC keys on P-256, written with mode 0600. A certificate names its holder by one URI and is good for
servers, clients or both by role. Revocation is a signed list that controllers read as it changes.
"""

import datetime as dt
import ipaddress
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from jackpot.auth.names import Holder, holder_of
from jackpot.wire.errors import PlainError

CA_DAYS = 3650
SERVER = "controller"  # the file name of a controller's own certificate
CA_CERTIFICATE, CA_KEY, CRL, ISSUED = "ca.pem", "ca.key", "crl.pem", "issued"
_MOST_TITLE, _MOST_HOST = 64, 253  # bytes, by X.509 and by DNS
# A last label of digits alone is an address that was mistyped.
_HOST = re.compile(r"(\*\.)?((?!-)[\w-]{1,63}(?<!-)\.)*(?!-|\d+$)[\w-]{1,63}(?<!-)", re.ASCII)
_SKEW = dt.timedelta(minutes=5)  # clocks on a gaming floor differ


class AuthorityError(PlainError):
    """The authority can't do that."""


class Issued(NamedTuple):
    """A certificate that the authority has given out."""

    file: str
    holder: str
    serial: int
    expires: dt.datetime
    revoked: bool


class Authority:
    """The authority in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            self._certificate = x509.load_pem_x509_certificate(
                (folder / CA_CERTIFICATE).read_bytes()
            )
            key = serialization.load_pem_private_key((folder / CA_KEY).read_bytes(), None)
        except OSError as error:
            raise AuthorityError(f"there is no authority in {folder}: {error.strerror}") from error
        except ValueError as error:
            raise AuthorityError(f"the authority in {folder} can't be read") from error
        if not isinstance(key, ec.EllipticCurvePrivateKey):
            raise AuthorityError(f"the key in {folder} is not an EC key")
        self._key = key

    @classmethod
    def create(cls, folder: Path, title: str) -> "Authority":
        """Make a new authority; one that exists is never overwritten."""
        if not (title.strip() and title.isprintable() and len(title.encode()) <= _MOST_TITLE):
            raise AuthorityError(f"an authority needs a name, of at most {_MOST_TITLE} bytes")
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, title)])
        usage = x509.KeyUsage(
            digital_signature=True,
            key_cert_sign=True,
            crl_sign=True,
            content_commitment=False,
            key_encipherment=False,
            data_encipherment=False,
            key_agreement=False,
            encipher_only=False,
            decipher_only=False,
        )
        certificate = (
            _builder(name, name, key.public_key(), CA_DAYS)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(usage, critical=True)
            .add_extension(
                x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False
            )
            .sign(key, hashes.SHA256())
        )
        try:
            return cls._settle(folder, key, certificate)
        except OSError as error:
            raise AuthorityError(
                f"can't make an authority in {folder}: {error.strerror}"
            ) from error

    @classmethod
    def _settle(
        cls, folder: Path, key: ec.EllipticCurvePrivateKey, certificate: x509.Certificate
    ) -> "Authority":
        """Write it all, or leave nothing that the next attempt would take for an authority."""
        # Also where its key is elsewhere for the time being, perhaps behind a link.
        if any(os.path.lexists(folder / name) for name in (CA_KEY, CA_CERTIFICATE, CRL)):
            raise AuthorityError(f"{folder} has an authority already")
        issued = folder / ISSUED
        made = [path for path in (issued, *issued.parents) if not path.exists()]
        written: list[Path] = []
        try:
            issued.mkdir(parents=True, exist_ok=True)
            write_key(folder / CA_KEY, key)
            written.append(folder / CA_KEY)
            (folder / CA_CERTIFICATE).write_bytes(_pem(certificate))
            written.append(folder / CA_CERTIFICATE)
            authority = cls(folder)
            authority._write_crl(())
        except OSError:
            with suppress(OSError):
                for path in written:
                    path.unlink()
            with suppress(OSError):
                for path in made:
                    path.rmdir()
            raise
        return authority

    def issue(self, holder: Holder, days: int) -> tuple[Path, Path]:
        """A certificate for a table, device, sign or person; its files."""
        san = x509.SubjectAlternativeName([x509.UniformResourceIdentifier(holder.uri)])
        return self._issue(f"{holder.role}-{holder.name}", holder.uri, san, days, server=False)

    def issue_server(self, hosts: tuple[str, ...], days: int) -> tuple[Path, Path]:
        """A certificate for a controller that is reached under these hosts; its files."""
        san = x509.SubjectAlternativeName([_host(host) for host in hosts])
        return self._issue(SERVER, SERVER, san, days, server=True)

    def _issue(
        self, file: str, title: str, san: x509.SubjectAlternativeName, days: int, *, server: bool
    ) -> tuple[Path, Path]:
        key = ec.generate_private_key(ec.SECP256R1())
        purpose = ExtendedKeyUsageOID.SERVER_AUTH if server else ExtendedKeyUsageOID.CLIENT_AUTH
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, title[:64])])
        certificate = (
            _builder(subject, self._certificate.subject, key.public_key(), days)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(san, critical=False)
            .add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
            .add_extension(self._signed_by(), critical=False)  # strict verifiers ask for it
            .sign(self._key, hashes.SHA256())
        )
        base = self._folder / ISSUED / f"{file}-{certificate.serial_number:x}"
        # Not with_suffix(): a name may have a dot in it, and what follows would be cut off.
        paths = base.with_name(f"{base.name}.pem"), base.with_name(f"{base.name}.key")
        with _writing(self._folder):
            write_key(paths[1], key)
            paths[0].write_bytes(_pem(certificate))
        return paths

    def _signed_by(self) -> x509.AuthorityKeyIdentifier:
        return x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())

    def find(self, serial: str) -> Issued:
        """The certificate whose serial begins so, if there is just one."""
        digits = serial.lower()
        found = [one for one in self.issued() if digits and f"{one.serial:x}".startswith(digits)]
        if len(found) == 1:
            return found[0]
        several = f"{len(found)} certificates have" if found else "no certificate has"
        raise AuthorityError(f"{several} a serial that begins with {serial}: see `jackpot ca list`")

    def revoke(self, serial: int) -> Issued:
        """Put a certificate on the list; controllers end its streams when they read it."""
        found = next((issued for issued in self.issued() if issued.serial == serial), None)
        if found is None:
            raise AuthorityError(f"no certificate has the serial {serial:x}")
        revoked = revoked_serials(self._folder / CRL, self._certificate)
        with _writing(self._folder):
            self._write_crl({*revoked, serial})
        return found._replace(revoked=True)

    def issued(self) -> Iterator[Issued]:
        """Everything that was given out, oldest first."""
        revoked = revoked_serials(self._folder / CRL, self._certificate)
        files = sorted((self._folder / ISSUED).glob("*.pem"), key=lambda path: path.stat().st_mtime)
        for path in files:
            certificate = x509.load_pem_x509_certificate(path.read_bytes())
            holder = holder_of(certificate)
            yield Issued(
                path.name,
                holder.uri if holder else SERVER,
                certificate.serial_number,
                certificate.not_valid_after_utc,
                certificate.serial_number in revoked,
            )

    def _write_crl(self, serials: set[int] | tuple[()]) -> None:
        now = dt.datetime.now(dt.UTC)
        builder = (
            x509.CertificateRevocationListBuilder()
            .issuer_name(self._certificate.subject)
            .last_update(now - _SKEW)
            .next_update(now + dt.timedelta(days=CA_DAYS))
        )
        for serial in sorted(serials):
            entry = x509.RevokedCertificateBuilder().serial_number(serial).revocation_date(now)
            builder = builder.add_revoked_certificate(entry.build())
        raw = builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
        # A controller that reads meanwhile must see the old list or the new one, never half.
        new = self._folder / (CRL + ".new")
        new.write_bytes(raw)
        new.replace(self._folder / CRL)


@contextmanager
def _writing(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise AuthorityError(f"can't write into {folder}: {error.strerror}") from error


def is_servers(certificate: x509.Certificate) -> bool:
    """Whether a certificate is good for a controller, and not for a table or a person."""
    try:
        usage = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage)
    except x509.ExtensionNotFound:
        return False
    return ExtendedKeyUsageOID.SERVER_AUTH in usage.value


def revoked_serials(path: Path, authority: x509.Certificate) -> frozenset[int]:
    """The serials on a list, which the authority must have signed."""
    try:
        crl = x509.load_pem_x509_crl(path.read_bytes())
    except OSError as error:
        raise AuthorityError(f"the list of revoked certificates: {error}") from error
    except ValueError as error:
        raise AuthorityError(f"{path} is not a list of revoked certificates") from error
    key = authority.public_key()
    if not isinstance(key, ec.EllipticCurvePublicKey) or not crl.is_signature_valid(key):
        raise AuthorityError(f"{path} is not signed by this authority")
    return frozenset(revoked.serial_number for revoked in crl)


def write_key(path: Path, key: ec.EllipticCurvePrivateKey) -> None:
    """A private key that only its owner can read, from the first byte on."""
    raw = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(raw)


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _host(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        if len(host) > _MOST_HOST or not _HOST.fullmatch(host):
            problem = f"{host!r} is neither a host's name nor an IP address"
            raise AuthorityError(problem) from None
        return x509.DNSName(host)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, days: int
) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _SKEW)
        .not_valid_after(now + dt.timedelta(days=days))
    )
