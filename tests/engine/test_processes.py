"""Real processes on real files: killed, stopped, and with disks that fail."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from jackpot.core.commands import OpenRound, PlaceWagers, Request, TableOrigin
from jackpot.core.reasons import Reason
from jackpot.engine.faults import POINTS
from jackpot.store.opening import Address, open_to_read
from jackpot.verify import verify
from tests.engine.pit import SITE, Pit, running, wagers
from tests.engine.worker import Told

ROOT = Path(__file__).parents[2]
SHIM = Path(__file__).with_name("failing_sync.c")


class Worker:
    """A controller process, spoken to in lines."""

    def __init__(self, store: Address, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.engine.worker", str(store)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env=os.environ | environment,
            text=True,
        )
        assert self.process.stdout is not None
        assert self.process.stdin is not None
        self.answers, self.questions = self.process.stdout, self.process.stdin
        assert self.answers.readline() == "ready\n"

    def ask(self, number: int, command: OpenRound | PlaceWagers, table: str = "t1") -> Told | None:
        """The outcome of a table's command, or None where the process died over it."""
        self.send(number, command, table)
        return self.hear()

    def send(self, number: int, command: OpenRound | PlaceWagers, table: str = "t1") -> None:
        """Ask without waiting."""
        request = Request(SITE, TableOrigin(table, 1, number), command)
        self.say(msgspec.json.encode(request).decode())

    def say(self, line: str) -> None:
        """A line to the process."""
        self.questions.write(line + "\n")
        self.questions.flush()

    def hear(self) -> Told | None:
        """The next outcome."""
        line = self.answers.readline()
        return msgspec.json.decode(line, type=Told) if line else None

    def insist(
        self,
        number: int,
        command: OpenRound | PlaceWagers,
        within_s: float = 10,
        table: str = "t1",
    ) -> Told:
        """Ask again until the store works."""
        until = time.monotonic() + within_s
        while time.monotonic() < until:
            told = self.ask(number, command, table)
            assert told is not None
            if told.reason != Reason.STORE_UNAVAILABLE:
                return told
            time.sleep(0.02)
        raise TimeoutError("the store did not come back")

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.wait()
        self.answers.close()
        self.questions.close()


@contextmanager
def worker(store: Address, **environment: str) -> Iterator[Worker]:
    """A worker that is gone afterwards."""
    started = Worker(store, **environment)
    try:
        yield started
    finally:
        started.kill()


async def set_up(store: Address) -> None:
    """A journal in which tables t1 and t2 have just attached, with epoch 1."""
    async with running(store) as engine:
        await Pit(engine).open_up("t1", "t2")


@pytest.fixture
async def site(store: Address) -> Address:
    """Such a journal in each kind of store."""
    await set_up(store)
    return store


@pytest.fixture
async def file(tmp_path: Path) -> Path:
    """Such a journal in a file."""
    await set_up(tmp_path)
    return tmp_path


def events_of(store: Address) -> list[tuple[int, str]]:
    """Sequences and kinds of the tables' own events."""
    journal = open_to_read(store)
    found = [(entry.sequence, entry.kind) for entry in journal.read(SITE, 0, 10_000)]
    journal.close()
    return [event for event in found if event[1] in {"RoundOpened", "WagersPlaced", "Refused"}]


@pytest.mark.parametrize("point", [point for point in POINTS if point != "snapshot"])
def test_killed_at_each_step(site: Address, point: str) -> None:
    """Killed anywhere in a commit, a controller has done the retried command exactly once."""
    with worker(site, JACKPOT_FAULT=f"{point}:kill:2") as victim:
        opened = victim.ask(1, OpenRound())
        assert opened is not None
        assert victim.ask(2, wagers(1)) is None
        assert victim.process.wait() == -signal.SIGKILL
    with worker(site) as after:
        assert after.ask(1, OpenRound()) == opened
        placed = after.ask(2, wagers(1))
        assert placed is not None
        assert not placed.reason
    assert events_of(site) == [(opened.sequence, "RoundOpened"), (placed.sequence, "WagersPlaced")]
    assert verify(site).ok


def test_stopped_before_its_commit(site: Address) -> None:
    """What a stopped controller was about to commit, another commits; the first one sees it."""
    with (
        worker(site, JACKPOT_FAULT="before-lock:stop:2") as stopped,
        worker(site) as other,
    ):
        opened = stopped.ask(1, OpenRound())
        stopped.send(2, wagers(1))
        _, status = os.waitpid(stopped.process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        assert other.ask(1, OpenRound()) == opened
        placed = other.ask(2, wagers(1))
        os.kill(stopped.process.pid, signal.SIGCONT)
        assert stopped.hear() == placed
        assert [kind for _, kind in events_of(site)] == ["RoundOpened", "WagersPlaced"]


def test_two_processes_on_one_store(site: Address) -> None:
    """Two controllers taking commands for one site at once number them without a gap."""
    with worker(site) as one, worker(site) as two:
        for number in range(1, 31):
            one.send(number, OpenRound(), "t1")
            two.send(number, OpenRound(), "t2")
        told = [one.hear() for _ in range(30)] + [two.hear() for _ in range(30)]
    sequences = [answer.sequence for answer in told if answer]
    assert sorted(sequences) == [sequence for sequence, _ in events_of(site)]
    assert len(set(sequences)) == 60
    assert verify(site).ok


def test_disk_full(file: Path) -> None:
    """A full disk is an honest UNAVAILABLE, and the controller goes on when there is room."""
    with worker(file) as serving:
        opened = serving.ask(1, OpenRound())
        serving.say("limit 1")
        for _ in range(3):
            assert serving.ask(2, wagers(1)) == Told(reason=Reason.STORE_UNAVAILABLE)
        serving.say("limit 1000000000")
        placed = serving.insist(2, wagers(1))
        assert serving.ask(1, OpenRound()) == opened
        assert not placed.reason
    assert [kind for _, kind in events_of(file)] == ["RoundOpened", "WagersPlaced"]
    assert verify(file).ok


@pytest.fixture(scope="session")
def failing_sync(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library that fails to sync write-ahead logs while a file says so."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("there is no C compiler to build the failing disk with")
    library = tmp_path_factory.mktemp("shim") / "failing_sync.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, SHIM, "-ldl"], check=True)
    return library


@pytest.mark.parametrize("killed", [True, False])
def test_sync_of_the_log_fails(file: Path, failing_sync: Path, *, killed: bool) -> None:
    """A commit whose sync failed is unknown; retried after a kill or a recovery it is done once."""
    trigger = file / "fail-now"
    shim = {"LD_PRELOAD": str(failing_sync), "FAIL_SYNC_WHILE": str(trigger)}
    with worker(file, **shim) as serving:
        opened = serving.ask(1, OpenRound())
        trigger.touch()
        assert serving.ask(2, wagers(1)) == Told(reason=Reason.STORE_UNAVAILABLE)
        assert serving.ask(2, wagers(1)) == Told(reason=Reason.STORE_UNAVAILABLE)
        if killed:
            serving.kill()
        trigger.unlink()
        if not killed:
            assert not serving.insist(2, wagers(1)).reason
    with worker(file) as after:
        assert after.ask(1, OpenRound()) == opened
        assert not after.insist(2, wagers(1)).reason
    assert [kind for _, kind in events_of(file)] == ["RoundOpened", "WagersPlaced"]
    assert verify(file).ok
