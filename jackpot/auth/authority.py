"""A local certificate authority in a folder: `jackpot ca`.

EC keys on P-256, or the key of a request. A certificate names its holder by one URI and is good for
servers or clients by role. Revocation is a signed list that controllers read as it changes. The
authority's own key is needed to issue and to revoke, and not to look.
"""

import datetime as dt
import ipaddress
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from jackpot.auth.holder import Holder, holder_of
from jackpot.auth.keys import Ask, PublicKey, load_key, requested_key, write_key, write_pkcs12
from jackpot.auth.keys import AuthorityError as AuthorityError  # noqa: PLC0414 - its callers know it from here
from jackpot.auth.revocation import SKEW, Revoked, locked, read_list, write_list

CA_DAYS = 3650
SERVER = "controller"  # the file name of a controller's own certificate
CA_CERTIFICATE, CA_KEY, CRL, ISSUED = "ca.pem", "ca.key", "crl.pem", "issued"
_MOST_TITLE, _MOST_HOST = 64, 253  # bytes, by X.509 and by DNS
# A last label of digits alone is an address that was mistyped.
_HOST = re.compile(r"(\*\.)?((?!-)[\w-]{1,63}(?<!-)\.)*(?!-|\d+$)[\w-]{1,63}(?<!-)", re.ASCII)


class Issued(NamedTuple):
    """A certificate that the authority has given out."""

    file: str
    holder: str
    serial: int
    expires: dt.datetime
    revoked: bool

    @property
    def status(self) -> str:
        """Whether controllers take it."""
        if self.revoked:
            return "revoked"
        return "expired" if self.expires <= dt.datetime.now(dt.UTC) else "good"


class Made(NamedTuple):
    """The files of a new certificate; its key is elsewhere where a request asked for it."""

    certificate: Path
    key: Path | None


def _no_passphrase() -> str:
    raise AuthorityError("the authority's key is encrypted, and no passphrase was given")


class Authority:
    """The authority in a folder."""

    def __init__(self, folder: Path, ask: Ask = _no_passphrase) -> None:
        """`ask` gives the passphrase of its key, where it has one and is needed."""
        self._folder = folder
        self._ask = ask
        try:
            self.certificate = x509.load_pem_x509_certificate(
                (folder / CA_CERTIFICATE).read_bytes()
            )
        except OSError as error:
            raise AuthorityError(f"there is no authority in {folder}: {error.strerror}") from error
        except ValueError as error:
            raise AuthorityError(f"the authority in {folder} can't be read") from error

    @cached_property
    def _key(self) -> ec.EllipticCurvePrivateKey:
        return load_key(self._folder / CA_KEY, self._ask)

    @classmethod
    def create(cls, folder: Path, title: str, passphrase: str = "") -> "Authority":
        """Make a new authority; one that exists is never overwritten."""
        if not (title.strip() and title.isprintable() and len(title.encode()) <= _MOST_TITLE):
            raise AuthorityError(
                f"the authority's name must have 1 to {_MOST_TITLE} bytes, all of them printable"
            )
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
            return cls._settle(folder, key, certificate, passphrase)
        except OSError as error:
            raise AuthorityError(
                f"can't make an authority in {folder}: {error.strerror}"
            ) from error

    @classmethod
    def _settle(
        cls,
        folder: Path,
        key: ec.EllipticCurvePrivateKey,
        certificate: x509.Certificate,
        passphrase: str,
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
            write_key(folder / CA_KEY, key, passphrase)
            written.append(folder / CA_KEY)
            (folder / CA_CERTIFICATE).write_bytes(_pem(certificate))
            written.append(folder / CA_CERTIFICATE)
            authority = cls(folder, lambda: passphrase)
            write_list(folder / CRL, certificate, key, Revoked(number=1))
        except OSError:
            with suppress(OSError):
                for path in written:
                    path.unlink()
            with suppress(OSError):
                for path in made:
                    path.rmdir()
            raise
        return authority

    def issue(self, holder: Holder, days: int, request: Path | None = None) -> Made:
        """A certificate for a table, device, sign or person, or for the key of their request."""
        san = x509.SubjectAlternativeName([x509.UniformResourceIdentifier(holder.uri)])
        name = f"{holder.role}-{holder.name}"
        return self._issue(name, holder.uri, san, days, request, server=False)

    def issue_server(self, hosts: tuple[str, ...], days: int, request: Path | None = None) -> Made:
        """A certificate for a controller that is reached under these hosts."""
        san = x509.SubjectAlternativeName([_host(host) for host in hosts])
        return self._issue(SERVER, SERVER, san, days, request, server=True)

    def renew(self, one: Issued, days: int, request: Path | None = None) -> Made:
        """A certificate like one that was given out, with a new key; the old one stays good."""
        if one.revoked:
            raise AuthorityError(f"{one.holder} was revoked: issue a new certificate instead")
        old = _load(self._folder / ISSUED / one.file)
        san = old.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        name = one.file.removesuffix(".pem").removesuffix(f"-{one.serial:x}")
        return self._issue(name, one.holder, san, days, request, server=is_servers(old))

    def pack(self, made: Made, password: str) -> Path:
        """Key and certificate in one file for a browser."""
        if made.key is None:
            raise AuthorityError(
                "can't write a PKCS#12 file: whoever made the signing request has the private key"
            )
        with _writing(self._folder):
            return write_pkcs12(made.certificate, made.key, self.certificate, password)

    def _issue(
        self,
        file: str,
        title: str,
        san: x509.SubjectAlternativeName,
        days: int,
        request: Path | None,
        *,
        server: bool,
    ) -> Made:
        key = ec.generate_private_key(ec.SECP256R1())
        public = requested_key(request) if request else key.public_key()
        purpose = ExtendedKeyUsageOID.SERVER_AUTH if server else ExtendedKeyUsageOID.CLIENT_AUTH
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, title[:64])])
        certificate = (
            _builder(subject, self.certificate.subject, public, days)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(san, critical=False)
            .add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
            .add_extension(self._signed_by(), critical=False)  # strict verifiers ask for it
            .sign(self._key, hashes.SHA256())
        )
        # Not with_suffix(): a name may have a dot in it, and what follows would be cut off.
        base = f"{file}-{certificate.serial_number:x}"
        made = self._folder / ISSUED / f"{base}.pem", self._folder / ISSUED / f"{base}.key"
        with _writing(self._folder):
            if not request:
                write_key(made[1], key)
            made[0].write_bytes(_pem(certificate))
        return Made(made[0], None if request else made[1])

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
        key, path = self._key, self._folder / CRL  # first the key: a person may have to be asked
        with _writing(self._folder), locked(self._folder):
            serials, number = read_list(path, self.certificate)
            if serial not in serials:
                write_list(path, self.certificate, key, Revoked(serials | {serial}, number + 1))
        return found._replace(revoked=True)

    def issued(self) -> Iterator[Issued]:
        """Everything that was given out and can be read, oldest first."""
        revoked = read_list(self._folder / CRL, self.certificate).serials
        for path in sorted(self._files(), key=_changed):
            try:
                certificate = _load(path)
            except AuthorityError:
                continue  # `unreadable` tells of it
            holder = holder_of(certificate)
            yield Issued(
                path.name,
                holder.uri if holder else SERVER,
                certificate.serial_number,
                certificate.not_valid_after_utc,
                certificate.serial_number in revoked,
            )

    def unreadable(self) -> Iterator[Path]:
        """Files among the certificates that are none."""
        for path in sorted(self._files()):
            try:
                _load(path)
            except AuthorityError:
                yield path

    def _files(self) -> Iterator[Path]:
        return (self._folder / ISSUED).glob("*.pem")


def _load(path: Path) -> x509.Certificate:
    try:
        return x509.load_pem_x509_certificate(path.read_bytes())
    except (OSError, ValueError) as error:
        raise AuthorityError(f"{path} is not a certificate") from error


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # it was taken away meanwhile, or leads nowhere
        return 0.0


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
    subject: x509.Name, issuer: x509.Name, key: PublicKey, days: int
) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - SKEW)
        .not_valid_after(now + dt.timedelta(days=days))
    )
