"""Certificates by their serials, and which of them a controller takes for its own."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization

from jackpot.auth.authority import (
    CA_CERTIFICATE,
    CA_KEY,
    CRL,
    ISSUED,
    Authority,
    AuthorityError,
)
from jackpot.auth.callers import DeniedError
from jackpot.auth.gate import Files, Gate
from jackpot.auth.holder import Holder
from jackpot.cli.main import main
from tests.auth.secured import Secured
from tests.server.house import SITE


def ca(house: Secured, *args: str) -> Result:
    """A `jackpot ca` command."""
    return CliRunner().invoke(main, ["ca", *args, "--dir", str(house.folder)])


def test_a_certificate_is_revoked_by_what_the_list_shows(tmp_path: Path) -> None:
    """One line a certificate, within 80 columns, with enough of its serial to revoke it."""
    house = Secured(tmp_path)
    for name in ("ann", "bob"):
        house.identity("shift-supervisor", name)
    lines = ca(house, "list").stdout.splitlines()
    assert len(lines) == 3
    assert max(map(len, lines)) <= 80
    (bob,) = [line.split()[-1] for line in lines if "/bob" in line]
    result = ca(house, "revoke", bob)
    assert result.stdout == f"revoked jackpot://{SITE}/shift-supervisor/bob\n"
    assert [one.revoked for one in house.authority.issued()] == [False, True]


@pytest.mark.parametrize(
    ("serial", "says"),
    [("", "no certificate has"), ("zz", "no certificate has"), ("0" * 41, "no certificate has")],
)
def test_a_serial_that_nobody_has(tmp_path: Path, serial: str, says: str) -> None:
    """One line, and nothing is revoked."""
    house = Secured(tmp_path)
    house.identity("floor", "flo")
    result = ca(house, "revoke", serial)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {says}")
    assert [one.revoked for one in house.authority.issued()] == [False]


def test_a_serial_must_tell_one_from_the_others(tmp_path: Path) -> None:
    """A beginning that two certificates have in common revokes neither."""
    house = Secured(tmp_path)
    firsts: set[str] = set()
    for number in range(17):  # of seventeen, two begin with the same digit
        house.identity("sign", f"s{number}")
    for one in house.authority.issued():
        digit = f"{one.serial:x}"[0]
        if digit in firsts:
            with pytest.raises(AuthorityError, match="certificates have a serial that begins"):
                house.authority.find(digit)
            break
        firsts.add(digit)
    else:
        raise AssertionError("seventeen different hexadecimal digits")


@pytest.mark.parametrize("role", ["table", "operations"])
def test_a_controller_has_a_certificate_of_its_own(tmp_path: Path, role: str) -> None:
    """Somebody else's, with which clients would refuse to talk to it, stops the start."""
    house = Secured(tmp_path)
    certificate = house.identity(role, "t1").certificate
    assert certificate is not None
    gate = Gate(Files.beside(certificate, house.folder / CA_CERTIFICATE), SITE)
    with pytest.raises(AuthorityError, match="is not a controller's certificate"):
        gate.tls()
    Gate(house.files(), SITE).tls()


def left_in(folder: Path) -> list[str]:
    """All that lies in a folder."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.mark.parametrize("name", ["", " ", "n" * 65, "ü" * 33, "a\nb"])
def test_an_authority_needs_a_name(tmp_path: Path, name: str) -> None:
    """One line, and nothing is left behind that the next attempt would trip over."""
    there = str(tmp_path / "ca")
    result = CliRunner().invoke(main, ["ca", "init", "--name", name, "--dir", there])
    assert result.exit_code == 1
    assert (
        result.stderr
        == "Error: the authority's name must have 1 to 64 bytes, all of them printable\n"
    )
    assert left_in(tmp_path) == []


@pytest.mark.parametrize("folder", ["/proc/ca", "/dev/null/ca"])
def test_an_authority_needs_a_folder(folder: str) -> None:
    """One line says why it can't be made there."""
    result = CliRunner().invoke(main, ["ca", "init", "--name", "House", "--dir", folder])
    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: can't make an authority in {folder}: ")
    assert len(result.stderr.splitlines()) == 1


def test_an_authority_that_could_not_be_made_leaves_nothing(tmp_path: Path) -> None:
    """Something is in the way of its list: key, certificate and folders are gone again."""
    (tmp_path / f".{CRL}.new").mkdir()
    with pytest.raises(AuthorityError, match="can't make an authority"):
        Authority.create(tmp_path, "House")
    assert left_in(tmp_path) == [f".{CRL}.new"]


@pytest.mark.parametrize("link", [False, True])
def test_an_authority_whose_key_is_elsewhere_is_left_as_it_is(tmp_path: Path, link: bool) -> None:
    """On a stick in a safe, say, with or without a link to it."""
    Authority.create(tmp_path, "House")
    (tmp_path / CA_KEY).unlink()
    if link:
        (tmp_path / CA_KEY).symlink_to(tmp_path / "stick" / CA_KEY)
    before = left_in(tmp_path), (tmp_path / CA_CERTIFICATE).read_bytes()
    with pytest.raises(AuthorityError, match="has an authority already"):
        Authority.create(tmp_path, "Another")
    assert (left_in(tmp_path), (tmp_path / CA_CERTIFICATE).read_bytes()) == before


def test_what_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    """The folder of certificates is gone; the list of revoked ones can't be replaced."""
    house = Secured(tmp_path)
    house.identity("table", "t1")
    serial = next(house.authority.issued()).serial
    (house.folder / f".{CRL}.new").mkdir()
    with pytest.raises(AuthorityError, match=r"can't write into .*: Is a directory"):
        house.authority.revoke(serial)
    shutil.rmtree(house.folder / ISSUED)
    with pytest.raises(AuthorityError, match=r"can't write into .*: No such file or directory"):
        house.identity("table", "t2")


def test_a_name_with_a_dot_keeps_its_serial(tmp_path: Path) -> None:
    """A table may be called t1.5, and have a second certificate."""
    house = Secured(tmp_path)
    for _ in range(2):
        house.identity("table", "t1.5")
    for one in house.authority.issued():
        assert one.file == f"table-t1.5-{one.serial:x}.pem"


@pytest.mark.parametrize(
    "host",
    [
        *("", " ", "999.1.1.1", "1.2.3", "jackpot.7", "10.0.0.5:7400", "a\n"),
        *("jackpot..example", "-a.example", "Zoë.example", "a" * 64, ".".join(["a" * 63] * 4)),
    ],
)
def test_a_host_that_nobody_can_reach(tmp_path: Path, host: str) -> None:
    """No certificate is issued for what is neither a host's name nor an address."""
    house = Secured(tmp_path)
    command = ["ca", "server", "--dir", str(house.folder), "--", "jackpot.example", host]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 1
    assert result.stderr == f"Error: {host!r} is neither a host's name nor an IP address\n"
    assert list(house.authority.issued()) == []


@pytest.mark.parametrize(
    "host", ["jackpot", "jackpot.example", "10.0.0.5", "::1", "*.example", "a_b.xn--zo-jka.example"]
)
def test_a_host_that_can_be_reached(tmp_path: Path, host: str) -> None:
    """Names and addresses of both kinds."""
    house = Secured(tmp_path)
    assert ca(house, "server", host).exit_code == 0
    assert len(list(house.authority.issued())) == 1


def test_a_script_has_path_and_serial_as_json(tmp_path: Path) -> None:
    """From the authority to a revoked certificate without reading any text."""
    folder = tmp_path / "house"

    def asked(*args: str) -> dict[str, Any]:
        result = CliRunner().invoke(main, ["ca", *args, "--json", "--dir", str(folder)])
        assert result.exit_code == 0, result.output
        found: dict[str, Any] = json.loads(result.stdout)
        return found

    assert asked("init", "--name", "House") == {
        "directory": str(folder),
        "authority": str(folder / CA_CERTIFICATE),
    }
    server = asked("server", "jackpot.example")
    flo = asked("issue", "--site", SITE, "floor", "flo")
    for one, holder in ((server, "controller"), (flo, f"jackpot://{SITE}/floor/flo")):
        assert (one["holder"], one["revoked"]) == (holder, False)
        assert Path(one["certificate"]).read_bytes().startswith(b"-----BEGIN CERTIFICATE")
        assert Path(one["key"]).read_bytes().startswith(b"-----BEGIN PRIVATE KEY")
        assert one["serial"] in one["certificate"]
    revoked = asked("revoke", flo["serial"])
    assert revoked == flo | {"revoked": True, "status": "revoked"}


@pytest.mark.parametrize(
    "uri",
    [
        *("jackpot://[/", "jackpot://[", "jackpot://house]/floor/flo", "jackpot:", "://", "["),
        *("jackpot://test/floor/flo?x", "jackpot://test/floor", "jackpot://test/king/flo"),
    ],
)
def test_a_certificate_that_names_nobody(tmp_path: Path, uri: str) -> None:
    """Whatever stands in it, it is nobody's; nothing falls over it."""
    house = Secured(tmp_path)
    made = house.authority.issue(Holder(SITE, "floor", "flo"), 1)
    key = serialization.load_pem_private_key((house.folder / CA_KEY).read_bytes(), None)
    good = x509.load_pem_x509_certificate(made.certificate.read_bytes())
    san = x509.SubjectAlternativeName([x509.UniformResourceIdentifier(uri)])
    bad = (
        x509.CertificateBuilder(good.issuer, good.subject, good.public_key(), 7)
        .not_valid_before(good.not_valid_before_utc)
        .not_valid_after(good.not_valid_after_utc)
        .add_extension(san, critical=False)
        .sign(key, hashes.SHA256())  # type: ignore[arg-type]  # an EC key
    )
    gate = Gate(house.files(), SITE)
    assert gate.holder(made.certificate.read_bytes()).principal == "floor:flo"
    with pytest.raises(DeniedError, match="the certificate does not name its holder"):
        gate.holder(bad.public_bytes(serialization.Encoding.PEM))
