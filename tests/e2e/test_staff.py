"""A meter change from proposal to report, with a controller, two people and an auditor."""

import datetime as dt
import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from jackpot.auth.authority import CA_CERTIFICATE, Authority
from jackpot.auth.holder import parse_holder
from jackpot.cli.main import main
from jackpot.core.config import GamingDay
from jackpot.engine.gaming_day import date_of
from jackpot.wire.channels import Identity
from tests.cli.people import Person, play
from tests.e2e.process import ALONE, Process
from tests.server.house import ROYALS, SITE

pytestmark = pytest.mark.process


def run(*args: str) -> str:
    """A command that needs no controller, and must succeed."""
    result = CliRunner().invoke(main, list(args))
    assert result.exit_code == 0, result.output
    return result.stdout


class Staff:
    """People and tables with certificates of one authority."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "ca"
        self._authority = Authority.create(self.folder, "Test House")
        certificate, _ = self._authority.issue_server(("127.0.0.1",), 1)
        self.options = ("--cert", str(certificate), "--ca", str(self.folder / CA_CERTIFICATE))

    def identity(self, role: str, name: str) -> Identity:
        """A certificate."""
        certificate, _ = self._authority.issue(parse_holder(SITE, role, name), 1)
        return Identity(certificate, self.folder / CA_CERTIFICATE)

    def person(self, address: str, role: str, name: str) -> Person:
        """Somebody who shows a certificate."""
        return Person(address, name, self.identity(role, name))


@pytest.mark.rule("PA 657a.11(e)(3)")
def test_from_proposal_to_report(tmp_path: Path) -> None:
    """Proposed, self-approval refused, approved elsewhere, explained by report, audit and slip."""
    staff = Staff(tmp_path)
    with Process(tmp_path, many=0, options=staff.options) as process:
        at = process.address
        ann = staff.person(at, "shift-supervisor", "ann")
        bob = staff.person(at, "accounting", "bob")
        flo = staff.person(at, "floor", "flo")
        table = staff.identity("table", "t4")
        play(at, "t4", {}, 1, 2, 3, identity=table)
        for other in ("operations", "accounting"):  # they alter meters, and so never reset them
            refused = staff.person(at, other, "eve").fails("reset", "five", "--note", "memo 7")
            assert refused.startswith("NOT_ALLOWED: ")
        altered = ann.fails("adjust", "five", "--to", "1", "--reason", "malfunction", "--note", "x")
        assert altered.startswith("NOT_ALLOWED: ")
        ann.does("reset", "five", "--note", "memo 7")
        assert ann.fails("approve", "1").startswith("SECOND_PERSON_REQUIRED: ")
        ann_again = staff.person(at, "accounting", "ann")
        assert ann_again.fails("approve", "1").startswith("SECOND_PERSON_REQUIRED: ")
        assert flo.fails("approve", "1").startswith("NOT_ALLOWED: ")
        assert bob.does("approve", "1").startswith("five/main: $10,000.63 -> $10,000.00")
        payout = play(at, "t4", {2: ROYALS["s"]}, 2, identity=table)[0].id
        assert bob.fails("validate", str(payout)).startswith("NOT_ALLOWED: ")
        flo.does("validate", str(payout), "--floorperson", "somebody else")
        assert flo.fails("pay", str(payout), "--form", "W2G-1").startswith("NOT_ALLOWED: ")
        bob.does("pay", str(payout), "--form", "W2G-1")

        # All of this reads the journal beside the running controller.
        data = ("--data", str(process.store))
        today = date_of(
            GamingDay(360, "America/New_York"), int(dt.datetime.now(dt.UTC).timestamp()) * 10**6
        )
        report = json.loads(run("report", "daily", *data, "--date", str(today), "--json"))
        (five,) = [level for level in report["levels"] if level["level"] == "five/main"]
        meter, overflow = five["pools"]["meter"], five["pools"]["overflow"]
        assert meter["moved_micros"] == {
            "seeds": 10_000_000_000,
            "increments": 840_000,
            "resets": -630_000,
            "awards": -10_000_210_000,
            "reseeds": 10_000_000_000,
        }
        assert meter["closing_micros"] == 10_000_000_000
        assert overflow["moved_micros"] == {"resets": 630_000}
        (reset,) = [one for one in report["decreases"] if one["cause"] == "resets"]
        people = "shift-supervisor:ann and accounting:bob"
        assert reset["reference"] == f"reset: memo 7, by {people}, proposal 1"
        assert [hit["status"] for hit in report["hits"]] == ["paid"]

        text = run("report", "daily", *data, "--date", str(today))
        assert re.search(r"resets +-0\.63 +0\.00 +0\.63", text)
        audit = run("audit", *data, "--actor", "accounting:bob", "--kind", "MeterAdjusted")
        assert "by shift-supervisor:ann, approved by accounting:bob" in " ".join(audit.split())
        slip = run("slip", str(payout), *data)
        assert re.search(r"AMOUNT +\$10,000\.21\n", slip)
        assert re.search(r"meter before +\$10,000\.21\nmeter after +\$10,000\.00\n", slip)
        assert re.search(r"validated by +floor:flo\nform +W2G-1\nstatus +paid\n", slip)

        backup = tmp_path / "backup"
        assert "sound" in run("backup", str(backup), *data)
        key, out = tmp_path / "site.key", tmp_path / "day.jsonl"
        run("key", "init", str(key))
        run("export", *data, "--key", str(key), "--out", str(out))
        assert "sound" in run("verify", "--export", str(out), "--key", f"{key}.pub")
        assert process.stop() == 0
    assert "sound" in run("verify", *data)
    assert "sound" in run("verify", "--data", str(backup))


def test_a_backup_can_be_served(tmp_path: Path) -> None:
    """Restoring is putting the copy in place: everything is as it was when it was made."""
    with Process(tmp_path, many=0, options=ALONE) as process:
        ann = Person(process.address, "ann/slots")
        play(process.address, "t4", {}, 1, 2, 3)
        run("backup", str(tmp_path / "copy"), "--data", str(process.store))
        play(process.address, "t4", {}, 1)
        assert process.stop() == 0
    process.store = tmp_path / "copy"
    with process:
        links = {link["id"]: link for link in ann.json("link", "list")["links"]}
        assert links["five"]["levels"][0]["meter_micros"] == str(10_000_630_000)
        assert process.stop() == 0
