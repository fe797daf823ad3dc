"""A soak as a process: signalled, with few files, and when one of its controllers is killed."""

import asyncio
import io
import json
import os
import pty
import resource
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from rich.console import Console

from emulator.soak.options import Options
from emulator.soak.report.text import text_lines
from emulator.soak.run import Soak
from emulator.soak.run_soak import stop_when_told
from tests.emulator.soaks import SOAK_TIMEOUT

pytestmark = pytest.mark.process

SOAK = [sys.executable, "-c", "from emulator.cli import main; main()", "soak"]


@contextmanager
def long_soak(folder: Path, *options: str) -> Iterator["subprocess.Popen[str]"]:
    """A soak in a process group of its own, as of a shell, that has begun to play."""
    options = (
        "--tables=3",
        "--rounds=100000",
        "--json",
        "--fronts=0",
        f"--keep={folder}",
        *options,
    )
    run = subprocess.Popen(
        [*SOAK, *options],
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    transcript = folder / "transcript"
    ends_s = time.monotonic() + 60
    try:
        while not (transcript.exists() and transcript.stat().st_size > 50_000):
            assert time.monotonic() < ends_s, "it does not play"
            time.sleep(0.1)
        yield run
    finally:
        run.kill()
        run.wait()


def controllers_of(run: "subprocess.Popen[str]") -> list[int]:
    """The processes that a soak has started."""
    found = Path(f"/proc/{run.pid}/task").glob("*/children")
    return [int(child) for path in found for child in path.read_text().split()]


@SOAK_TIMEOUT
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_a_run_with_its_report(number: signal.Signals, tmp_path: Path) -> None:
    """What was played until then is audited to the end, and the report says that it is less.

    A terminal signals the whole process group, and `timeout` the process itself as well.
    """
    with long_soak(tmp_path, "--whole-games=3", "--controllers=2") as run:
        run.send_signal(number)
        time.sleep(0.1)
        os.killpg(run.pid, number)
        output, _ = run.communicate(timeout=60)
        report = json.loads(output)
        assert report["failures"] == []
        assert run.returncode == 130
        assert (report["passed"], report["stopped_early"]) == (True, True)
        assert report["journal_verified"]
        assert 3 <= report["rounds"] < 300_000
        assert "stopped early" in text_lines(report)[0]


async def test_ctrl_c_after_the_end_stops_nothing_early(tmp_path: Path) -> None:
    """All rounds were played: the report on them is not one of a run that was stopped."""
    run, loop = Soak(Options(tables=1, rounds=1), tmp_path), asyncio.get_running_loop()
    run.ended = 1.0
    said = io.StringIO()
    stop_when_told(run, Console(file=said))
    try:
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(0.1)
    finally:
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(number)
    assert said.getvalue() == "The run is over; press Ctrl-C again to quit without a report.\n"
    assert not run.stopping


@SOAK_TIMEOUT
def test_a_controller_that_ends_by_itself_is_a_failure(tmp_path: Path) -> None:
    """Nobody waits for it to come back."""
    with long_soak(tmp_path, "--whole-games=0") as run:
        (controller,) = controllers_of(run)
        os.kill(controller, signal.SIGKILL)
        output, _ = run.communicate(timeout=60)
        assert run.returncode == 1
        assert "the controller ended by itself (exit code -9)" in json.loads(output)["failures"][0]


@SOAK_TIMEOUT
def test_controllers_end_with_a_soak_that_is_killed(tmp_path: Path) -> None:
    """Though its signals don't reach them."""
    with long_soak(tmp_path, "--whole-games=0") as run:
        (controller,) = controllers_of(run)
        handle = os.pidfd_open(controller)
        try:
            run.kill()
            run.communicate(timeout=60)
            assert select.select([handle], [], [], 10)[0]
        finally:
            os.close(handle)


@SOAK_TIMEOUT
def test_a_terminal_shows_progress_beside_json(tmp_path: Path) -> None:
    """The report goes to standard output, and what one looks at does not."""
    terminal, stderr = pty.openpty()
    options = ["--tables=2", "--duration=1", "--whole-games=0", "--fronts=0", "--json"]
    with (tmp_path / "out").open("w") as out:
        run = subprocess.Popen([*SOAK, *options], stdout=out, stderr=stderr)
    os.close(stderr)
    drawn = b""
    with suppress(OSError):  # that is how a terminal ends
        while chunk := os.read(terminal, 65_536):
            drawn += chunk
    os.close(terminal)
    assert run.wait(60) == 0
    assert json.loads((tmp_path / "out").read_text())["passed"]
    assert b"audited to sequence" in drawn


@SOAK_TIMEOUT
def test_a_soak_opens_more_files_than_the_soft_limit() -> None:
    """A default machine allows 1,024, and a full site with its copies needs more."""
    options = ["--tables=60", "--rounds=1", "--whole-games=0", "--faults=double", "--json"]
    run = subprocess.Popen(
        [*SOAK, *options],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        hard = resource.prlimit(run.pid, resource.RLIMIT_NOFILE)[1]
        resource.prlimit(run.pid, resource.RLIMIT_NOFILE, (64, hard))
        output, _ = run.communicate(timeout=120)
    finally:
        run.kill()
    assert json.loads(output)["failures"] == []
