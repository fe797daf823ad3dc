"""An operator restores a backup at night: one command, and no rollback that nobody notices."""

import json
import shutil
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.cli.people import Person, play
from tests.e2e.process import ALONE, Process
from tests.server.house import ROYALS

pytestmark = pytest.mark.process


def jackpot(*args: str) -> tuple[int, str, str]:
    """A command of `jackpot` in a process of its own: its exit code, and what it said."""
    done = subprocess.run(
        [sys.executable, "-m", "jackpot", *args], capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout, done.stderr


def meter(address: str) -> str:
    """What the first link's meter shows, in micros."""
    links = {
        link["id"]: link for link in Person(address, "ann/slots").json("link", "list")["links"]
    }
    shown: str = links["five"]["levels"][0]["meter_micros"]
    return shown


def test_a_backup_is_restored_by_one_command(tmp_path: Path) -> None:
    """Not while a controller runs, nor over newer entries unless asked; the old one is kept."""
    copy, data = tmp_path / "copy", tmp_path / "data"
    about = ("restore", str(copy), "--data", str(data), "--reason", "disk failed", "--by", "ann")
    with Process(tmp_path, many=0, options=ALONE) as process:
        play(process.address, "t4", {}, 1, 2, 3)
        assert jackpot("backup", str(copy), "--data", str(data))[0] == 0
        play(process.address, "t4", {}, 1)
        code, _, problem = jackpot(*about, "--discard-newer")
        assert (code, problem) == (
            1,
            f"Error: a controller uses the journal in {data}; stop it first\n",
        )
        assert process.stop() == 0
    assert "liberty" not in (tmp_path / "data.witness").read_text()
    assert '"house"' in (tmp_path / "data.witness").read_text()

    code, _, problem = jackpot(*about)
    assert code == 1
    assert "Nothing was changed. To restore anyway, add --discard-newer" in problem
    code, said, problem = jackpot(*about, "--discard-newer", "--json")
    assert (code, problem) == (0, "")
    (done,) = json.loads(said)
    assert done["ordinal"] == 2
    assert done["lost_to"] > done["common_sequence"]
    assert jackpot("verify", "--data", done["kept"])[0] == 0
    assert "sound" in jackpot("verify", "--data", str(data))[1]
    with process:
        assert meter(process.address) == str(10_000_630_000)
        (payout,) = play(process.address, "t4", {2: ROYALS["s"]}, 2)
        assert process.stop() == 0
    assert "sound" in jackpot("verify", "--data", str(data))[1]
    assert payout.id == 1_000_001
    slip = jackpot("slip", str(payout.id), "--data", str(data))[1]
    assert "incarnation   2, since a backup was restored" in slip
    today = (datetime.now(ZoneInfo("America/New_York")) - timedelta(hours=6)).date()
    asked = ("report", "daily", "--date", str(today), "--data", str(data))
    daily = " ".join(jackpot(*asked)[1].split())
    assert "a backup was restored" in daily  # in a column, so its words stand in two lines
    assert "disk failed" in daily
    report = jackpot("audit", "--data", str(data), "--kind", "IncarnationBegun")[1]
    assert "reason disk failed, by ann" in " ".join(report.split())


def test_a_journal_put_back_by_hand_is_not_served(tmp_path: Path) -> None:
    """One line says so and what to do; once the rollback is accepted, the controller starts."""
    copy, data = tmp_path / "copy", tmp_path / "data"
    with Process(tmp_path, many=0, options=ALONE) as process:
        play(process.address, "t4", {}, 1, 2, 3)
        assert jackpot("backup", str(copy), "--data", str(data))[0] == 0
        play(process.address, "t4", {}, 1)
        assert process.stop() == 0
    shutil.rmtree(data)
    copy.rename(data)
    serve = ("serve", "--site", str(process.site), "--data", str(data), "--grpc", "127.0.0.1:0")
    code, said, problem = jackpot(*serve)
    assert (code, said) == (1, "")
    (line,) = [line for line in problem.splitlines() if line.startswith("Error")]
    assert "the journal was rolled back" in line
    assert "jackpot restore --accept-rollback" in line
    accept = ("restore", "--accept-rollback", "--data", str(data), "--reason", "moved by hand")
    code, said, _ = jackpot(*accept)
    assert code == 0
    assert "incarnation 2; entries up to" in said
    with process:
        assert meter(process.address) == str(10_000_630_000)
        assert process.stop() == 0


@pytest.mark.parametrize("damage", ["cut", "missing"])
def test_a_bad_backup_changes_nothing(tmp_path: Path, damage: str) -> None:
    """It is checked before anything is touched."""
    copy, data = tmp_path / "copy", tmp_path / "data"
    with Process(tmp_path, many=0, options=ALONE) as process:
        play(process.address, "t4", {}, 1)
        assert jackpot("backup", str(copy), "--data", str(data))[0] == 0
        assert process.stop() == 0
    file = copy / "journal.sqlite"
    if damage == "cut":
        file.write_bytes(file.read_bytes()[:-8_192])
    else:
        file.unlink()
    before = (data / "journal.sqlite").read_bytes()
    about = ("--data", str(data), "--reason", "test", "--discard-newer")
    code, _, problem = jackpot("restore", str(copy), *about)
    assert code == 1
    assert problem.startswith("Error: ")
    assert (data / "journal.sqlite").read_bytes() == before
