"""The systemd units: what they let a controller do, and that what they name is created."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.docs.pages import ROOT

DEPLOY = ROOT / "deploy"
UNITS = ("jackpot.service", "jackpot@.service")
BOUNDS = {
    "KillMode": "mixed",
    "LimitCORE": "0",
    "SystemCallArchitectures": "native",
    "NoNewPrivileges": "yes",
    "CapabilityBoundingSet": "",
    "ProtectSystem": "strict",
}


def settings(name: str) -> dict[str, str]:
    """A unit's settings, with lines that go on put together."""
    text = re.sub(r"\\\n\s*", "", (DEPLOY / name).read_text())
    lines = (line for line in text.splitlines() if "=" in line and not line.startswith("#"))
    return {key: value for key, _, value in (line.partition("=") for line in lines)}


def made() -> dict[str, set[str]]:
    """The users and groups that are created, by the letter of their kind."""
    found: dict[str, set[str]] = {"u": set(), "g": set()}
    for line in (DEPLOY / "sysusers.conf").read_text().splitlines():
        if line and not line.startswith("#"):
            kind, name, *_ = line.split()
            found[kind].add(name)
    return found


@pytest.mark.parametrize("unit", UNITS)
def test_a_controller_is_bounded(unit: str) -> None:
    """It leaves no core behind, has its share of memory and tasks, and speaks TLS."""
    found = settings(unit)
    assert BOUNDS.items() <= found.items()
    assert re.fullmatch(r"\d+[MG]", found["MemoryMax"])
    assert int(found["TasksMax"]) >= 64
    assert "--cert " in found["ExecStart"]
    assert "--ca " in found["ExecStart"]


@pytest.mark.parametrize("unit", UNITS)
def test_the_user_and_the_group_of_a_unit_are_created(unit: str) -> None:
    """By one file that the install page names."""
    found, created = settings(unit), made()
    assert found["User"] in created["u"]
    assert found["Group"] in created["u"] | created["g"]
    assert "deploy/sysusers.conf" in (ROOT / "docs/operate/install.md").read_text()


def test_auditors_read_the_journal_through_their_group() -> None:
    """As the install page promises: the directory and its files are the group's to read."""
    found = settings("jackpot.service")
    group = found["Group"]
    assert group in made()["g"]
    assert f"`{group}`" in (ROOT / "docs/operate/install.md").read_text()
    assert int(found["StateDirectoryMode"], 8) & 0o057 == 0o050
    assert int(found["UMask"], 8) & 0o057 == 0o007


@pytest.mark.process
@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
@pytest.mark.parametrize("unit", UNITS)
def test_systemd_takes_a_unit(tmp_path: Path, unit: str) -> None:
    """It knows every setting; only our program and user are not on this machine."""
    copy = tmp_path / unit.replace("@", "@one")
    copy.write_text(re.sub(r"ExecStart=\S+", "ExecStart=/bin/true", (DEPLOY / unit).read_text()))
    told = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", copy], capture_output=True, text=True, check=False
    ).stderr
    about = [line for line in told.splitlines() if unit.partition(".")[0].rstrip("@") in line]
    assert not [line for line in about if "Unknown" in line or "Failed to parse" in line], told
