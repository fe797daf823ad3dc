"""Fronts as processes: what their death, their silence and their ledger's death come to."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from jackpot.processor import ALLOWED
from jackpot.wire.v1 import meter_pb2, meter_pb2_grpc
from table_client.client import open_channel
from tests.e2e.load import shown_micros
from tests.e2e.process import Process
from tests.engine.pit import eventually

pytestmark = pytest.mark.process


def is_there(process: int) -> bool:
    """Whether a process still runs; one that waits to be reaped does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


async def answers(process: Process) -> None:
    """Wait for an answer over a new connection."""
    async with open_channel(process.address) as channel:
        await shown_micros(channel)


async def test_fronts_end_with_their_ledger_and_leave_the_port(tmp_path: Path) -> None:
    """The ledger is killed; its fronts are gone, and the next controller has the port at once."""
    with Process(tmp_path, options=("--fronts", "2")) as process:
        fronts = process.fronts
        assert len(fronts) == 2
        process.kill()
        process.start()
        assert not any(map(is_there, fronts))
        await answers(process)
        assert process.stop() == 0


def processors(task: Path) -> str:
    """On which processors a thread may run."""
    lines = (task / "status").read_text().splitlines()
    return next(line.split()[1] for line in lines if line.startswith("Cpus_allowed_list"))


def policies(pid: int) -> set[int]:
    """By what policies the kernel schedules the threads of a process."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return {os.sched_getscheduler(int(thread.name)) for thread in threads}


@pytest.mark.skipif(len(ALLOWED) < 2, reason="this machine has one processor")
async def test_the_ledger_keeps_to_one_processor_and_its_fronts_do_not(tmp_path: Path) -> None:
    """Loop and writer share one; a front may use any, also one that was started later."""
    with Process(tmp_path, options=("--fronts", "1")) as process:
        loop = Path(f"/proc/{process.pid}/task/{process.pid}")
        bound = [task for task in loop.parent.iterdir() if processors(task).isdecimal()]
        assert loop in bound
        assert len(bound) == 2
        assert len({processors(task) for task in bound}) == 1
        (front,) = process.fronts
        everywhere = processors(Path("/proc/self"))
        assert policies(front) == {os.SCHED_OTHER}
        assert processors(Path(f"/proc/{front}")) == everywhere
        os.kill(front, signal.SIGKILL)
        await eventually(lambda: process.fronts not in ([front], []), within_s=30)
        assert processors(Path(f"/proc/{process.fronts[0]}")) == everywhere
        await answers(process)


@pytest.mark.skipif(not hasattr(os, "SCHED_BATCH"), reason="only Linux has this policy")
async def test_a_busy_front_interrupts_nobody(tmp_path: Path) -> None:
    """Its threads wait for their turn while many messages come, and no longer than that."""
    with Process(tmp_path, options=("--fronts", "1")) as process:
        (front,) = process.fronts

        async def ask() -> None:
            async with AsyncExitStack() as stack:
                channels = [
                    await stack.enter_async_context(open_channel(process.address)) for _ in range(3)
                ]
                stubs: list[Any] = [meter_pb2_grpc.MeterServiceStub(each) for each in channels]
                while True:
                    asked = [s.ListSites(meter_pb2.ListSitesRequest()) for s in stubs * 80]
                    await asyncio.gather(*asked)

        asking = asyncio.create_task(ask())
        await eventually(lambda: policies(front) == {os.SCHED_BATCH}, within_s=60)
        asking.cancel()
        await asyncio.wait([asking])
        await eventually(lambda: policies(front) == {os.SCHED_OTHER}, within_s=60)


async def test_a_front_that_answers_no_pings_is_replaced(tmp_path: Path) -> None:
    """A stopped process keeps its port and its calls; the ledger ends it."""
    log = tmp_path / "log"
    with Process(tmp_path, options=("--fronts", "1"), log=log) as process:
        (front,) = process.fronts
        os.kill(front, signal.SIGSTOP)
        await eventually(lambda: process.fronts not in ([front], []), within_s=30)
        assert not is_there(front)
        await answers(process)
        assert process.stop() == 0
    assert "alarm FRONT_LOST" in log.read_text()


async def test_callers_of_a_ledger_that_was_stopped_are_let_go(tmp_path: Path) -> None:
    """They may go to another controller; when the ledger goes on, it has another front."""
    with Process(tmp_path, options=("--fronts", "1")) as process:
        (front,) = process.fronts
        await asyncio.sleep(1.5)  # it has been pinged
        process.signal(signal.SIGSTOP)
        await eventually(lambda: not is_there(front), within_s=40)
        process.signal(signal.SIGCONT)
        await answers(process)
        assert process.stop() == 0


async def test_signals_to_the_group_are_the_ledgers_to_heed(tmp_path: Path) -> None:
    """Ctrl-C reaches every process of a terminal; the fronts wait to be drained."""
    with Process(tmp_path, options=("--fronts", "2")) as process:
        for front in process.fronts:
            os.kill(front, signal.SIGINT)
            os.kill(front, signal.SIGTERM)
        before = process.fronts
        await answers(process)
        assert process.fronts == before
        began_s = time.monotonic()
        assert process.stop() == 0
        assert time.monotonic() - began_s < 10
        assert not any(map(is_there, before))


async def test_of_two_controllers_that_start_at_once_one_gets_the_port(tmp_path: Path) -> None:
    """Fronts share a port among themselves only; the other start is refused in one line."""
    (tmp_path / "b").mkdir()
    one = Process(tmp_path)
    command = [sys.executable, "-m", "jackpot", "serve", "--site", str(one.site)]
    command += ["--grpc", one.address]
    starts = [
        subprocess.Popen(  # noqa: ASYNC220 - both at once
            [*command, "--store", str(tmp_path / name)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("a", "b")
    ]
    try:
        await eventually(lambda: any(each.poll() is not None for each in starts), within_s=30)
        (refused,) = [each for each in starts if each.poll() is not None]
        _, said = refused.communicate()
        assert refused.returncode == 1
        assert said.splitlines()[-1].endswith("cannot listen there: Address already in use")
        await answers(one)
    finally:
        for each in starts:
            each.kill()
            await asyncio.to_thread(each.communicate)
