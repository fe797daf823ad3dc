"""Certificates for keys made elsewhere, for browsers, in time; and a key that is locked away."""

import datetime as dt
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import pkcs12

from jackpot.auth.authority import CA_KEY, ISSUED, Authority, AuthorityError
from jackpot.auth.holder import holder_of, parse_holder
from jackpot.cli.main import main
from tests.auth.signing_request import request_for
from tests.server.house import SITE


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An authority's."""
    Authority.create(tmp_path / "ca", "House")
    return tmp_path / "ca"


def ca(folder: Path, *args: str, typed: str = "", env: dict[str, str] | None = None) -> Result:
    """A `jackpot ca` command."""
    command = ["ca", *args, "--dir", str(folder)]
    return CliRunner().invoke(main, command, input=typed, env=env or {})


@pytest.mark.parametrize("kind", ["ec", "rsa"])
def test_a_request_is_certified_without_its_key(folder: Path, tmp_path: Path, kind: str) -> None:
    """The key is the request's, the name is the authority's choice, and no key is written."""
    key = (
        ec.generate_private_key(ec.SECP256R1())
        if kind == "ec"
        else rsa.generate_private_key(65537, 2048)
    )
    csr = request_for(key, tmp_path / "t1.csr")
    result = ca(folder, "issue", "--site", SITE, "table", "t1", "--csr", str(csr), "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["key"] == ""
    certificate = x509.load_pem_x509_certificate(Path(told["certificate"]).read_bytes())
    assert certificate.public_key() == key.public_key()
    assert holder_of(certificate) == parse_holder(SITE, "table", "t1")
    assert "boss" not in str(certificate.subject)
    assert [path.suffix for path in (folder / ISSUED).iterdir()] == [".pem"]


def test_a_request_that_is_none_is_one_line(folder: Path, tmp_path: Path) -> None:
    """A file of something else, one that is missing, a short or unknown key, a forged request."""
    other = tmp_path / "other"
    other.write_text("hello")
    short = request_for(rsa.generate_private_key(65537, 1024), tmp_path / "short.csr")
    unknown = request_for(ed25519.Ed25519PrivateKey.generate(), tmp_path / "unknown.csr")
    good = request_for(ec.generate_private_key(ec.SECP256R1()), tmp_path / "good.csr")
    der = bytearray(
        x509.load_pem_x509_csr(good.read_bytes()).public_bytes(serialization.Encoding.DER)
    )
    der[der.index(b"the boss")] ^= 1
    forged = tmp_path / "forged.csr"
    forged.write_bytes(x509.load_der_x509_csr(bytes(der)).public_bytes(serialization.Encoding.PEM))
    for csr, says in (
        (other, "is not a certificate signing request"),
        (tmp_path / "none", "No such file"),
        (short, "the key must be"),
        (unknown, "the key must be"),
        (forged, "does not match its public key"),
    ):
        result = ca(folder, "issue", "--site", SITE, "table", "t1", "--csr", str(csr))
        assert result.exit_code == 1
        assert says in result.stderr
        assert len(result.stderr.splitlines()) == 1


def test_a_browser_gets_key_and_certificate_in_one_file(folder: Path) -> None:
    """Under a password, with the authority's certificate, and for its owner's eyes only."""
    args = ("issue", "--site", SITE, "floor", "flo", "--p12")
    for env, typed in (({"JACKPOT_P12_PASSWORD": "s3cret"}, ""), (None, "s3cret\ns3cret\n")):
        result = ca(folder, *args, env=env, typed=typed)
        assert result.exit_code == 0, result.output
        assert "s3cret" not in result.output
        certificate, packed = map(Path, result.stdout.splitlines()[-2:])
        assert packed.stat().st_mode & 0o777 == 0o600
        key, leaf, more = pkcs12.load_key_and_certificates(packed.read_bytes(), b"s3cret")
        assert key is not None
        assert leaf == x509.load_pem_x509_certificate(certificate.read_bytes())
        assert more == [Authority(folder).certificate]
        with pytest.raises(ValueError, match="password"):
            pkcs12.load_key_and_certificates(packed.read_bytes(), b"wrong")
    assert ca(folder, *args, "--csr", "x.csr").exit_code == 2


def test_the_authoritys_key_can_have_a_passphrase(tmp_path: Path) -> None:
    """It is asked for to issue and to revoke, not to list; a wrong one is one line."""
    folder = tmp_path / "ca"
    made = ca(folder, "init", "--name", "House", "--passphrase", typed="tr0ub4dor\ntr0ub4dor\n")
    assert made.exit_code == 0, made.output
    assert b"ENCRYPTED" in (folder / CA_KEY).read_bytes()
    issue = ("issue", "--site", SITE, "floor", "flo")
    good = {"JACKPOT_CA_PASSPHRASE": "tr0ub4dor"}
    assert ca(folder, *issue, typed="tr0ub4dor\n").exit_code == 0
    assert ca(folder, *issue, env=good).exit_code == 0
    wrong = ca(folder, *issue, env={"JACKPOT_CA_PASSPHRASE": "guess"})
    assert wrong.stderr == f"Error: can't use the key {folder / CA_KEY}: the passphrase is wrong\n"
    listed = ca(folder, "list", "--json")
    serials = [one["serial"] for one in json.loads(listed.stdout)]
    assert len(serials) == 2
    assert ca(folder, "revoke", serials[0], env={"JACKPOT_CA_PASSPHRASE": "guess"}).exit_code == 1
    assert ca(folder, "revoke", serials[0], env=good).exit_code == 0
    with pytest.raises(AuthorityError, match="no passphrase was given"):
        Authority(folder).revoke(int(serials[1], 16))


def test_a_key_gets_a_passphrase_later(folder: Path) -> None:
    """And another one after that; the old one no longer opens it."""
    assert ca(folder, "passphrase", typed="first\nfirst\n").exit_code == 0
    change = {"JACKPOT_CA_PASSPHRASE": "first", "JACKPOT_CA_NEW_PASSPHRASE": "second"}
    assert ca(folder, "passphrase", env=change).exit_code == 0
    assert (folder / CA_KEY).stat().st_mode & 0o777 == 0o600
    for passphrase, code in (("first", 1), ("second", 0)):
        env = {"JACKPOT_CA_PASSPHRASE": passphrase}
        assert ca(folder, "issue", "--site", SITE, "floor", "flo", env=env).exit_code == code


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604])
def test_a_key_that_others_can_read_is_refused(folder: Path, mode: int) -> None:
    """One line says what to do about it."""
    key = folder / CA_KEY
    key.chmod(mode)
    result = ca(folder, "issue", "--site", SITE, "floor", "flo")
    assert result.stderr == f"Error: other users can read {key}; run: chmod 600 {key}\n"
    key.chmod(0o600)
    assert ca(folder, "issue", "--site", SITE, "floor", "flo").exit_code == 0


@pytest.mark.parametrize("what", [("server", "jackpot.example", "10.0.0.5"), None])
def test_a_certificate_is_renewed(folder: Path, what: tuple[str, ...] | None) -> None:
    """The same names and purpose with another key and a later end; the old one stays good."""
    issue = what or ("issue", "--site", SITE, "table", "t1.5")
    old = json.loads(ca(folder, *issue, "--days", "1", "--json").stdout)
    result = ca(folder, "renew", old["serial"][:12], "--json")
    assert result.exit_code == 0, result.output
    new = json.loads(result.stdout)
    assert (new["holder"], new["status"]) == (old["holder"], "good")
    assert new["serial"] != old["serial"]
    assert dt.datetime.fromisoformat(new["expires"]) > dt.datetime.fromisoformat(old["expires"])
    first, second = (
        x509.load_pem_x509_certificate(Path(one["certificate"]).read_bytes()) for one in (old, new)
    )
    for kind in (x509.SubjectAlternativeName, x509.ExtendedKeyUsage):
        one, two = (each.extensions.get_extension_for_class(kind) for each in (first, second))
        assert one == two
    assert first.public_key() != second.public_key()
    assert new["file"] == old["file"].replace(old["serial"], new["serial"])
    ca(folder, "revoke", old["serial"])
    refused = ca(folder, "renew", old["serial"])
    assert (refused.exit_code, "was revoked" in refused.stderr) == (1, True)


def test_the_list_shows_what_has_expired(folder: Path) -> None:
    """What no controller takes any more is not called good."""
    authority = Authority(folder)
    authority.issue(parse_holder(SITE, "floor", "flo"), 0)
    authority.issue(parse_holder(SITE, "floor", "ann"), 1)
    lines = ca(folder, "list").stdout.splitlines()
    assert [line.split()[2] for line in lines[1:]] == ["expired", "good"]
    told = json.loads(ca(folder, "list", "--json").stdout)
    assert [one["status"] for one in told] == ["expired", "good"]


def test_a_file_that_is_no_certificate_is_told_of(folder: Path) -> None:
    """The others are listed, found and revoked all the same."""
    authority = Authority(folder)
    authority.issue(parse_holder(SITE, "floor", "flo"), 1)
    bad = folder / ISSUED / "table-t1-1.pem"
    bad.write_text("corrupt")
    (folder / ISSUED / "folder.pem").mkdir()
    (folder / ISSUED / "nowhere.pem").symlink_to(folder / "nothing")
    result = ca(folder, "list")
    assert result.exit_code == 0
    assert f"{bad} is not a certificate" in result.stderr
    assert len(result.stderr.splitlines()) == 3
    (one,) = authority.issued()
    assert ca(folder, "revoke", f"{one.serial:x}").exit_code == 0
