"""Sign what leaves the machine, with an Ed25519 key that is kept elsewhere, and check it.

A hash chain without a key can be rewritten by whoever owns the database; what was signed and
handed out can't. A private key is read from its file and never shown: no message, log, export or
journal entry has any of it.
"""

import base64
import binascii
import hashlib
import os
import stat
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from jackpot.wire.errors import PlainError

PRIVATE_MODE = 0o600
_FINGERPRINT_HEX = 16


class SigningError(PlainError):
    """A key that can't be used, in one sentence without any of its content."""


def make_key(path: Path) -> str:
    """Write a new key and, beside it, its public half with the suffix .pub; its fingerprint."""
    key = Ed25519PrivateKey.generate()
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_new(path, private, PRIVATE_MODE)
        _write_new(public_path(path), public, 0o644)
    except OSError as error:
        raise SigningError(f"can't write {error.filename}: {error.strerror}") from error
    return fingerprint(key.public_key())


def public_path(path: Path) -> Path:
    """Where the public half of a key is."""
    return path.with_name(f"{path.name}.pub")


def load_private(path: Path) -> Ed25519PrivateKey:
    """A key to sign with; nobody but its owner may be able to read its file."""
    try:
        if stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise SigningError(f"other users can read {path}; run: chmod 600 {path}")
        key = serialization.load_pem_private_key(path.read_bytes(), password=None)
    except OSError as error:
        raise SigningError(f"can't read {path}: {error.strerror}") from error
    except (ValueError, TypeError, UnsupportedAlgorithm):
        # Without its cause: an error of the parser may quote what it could not parse.
        raise SigningError(
            f"{path} is not a private key; make one with: jackpot key init FILE"
        ) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise SigningError(f"{path} is not an Ed25519 key")
    return key


def load_public(path: Path) -> Ed25519PublicKey:
    """A key to check signatures with."""
    try:
        key = serialization.load_pem_public_key(path.read_bytes())
    except OSError as error:
        raise SigningError(f"can't read {path}: {error.strerror}") from error
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise SigningError(
            f"{path} is not a public key; expected the .pub file that jackpot key init wrote"
        ) from None
    if not isinstance(key, Ed25519PublicKey):
        raise SigningError(f"{path} is not an Ed25519 key")
    return key


def public_key(raw_hex: str) -> Ed25519PublicKey:
    """A key that is written as hexadecimal digits; ValueError where it is none."""
    return Ed25519PublicKey.from_public_bytes(bytes.fromhex(raw_hex))


def fingerprint(key: Ed25519PublicKey) -> str:
    """A key's short name, to compare by eye."""
    return hashlib.sha256(key.public_bytes_raw()).hexdigest()[:_FINGERPRINT_HEX]


def sign(key: Ed25519PrivateKey, statement: bytes) -> str:
    """A signature as text."""
    return base64.b64encode(key.sign(statement)).decode()


def is_signed(key: Ed25519PublicKey, statement: bytes, signature: str) -> bool:
    """Whether the owner of a key signed exactly this, and the signature is spelled as usual."""
    try:
        raw = base64.b64decode(signature, validate=True)
        key.verify(raw, statement)
    except (InvalidSignature, binascii.Error, ValueError):
        return False
    return base64.b64encode(raw).decode() == signature  # some of its last bits count for nothing


def _write_new(path: Path, content: bytes, mode: int) -> None:
    """Never over a key that is there, and never readable by others, not even for a moment."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
