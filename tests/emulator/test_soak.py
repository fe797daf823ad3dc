"""The soak finds what is wrong with a controller, and nothing where nothing is."""

import asyncio
import re
import signal
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from emulator.soak.audit.terms import read_terms
from emulator.soak.faults import parse_faults
from emulator.soak.faults.connections import Proxy
from emulator.soak.options import Chances, Options
from emulator.soak.replay import find_shortest_failure
from emulator.soak.report.html import html_page
from emulator.soak.report.text import text_lines
from emulator.soak.run import Soak
from emulator.soak.run_soak import run_soak
from emulator.soak.tables.factory import TableFactory
from emulator.soak.transcript import rows
from tests.emulator.buggy_controller import BUGS
from tests.emulator.soaks import BUGGY, SOAK_TIMEOUT, soak
from tests.impatient_controller import UNREAD_S

pytestmark = pytest.mark.process


@SOAK_TIMEOUT
def test_a_controller_that_is_right_passes(tmp_path: Path) -> None:
    """All accounts agree to the micro through late wagers, repeats, voids and rejections."""
    faults = parse_faults("late,double,mismatch,stuck,device")
    report = soak(tmp_path, rounds=12, faults=faults, fronts=None)
    assert all(report["faults"]["happened"][fault] for fault in ("late", "double", "mismatch"))
    assert report["failures"] == []
    assert report["passed"]
    assert report["journal_verified"]
    assert report["rounds"] == 9 * 12
    assert report["audited"] > 600
    assert report["observations"] > 20
    assert report["refusals"]["LOCKED_OUT"] > 0
    assert {award["kind"] for award in report["awards"]} >= {"share", "fixed"}
    assert shortest_failure_of(tmp_path) is None


def shortest_failure_of(folder: Path) -> Any:
    """What the kept record of a run says."""
    return find_shortest_failure(read_terms(folder / "site.toml"), folder / "transcript")


_METER = r"(meter|reserve) is [\d,.]+, must be |PAYOUT_KIND_SHARE .* must be .*meter_before_micros"
FOUND = {
    "drops-a-residue": r"meter is ([\d,]+)\.\d+, must be \1\.|meter_before_micros",
    "pays-twice": r"\d+ awards, must be \d+: seat",
    "forgets-a-reserve": _METER,
    "posts-a-late-wager": r"was \w+, must be LOCKED_OUT: .* place_wagers ",
    "reseeds-by-the-seed": _METER,
}


@SOAK_TIMEOUT
@pytest.mark.parametrize("bug", sorted(BUGS))
def test_a_bug_is_found(bug: str, tmp_path: Path) -> None:
    """A controller with this bug fails, with the seed and the shortest part that shows it."""
    report = soak(
        tmp_path,
        rounds=150,
        seed="bugs",
        whole_games=0,
        faults=frozenset({"late"}),
        command=(sys.executable, str(BUGGY), bug),
    )
    assert not report["passed"]
    assert re.search(FOUND[bug], report["failures"][0])
    assert report["rounds"] < 9 * 150, "it should have stopped at the first difference"
    text = "\n".join(text_lines(report))
    assert "FAILED  seed bugs" in text
    assert "shortest failure: the first " in text
    shortest_failure = shortest_failure_of(tmp_path)
    assert shortest_failure.lines() == report["shortest_failure"]
    with (tmp_path / "transcript").open("rb") as transcript:
        assert shortest_failure.entries <= shortest_failure.of == sum(1 for _ in rows(transcript))


@SOAK_TIMEOUT
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
    assert bool(report["shortest_failure"]) is ("sign" not in bug)
    if report["shortest_failure"]:
        assert report["shortest_failure"][1].strip() in report["failures"][0]


@SOAK_TIMEOUT
def test_tables_that_hang_leave_a_record_that_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clients that wake up after they were replaced are fenced, and nothing contradicts that."""
    monkeypatch.setattr("emulator.soak.run.chances_for", lambda _: Chances(hangs=0.3))
    report = soak(tmp_path, rounds=4, whole_games=0, faults=frozenset({"stuck"}))
    assert report["failures"] == []
    assert report["refusals"]["FENCED"] == report["faults"]["happened"]["stuck"] > 0
    assert shortest_failure_of(tmp_path) is None


@SOAK_TIMEOUT
def test_what_takes_minutes_after_a_long_run_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever watches sees why there is no report yet."""
    run_soak(Options(tables=1, rounds=1, whole_games=0), show=True)
    assert capsys.readouterr().err.endswith("Verifying the journal.\n")
    command = (sys.executable, str(BUGGY), "leaves-out-a-link")
    report = run_soak(Options(tables=1, rounds=1, command=command), tmp_path, show=True)
    assert report["shortest_failure"]
    said = capsys.readouterr().err
    assert said.endswith("Looking for the shortest part of the run that shows the error.\n")


@SOAK_TIMEOUT
def test_a_controller_that_holds_more_and_more_fails(tmp_path: Path) -> None:
    """Though everything that it says is right."""
    command = (sys.executable, str(BUGGY), "forgets-nothing")
    report = soak(tmp_path, tables=2, duration_s=60, whole_games=0, command=command)
    (failure,) = report["failures"]
    assert failure.startswith("GrownError: a controller's memory grew from ")
    assert report["duration_s"] < 60


@SOAK_TIMEOUT
def test_a_stream_that_nobody_reads_is_ended_by_the_controller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The soak holds it for long enough to see that."""
    monkeypatch.setattr("emulator.soak.faults.abusive_clients.HOLD_S", UNREAD_S + 2)
    command = (sys.executable, "-m", "tests.impatient_controller")
    # The run ends after the first streams that the controller ended.
    monkeypatch.setattr(Soak, "_time_is_up", lambda run: run.faults[0]._ended > 0)
    options = {"tables": 2, "speed": 60.0, "whole_games": 0, "faults": frozenset({"unread"})}
    report = soak(tmp_path, command=command, **options)
    assert report["failures"] == []
    assert report["faults"]["happened"]["unread"] >= report["faults"]["unread_ended"] == 8


@SOAK_TIMEOUT
@pytest.mark.parametrize(
    ("bug", "failure"),
    [("leaves-out-a-link", "listed are "), ("shows-no-sign", "no sign ever showed ")],
)
def test_every_controller_is_looked_at(
    bug: str, failure: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where one of two tells the truth, the other is found all the same."""
    monkeypatch.setattr("emulator.soak.ending.SIGNS_S", 2.0)
    command = (sys.executable, str(BUGGY), f"second:{bug}")
    report = soak(tmp_path, tables=2, rounds=3, whole_games=0, controllers=2, command=command)
    assert not report["passed"]
    assert failure in report["failures"][0]


@SOAK_TIMEOUT
def test_a_sign_that_lags_behind_the_journal_fails(tmp_path: Path) -> None:
    """Of two controllers one does not publish what it caught up with; the run ends by its age."""
    command = (sys.executable, str(BUGGY), "second:shows-only-its-own")
    # The fourth table is at the second controller, and none of its links is at another table.
    options = {"tables": 4, "speed": 60.0, "duration_s": 120, "whole_games": 0, "sign_limit_s": 3.0}
    report = soak(tmp_path, controllers=2, command=command, **options)
    (failure,) = report["failures"]
    found = re.search(
        r"sign of \S+ at controller 2 was wrong for (\S+) s after sequence \d+, limit 3 s: (.*)",
        failure,
    )
    assert found, failure
    assert float(found[1]) >= 3.0
    assert re.search(r"meter \$[\d,.]+, must be \$[\d,.]+|hits \d+, must be \d+", found[2])
    assert report["duration_s"] < 120
    well, ill = report["sign_age_ms"]
    assert well["controller"] == 1
    assert well["changes"] > 0
    assert ill["controller"] == 2
    text = "\n".join(text_lines(report))
    assert "controller 2, p50 " in text
    assert "limit 3 s" in text
    assert "Age of signs behind the journal" in html_page(report)


@SOAK_TIMEOUT
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
    factory = TableFactory(run, AsyncExitStack())
    ways = [factory.ways(place) for place in range(9)]
    proxies = {proxy.address for proxy in run.proxies}
    assert all(set(way) == proxies for way in ways[::3])
    assert {way[0] for way in ways[::3]} == proxies
    direct = {controller.address for controller in run.controllers}
    assert {way[0] for way in ways[1::3]} == {way[0] for way in ways[2::3]} == direct


@SOAK_TIMEOUT
def test_a_herd_that_fails_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables that could not come back are not passed over."""

    async def herd(_: object) -> float:
        raise OSError("too many open files")

    monkeypatch.setattr("emulator.soak.faults.abusive_clients.attach_all", herd)
    monkeypatch.setattr("emulator.soak.faults.abusive_clients.LATEST_HERD_S", 0.0)
    report = soak(tmp_path, rounds=6, whole_games=0, faults=frozenset({"herd"}))
    assert report["failures"] == ["OSError: too many open files"]


@SOAK_TIMEOUT
def test_a_controller_that_does_not_come_back_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tables have played to their end, but whoever waits for it does not wait for ever."""

    async def herd(_: object) -> float:
        await asyncio.sleep(4)  # until after the tables
        return 4.0

    monkeypatch.setattr("emulator.soak.faults.abusive_clients.attach_all", herd)
    monkeypatch.setattr("emulator.soak.faults.abusive_clients.LATEST_HERD_S", 0.0)
    command = (sys.executable, str(BUGGY), "starts-only-once")
    faults = frozenset({"herd"})
    report = soak(tmp_path, tables=1, rounds=1, whole_games=0, faults=faults, command=command)
    assert report["failures"] == ["ControllerError: the controller did not start: not again"]


@SOAK_TIMEOUT
def test_a_controller_that_dies_at_the_end_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tables are done, and what is due is being paid."""

    async def settle_up(run: Soak) -> None:
        run.controllers[0].signal(signal.SIGKILL)
        await asyncio.sleep(60)

    monkeypatch.setattr("emulator.soak.run.settle_up", settle_up)
    report = soak(tmp_path, tables=1, rounds=1, whole_games=0)
    (failure,) = report["failures"]
    assert failure == "UnexpectedEndError: the controller ended by itself (exit code -9)"
    assert report["journal_verified"] is None


@SOAK_TIMEOUT
async def test_who_is_told_twice_to_end_waits_for_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not for controllers that are still to come back."""
    monkeypatch.setattr(
        "emulator.soak.faults.base.FaultInjector.undo_all", lambda _: asyncio.sleep(60)
    )
    run = Soak(Options(tables=1, duration_s=60, whole_games=0), tmp_path)
    running = asyncio.create_task(run.run())
    for _ in range(1_000):
        if run.rounds:
            break
        await asyncio.sleep(0.05)
    running.cancel()
    done, _ = await asyncio.wait({running}, timeout=20)
    assert done
    assert running.cancelled()
    assert run.controllers[0].pid == 0


@SOAK_TIMEOUT
def test_a_run_ends_at_whichever_comes_first(tmp_path: Path) -> None:
    """A hit that does not fall does not keep a run from ending after its rounds."""
    report = soak(tmp_path, rounds=2, until_hit="mega/mega", rigged=False, whole_games=0)
    assert report["passed"]
    assert report["rounds"] == 9 * 2


@SOAK_TIMEOUT
def test_a_controller_that_is_killed_passes(tmp_path: Path) -> None:
    """Killed, stopped, with failing writes and a stepping clock: nothing is lost or doubled."""
    faults = parse_faults("kill,commit,stop,write,clock,connection")
    report = soak(
        tmp_path, tables=4, duration_s=6, faults=faults, every_s=0.4, whole_games=3, fronts=None
    )
    assert report["failures"] == []
    faults_felt = report["faults"]["happened"]
    assert set(faults_felt) == faults
    assert sum(faults_felt.values()) == sum(report["faults"]["done"].values()) > 0
    assert report["agreed_at"] > 0
