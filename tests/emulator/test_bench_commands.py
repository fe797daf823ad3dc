"""Every benchmark runs in a tiny form, and the docs name the commands that made their figures."""

import json
import re
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from emulator.bench import cluster, costs, hands, hostile, rounds, stages, victims, watchers
from emulator.bench.command import bench
from emulator.bench.scaling import read_costs
from emulator.cli import main
from tests.postgres import Server

ROOT = Path(__file__).resolve().parents[2]
DOCS = sorted((ROOT / "docs").rglob("*.md"))
NAMES = bench.list_commands(click.Context(bench))


@pytest.mark.parametrize("name", ["", *NAMES])
def test_a_benchmark_has_help_with_an_example(name: str) -> None:
    """Help shows an example on lines of its own, and fits the screen."""
    done = CliRunner().invoke(main, ["bench", *name.split(), "--help"])
    assert done.exit_code == 0, done.output
    assert re.search(rf"\n  Example:\n    jackpot-emulator bench {name}", done.output)
    assert max(map(len, done.output.splitlines())) <= 80
    assert "..." not in done.output.partition("Commands:")[2]


def test_the_docs_name_the_command_of_every_benchmark() -> None:
    """Each figure names the command that made it, and that command exists with its options."""
    named = set()
    for page in DOCS:
        for line in re.findall(r"`jackpot-emulator bench ([^`]*)`", page.read_text("utf-8")):
            name, *words = line.split()
            command = bench.get_command(click.Context(bench), name)
            assert command is not None, line
            known = {option for parameter in command.params for option in parameter.opts}
            assert {word for word in words if word.startswith("--")} <= known, line
            named.add(name)
    assert named == set(NAMES)


def test_the_docs_have_the_figures_that_were_kept(tmp_path: Path) -> None:
    """The costs in the docs are those of the file beside them, and the simulation gives its table.

    Larger floors take minutes; they come of the same code and the same costs.
    """
    page = (ROOT / "docs" / "internals" / "scaling.md").read_text("utf-8")
    kept = ROOT / "docs" / "internals" / "bench" / "costs.json"
    found = read_costs(kept)
    assert f"| {found.message_us:.0f} µs |" in page
    assert f"| {found.heartbeat_us:.0f} µs |" in page
    arguments = ["bench", "scaling", "--costs", str(kept), "--tables", "1000"]
    arguments += ["--plot", str(tmp_path / "drawn.svg"), "--report", str(tmp_path)]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    head, *rows = done.output.splitlines()
    assert len(rows) == 4
    assert all(f"\n{row}\n" in page for row in (head, *rows))
    assert len(json.loads((tmp_path / "scaling.json").read_text())) == len(rows)
    root = ET.parse(tmp_path / "drawn.svg").getroot()
    assert len([element for element in root.iter() if element.tag.endswith("polyline")]) == 8


def test_costs_that_cannot_be_read_are_one_line(tmp_path: Path) -> None:
    """It says which file, what is wrong with it, and how to make one."""
    path = tmp_path / "costs.json"
    for content, why in (
        (None, "No such file"),
        ("{}", "'costs'"),
        ('{"costs": {}}', "message_us"),
    ):
        if content is not None:
            path.write_text(content)
        done = CliRunner().invoke(main, ["bench", "scaling", "--costs", str(path)])
        assert done.exit_code == 1
        assert done.output.startswith(f"Error: can't read costs from {path}: ")
        assert why in done.output
        assert done.output.endswith("`jackpot-emulator bench costs --report FOLDER` wrote\n")


def test_hands_are_counted_and_timed() -> None:
    """A small ranking, whole."""
    found = hands.measure_hands("three-card", 3, repeats=1)
    assert found["bulk_per_s"] > found["plain_per_s"] > 0
    assert found["counting_s"] > 0


@pytest.mark.parametrize(("per_s", "exit_code"), [(1_999_999, 1), (2_000_000, 0)])
def test_a_missed_goal_fails_and_the_report_is_kept(
    per_s: int, exit_code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is printed as JSON is also what is written, met or missed."""
    rates = {"bulk_per_s": per_s, "plain_per_s": 1, "counting_s": 0.1}
    monkeypatch.setattr(hands, "measure_hands", lambda *_: rates)
    arguments = ["bench", "hands", "--json", "--report", str(tmp_path / "out")]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == exit_code
    assert json.loads(done.stdout) == json.loads((tmp_path / "out" / "hands.json").read_text())
    assert ("below the goal of 2,000,000" in done.stderr) == bool(exit_code)


async def test_a_ledgers_time_is_told_by_stage() -> None:
    """Every stage takes some time, and nothing that was sent is refused."""
    with tempfile.TemporaryDirectory() as folder:
        found = await stages.measure(Path(folder), at_once=24, rounds=2, repeats=1)
    assert list(found) == list(stages.STAGES.values())
    assert min(found.values()) > 0


@pytest.mark.process
def test_whole_rounds_are_measured_beside_all_others() -> None:
    """Every server in a tiny form; each ratio has its spread, and 80 columns show all of it."""
    size, steps = rounds.Size((2,), 1, run_s=0.02, half_s=0.05, first=40, alone=6), []
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # root's PostgreSQL runs as somebody else
        found = rounds.run_rounds(Path(folder), size, lambda: steps.append(1))
    here = found["tables"]["2"]
    assert set(here["of"]) >= {"echo", "batching", "naive"}
    assert found["notes"] or "postgres" in here["of"]
    assert all(0 < r["least"] <= r["median"] <= r["most"] for r in here["of"].values())
    assert here["controller"]["process_us"]["ledger"] > 0
    assert found["tables"]["1"]["of"]["p50_ms alone"]["median"] > 0
    assert len(steps) == size.steps - (0 if "postgres" in here else 2)
    lines = "\n".join(rounds.text_lines(found | {"notes": []})).split("\n")
    assert [line for line in lines if len(line) > 80] == []


@pytest.mark.process
def test_a_lock_out_is_timed_under_every_attack(tmp_path: Path) -> None:
    """Each attack does something; whatever was answered is in the journal and on the sign."""
    size = hostile.Size(
        runs=1, seconds=1.5, tables=2, connections=20, browsers=3, reloads_per_s=6.0
    )
    found = hostile.run_hostile(tmp_path, size, lambda: None)
    names = ["quiet", "header", "connections", "resets", "browsers"]
    assert list(found["attacks"]) == names
    for name, row in found["attacks"].items():
        assert (row["did"] > 0) == (name != "quiet"), name
        assert 0 < row["p50_ms"] <= row["p99_ms"] <= row["most_ms"]
        assert row["resident_mb"] > 10
    assert found["attacks"]["connections"]["did"] == 20
    assert found["answers"] > 50
    assert (found["lost"], found["verifies"]) == (0, True)
    assert found["meters_micros"] == found["expected_micros"]
    assert victims.lost(tmp_path / "house" / "data", {("t0", 1, 1): 10**9}) == 1
    lines = "\n".join(hostile.text_lines(found)).split("\n")
    assert [line for line in lines if len(line) > 80] == []


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--scenario", "nothing"], "--scenario nothing: expected one of rounds, hostile, "),
        (["--scenario"], "--scenario : expected one of rounds, "),
        (["--tables", "8,x"], "--tables 8,x: expected numbers from 1 to 512, such as 8,64"),
        (["--scenario=rounds", "--tables", "513"], "--tables 513: expected numbers from 1 to"),
    ],
)
def test_a_scenario_or_a_count_that_is_wrong_is_one_line(arguments: list[str], says: str) -> None:
    """It names what was given, and what was expected."""
    done = CliRunner().invoke(main, ["bench", *arguments])
    assert done.exit_code == 1
    assert done.output.startswith(f"Error: {says}")
    assert done.output.count("\n") == 1


@pytest.mark.parametrize("arguments", [[], ["--scenario", "hostile"], ["--scenario=wagers"]])
def test_a_scenario_is_a_benchmark_by_its_name(arguments: list[str]) -> None:
    """Without one it is whole rounds."""
    done = CliRunner().invoke(main, ["bench", *arguments, "--data", "/proc/nothing"])
    assert (
        done.output == "Error: can't write into --data /proc/nothing: No such file or directory\n"
    )


def test_watchers_see_frames_and_cost_something(tmp_path: Path) -> None:
    """Runs alternate; only those with watchers have frames."""
    runs = watchers.measure_watchers(tmp_path, watchers.Size(runs=1, messages=240, watchers=3))
    assert [run.watchers for run in runs] == [0, 3]
    assert [run.frames_per_s > 0 for run in runs] == [False, True]
    assert watchers.cost_ratio(runs) > 0
    assert "3 watchers: " in "\n".join(watchers.text_lines(runs, 1.0))


def test_several_controllers_and_a_procedure_are_measured(postgres: Server) -> None:
    """On one PostgreSQL: a hot link spread over all, and sites of their own."""
    size = cluster.Size(1, run_s=1.0, messages=120, controllers=2, hot_tables=6, sites=(2,))
    found = cluster.measure_cluster(postgres, size)
    told = cluster.summary(found)
    assert list(told) == [*cluster.PROCEDURES, "hot link", "2 sites"]
    for kind, row in told.items():
        assert row["wagers_per_s"] > 0, kind
        assert row["commits_per_s"] > 0, kind
        assert (row["controller_us"] > 0) == (kind not in cluster.PROCEDURES)
    assert len(list(cluster.text_lines(told))) == 1 + len(told) + 2


def test_every_cost_is_measured(postgres: Server) -> None:
    """All of them, since the simulation wants all; none can be less than nothing but by chance."""
    size = costs.Size(commands=300, commits=30, beats=30, runs=1, messages=120, tables=4)
    found = costs.measure_costs(postgres, size)
    for name in ("command_us", "follow_us", "log_bytes", "row_bytes", "poll_us"):
        assert getattr(found, name) > 0, name
