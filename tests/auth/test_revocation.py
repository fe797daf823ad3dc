"""The list of revoked certificates: none is lost, none is taken back, and every new one is seen."""

import asyncio
import os
import threading
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization

from jackpot.auth.authority import CA_CERTIFICATE, CA_KEY, CRL, Authority, AuthorityError
from jackpot.auth.callers import DeniedError
from jackpot.auth.gate import Files, Gate
from jackpot.auth.revocation import RevocationList, read_list
from tests.auth.secured import Secured
from tests.server.house import SITE

MANY = 8


def revoke_new(house: Secured, name: str) -> int:
    """Revoke a certificate that was just issued; its serial."""
    identity = house.identity("floor", name)
    house.revoke(identity)
    assert identity.certificate is not None
    return x509.load_pem_x509_certificate(identity.certificate.read_bytes()).serial_number


def test_no_revocation_is_lost_to_another(tmp_path: Path) -> None:
    """Several at once, each with its own authority object, as processes have: all are listed."""
    house = Secured(tmp_path)
    for number in range(MANY):
        house.identity("table", f"t{number}")
    serials = [one.serial for one in house.authority.issued()]
    start = threading.Barrier(MANY)

    def revoke(serial: int) -> None:
        authority = Authority(house.folder)
        start.wait()
        authority.revoke(serial)

    threads = [threading.Thread(target=revoke, args=[serial]) for serial in serials]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = read_list(house.folder / CRL, house.authority.certificate)
    assert found.serials == set(serials)
    assert found.number == MANY + 1  # each list has a number of its own


def test_a_second_revocation_makes_no_new_list(tmp_path: Path) -> None:
    """What is on the list already is left as it is."""
    house = Secured(tmp_path)
    serial = revoke_new(house, "flo")
    before = (house.folder / CRL).read_bytes()
    assert house.authority.revoke(serial).revoked
    assert (house.folder / CRL).read_bytes() == before


def test_a_new_list_is_noticed_whatever_its_time(tmp_path: Path) -> None:
    """A copy that keeps an old file's time is read all the same."""
    house = Secured(tmp_path)
    gate = Gate(house.files(), SITE)
    crl = house.folder / CRL
    seen = crl.stat()
    assert not gate.reload()
    revoke_new(house, "flo")
    os.utime(crl, ns=(seen.st_atime_ns, seen.st_mtime_ns))
    assert gate.reload()
    assert not gate.reload()


def test_an_older_list_is_refused(tmp_path: Path) -> None:
    """A list that was put back does not make a revoked certificate good again."""
    house = Secured(tmp_path)
    crl = house.folder / CRL
    older = crl.read_bytes()
    identity = house.identity("floor", "flo")
    assert identity.certificate is not None
    house.revoke(identity)
    gate = Gate(house.files(), SITE)
    crl.write_bytes(older)
    with pytest.raises(
        AuthorityError, match="is revocation list 1, but the controller already has list 2"
    ):
        gate.reload()
    with pytest.raises(Exception, match="the certificate is revoked"):
        gate.holder(identity.certificate.read_bytes())


def test_a_list_without_a_number_is_the_oldest(tmp_path: Path) -> None:
    """Authorities of 0.1.0 numbered none: theirs is read first, and the next one is number 1."""
    house = Secured(tmp_path)
    crl, authority = house.folder / CRL, house.authority.certificate
    key = serialization.load_pem_private_key((house.folder / CA_KEY).read_bytes(), None)
    builder = x509.CertificateRevocationListBuilder(authority.subject)
    now = authority.not_valid_before_utc
    crl.write_bytes(
        builder.last_update(now)
        .next_update(authority.not_valid_after_utc)
        .sign(key, hashes.SHA256())  # type: ignore[arg-type]  # an EC key
        .public_bytes(serialization.Encoding.PEM)
    )
    gate = Gate(house.files(), SITE)
    revoke_new(house, "flo")
    assert read_list(crl, authority).number == 1
    assert gate.reload()
    assert (house.folder / CA_CERTIFICATE).exists()


def test_a_restart_forgets_no_list(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """An older list that lies there at a start is refused too; the one that was kept counts."""
    house = Secured(tmp_path)
    crl, kept = house.folder / CRL, tmp_path / "elsewhere" / "kept.pem"
    files = house.files()._replace(kept=kept)
    older = crl.read_bytes()
    identity = house.identity("floor", "flo")
    assert identity.certificate is not None
    Gate(files, SITE)
    house.revoke(identity)
    assert Gate(files, SITE).reload() is False  # it was read at the start
    newest = kept.read_bytes()
    assert newest == crl.read_bytes()
    crl.write_bytes(older)
    again = Gate(Files.from_text(files.as_text()), SITE)  # as the pages' process has it
    assert "is revocation list 1, but the controller already has list 2" in caplog.text
    with pytest.raises(DeniedError, match="the certificate is revoked"):
        again.holder(identity.certificate.read_bytes())
    assert kept.read_bytes() == newest
    caplog.clear()
    asyncio.run(again.refresh())
    assert not caplog.text  # once is enough, and not every second
    crl.write_bytes(newest)
    revoke_new(house, "fay")
    assert again.reload()
    assert kept.read_bytes() == crl.read_bytes()


def test_a_kept_list_never_goes_back(tmp_path: Path) -> None:
    """Of two controllers with lists of their own the one behind takes nothing from the other."""
    house = Secured(tmp_path)
    kept = tmp_path / "kept.pem"
    behind = tmp_path / "behind.pem"
    files = house.files()._replace(kept=kept)
    behind.write_bytes((house.folder / CRL).read_bytes())
    other = RevocationList(behind, house.authority.certificate, kept)  # has read nothing yet
    revoke_new(house, "flo")
    Gate(files, SITE)
    assert other.reload()
    assert kept.read_bytes() == (house.folder / CRL).read_bytes()


def test_another_authority_begins_anew(tmp_path: Path) -> None:
    """What was kept of one authority's lists says nothing of another's."""
    house = Secured(tmp_path)
    kept = tmp_path / "kept.pem"
    for name in ("flo", "fay"):
        revoke_new(house, name)
    Gate(house.files()._replace(kept=kept), SITE)
    other = house.foreign.certificate
    followed = RevocationList(tmp_path / "foreign" / CRL, other, kept)
    assert not followed.serials
    assert followed.reload()
    assert kept.read_bytes() == (tmp_path / "foreign" / CRL).read_bytes()


def test_a_list_that_cannot_be_kept_is_in_force_all_the_same(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A full disk or a wrong path costs the memory of it, not the revocation; and is logged."""
    house = Secured(tmp_path)
    (tmp_path / "file").touch()
    serial = revoke_new(house, "flo")
    path = house.folder / CRL
    found = RevocationList(path, house.authority.certificate, tmp_path / "file" / "kept.pem")
    assert found.reload()
    assert found.serials == {serial}
    assert "can't save the list of revoked certificates" in caplog.text


def test_an_authority_that_was_restored_can_revoke(tmp_path: Path) -> None:
    """Its next list has a number that was given before; what it adds is revoked all the same."""
    house = Secured(tmp_path)
    files = house.files()._replace(kept=tmp_path / "kept.pem")
    backup = (house.folder / CRL).read_bytes()
    before = [revoke_new(house, name) for name in ("flo", "fay", "fred")]
    Gate(files, SITE)
    (house.folder / CRL).write_bytes(backup)
    serial = revoke_new(house, "thief")
    for gate in (Gate(files, SITE), Gate(files, SITE)):  # also after one more restart
        assert {serial, *before} <= gate._revoked.serials
        with pytest.raises(AuthorityError, match="Every certificate on either list stays revoked"):
            gate.reload()


def test_a_damaged_list_that_was_kept_is_reported(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Without it an older list could come back unnoticed; where none was kept, nothing is said."""
    house = Secured(tmp_path)
    files = house.files()._replace(kept=tmp_path / "kept.pem")
    Gate(files, SITE)
    assert not caplog.text
    (tmp_path / "kept.pem").write_bytes(b"")
    Gate(files, SITE)
    assert "kept.pem is not a list of revoked certificates" in caplog.text
