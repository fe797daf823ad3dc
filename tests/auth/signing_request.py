"""A certificate signing request, as a table's maker sends it."""

from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ed25519

from tests.server.house import SITE


def request_for(key: object, path: Path) -> Path:
    """A signing request that claims to be somebody."""
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "the boss")])
    claimed = x509.UniformResourceIdentifier(f"jackpot://{SITE}/operations/boss")
    algorithm = None if isinstance(key, ed25519.Ed25519PrivateKey) else hashes.SHA256()
    request = (
        x509.CertificateSigningRequestBuilder()
        .subject_name(name)
        .add_extension(x509.SubjectAlternativeName([claimed]), critical=False)
        .sign(key, algorithm)  # type: ignore[arg-type]  # each kind of key
    )
    path.write_bytes(request.public_bytes(serialization.Encoding.PEM))
    return path
