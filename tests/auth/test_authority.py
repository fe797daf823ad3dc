"""Certificates by their serials, and which of them a controller takes for its own."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from jackpot.auth.authority import CA_CERTIFICATE, AuthorityError
from jackpot.auth.gate import Files, Gate
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
    with pytest.raises(AuthorityError, match="is no controller's certificate"):
        gate.credentials()
    Gate(house.files(), SITE).credentials()
