"""Keys of an authority and of those to whom it gives certificates, as files.

A private key is written for its owner's eyes only, from the first byte on, and the authority's is
not used where others can read it. Whoever made their own key sends a request (CSR) with the public
half; a browser takes key and certificate as one PKCS#12 file.
"""

import os
import stat
from collections.abc import Callable
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import pkcs12

from jackpot.durable import sync_folder
from jackpot.wire.errors import PlainError

PublicKey = ec.EllipticCurvePublicKey | rsa.RSAPublicKey
Ask = Callable[[], str]  # for a passphrase
_CURVES = ("secp256r1", "secp384r1", "secp521r1")
_LEAST_RSA_BITS = 2048


class AuthorityError(PlainError):
    """The authority can't do that."""


def write_key(path: Path, key: ec.EllipticCurvePrivateKey, passphrase: str = "") -> None:
    """Write a private key to a new file, encrypted where there is a passphrase."""
    write_private(
        path,
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, _encryption(passphrase)
        ),
    )


def write_private(path: Path, raw: bytes) -> None:
    """Write a new file that only its owner can read, from the first byte on."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(raw)
        file.flush()
        os.fsync(file.fileno())
    sync_folder(path.parent)


def load_key(path: Path, ask: Ask) -> ec.EllipticCurvePrivateKey:
    """An EC key that nobody but its owner can read; `ask` is called where it is encrypted."""
    try:
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise AuthorityError(f"other users can read {path}; run: chmod 600 {path}")
        raw = path.read_bytes()
    except OSError as error:
        raise AuthorityError(f"can't read the key {path}: {error.strerror}") from error
    passphrase = ask() if b"ENCRYPTED" in raw else ""
    try:
        key = serialization.load_pem_private_key(raw, passphrase.encode() or None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        # Without its cause: an error of the parser may quote what it could not parse.
        why = "the passphrase is wrong" if passphrase else "it can't be read"
        raise AuthorityError(f"can't use the key {path}: {why}") from None
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise AuthorityError(f"the key {path} is not an EC key")
    return key


def change_passphrase(path: Path, ask: Ask, new: str) -> None:
    """Encrypt a key anew; without a passphrase it is written as it is."""
    key = load_key(path, ask)
    fresh = path.with_name(f"{path.name}.new")
    fresh.unlink(missing_ok=True)
    write_key(fresh, key, new)
    fresh.replace(path)
    sync_folder(path.parent)


def requested_key(path: Path) -> PublicKey:
    """The public key in a certificate signing request, whose sender has the private half.

    Nothing else of a request counts: whom a certificate names is for the authority to say.
    """
    try:
        request = x509.load_pem_x509_csr(path.read_bytes())
        signed = request.is_signature_valid
        key = request.public_key()
    except OSError as error:
        raise AuthorityError(f"can't read {path}: {error.strerror}") from error
    except (ValueError, UnsupportedAlgorithm) as error:
        raise AuthorityError(f"{path} is not a certificate signing request in PEM") from error
    if not signed:
        raise AuthorityError(f"the signature in {path} does not match its public key")
    if isinstance(key, ec.EllipticCurvePublicKey) and key.curve.name in _CURVES:
        return key
    if isinstance(key, rsa.RSAPublicKey) and key.key_size >= _LEAST_RSA_BITS:
        return key
    raise AuthorityError(f"{path}: the key must be EC (P-256 or longer) or RSA (2,048 bits)")


def write_pkcs12(certificate: Path, key: Path, authority: x509.Certificate, password: str) -> Path:
    """Put a certificate and its key into one file for a browser, beside them."""
    leaf = x509.load_pem_x509_certificate(certificate.read_bytes())
    raw = pkcs12.serialize_key_and_certificates(
        certificate.stem.encode(),
        load_key(key, lambda: ""),
        leaf,
        [authority],
        _encryption(password),
    )
    path = certificate.with_name(f"{certificate.stem}.p12")
    write_private(path, raw)
    return path


def _encryption(passphrase: str) -> serialization.KeySerializationEncryption:
    if not passphrase:
        return serialization.NoEncryption()
    return serialization.BestAvailableEncryption(passphrase.encode())
