"""Real processes on real files: killed, stopped, and with disks that fail."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from jackpot.core.commands.table import OpenRound
from jackpot.core.reasons import Reason
from jackpot.engine.commit_points import POINTS
from jackpot.store.opening import Address
from jackpot.verify import verify
from tests.engine.pit import wagers
from tests.engine.worker import Told
from tests.engine.workers import events_of, set_up, worker

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
SHIM = Path(__file__).with_name("failing_sync.c")


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
