"""The conformance kit passes clients that keep the contract, and fails each that does not."""

import json
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from emulator.conform import command, report
from emulator.conform.lines import LONGEST_SILENCE_S, RULES, Rule
from emulator.conform.run import NOT_SHOWN, NOT_TRIED, PASSED, Verdict, judge_rule
from emulator.conform.timeline import Seen
from emulator.conform.trials import all_trials
from tests.cli.in_process import run_here

ROOT = Path(__file__).resolve().parents[3]
BROKEN = Path(__file__).with_name("broken.py")
OWN = (sys.executable, "-m", "emulator.conform.own_client")
PATIENCE = ("--patience", "120")
QUICK = ("--papers", "1")  # not for whole runs, which show that a client beats meanwhile

pytestmark = [pytest.mark.process, pytest.mark.timeout(300)]


def conform(*arguments: str | Path) -> dict[str, Any]:
    """What the kit says of a client, as data."""
    quick = QUICK if "--only" in arguments else ()
    result = run_here(command.conform, "--json", *PATIENCE, *quick, *map(str, arguments))
    assert result.returncode in (0, 1), result.stderr
    said: dict[str, Any] = json.loads(result.stdout)
    assert said["kept"] == (result.returncode == 0)
    every = {trial.id for trial in all_trials()} | {rule.id for rule in RULES}
    assert {line["id"] for line in said["lines"]} == every
    return said


def lines(said: dict[str, Any], *results: str) -> set[str]:
    """The lines with these results."""
    return {line["id"] for line in said["lines"] if line["result"] in results}


def unshown(said: dict[str, Any]) -> set[str]:
    """The lines that a whole run does not show as kept."""
    assert said["conforms"] == said["kept"]
    return lines(said, "failed", "not shown", "not tried")


def failed(said: dict[str, Any]) -> set[str]:
    """The lines that were tried and not kept."""
    return lines(said, "failed", "not shown")


def test_our_own_client_conforms(tmp_path: Path) -> None:
    """Every line, on a stream and behind TLS; and the reports say so."""
    junit, page = tmp_path / "conform.xml", tmp_path / "conform.html"
    said = conform("--tls", "--junit", junit, "--html", page, "--", *OWN)
    assert unshown(said) == set()
    assert len(said["lines"]) > 20
    suite = ET.parse(junit).getroot()
    assert suite.attrib["failures"] == suite.attrib["skipped"] == "0"
    assert "CONFORMS" in page.read_text()


def test_the_python_sample_conforms(python_sample: Path) -> None:
    """Every line, by unary calls, without TLS."""
    client = ("--", sys.executable, python_sample / "under_test.py")
    left = unshown(conform(*client))
    # A controller that stops says so for some milliseconds. A call that comes later is answered by
    # the next controller, and that trial has shown nothing: then it is held again.
    for _ in range(5):
        if left == {"drain"}:
            left = failed(conform("--only", "drain", *client))
    assert left == set()


def test_the_typescript_sample_conforms(typescript_sample: Path) -> None:
    """Every line, from another language, behind TLS."""
    client = ("node", typescript_sample / "build" / "under_test.js")
    assert unshown(conform("--tls", "--", *client)) == set()


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


def test_a_run_of_one_trial_shows_only_what_it_tried(tmp_path: Path) -> None:
    """It keeps what it tried, and does not conform."""
    junit = tmp_path / "conform.xml"
    said = conform("--only", "round", "--junit", junit, "--", *OWN)
    assert not said["conforms"]
    assert said["kept"]
    assert lines(said, "passed") == {"round", "numbers", "lamps", "window"}
    suite = ET.parse(junit).getroot()
    assert int(suite.attrib["skipped"]) == len(said["lines"]) - 4


def test_a_client_that_ends_at_once_is_named_with_its_exit_code() -> None:
    """And has kept nothing."""
    said = conform("--only", "round", "--", sys.executable, "-c", "raise SystemExit(7)")
    assert failed(said) == {"round"}
    assert lines(said, "passed") == set()
    why = next(line["why"] for line in said["lines"] if line["id"] == "round")
    assert why == ["the client did not ask for a round: it exited with code 7"]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_rule_without_an_occasion_is_not_shown(rule: Rule) -> None:
    """A client that does nothing but attach, beat once and ask has kept no rule."""
    nothing = seen(
        (0.0, "attached", {}), (1.0, "call", {"kind": "Heartbeat"}), (2.0, "lamps", {}), END
    )
    verdict = judge_rule(rule, nothing, NOT_SHOWN)
    assert verdict.result == NOT_SHOWN
    assert rule.occasion in verdict.why[0]


def test_the_last_line_says_conforms_only_of_a_whole_run() -> None:
    """A part that was kept is no conformance, and a line that was not shown is a breach."""
    good, bad = Verdict("a", "", "", PASSED), Verdict("b", "", "", NOT_SHOWN)
    left_out = Verdict("c", "", "", NOT_TRIED)
    assert report.summary([good]) == "CONFORMS: 1 line passed"
    part = "only some lines were tested: 1 line passed, 1 line not tried"
    assert report.summary([good, left_out]) == part
    assert report.summary([good, bad, left_out]).startswith("DOES NOT CONFORM: ")
    assert report.summary([left_out]).startswith("DOES NOT CONFORM: ")
    assert report.lines_of(left_out) == []


END: tuple[float, str, dict[str, str]] = (LONGEST_SILENCE_S + 0.1, "asks", {})


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
    assert len(list(rule.breaches(seen((0.0, "attached", {}), *between, END)))) == breaches


def test_a_trial_that_does_not_exist_is_a_one_line_error() -> None:
    """And names how to see them all."""
    result = run_here(command.conform, "--only", "nonsense")
    assert result.returncode == 2
    assert "nonsense is not a trial; see --list" in result.stderr


def test_the_list_says_which_lines_are_trials() -> None:
    """Only those can be held alone."""
    listed = CliRunner().invoke(command.conform, ["--list"]).output.splitlines()
    kinds = {line.split()[1]: line.split()[0] for line in listed if line[0] != " "}
    assert kinds == {each.id: "trial" for each in all_trials()} | {
        rule.id: "rule" for rule in RULES
    }


def test_the_page_lists_every_line() -> None:
    """As the kit does."""
    page = (ROOT / "docs" / "reference" / "conformance.md").read_text()
    rows = [f"| `{each.id}` | trial | {each.text} |" for each in all_trials()]
    rows += [f"| `{each.id}` | rule | {each.text} |" for each in RULES]
    assert [line for line in page.splitlines() if line.startswith("| `")] == rows
