"""The conformance kit passes clients that keep the contract, and fails each that does not."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from emulator.conform.lines import LONGEST_SILENCE_S, RULES
from emulator.conform.timeline import Seen
from emulator.conform.trials import all_trials

ROOT = Path(__file__).resolve().parents[3]
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
    only = [word for trial in trials for word in ("--only", trial)]
    tls = ["--tls"] if line == "revoked" else []
    said = conform(*only, *tls, "--", sys.executable, BROKEN, python_sample, kind)
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
    said = conform("--only", trial, "--", sys.executable, BROKEN, python_sample, kind)
    line = next(line for line in said["lines"] if line["id"] == trial)
    assert line["result"] == "failed"
    assert any("staff was refused" in why and f"({reason})" in why for why in line["why"])


@pytest.mark.slow
def test_a_client_that_keeps_silent_fails_the_line(python_sample: Path) -> None:
    """It waits longer for papers than a table may be silent."""
    papers = ("--papers", str(LONGEST_SILENCE_S + 2), "--only", "papers", "--only", "opens-late")
    said = conform(*papers, "--", sys.executable, BROKEN, python_sample, "keeps_silent")
    assert failed(said) == {"heartbeats"}


def seen(*what: tuple[float, str, dict[str, str]]) -> list[Seen]:
    """Things that passed the wire."""
    return [Seen(at_s, kind, **about) for at_s, kind, about in what]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("between", "breaches"),
    [
        ((), 1),
        (((LONGEST_SILENCE_S, "call", {"kind": "Heartbeat"}),), 0),
        (((LONGEST_SILENCE_S, "call", {"kind": "GetRound"}),), 1),
        (((LONGEST_SILENCE_S, "command", {"kind": "open_round"}),), 0),
        (((1.0, "refused", {"reason": "FENCED"}),), 0),  # it does not speak for the table
    ],
)
def test_silence_is_a_breach_only_while_a_client_speaks_for_the_table(
    between: tuple[tuple[float, str, dict[str, str]], ...], breaches: int
) -> None:
    """Heartbeats and commands count, nothing else."""
    rule = next(rule for rule in RULES if rule.id == "heartbeats")
    end: tuple[float, str, dict[str, str]] = (LONGEST_SILENCE_S + 0.1, "asks", {})
    assert len(list(rule.breaches(seen((0.0, "attached", {}), *between, end)))) == breaches


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
