"""`jackpot demo`: a whole floor of processes, as somebody sees it who types `make run`."""

import contextlib
import fcntl
import json
import os
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from jackpot.cli.demo import demo
from jackpot.store.opening import open_to_read
from tests.cli.in_process import Done, run_here

pytestmark = pytest.mark.process

JACKPOT = (sys.executable, "-m", "jackpot", "demo")
WIDTH = 80
GAMES = ("Crazy 4", "Caribbean Stud", "Let It Ride")


PORTS = ("--grpc", "127.0.0.1:0", "--http", "127.0.0.1:0")  # that nobody else has


def run(*args: str) -> subprocess.CompletedProcess[str]:
    """The demo without a terminal."""
    return subprocess.run(
        [*JACKPOT, *PORTS, *args], capture_output=True, text=True, timeout=100, check=False
    )


def run_in_process(*args: str) -> Done:
    """The same where only its journal matters; its devices, front and pages are still processes."""
    return run_here(demo, *PORTS, *args)


def journal(data: Path) -> list[tuple[object, ...]]:
    """Every row of a journal, as it is stored."""
    archive = open_to_read(data)
    with contextlib.closing(archive):
        return [
            (row.sequence, row.time_micros, row.kind, row.body, row.hash)
            for row in archive.read("demo", 0, 10_000)
        ]


@pytest.fixture(scope="module")
def replay(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A demo of a dozen rounds: its journal, and what it printed."""
    data = tmp_path_factory.mktemp("replay") / "data"
    done = run("--rounds", "12", "--seed", "3", "--data", str(data))
    assert (done.returncode, done.stderr) == (0, "")
    return data, done.stdout


def test_it_stops_after_its_rounds_and_sums_up(replay: tuple[Path, str]) -> None:
    """It says where everything is and that it is rigged, what fell, and that all is sound."""
    text = replay[1]
    assert re.match(r"A controller on 127\S+, six tables playing with seed 3\.\n", text)
    assert "The cards are rigged: one hand in 20 is made to win.\n" in text
    assert re.search(r"\n  sign +http://127\S+/sign/mega\n", text)
    assert re.search(r"\ntable-\d round \d: seat \d wins \$[\d,.]+, [a-z ]+ \(\w+\)\n", text)
    assert re.search(r"\n12 rounds, \d+ wagers for \$\d+\.00, \d+ payouts of \$", text)
    assert re.search(r"\njournal demo: sound, \d+ entries", text)
    assert max(map(len, text.splitlines())) <= WIDTH


def test_the_same_seed_gives_the_same_journal(replay: tuple[Path, str], tmp_path: Path) -> None:
    """Six tables on sockets, cards from another process, at another speed: every row is the same.

    The order of the tables is that of the floor's own time.
    """
    again = tmp_path / "again"
    done = run_in_process("--rounds", "12", "--seed", "3", "--speed", "500", "--data", str(again))
    assert (done.returncode, done.stderr) == (0, "")
    first, second = journal(replay[0]), journal(again)
    assert len(first) > 100
    assert {row[2] for row in first} >= {"WagersPlaced", "RoundSettled", "PayoutPaid"}
    assert len({row[1] for row in first}) > 50
    assert second == first


def test_another_seed_or_fair_cards_give_another_journal(
    replay: tuple[Path, str], tmp_path: Path
) -> None:
    """A machine reads a round a line; --fair says that nothing is rigged."""
    data = ("--data", str(tmp_path / "d"))
    done = run_in_process("--rounds", "6", "--seed", "4", "--fair", "--json", *data)
    opened, *rounds, summary = (json.loads(line) for line in done.stdout.splitlines())
    assert opened["rigged"] == ""
    assert [each["event"] for each in rounds] == ["round"] * 6
    assert {each["table"] for each in rounds} == {f"table-{n}" for n in range(1, 7)}
    assert summary["rounds"] == 6
    assert len(summary["heads"]["demo"]) == 64
    assert journal(tmp_path / "d")[-1] != journal(replay[0])[-1]


def test_a_second_run_goes_on_where_the_first_ended(
    replay: tuple[Path, str], tmp_path: Path
) -> None:
    """The same data again: nothing is taken for a repeat, and the journal only grows."""
    data = shutil.copytree(replay[0], tmp_path / "data")  # others compare with the first run
    before = journal(data)
    done = run_in_process("--rounds", "6", "--seed", "3", "--data", str(data))
    assert (done.returncode, done.stderr) == (0, "")
    after = journal(data)
    assert after[: len(before)] == before
    assert len(after) > len(before) + 30


# What a demo starts, each by words of its command.
PROCESSES = ("main() devices", "jackpot.front", "jackpot.display.web")


class Terminal:
    """A terminal of 80 columns with the demo in it."""

    def __init__(self, *args: str, rows: int = 24) -> None:
        self.pid, self._fd = pty.fork()
        if self.pid == 0:
            os.environ["TERM"] = "xterm-256color"
            os.execv(sys.executable, [*JACKPOT, *args])
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, WIDTH, 0, 0))
        self.text = ""

    def read(self, until: str, timeout_s: float = 60) -> None:
        """Take in what is written until something is there, or the end."""
        ends_s = time.monotonic() + timeout_s
        while not re.search(until, self.text, re.DOTALL) and time.monotonic() < ends_s:
            if select.select([self._fd], [], [], 0.2)[0]:
                try:
                    written = os.read(self._fd, 65_536).decode(errors="replace")
                except OSError:  # the other side has closed
                    return
                lines = re.sub(r"\x1b\[1A", "\n", written)  # the picture is drawn anew
                self.text += re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\r", "", lines)

    def end(self) -> int:
        """Read the rest; how it ended."""
        self.read(r"never there")
        os.close(self._fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    """A demo that people watch."""
    there = Terminal("--seed", "3", "--speed", "60", "--grpc", "127.0.0.1:0")
    try:
        yield there
    finally:
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(there.pid, signal.SIGKILL)
            os.waitpid(there.pid, 0)


def children(pid: int) -> dict[int, str]:
    """The commands of the processes that a process has started."""
    found = subprocess.run(
        ["ps", "-o", "pid=,args=", "-ww", "--ppid", str(pid)],
        capture_output=True,
        text=True,
        check=False,
    )
    lines = (line.split(maxsplit=1) for line in found.stdout.splitlines())
    return {int(child): command for child, command in lines}


def test_a_terminal_shows_meters_tables_rounds_and_awards(terminal: Terminal) -> None:
    """All at once on 24 lines, with lamps; Ctrl-C sums up, and no process stays behind."""
    terminal.read(r"AWARDS\s+table-\d round \d+: [^\n]+\$")
    started = children(terminal.pid)
    assert all(any(name in each for each in started.values()) for name in PROCESSES)
    os.kill(terminal.pid, signal.SIGINT)
    assert terminal.end() == 0
    picture = terminal.text[terminal.text.rindex("AWARDS\n") - 2_000 :]
    for text in (*GAMES, "Mega Five-Card Progressive", "LAST ROUNDS", "/sign/mega", "●"):
        assert text in picture
    assert re.search(r"table-\d round \d+: [^\n]+ hands, (house|players) \+\$", picture)
    assert re.search(r"journal demo: sound, \d+ entries", terminal.text)
    assert "Traceback" not in terminal.text
    assert max(map(len, terminal.text.splitlines())) <= WIDTH
    for child in started:
        with pytest.raises(ProcessLookupError):
            os.kill(child, 0)


def test_lost_devices_end_it_in_one_line(terminal: Terminal) -> None:
    """A device process that dies is told in a line; nothing hangs, and the journal is sound."""
    terminal.read(r"LAST ROUNDS\s+table-\d round")
    (devices,) = (pid for pid, each in children(terminal.pid).items() if PROCESSES[0] in each)
    os.kill(devices, signal.SIGKILL)
    assert terminal.end() == 1
    assert re.search(r"Error: the devices at 127\S+ are lost", terminal.text)
    assert "Traceback" not in terminal.text


def test_no_process_outlives_a_demo_that_was_killed(terminal: Terminal) -> None:
    """The devices' standard input ends with their parent; front and pages are ended with it."""
    terminal.read(r"LAST ROUNDS")
    started = children(terminal.pid)
    os.kill(terminal.pid, signal.SIGKILL)
    terminal.end()
    ends_s = time.monotonic() + 20
    for child in started:
        while time.monotonic() < ends_s and Path(f"/proc/{child}").exists():
            time.sleep(0.05)
        assert not Path(f"/proc/{child}").exists()


def test_faults_are_told() -> None:
    """With a fault rate rounds are void by rule now and then, and the journal is sound."""
    done = run("--rounds", "18", "--seed", "5", "--fault-rate", "20000", "--json")
    assert done.returncode == 0
    assert all(line.startswith("alarm LATE_VOID: ") for line in done.stderr.splitlines())
    _, *rounds, summary = (json.loads(line) for line in done.stdout.splitlines())
    void = [each for each in rounds if each["void"]]
    assert 0 < len(void) == summary["voids"] < 18
    assert {seat["net"] for each in void for seat in each["seats"].values()} == {"0.00"}
    assert summary["heads"]
