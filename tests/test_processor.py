"""Threads that share a processor: bound together, moved together, and nobody else with them."""

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from jackpot.processor import (
    ALLOWED,
    BUSY,
    CROWDED,
    LOAD_LOOK_S,
    LOOK_S,
    LOOKS,
    Patience,
    SharedProcessor,
    Use,
    free_helpers,
    freely,
    own_threads,
)

BUSY_S = BUSY * LOAD_LOOK_S
several = pytest.mark.skipif(len(ALLOWED) < 2, reason="this machine has one processor")


@pytest.fixture
def free() -> Iterator[None]:
    """Whatever a test binds, pytest's own thread is not bound afterwards."""
    yield
    os.sched_setaffinity(0, ALLOWED)


@several
@pytest.mark.usefixtures("free")
def test_threads_that_join_share_a_processor() -> None:
    """They have one between them, until they leave; others are as free as before."""
    shared, found, looked = SharedProcessor(), list[set[int]](), threading.Event()

    def work() -> None:
        shared.join()
        found.append(os.sched_getaffinity(0))
        looked.wait()

    thread = threading.Thread(target=work)
    thread.start()
    shared.join()
    assert os.sched_getaffinity(0) == {shared.at}
    looked.set()
    thread.join()
    assert found == [{shared.at}]
    shared.look()  # one of them has ended
    shared.leave()
    assert os.sched_getaffinity(0) == ALLOWED


@several
@pytest.mark.usefixtures("free")
def test_what_they_start_runs_anywhere() -> None:
    """Processes would inherit the one processor of the thread that starts them."""
    shared = SharedProcessor()
    shared.join()
    says = [sys.executable, "-c", "import os; print(len(os.sched_getaffinity(0)))"]
    with freely():
        assert int(subprocess.check_output(says)) == len(ALLOWED)
    assert os.sched_getaffinity(0) == {shared.at}
    assert int(subprocess.check_output(says)) == 1  # or the test would show nothing


@several
@pytest.mark.usefixtures("free")
def test_helpers_run_anywhere() -> None:
    """Work that the loop hands to a thread does not take the writer's processor."""

    async def asked() -> set[int]:
        free_helpers(asyncio.get_running_loop())
        SharedProcessor().join()
        return await asyncio.to_thread(os.sched_getaffinity, 0)

    assert asyncio.run(asked()) == ALLOWED


@several
@pytest.mark.usefixtures("free")
@pytest.mark.skipif(not hasattr(os, "SCHED_BATCH"), reason="only Linux has this policy")
def test_threads_with_much_to_do_interrupt_nobody_but_what_they_start_may() -> None:
    """A thread that it starts inherits that otherwise, and it stays like that afterwards itself."""
    found = dict[str, int]()

    def note(of: str) -> None:
        thread = threading.Thread(target=lambda: found.update({of: os.sched_getscheduler(0)}))
        thread.start()
        thread.join()

    def work() -> None:
        shared = SharedProcessor()
        shared.join()
        for name, used_s in (("idle", 0.0), ("less", BUSY_S - 0.001), ("busy", BUSY_S)):
            shared.note_load(used_s)
            found[name] = os.sched_getscheduler(0)
        note("heir")
        with freely():
            note("free")
        found["itself"] = os.sched_getscheduler(0)
        shared.note_load(0.0)
        found["again"] = os.sched_getscheduler(0)
        shared.note_load(BUSY_S)
        shared.leave()
        found["left"] = os.sched_getscheduler(0)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    patient, usual = os.SCHED_BATCH, os.SCHED_OTHER
    names = {name for name, policy in found.items() if policy == patient}
    assert names == {"busy", "heir", "itself"}
    assert {found[name] for name in ("idle", "less", "free", "again", "left")} == {usual}


@pytest.mark.skipif(not hasattr(os, "SCHED_BATCH"), reason="only Linux has this policy")
def test_all_threads_of_a_process_wait_or_none() -> None:
    """Those that a library has started as well: gRPC reads sockets in threads of its own."""
    done, patience = threading.Event(), Patience()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        for on, policy in ((True, os.SCHED_BATCH), (False, os.SCHED_OTHER)):
            patience.set(on, own_threads())
            assert {os.sched_getscheduler(each) for each in own_threads()} == {policy}
    finally:
        done.set()
        thread.join()


def used(**seconds: float) -> Use:
    """What is in use by now: of processors 0 and 1, and of the one by ourselves."""
    return Use({0: seconds["zero"], 1: seconds["one"]}, seconds["own"])


@pytest.mark.parametrize(
    ("others", "elsewhere", "moves"),
    [
        pytest.param(0.5, 0.1, True, id="crowded"),
        pytest.param(CROWDED + 0.01, 0.0, True, id="just-crowded"),
        pytest.param(CROWDED - 0.01, 0.0, False, id="not-quite"),
        pytest.param(0.9, 0.8, False, id="as-crowded-elsewhere"),
        pytest.param(0.0, 0.9, False, id="alone"),
    ],
)
def test_they_move_where_there_is_more_room(others: float, elsewhere: float, moves: bool) -> None:
    """It counts what others use, several times in a row; what they use themselves does not."""
    shared = SharedProcessor((0, 1))
    here = shared.at
    own, at_0, at_1 = 0.0, 0.0, 0.0
    shared.note(used(zero=at_0, one=at_1, own=own))
    for look in range(1, LOOKS + 1):
        assert shared.at == here, look
        own += 0.6 * LOOK_S
        mine, theirs = (0.6 + others) * LOOK_S, elsewhere * LOOK_S
        at_0 += mine if here == 0 else theirs
        at_1 += mine if here == 1 else theirs
        shared.note(used(zero=at_0, one=at_1, own=own))
    assert (shared.at != here) is moves


def test_one_crowded_second_is_no_reason_to_move() -> None:
    """Whoever passes by is gone before their memory would have followed."""
    shared = SharedProcessor((0, 1))
    here = shared.at
    seconds = [0.0, 0.0]
    shared.note(Use({0: 0.0, 1: 0.0}, 0.0))
    for turn in range(8):
        seconds[here if turn % 2 else 1 - here] += 0.9
        shared.note(Use(dict(enumerate(seconds)), 0.0))
    assert shared.at == here


def test_one_processor_is_left_alone() -> None:
    """There is nothing to choose, and where threads can't be bound nothing is tried."""
    before = os.sched_getaffinity(0)
    for allowed in ((), (0,)):
        shared = SharedProcessor(allowed)
        shared.join()
        shared.look()
    assert os.sched_getaffinity(0) == before
