"""What is not installed: a command that needs an extra says which, and the rest works without."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from jackpot.console import EXTRAS

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
WITHOUT = """
import sys
sys.modules.update(dict.fromkeys(("numpy", "psycopg")))
from {module} import main
main(prog_name="{program}")
"""


def run(program: str, *words: str) -> subprocess.CompletedProcess[str]:
    """A command where no extra is installed."""
    module = {"jackpot": "jackpot.cli.main", "jackpot-emulator": "emulator.cli"}[program]
    return subprocess.run(
        [sys.executable, "-c", WITHOUT.format(module=module, program=program), *words],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("command", "words", "package", "extra"),
    [
        ("jackpot verify", "--data postgresql://localhost/x", "psycopg", "postgres"),
        ("jackpot-emulator soak", "--rounds 1", "numpy", "emulator"),
        ("jackpot-emulator bench hands", "", "numpy", "emulator"),
    ],
)
def test_a_missing_extra_is_one_line(command: str, words: str, package: str, extra: str) -> None:
    """Which command, what it needs, and how to get it; never a traceback."""
    done = run(*f"{command} {words}".split())
    says = f"Error: {command} needs {package}: "
    assert done.stderr == says + f"pip install 'jackpot-controller[{extra}]'\n"
    assert (done.returncode, done.stdout) == (1, "")


def test_a_controller_on_a_missing_database_driver_is_one_line(tmp_path: Path) -> None:
    """It is found before anything listens or is written."""
    site = Path(__file__).parents[2] / "jackpot/rules/data/demo.toml"
    store = "postgresql://localhost/x"
    done = run("jackpot", "serve", "--site", str(site), "--store", store, "--grpc", "127.0.0.1:0")
    says = "Error: jackpot serve needs psycopg: pip install 'jackpot-controller[postgres]'\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", says)
    assert not list(tmp_path.iterdir())


def test_what_serves_and_verifies_needs_no_extra(tmp_path: Path) -> None:
    """A demo plays, with its controller and pages, and its journal is sound."""
    played = run("jackpot", "demo", "--rounds", "2", "--seed", "7", "--data", str(tmp_path))
    assert (played.returncode, played.stderr) == (0, "")
    assert run("jackpot", "verify", "--data", str(tmp_path)).returncode == 0


def test_odds_need_no_extra() -> None:
    """They are looked up among the counts of hands, not counted."""
    done = run("jackpot", "odds", "pa-crazy-4-poker", "six-card-bonus", "--paytable", "A")
    assert (done.returncode, done.stderr) == (0, "")


def test_every_extra_that_is_named_exists() -> None:
    """And `all` is all of them that are not for developing."""
    extras = PROJECT["optional-dependencies"]
    assert {*EXTRAS.values(), "emulator"} == set(extras) - {"dev", "all"}
    others = (need for name in set(extras) - {"dev", "all"} for need in extras[name])
    assert set(extras["all"]) == set(others)
