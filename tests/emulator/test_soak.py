"""The soak finds what is wrong with a controller, and nothing where nothing is."""

import asyncio
import importlib
import importlib.metadata
import json
import os
import re
import sys
import tempfile
from contextlib import AsyncExitStack, closing
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner

from emulator.audit.terms import read_terms
from emulator.cli import main
from emulator.soak.cast import Cast
from emulator.soak.command import run_soak, write_report
from emulator.soak.disk import SmallDisk
from emulator.soak.faults import Fault, parse_faults
from emulator.soak.habits import Habits
from emulator.soak.html import html_page
from emulator.soak.options import Options
from emulator.soak.possible import impossible
from emulator.soak.prefix import shortest_prefix
from emulator.soak.proxy import Proxy
from emulator.soak.record import rows
from emulator.soak.report import text_lines
from emulator.soak.run import Soak
from jackpot.store.journal import GENESIS, chained
from jackpot.store.opening import journal_opener
from jackpot.verify import verify
from tests.emulator.buggy_controller import BUGS
from tests.stores import Stores

BUGGY = Path(__file__).with_name("buggy_controller.py")
PATIENCE = pytest.mark.timeout(300)  # it is played against the clock of a busy machine


def soak(folder: Path, **options: Any) -> dict[str, Any]:
    """A small run with every award path walked."""
    return run_soak(Options(**{"tables": 9, "rigged": True, **options}), folder)


@PATIENCE
def test_a_controller_that_is_right_passes(tmp_path: Path) -> None:
    """All accounts agree to the micro through late wagers, repeats, voids and rejections."""
    faults = parse_faults("late,double,mismatch,stuck,device")
    report = soak(tmp_path, rounds=12, faults=faults)
    assert all(report["faults"]["happened"][fault] for fault in ("late", "double", "mismatch"))
    assert report["failures"] == []
    assert report["passed"]
    assert report["journal_verified"]
    assert report["rounds"] == 9 * 12
    assert report["audited"] > 600
    assert report["observations"] > 20
    assert report["refusals"]["LOCKED_OUT"] > 0
    assert {award["kind"] for award in report["awards"]} >= {"share", "fixed"}
    assert shortest_prefix_of(tmp_path) is None


def shortest_prefix_of(folder: Path) -> Any:
    """What the kept record of a run says."""
    return shortest_prefix(read_terms(folder / "site.toml"), folder / "tape")


_METER = r"(meter|reserve) is [\d,.]+, must be |PAYOUT_KIND_SHARE .* must be .*meter_before_micros"
FOUND = {
    "drops-a-residue": r"meter is ([\d,]+)\.\d+, must be \1\.|meter_before_micros",
    "pays-twice": r"\d+ awards, must be \d+: seat",
    "forgets-a-reserve": _METER,
    "posts-a-late-wager": r"was \w+, must be LOCKED_OUT: .* place_wagers ",
    "reseeds-by-the-seed": _METER,
}


@PATIENCE
@pytest.mark.parametrize("bug", sorted(BUGS))
def test_a_bug_is_found(bug: str, tmp_path: Path) -> None:
    """A controller with this bug fails, with the seed and the shortest part that shows it."""
    report = soak(
        tmp_path,
        rounds=150,
        seed="bugs",
        whole_games=0,
        faults=frozenset({Fault.LATE}),
        command=(sys.executable, str(BUGGY), bug),
    )
    assert not report["passed"]
    assert re.search(FOUND[bug], report["failures"][0])
    assert report["rounds"] < 9 * 150, "it should have stopped at the first difference"
    text = "\n".join(text_lines(report))
    assert "FAILED  seed bugs" in text
    assert "shortest prefix" in text
    prefix = shortest_prefix_of(tmp_path)
    assert prefix.lines() == report["prefix"]
    with (tmp_path / "tape").open("rb") as tape:
        assert prefix.entries <= prefix.of == sum(1 for _ in rows(tape))


@PATIENCE
@pytest.mark.parametrize(
    ("bug", "failure"),
    [
        ("leaves-out-a-link", "listed are "),
        ("tells-of-the-past", "ListLinks is older than "),
        ("keeps-a-micro", ": balance is "),
        ("shows-no-sign", "no sign ever showed "),
        ("freezes-signs", "signs stand still: sign of "),
    ],
)
def test_a_controller_that_hides_something_fails(
    bug: str, failure: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was never compared has not been found right."""
    monkeypatch.setattr("emulator.soak.ending.SIGNS_S", 2.0)
    command = (sys.executable, str(BUGGY), bug)
    report = soak(tmp_path, rounds=6, whole_games=0, faults=frozenset(), command=command)
    assert not report["passed"]
    assert failure in report["failures"][0]
    assert bool(report["prefix"]) is ("sign" not in bug)
    if report["prefix"]:
        assert report["prefix"][1].strip() in report["failures"][0]


@PATIENCE
def test_tables_that_hang_leave_a_record_that_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clients that wake up after they were replaced are fenced, and nothing contradicts that."""
    monkeypatch.setattr("emulator.soak.run.habits_for", lambda _: Habits(hangs=0.3))
    report = soak(tmp_path, rounds=4, whole_games=0, faults=frozenset({Fault.STUCK}))
    assert report["failures"] == []
    assert report["refusals"]["FENCED"] == report["faults"]["happened"]["stuck"] > 0
    assert shortest_prefix_of(tmp_path) is None


@PATIENCE
def test_what_takes_minutes_after_a_long_run_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever watches sees why there is no report yet."""
    run_soak(Options(tables=1, rounds=1, whole_games=0), show=True)
    assert capsys.readouterr().err.endswith("Verifying the journal.\n")
    command = (sys.executable, str(BUGGY), "leaves-out-a-link")
    report = run_soak(Options(tables=1, rounds=1, command=command), tmp_path, show=True)
    assert report["prefix"]
    said = capsys.readouterr().err
    assert said.endswith("Looking for the shortest prefix that shows what is wrong.\n")


@PATIENCE
def test_a_controller_that_holds_more_and_more_fails(tmp_path: Path) -> None:
    """Though everything that it says is right."""
    command = (sys.executable, str(BUGGY), "forgets-nothing")
    report = soak(tmp_path, tables=2, duration_s=60, whole_games=0, command=command)
    (failure,) = report["failures"]
    assert failure.startswith("GrownError: a controller's memory grew from ")
    assert report["duration_s"] < 60


@PATIENCE
def test_a_stream_that_nobody_reads_is_ended_by_the_controller(tmp_path: Path) -> None:
    """The soak holds it for long enough to see that."""
    faults = frozenset({Fault.UNREAD})
    report = soak(tmp_path, tables=2, duration_s=42, speed=20.0, whole_games=0, faults=faults)
    assert report["failures"] == []
    assert report["faults"]["happened"]["unread"] >= report["faults"]["unread_ended"] == 8


@PATIENCE
@pytest.mark.parametrize(
    ("bug", "failure"),
    [("leaves-out-a-link", "listed are "), ("shows-no-sign", "no sign ever showed ")],
)
def test_every_controller_is_looked_at(bug: str, failure: str, tmp_path: Path) -> None:
    """Where one of two tells the truth, the other is found all the same."""
    command = (sys.executable, str(BUGGY), f"second:{bug}")
    report = soak(tmp_path, tables=2, rounds=3, whole_games=0, controllers=2, command=command)
    assert not report["passed"]
    assert failure in report["failures"][0]


@PATIENCE
def test_tables_move_on_to_the_next_controller(tmp_path: Path) -> None:
    """One that serves nobody keeps no table from playing."""
    command = (sys.executable, str(BUGGY), "second:turns-tables-away")
    report = soak(tmp_path, tables=6, rounds=3, whole_games=0, controllers=2, command=command)
    assert report["failures"] == []
    assert report["rounds"] == 6 * 3


def test_every_proxy_carries_somebody(tmp_path: Path) -> None:
    """A third of the tables goes through proxies, whatever the number of controllers."""
    run = Soak(Options(tables=9, controllers=3), tmp_path)
    run.proxies = [Proxy(controller.address) for controller in run.controllers]
    for proxy in run.proxies:
        proxy.address = f"proxy {proxy}"
    cast = Cast(run, AsyncExitStack())
    ways = [cast.ways(place) for place in range(9)]
    proxies = {proxy.address for proxy in run.proxies}
    assert all(set(way) == proxies for way in ways[::3])
    assert {way[0] for way in ways[::3]} == proxies
    direct = {controller.address for controller in run.controllers}
    assert {way[0] for way in ways[1::3]} == {way[0] for way in ways[2::3]} == direct


@PATIENCE
def test_a_herd_that_fails_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables that could not come back are not passed over."""

    async def herd(_: object) -> float:
        raise OSError("too many open files")

    monkeypatch.setattr("emulator.soak.run.herd", herd)
    monkeypatch.setattr("emulator.soak.run.LATEST_HERD_S", 0.0)
    report = soak(tmp_path, rounds=6, whole_games=0, faults=frozenset({Fault.HERD}))
    assert report["failures"] == ["OSError: too many open files"]


@PATIENCE
def test_a_controller_that_does_not_come_back_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tables have played to their end, but whoever waits for it does not wait for ever."""

    async def herd(_: object) -> float:
        await asyncio.sleep(4)  # until after the tables
        return 4.0

    monkeypatch.setattr("emulator.soak.run.herd", herd)
    monkeypatch.setattr("emulator.soak.run.LATEST_HERD_S", 0.0)
    command = (sys.executable, str(BUGGY), "starts-only-once")
    faults = frozenset({Fault.HERD})
    report = soak(tmp_path, tables=1, rounds=1, whole_games=0, faults=faults, command=command)
    assert report["failures"] == ["ControllerError: the controller did not start: not again"]


@PATIENCE
def test_a_run_ends_at_whichever_comes_first(tmp_path: Path) -> None:
    """A hit that does not fall does not keep a run from ending after its rounds."""
    report = soak(tmp_path, rounds=2, until_hit="mega/mega", rigged=False, whole_games=0)
    assert report["passed"]
    assert report["rounds"] == 9 * 2


@PATIENCE
def test_a_controller_that_is_killed_passes(tmp_path: Path) -> None:
    """Killed, stopped, with failing writes and a stepping clock: nothing is lost or doubled."""
    faults = parse_faults("kill,commit,stop,write,clock,connection")
    report = soak(tmp_path, tables=4, duration_s=6, faults=faults, every_s=0.4, whole_games=3)
    assert report["failures"] == []
    faults_felt = report["faults"]["happened"]
    assert set(faults_felt) == faults
    assert sum(faults_felt.values()) == sum(report["faults"]["done"].values()) > 0
    assert report["agreed_at"] > 0


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
        for what in (report["at"], f"jackpot {version}", "controllers 1", "store SQLite"):
            assert what in said
    assert "faults none" in page
    report["faults"] |= {"happened": {"kill": 0}, "restarts": 2}
    lines = text_lines(report)
    assert "  restarts  2, median 0 s, longest 0 s" in lines, "though nothing was felt"
    report["faults"] |= {"happened": {"kill": 0, "stop": 1}, "done": {"SIGSTOP": 1}}
    lines = text_lines(report)
    assert lines[lines.index("  never     kill: the run was too short for it") + 1] == (
        "  done      SIGSTOP 1"
    )


@PATIENCE
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
        (["--faults", ","], "no fault is named; there are: all, none, device, late,"),
        (["--faults", "all,none"], "none goes with nothing else"),
        (["--seed", " "], "a line of 1 to 64 characters"),
        (["--seed", "x" * 65], "a line of 1 to 64 characters"),
        (["--store", "nonsense"], "'nonsense' is not like postgresql://localhost/soak"),
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


@pytest.mark.parametrize("left", ["tape", "data"])
def test_an_earlier_run_is_not_written_over(left: str, tmp_path: Path) -> None:
    """What was kept is evidence."""
    (tmp_path / left).mkdir()
    done = CliRunner().invoke(main, ["soak", "--rounds=1", "--keep", str(tmp_path)])
    assert (done.exit_code, done.output) == (
        1,
        f"Error: --keep {tmp_path} holds an earlier run: {left}\n",
    )
    assert [path.name for path in tmp_path.iterdir()] == [left]


@PATIENCE
def test_the_journal_of_a_small_disk_is_kept(tmp_path: Path) -> None:
    """It lies on a disk of its own during the run, and in the folder after it."""
    report = soak(tmp_path, tables=2, rounds=3, whole_games=0, faults=frozenset({Fault.DISK}))
    assert report["passed"]
    assert not os.path.ismount(tmp_path / "data")
    found = verify(tmp_path / "data")
    assert found.ok
    assert found.sites


@PATIENCE
def test_a_journal_that_cannot_be_kept_is_said(tmp_path: Path) -> None:
    """There is a report all the same, and no disk is left behind."""
    probe = SmallDisk(tmp_path / "probe")
    if not probe.mount():
        pytest.skip("mounting is not allowed here")
    probe.unmount()
    (tmp_path / "data.kept").mkdir()
    report = soak(tmp_path, tables=2, rounds=3, whole_games=0, faults=frozenset({Fault.DISK}))
    assert report["failures"] == ["the journal could not be kept: File exists"]
    assert report["journal_verified"]
    assert not os.path.ismount(tmp_path / "data")


@pytest.mark.parametrize(
    ("options", "ruled_out"),
    [
        ({"whole_games": 4}, set()),
        ({"whole_games": 0}, {Fault.DEVICE}),
        ({"whole_games": 10}, {Fault.DEVICE}),
        ({"whole_games": 1}, {Fault.MISMATCH, Fault.SLOW, Fault.STUCK}),
        ({"store": "postgresql://localhost/soak"}, {Fault.DISK, Fault.WRITE}),
        ({"command": ("another",)}, {Fault.CLOCK}),
    ],
)
def test_what_cannot_happen_is_known_before(
    options: dict[str, Any], ruled_out: set[Fault], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the faults asked for, and with a reason; nothing is said of the others."""
    monkeypatch.setattr(SmallDisk, "mount", lambda _: True)
    assert impossible(Options(tables=9, faults=frozenset(Fault), **options)).keys() == ruled_out
    assert impossible(Options(tables=9, faults=frozenset({Fault.KILL}), **options)) == {}


def test_a_disk_that_may_not_be_mounted_cannot_be_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not everybody is root."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    found = impossible(Options(faults=frozenset({Fault.DISK})))
    assert found == {Fault.DISK: "this user may not mount a small disk here: it needs root"}


@PATIENCE
def test_what_cannot_happen_is_said_at_the_start_and_at_the_end(tmp_path: Path) -> None:
    """With its reason: that the run was too short is no excuse for it."""
    options = ["--tables=2", "--rounds=1", "--whole-games=0", "--faults=device,kill"]
    done = CliRunner().invoke(main, ["soak", *options, "--report", str(tmp_path)])
    assert done.exit_code == 0, done.output
    why = "no table plays its whole game, so none has devices (--whole-games)"
    assert done.stderr.startswith(f"device can't happen: {why}\n")
    words = " ".join((tmp_path / "report.txt").read_text().split())
    assert "never kill: the run was too short for it" in words
    assert f"can't device: {why}" in words
    assert why in (tmp_path / "report.html").read_text()


@PATIENCE
def test_devices_fail_with_a_rigged_deck_too(tmp_path: Path) -> None:
    """Whatever the table plays; and hands that were made to win take awards from meters."""
    report = soak(tmp_path, tables=1, rounds=120, whole_games=1, faults=frozenset({Fault.DEVICE}))
    assert report["passed"], report["failures"]
    assert report["faults"]["happened"]["device"] > 0
    assert "share" in {award["kind"] for award in report["awards"]}
    assert report["hits"] == [], "nothing of it was left to chance"


@PATIENCE
def test_whole_games_have_a_pace(tmp_path: Path) -> None:
    """A round takes a minute at a real table; here it is a hundred times as fast."""
    report = soak(tmp_path, tables=1, rounds=4, whole_games=1, speed=100.0)
    assert report["passed"], report["failures"]
    assert report["duration_s"] >= 4 * 0.6 / 2


@PATIENCE
@pytest.mark.parametrize("bug", ["", "pays-twice"])
def test_a_run_that_fails_is_kept(
    bug: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Journal, record and logs: a seed does not repeat who was served first."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    faults = frozenset({Fault.DISK})  # so that the journal lies on a disk that goes away
    command = (sys.executable, str(BUGGY), bug) if bug else ()
    options = Options(tables=9, rounds=100 if bug else 2, rigged=True, whole_games=0, faults=faults)
    report = run_soak(options._replace(command=command))
    assert report["passed"] is not bool(bug)
    if not bug:
        assert (report["kept"], list(tmp_path.iterdir())) == ("", [])
        return
    assert f"  kept      {report['kept']}" in text_lines(report)
    kept = Path(report["kept"])
    assert kept.parent == tmp_path
    assert {"data", "tape", "controller-1.log"} <= {path.name for path in kept.iterdir()}
    assert verify(kept / "data").sites


@PATIENCE
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


@PATIENCE
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
    assert done.output == "Error: the database is not empty: it holds the journal of demo\n"
    assert done.exit_code == 1
    assert not (tmp_path / "kept").exists()


def test_faults_are_named_added_and_left_out() -> None:
    """`all` is every fault, and a minus takes one out."""
    assert parse_faults("all") == set(Fault)
    assert parse_faults("none") == set()
    assert parse_faults("kill, late") == {Fault.KILL, Fault.LATE}
    assert parse_faults("all,-disk") == parse_faults("-disk") == set(Fault) - {Fault.DISK}


@PATIENCE
def test_it_runs_until_a_level_is_won() -> None:
    """With a rigged deck 100% of the minor falls soon, and the run ends."""
    report = run_soak(
        Options(tables=3, rigged=True, until_hit="mega/minor", whole_games=0, duration_s=120)
    )
    assert report["passed"], report["failures"]
    won = [award for award in report["awards"] if award["level"] == "minor"]
    assert sum(award["count"] for award in won) >= 1
