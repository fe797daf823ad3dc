"""The soak as a command: what it takes, refuses, says and leaves behind."""

import importlib
import importlib.metadata
import json
import os
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from emulator.cli import main
from emulator.soak.faults import FAULTS, impossible_faults, parse_faults
from emulator.soak.faults.storage import SmallDisk
from emulator.soak.options import Options
from emulator.soak.report.html import html_page
from emulator.soak.report.text import local_time, text_lines
from emulator.soak.run_soak import run_soak, write_report
from jackpot.store.journal import GENESIS, chained
from jackpot.store.opening import journal_opener
from jackpot.verify import verify
from tests.emulator.soaks import BUGGY, SOAK_TIMEOUT, soak
from tests.stores import Stores


def test_the_report_is_text_json_and_a_page(tmp_path: Path) -> None:
    """The page needs nothing from elsewhere and its charts are well formed."""
    report = soak(tmp_path / "run", tables=3, rounds=4, whole_games=0)
    write_report(report, tmp_path / "out")
    assert json.loads((tmp_path / "out" / "report.json").read_text())["rounds"] == 12
    page = (tmp_path / "out" / "report.html").read_text()
    assert "http" not in page.replace("http-equiv", "")
    charts = page.split("<svg")[1:]
    assert len(charts) > 8
    for chart in charts:
        ET.fromstring("<svg" + chart.split("</svg>")[0] + "</svg>")
    assert "Passed.</span>" in page
    assert "agree with the auditor" in page
    early = html_page({**report, "stopped_early": True, "passed": False})
    assert "Failed, stopped early.</span>" in early
    assert "agree with the auditor" not in early
    assert all(len(line) <= 80 for line in text_lines(report))
    version = importlib.metadata.version("jackpot-controller")
    for said in (page, " ".join("\n".join(text_lines(report)).split())):
        for what in (
            local_time(report["at"]),
            f"jackpot {version}",
            "controllers 1",
            "store SQLite",
        ):
            assert what in said
    assert "faults none" in page
    report["faults"] |= {"happened": {"kill": 0}, "restarts": 2}
    lines = text_lines(report)
    assert "  restarts  2, median 0 s, longest 0 s" in lines, "though nothing was felt"
    report["faults"] |= {"happened": {"kill": 0, "stop": 1}, "done": {"SIGSTOP": 1}}
    lines = text_lines(report)
    assert lines[lines.index("  missing   kill: no effect in this run; try a longer run") + 1] == (
        "  in detail SIGSTOP 1"
    )
    report["faults"] |= {"not_felt": {"disk full": 5}}
    assert "  no effect disk full 5" in text_lines(report)


@SOAK_TIMEOUT
def test_the_command_exits_by_the_verdict(tmp_path: Path) -> None:
    """With --json it prints the report alone, and exit code 0 says that it passed."""
    arguments = ["soak", "--tables", "2", "--wagers", "20", "--seed", "7", "--json"]
    done = CliRunner().invoke(main, [*arguments, "--report", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert json.loads(done.output)["seed"] == "7"
    assert json.loads(done.output)["options"]["store"] == "SQLite"
    assert 20 <= json.loads(done.output)["wagers"] < 50, "it ends when there are enough"
    assert (tmp_path / "report.html").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--faults", "flood"], "there is no fault 'flood'"),
        (["--faults", ","], "no fault is named; choose from: all, none, clock, commit,"),
        (["--faults", "all,none"], '"none" can\'t be combined with other faults'),
        (["--seed", " "], "expected 1 to 64 printable characters"),
        (["--seed", "x" * 65], "expected 1 to 64 printable characters"),
        (["--store", "nonsense"], "'nonsense' is not a database address; expected postgresql:"),
        (["--until-hit", "mega/nothing"], "for --until-hit: there is no level 'mega/nothing'"),
        (["--deck", "marked"], "'marked' is not one of"),
        (["--duration", "nan"], "'nan' is not a finite number"),
        (["--duration", "inf"], "'inf' is not a finite number"),
        (["--speed", "nan"], "'nan' is not a finite number"),
        (["--fault-every", "nan"], "'nan' is not a finite number"),
    ],
)
def test_a_mistake_is_one_line(arguments: list[str], says: str) -> None:
    """What is wrong with the options is said, without a traceback."""
    done = CliRunner().invoke(main, ["soak", *arguments])
    assert done.exit_code == 2
    assert says in done.output.replace("\n", " ")


@pytest.mark.parametrize("option", ["--report", "--keep"])
def test_a_folder_that_cannot_be_made_is_one_line(option: str) -> None:
    """It is found before anything is played."""
    done = CliRunner().invoke(main, ["soak", option, "/proc/nothing"])
    assert done.exit_code == 1
    assert done.output == (
        f"Error: can't write into {option} /proc/nothing: No such file or directory\n"
    )


@pytest.mark.parametrize("option", ["--report", "--keep"])
def test_a_file_is_no_folder(option: str, tmp_path: Path) -> None:
    """And says so."""
    (file := tmp_path / "file").touch()
    done = CliRunner().invoke(main, ["soak", option, str(file / "inside")])
    assert done.exit_code == 1
    assert done.output.endswith("file/inside: Not a directory\n")


@pytest.mark.parametrize("left", ["transcript", "data"])
def test_an_earlier_run_is_not_written_over(left: str, tmp_path: Path) -> None:
    """What was kept is evidence."""
    (tmp_path / left).mkdir()
    done = CliRunner().invoke(main, ["soak", "--rounds=1", "--keep", str(tmp_path)])
    assert (done.exit_code, done.output) == (
        1,
        f"Error: --keep {tmp_path} already holds a run ({left}); choose an empty folder\n",
    )
    assert [path.name for path in tmp_path.iterdir()] == [left]


@SOAK_TIMEOUT
def test_the_journal_of_a_small_disk_is_kept(tmp_path: Path) -> None:
    """It lies on a disk of its own during the run, and in the folder after it."""
    report = soak(tmp_path, tables=2, rounds=3, whole_games=0, faults=frozenset({"disk"}))
    assert report["passed"]
    assert not os.path.ismount(tmp_path / "data")
    found = verify(tmp_path / "data")
    assert found.ok
    assert found.sites


@SOAK_TIMEOUT
def test_a_journal_that_cannot_be_kept_is_said(tmp_path: Path) -> None:
    """There is a report all the same, and no disk is left behind."""
    probe = SmallDisk(tmp_path / "probe")
    if not probe.mount():
        pytest.skip("mounting is not allowed here")
    probe.unmount()
    (tmp_path / "data.kept").mkdir()
    report = soak(tmp_path, tables=2, rounds=3, whole_games=0, faults=frozenset({"disk"}))
    assert report["failures"] == ["the journal could not be kept: File exists"]
    assert report["journal_verified"]
    assert not os.path.ismount(tmp_path / "data")


@pytest.mark.parametrize(
    ("options", "ruled_out"),
    [
        ({"whole_games": 4}, set()),
        ({"whole_games": 0}, {"device"}),
        ({"whole_games": 10}, {"device"}),
        ({"whole_games": 1}, {"mismatch", "slow", "stuck"}),
        ({"store": "postgresql://localhost/soak"}, {"disk", "write", "restore"}),
        ({"command": ("another",)}, {"clock", "restore"}),
    ],
)
def test_what_cannot_happen_is_known_before(
    options: dict[str, Any], ruled_out: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the faults asked for, and with a reason; nothing is said of the others."""
    monkeypatch.setattr(SmallDisk, "mount", lambda _: True)
    assert (
        impossible_faults(Options(tables=9, faults=frozenset(FAULTS), **options)).keys()
        == ruled_out
    )
    assert impossible_faults(Options(tables=9, faults=frozenset({"kill"}), **options)) == {}


def test_a_disk_that_may_not_be_mounted_cannot_be_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not everybody is root."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    found = impossible_faults(Options(faults=frozenset({"disk"})))
    assert found == {"disk": "this user may not mount a small disk; run the soak as root"}


@SOAK_TIMEOUT
def test_what_cannot_happen_is_said_at_the_start_and_at_the_end(tmp_path: Path) -> None:
    """With its reason: that the run was too short is no excuse for it."""
    options = ["--tables=2", "--rounds=1", "--whole-games=0", "--faults=device,kill"]
    done = CliRunner().invoke(main, ["soak", *options, "--report", str(tmp_path)])
    assert done.exit_code == 0, done.output
    why = "this fault needs a table that plays whole games with devices (--whole-games)"
    assert done.stderr.startswith(f"Fault 'device' is excluded: {why}\n")
    words = " ".join((tmp_path / "report.txt").read_text().split())
    assert "missing kill: no effect in this run; try a longer run" in words
    assert f"excluded device: {why}" in words
    assert why in (tmp_path / "report.html").read_text()


@SOAK_TIMEOUT
def test_devices_fail_with_a_rigged_deck_too(tmp_path: Path) -> None:
    """Whatever the table plays; and hands that were made to win take awards from meters."""
    report = soak(tmp_path, tables=1, rounds=120, whole_games=1, faults=frozenset({"device"}))
    assert report["passed"], report["failures"]
    assert report["faults"]["happened"]["device"] > 0
    assert "share" in {award["kind"] for award in report["awards"]}
    assert report["hits"] == [], "nothing of it was left to chance"


@SOAK_TIMEOUT
def test_whole_games_have_a_pace(tmp_path: Path) -> None:
    """A round takes a minute at a real table; here it is a hundred times as fast."""
    report = soak(tmp_path, tables=1, rounds=4, whole_games=1, speed=100.0)
    assert report["passed"], report["failures"]
    assert report["duration_s"] >= 4 * 0.6 / 2


@SOAK_TIMEOUT
@pytest.mark.parametrize("bug", ["", "pays-twice"])
def test_a_run_that_fails_is_kept(
    bug: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Journal, record and logs: a seed does not repeat who was served first."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    faults = frozenset({"disk"})  # so that the journal lies on a disk that goes away
    command = (sys.executable, str(BUGGY), bug) if bug else ()
    options = Options(tables=9, rounds=100 if bug else 2, rigged=True, whole_games=0, fronts=0)
    report = run_soak(options._replace(command=command, faults=faults))
    assert report["passed"] is not bool(bug)
    if not bug:
        assert (report["kept"], list(tmp_path.iterdir())) == ("", [])
        return
    assert f"  kept      {report['kept']}" in text_lines(report)
    assert "  journal   not verified, because the run failed before that" in text_lines(report)
    assert f"Kept in {report['kept']}." in html_page(report)
    kept = Path(report["kept"])
    assert kept.parent == tmp_path
    assert {"data", "transcript", "controller-1.log"} <= {path.name for path in kept.iterdir()}
    assert verify(kept / "data").sites


@SOAK_TIMEOUT
def test_what_nobody_foresaw_leaves_its_evidence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A replay that fails is a line of the report, and no folder goes with an error."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def broken(*_: object) -> None:
        raise KeyError("auditor")

    monkeypatch.setattr("emulator.soak.run.find_shortest_failure", broken)
    command = (sys.executable, str(BUGGY), "leaves-out-a-link")
    options = Options(tables=1, rounds=1, whole_games=0, fronts=0, command=command)
    report = run_soak(options)
    assert report["failures"][0].endswith("; the run could not be replayed: KeyError: 'auditor'")
    assert (Path(report["kept"]) / "transcript").exists()
    monkeypatch.setattr("emulator.soak.run_soak.make_report", broken)
    before = set(tmp_path.iterdir())
    with pytest.raises(KeyError):
        run_soak(options)
    (left,) = set(tmp_path.iterdir()) - before
    assert (left / "transcript").exists()


@SOAK_TIMEOUT
def test_hands_of_whole_games_are_counted(tmp_path: Path) -> None:
    """Each seat's hand is one, for every bet that it was settled on."""
    report = soak(tmp_path, tables=1, rounds=60, rigged=False, whole_games=1)
    trials = {hit["bet"]: hit["trials"] for hit in report["hits"]}
    assert report["passed"]
    assert trials["five-card-progressive"] > 60


def test_ctrl_c_while_a_command_is_loaded_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes a second, in which people change their minds."""

    def interrupted(name: str) -> None:
        raise KeyboardInterrupt(name)

    monkeypatch.setattr(importlib, "import_module", interrupted)
    done = CliRunner().invoke(main, ["soak"])
    assert done.output.strip() == "Aborted!"
    assert done.exit_code == 1


@SOAK_TIMEOUT
def test_a_controller_that_cannot_start_says_why() -> None:
    """In one line, with what it logged last: its log is gone by then."""
    done = CliRunner().invoke(main, ["soak", "--json", "--store", "postgresql://127.0.0.1:1/x"])
    assert done.exit_code == 1
    assert done.output.startswith("Error: the controller did not start: can't open the journal in")
    assert "Connection refused" in done.output
    assert done.output.count("\n") == 1


def test_a_database_that_is_not_empty_is_refused(stores: Stores, tmp_path: Path) -> None:
    """Somebody else's journal is left as it is."""
    store = str(stores.new("postgres"))
    with closing(journal_opener(store)()) as journal:
        with journal.begin(["demo"]) as transaction:
            entry = chained("demo", GENESIS.hash, 1, 1, "kind", 1, b"body")
            transaction.append("demo", [entry])
            transaction.commit()
        options = ["--store", store, "--rounds=1", "--tables=1", "--keep", str(tmp_path / "kept")]
        done = CliRunner().invoke(main, ["soak", *options])
        assert list(journal.heads()) == ["demo"]
    assert done.output == (
        "Error: the database is not empty: it holds the journal of demo; "
        "create an empty one for the soak\n"
    )
    assert done.exit_code == 1
    assert not (tmp_path / "kept").exists()


def test_faults_are_named_added_and_left_out() -> None:
    """`all` is every fault, and a minus takes one out."""
    assert parse_faults("all") == set(FAULTS)
    assert parse_faults("none") == set()
    assert parse_faults("kill, late") == {"kill", "late"}
    assert parse_faults("all,-disk") == parse_faults("-disk") == set(FAULTS) - {"disk"}


@SOAK_TIMEOUT
def test_it_runs_until_a_level_is_won() -> None:
    """With a rigged deck 100% of the minor falls soon, and the run ends."""
    report = run_soak(
        Options(tables=3, rigged=True, until_hit="mega/minor", whole_games=0, duration_s=120)
    )
    assert report["passed"], report["failures"]
    won = [award for award in report["awards"] if award["level"] == "minor"]
    assert sum(award["count"] for award in won) >= 1
