"""The benchmark measures what it says it measures."""

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from msgspec import to_builtins

from emulator.bench.growth import Growth, build
from emulator.bench.load import Job
from emulator.bench.markdown import BEGIN, END, rewrite
from emulator.bench.messages import SITE, WAGERS, losing_deals, messages
from emulator.bench.processes import (
    House,
    Measured,
    Plan,
    Server,
    loader,
    loading,
    measure,
    prepared,
)
from emulator.bench.report import NAMES, Target, machine, targets, text_lines
from emulator.bench.wagers import write_report
from emulator.cli import main
from emulator.linux_process import below, children, cpu_by_process, cpu_s, tree
from jackpot.core.state import State
from jackpot.engine.replica import load as load_replica
from jackpot.store.sqlite import SqliteJournal
from jackpot.verify import verify
from jackpot.wire.v1 import table_pb2 as pb


@pytest.mark.process
@pytest.mark.parametrize("role", ["echo", "tuned", "batching", "bytes", "controller"])
def test_every_server_answers_every_message(role: str, tmp_path: Path) -> None:
    """A load of messages is answered in full, and both sides' processor time is known."""
    server = Server(role, tmp_path, tables=4).start()
    try:
        job = Job(
            "stream",
            server.address,
            tables=4,
            count=240,
            attach=role == "controller",
            one_reply_each=role == "bytes",
            channels=0,
        )
        found = measure(job, server.pid)
    finally:
        server.stop()
    assert found.wagers_per_s == pytest.approx(found.messages_per_s * WAGERS, rel=0.1)
    assert 0 < found.p50_ms <= found.p99_ms <= found.p999_ms
    assert found.client_cpu_us > 0
    assert found.resident_mb > 10
    assert sum(found.process_us.values()) > 0
    if role == "controller":
        assert verify(tmp_path).ok
        assert "ledger" in found.process_us


@pytest.mark.process
def test_a_load_opens_more_files_than_the_soft_limit(tmp_path: Path) -> None:
    """Every table has a connection of its own, and a default machine allows 1,024 files."""
    server = Server("echo", tmp_path).start()
    load = subprocess.Popen(
        [sys.executable, "-m", "emulator.bench.load"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        hard = resource.prlimit(load.pid, resource.RLIMIT_NOFILE)[1]
        resource.prlimit(load.pid, resource.RLIMIT_NOFILE, (64, hard))
        job = Job("stream", server.address, tables=100, count=200, channels=0)
        said, _ = load.communicate(f"{json.dumps(to_builtins(job))}\ngo\n", timeout=60)
    finally:
        load.kill()
        server.stop()
    ready, seen = said.splitlines()
    assert (ready, json.loads(seen)["messages"]) == ("ready", 200)


@pytest.mark.process
def test_a_wager_at_a_time_is_answered_too(tmp_path: Path) -> None:
    """The naive controller commits each wager; at a fixed rate the load keeps to the clock."""
    server = Server("naive", tmp_path).start()
    try:
        found = measure(Job("unary", server.address, tables=2, count=40, wagers=1), server.pid)
        assert found.wagers_per_s == pytest.approx(found.messages_per_s)
    finally:
        server.stop()
    echo = Server("echo", tmp_path).start()
    try:
        job = Job("stream", echo.address, tables=2, count=100, window=24, rate=200.0)
        found = measure(job, echo.pid)
        assert found.messages_per_s == pytest.approx(200, rel=0.3)
    finally:
        echo.stop()


def test_messages_are_numbered_without_gaps() -> None:
    """Each message is six wagers; every 26th closes a round and opens the next."""
    numbers, made = [], messages("wagers", 3, 1, 7, 53)
    for each in made:
        message = pb.PlayRequest.FromString(each.raw)
        assert (message.site, message.table, message.epoch) == (SITE, "t3", 7)
        assert len(message.commands) == each.commands
        numbers += [command.number for command in message.commands]
    assert numbers == list(range(1, len(numbers) + 1))
    assert sum(each.wagers for each in made) == 50 * WAGERS
    assert sum(each.rounds for each in made) == 3


def test_whole_rounds_have_folds_awards_and_voids() -> None:
    """A house's rounds: six seats on the progressive, two of them on the bonus as well."""
    made = messages("rounds", 0, 1, 1, 600)
    sent = [c for each in made for c in pb.PlayRequest.FromString(each.raw).commands]
    kinds = Counter(command.WhichOneof("command") for command in sent)
    rounds = sum(each.rounds for each in made)
    assert kinds["open_round"] == kinds["place_wagers"] == rounds
    assert sum(each.wagers for each in made) == rounds * (WAGERS + 2)
    assert 0 < kinds["void_round"] < rounds / 10
    assert 0 < kinds["withdraw_wagers"] < rounds / 10
    hands = [hand for command in sent for hand in command.settle.hands]
    assert {hand.fate for hand in hands} == {pb.FATE_PLAYED, pb.FATE_FOLDED}
    losing = losing_deals()
    winning = [c for c in sent if c.settle.hands and c.settle not in losing]
    assert len(winning) > rounds / 20


@pytest.mark.process
def test_a_house_plays_whole_rounds_one_load_after_the_other(tmp_path: Path) -> None:
    """`jackpot serve` on a site file takes every message, and what was won is paid."""
    with House(tmp_path, 3) as server, loader() as load:
        for _ in range(2):
            job = Job("stream", server.address, 3, 300, 12, attach=True, messages="rounds")
            found = measure(job, server.pid, load)
            assert found.rounds_per_s == pytest.approx(found.messages_per_s / 3, rel=0.1)
        prepared(load, job)  # the last load has paid
        assert verify(server.data).ok
    state = replayed_state(server.data)
    assert not state.payouts
    assert state.last_payout > 10


def replayed_state(folder: Path) -> State:
    """What a journal comes to."""
    journal = SqliteJournal.open_to_read(folder)
    try:
        return load_replica(journal, SITE).state
    finally:
        journal.close()


def test_a_process_that_ends_while_it_is_looked_at_has_no_children(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its folder is there and gone in the next moment: that is no error."""

    def gone(*_: object) -> None:
        raise FileNotFoundError

    monkeypatch.setattr(Path, "glob", gone)
    assert children(os.getpid()) == []


@pytest.mark.process
def test_children_of_a_controller_are_counted_by_name() -> None:
    """A controller may have processes below it, each with its own processor time and memory."""
    burn = "while True: pass"
    spawn = f"import subprocess, sys; subprocess.run([sys.executable, '-m', 'timeit', {burn!r}])"
    with subprocess.Popen([sys.executable, "-c", spawn], stdout=subprocess.DEVNULL) as process:
        try:
            until = time.monotonic() + 20
            named = ["ledger", "timeit 1"]  # once the child is what it was started as
            while list(tree(process.pid).values()) != named:
                assert time.monotonic() < until, tree(process.pid)
                time.sleep(0.02)
            (child,) = below(process.pid)
            began = cpu_by_process(process.pid)[child]
            while cpu_by_process(process.pid)[child] < began + 0.05:
                assert time.monotonic() < until
            assert cpu_s(process.pid) >= cpu_by_process(process.pid)[child]
        finally:
            for pid in (*below(process.pid), process.pid):
                os.kill(pid, signal.SIGKILL)


def test_a_journal_is_built_to_length_and_goes_on(tmp_path: Path) -> None:
    """A built journal is as long as asked, verifies, and can be made longer."""
    for length in (300, 700):
        build(tmp_path, length)
        assert length <= entries(tmp_path) < length + 40
    assert verify(tmp_path).ok


def entries(folder: Path) -> int:
    """How long a journal is."""
    journal = SqliteJournal.open_to_read(folder)
    try:
        return journal.heads()[SITE].sequence
    finally:
        journal.close()


@pytest.mark.process
def test_a_journal_is_as_long_as_it_is_said_to_be(tmp_path: Path) -> None:
    """Runs play on copies: a short one is laid anew, and what was built is left as it is."""
    plan, journals = Plan(runs=1, messages=60, lengths=(200, 9_000)), tmp_path / "journals"
    found = Growth(plan, tmp_path, journals, lambda _: None).measure()
    for length in plan.lengths:
        assert length <= entries(journals / f"journal-{length}") < length + 40
        assert found[str(length)]["server_cpu_us"] > 0
        assert found[str(length)]["restart_s"] > found["baseline_start_s"] / 2
        assert verify(tmp_path / f"played-{length}").ok
    # A load of 60 messages, another of 160 to warm up, and what was committed before the kill.
    added = entries(tmp_path / "played-200") - 200
    assert 160 < added < 700
    assert entries(tmp_path / "played-9000") - 9_000 > added


@pytest.mark.process
def test_connections_are_made_before_the_clock_starts(tmp_path: Path) -> None:
    """Who answers first is not who was connected to first."""
    server = Server("echo", tmp_path).start()
    try:
        with loading(Job("stream", server.address, tables=40, count=40, channels=0)):
            port = f":{int(server.address.rpartition(':')[2]):04X}"
            # A server's socket may be of either kind, whatever address it was given.
            text = "".join(Path(f"/proc/net/tcp{kind}").read_text() for kind in ("", "6"))
            rows = [line.split() for line in text.splitlines()]
            established = [row for row in rows if row[1].endswith(port) and row[3] == "01"]
            assert len(established) == 40
    finally:
        server.stop()


def measured(**changes: float) -> Measured:
    """A run with these figures."""
    *fields, _ = Measured.__struct_fields__
    figures = dict.fromkeys(fields, 1.0) | changes
    return Measured(**figures, process_us={"ledger": 1.0})


@pytest.mark.parametrize(
    ("client", "server", "limit"),
    [(0.95, 0.9, "client"), (0.5, 0.8, "server"), (0.79, 0.79, "neither")],
)
def test_it_says_who_was_the_limit(client: float, server: float, limit: str) -> None:
    """Whoever used up a processor could not have done more."""
    assert measured(client_busy=client, server_busy=server).limit == limit


@pytest.mark.process
def test_targets_are_judged_by_ratio(tmp_path: Path) -> None:
    """A ratio just at its goal is met, one below is missed."""
    ratio = {"median": 1.1, "least": 0.9, "most": 1.2}
    short = {**ratio, "median": 0.79}
    report = {
        "by_tables": {"8": {"of_echo": ratio, "of_batching": short}},
        "by_length": {
            "10000": {"server_cpu_us": 10.0, "restart_s": 1.0},
            "10000000": {"server_cpu_us": 11.0, "restart_s": 2.1},
        },
    }
    found = {target.says: target.met for target in targets(report)}
    assert found == {
        "messages/s of the echo's, 8 tables": True,
        "messages/s of a batching echo's, 8 tables": False,
        "cost a wager at 10,000,000 entries, of 10,000": True,
        "seconds to restart, any journal": False,
    }
    judged = [list(Target("a", 1.0, 1.0, met=True))]
    whole = {"machine": machine(tmp_path), "notes": ["no PostgreSQL"], "targets": judged}
    write_report(whole, tmp_path)
    assert json.loads((tmp_path / "bench.json").read_text())["notes"] == ["no PostgreSQL"]
    assert any("met" in line for line in text_lines(whole))


@pytest.mark.process
def test_a_terminal_of_80_columns_shows_all_of_it(tmp_path: Path) -> None:
    """No line is longer, whatever the figures, and no word is cut."""
    most = {
        "wagers_per_s": 123_456.7,
        "p50_ms": 1234.5,
        "p99_ms": 12_345.0,
        "p999_ms": 23_456.0,
        "server_cpu_us": 12_345.0,
        "resident_mb": 12_345.0,
    }
    row = to_builtins(measured(**most)) | {"limit": "neither", "restart_s": 1.0}
    ratios = ("of_echo", "of_batching", "of_postgres")
    every = {**dict.fromkeys(NAMES, row), **{name: {"median": 1234.5} for name in ratios}}
    report: dict[str, Any] = {
        "machine": machine(tmp_path) | {"processor": "A long name of a processor " * 4},
        "notes": ["why there is no PostgreSQL to compare with " * 4],
        "by_tables": {"1": every, "64": every, "512": every},
        "at_load": {
            "64 at 0.25": {
                "rate": 12_345.6,
                "echo": row,
                "controller": row,
                "p99_of_echo": {"median": 1234.5},
            }
        },
        "by_length": {"10000": row, "10000000": row, "baseline_start_s": 0.5},
        "by_links": {"1": row, "64": row},
    }
    report["targets"] = [list(target) for target in targets(report)]
    lines = "\n".join(text_lines(report)).split("\n")
    assert [line for line in lines if len(line) > 80] == []
    for words in ("1 table ", "64 tables ", "1 link:", " a call a wager ", " six a call "):
        assert any(words in f"{line} " for line in lines), words
    assert sum(line.endswith(" neither") for line in lines) == 3 * len(NAMES)


@pytest.mark.parametrize("option", ["--report", "--journals", "--data"])
def test_a_folder_that_cannot_be_made_is_one_line(option: str) -> None:
    """It is found before anything is measured."""
    done = CliRunner().invoke(main, ["bench", "wagers", "--quick", option, "/proc/nothing"])
    assert done.exit_code == 1
    assert done.output == (
        f"Error: can't write into {option} /proc/nothing: No such file or directory\n"
    )


def test_a_load_that_is_not_measured_is_said() -> None:
    """Latency at a load is measured at 8 and 64 tables only."""
    done = CliRunner().invoke(main, ["bench", "wagers", "--only", "load", "--tables", "1"])
    assert done.exit_code == 2
    assert "measured at 8 or 64 tables" in done.output


@pytest.mark.process
def test_a_bench_that_is_ended_leaves_nothing(tmp_path: Path) -> None:
    """SIGTERM stops its servers and takes its folder away."""
    tmp_path.chmod(0o755)
    call = "from emulator.cli import main; main()"
    command = [sys.executable, "-c", call, "bench", "wagers", "--quick", "--data", str(tmp_path)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert any("run 0" in line for line in process.stderr), "it measures"
        assert list(tmp_path.iterdir())
        process.terminate()
        process.communicate(timeout=60)
    assert process.returncode == 143
    assert list(tmp_path.iterdir()) == []


@pytest.mark.timeout(300)
@pytest.mark.slow
@pytest.mark.process
def test_the_command_measures_everything(tmp_path: Path) -> None:
    """A quick benchmark of one table ends with a report in all its forms."""
    arguments = [
        "bench",
        "wagers",
        "--quick",
        "--tables",
        "8",
        "--only",
        "tables",
        "--only",
        "links",
    ]
    with tempfile.TemporaryDirectory() as data:
        Path(data).chmod(0o755)  # root's PostgreSQL runs as somebody else
        done = CliRunner().invoke(
            main, [*arguments, "--data", data, "--report", str(tmp_path / "out"), "--json"]
        )
    assert done.exit_code == 0, done.output
    found = json.loads((tmp_path / "out" / "bench.json").read_text())
    assert found["by_tables"]["8"]["postgres"]["wagers_per_s"] > 0
    assert set(found["by_links"]) == {"1", "8", "64"}
    assert found["by_tables"]["8"]["controller"]["wagers_per_s"] > 0
    assert "<svg" in (tmp_path / "out" / "bench.html").read_text()


@pytest.mark.process
def test_figures_go_between_the_marks_of_a_page(tmp_path: Path) -> None:
    """What stands around them stays, old figures go, and a page without marks is left alone."""
    report = {
        "at": "2026-01-02T03:04:05+00:00",
        "machine": machine(tmp_path),
        "notes": ["no PostgreSQL"],
        "targets": [list(Target("messages/s", 0.9, 1.0, met=False))],
        "by_tables": {"1": {"echo": to_builtins(measured(wagers_per_s=1234.0)) | {"limit": "-"}}},
    }
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n")
    rewrite(page, report)
    text = page.read_text()
    assert text.startswith(f"before\n{BEGIN}\n\n2026-01-02")
    assert text.endswith(f"no PostgreSQL\n\n{END}\nafter\n")
    assert "| messages/s | 1 | 0.90 | missed by 10% |" in text
    assert "| echo, one for one | 1 | 1,234 |" in text
    assert "old" not in text
    page.write_text("nothing")
    no_folder = str(tmp_path / "no")
    done = CliRunner().invoke(main, ["bench", "wagers", "--page", str(page), "--data", no_folder])
    assert done.exit_code == 1
    assert done.output.startswith(f"Error: --page: {page} has no place for figures: it needs <!--")
    assert page.read_text() == "nothing"
