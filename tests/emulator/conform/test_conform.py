"""The conformance kit passes clients that keep the contract, and fails each that does not."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from emulator.conform.lines import RULES
from emulator.conform.trials import all_trials
from tests.e2e.process import Process

ROOT = Path(__file__).resolve().parents[3]
SAMPLES = ROOT / "samples"
BROKEN = Path(__file__).with_name("broken.py")
OWN = (sys.executable, "-m", "emulator.conform.own_client")
PATIENCE = ("--patience", "120", "--papers", "1")

pytestmark = [pytest.mark.process, pytest.mark.timeout(300)]


def conform(*arguments: str | Path) -> dict[str, Any]:
    """What the kit says of a client, as data."""
    command = [sys.executable, "-c", "from emulator.cli import main; main()", "conform", "--json"]
    result = subprocess.run(
        [*command, *PATIENCE, *map(str, arguments)],
        check=False,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode in (0, 1), result.stderr
    # The client may print, too: the report is the last thing that is said.
    said: dict[str, Any] = json.loads(result.stdout[result.stdout.index('{\n  "conforms"') :])
    assert said["conforms"] == (result.returncode == 0)
    return said


def failed(said: dict[str, Any]) -> set[str]:
    """The lines that were not kept."""
    return {line["id"] for line in said["lines"] if line["result"] != "passed"}


@pytest.fixture(scope="session")
def python_sample() -> Path:
    """The plain Python sample with its gRPC code."""
    subprocess.run([sys.executable, SAMPLES / "python" / "generate.py"], check=True)
    return SAMPLES / "python"


@pytest.fixture(scope="session")
def typescript_sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The TypeScript sample as a vendor copies it, with proto/ in it, built."""
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("the TypeScript sample needs Node.js and npm, which are not on this machine")
    folder = tmp_path_factory.mktemp("vendor") / "my-table"
    ignored = shutil.ignore_patterns("node_modules", "build")
    shutil.copytree(SAMPLES / "typescript", folder, ignore=ignored)
    shutil.copytree(ROOT / "proto", folder / "proto")
    installed = subprocess.run(
        ["npm", "ci", "--no-audit", "--no-fund"], check=False, cwd=folder, capture_output=True
    )
    if installed.returncode != 0:
        pytest.skip("npm could not install what the TypeScript sample needs")
    subprocess.run(["npm", "run", "build"], check=True, cwd=folder, capture_output=True)
    return folder


def test_our_own_client_conforms(tmp_path: Path) -> None:
    """Every line, on a stream and behind TLS; and the reports say so."""
    junit, page = tmp_path / "conform.xml", tmp_path / "conform.html"
    said = conform("--tls", "--junit", junit, "--html", page, "--", *OWN)
    assert failed(said) == set()
    assert len(said["lines"]) > 20
    suite = ET.parse(junit).getroot()
    assert suite.attrib["failures"] == suite.attrib["skipped"] == "0"
    assert "CONFORMS" in page.read_text()


def test_the_python_sample_conforms(python_sample: Path) -> None:
    """Every line, by unary calls, without TLS."""
    assert failed(conform("--", sys.executable, python_sample / "under_test.py")) == set()


def test_the_typescript_sample_conforms(typescript_sample: Path) -> None:
    """Every line, from another language, behind TLS."""
    client = ("node", typescript_sample / "build" / "under_test.js")
    assert failed(conform("--tls", "--", *client)) == set()


def test_the_samples_play_a_round_and_end(
    python_sample: Path, typescript_sample: Path, tmp_path: Path
) -> None:
    """As their pages say, against a controller with the demo's site file."""
    process = Process(tmp_path)
    process.site = ROOT / "jackpot" / "rules" / "data" / "demo.toml"
    process.start()
    try:
        for number, command in enumerate(
            (
                (sys.executable, python_sample / "play.py"),
                ("node", typescript_sample / "build" / "play.js"),
            ),
            1,
        ):
            played = subprocess.run(
                [*command, process.address, "demo", "table-2"],
                check=True,
                capture_output=True,
                text=True,
                timeout=60,
            ).stdout
            assert f"round {number}\nlamp of seat 4 is lit\n" in played
            assert "seat 4: three-of-a-kind pays $50.00\n" in played
            assert "Mega Five-Card Progressive: $50" in played
    finally:
        process.stop()


@pytest.mark.parametrize(
    ("kind", "trials", "line"),
    [
        ("lights_early", ["delays"], "lamps"),
        ("numbers_from_zero", ["round"], "numbers"),
        ("renumbers", ["lost-answers"], "same-number"),
        ("ignores_fencing", ["fenced-out"], "fenced"),
        ("opens_early", ["papers", "opens-late"], "opens-late"),
        ("retries_everything", ["refused"], "no-retry"),
        ("forgets_answers", ["restored"], "restored"),
        ("settles_meanwhile", ["floor-approves"], "floor-approves"),
        ("disobeys", ["floor-declines"], "floor-declines"),
        ("knocks_for_ever", ["revoked"], "revoked"),
        ("plays_twice", ["round"], "round"),
    ],
)
def test_a_broken_client_fails_the_right_line(
    python_sample: Path, kind: str, trials: list[str], line: str
) -> None:
    """The sample keeps these lines; spoiled in one place, it breaks the one that it should."""
    assert python_sample.is_dir()
    only = [word for trial in trials for word in ("--only", trial)]
    tls = ["--tls"] if line == "revoked" else []
    said = conform(*only, *tls, "--", sys.executable, BROKEN, kind)
    assert line in failed(said)
    assert failed(said) & {rule.id for rule in RULES} <= {line}


@pytest.mark.parametrize(
    ("kind", "trial", "reason"),
    [
        ("withdraws_call", "floor-approves", "CALL_CLOSED"),  # while the client plays
        ("voids_then_settles", "voided-by-floor", "NO_ROUND"),  # before a command is passed on
    ],
)
def test_a_client_that_keeps_the_staff_from_acting_fails_the_line(
    python_sample: Path, kind: str, trial: str, reason: str
) -> None:
    """The kit judges it, and says what was refused."""
    assert python_sample.is_dir()
    said = conform("--only", trial, "--", sys.executable, BROKEN, kind)
    line = next(line for line in said["lines"] if line["id"] == trial)
    assert line["result"] == "failed"
    assert any("staff was refused" in why and f"({reason})" in why for why in line["why"])


def test_a_trial_that_does_not_exist_is_a_one_line_error() -> None:
    """And names how to see them all."""
    command = [sys.executable, "-c", "from emulator.cli import main; main()", "conform"]
    result = subprocess.run(
        [*command, "--only", "nonsense"], check=False, cwd=ROOT, capture_output=True, text=True
    )
    assert result.returncode == 2
    assert "nonsense is not a trial; --list shows them all" in result.stderr


def test_the_page_lists_every_line() -> None:
    """As the kit does."""
    page = (ROOT / "docs" / "reference" / "conformance.md").read_text()
    rows = [f"| `{each.id}` | trial | {each.text} |" for each in all_trials()]
    rows += [f"| `{each.id}` | rule | {each.text} |" for each in RULES]
    assert [line for line in page.splitlines() if line.startswith("| `")] == rows
