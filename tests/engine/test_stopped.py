"""Controllers that are stopped while others on the same PostgreSQL move on."""

import os
import select
import signal
import time
from collections.abc import Iterator

import pytest

from jackpot.core.commands.table import OpenRound
from jackpot.core.reasons import Reason
from jackpot.store.opening import Address
from jackpot.store.postgres_session import HELD_LOCK_S
from jackpot.verify import verify
from tests.engine.pit import wagers
from tests.engine.workers import Worker, events_of, set_up, worker
from tests.stores import Stores

pytestmark = [pytest.mark.process, pytest.mark.postgres]


@pytest.fixture
async def site(stores: Stores) -> Address:
    """A journal in PostgreSQL in which tables t1 and t2 have just attached."""
    store = stores.new("postgres")
    await set_up(store)
    return store


@pytest.fixture
def other(site: Address) -> Iterator[Worker]:
    """A controller that nothing happens to."""
    with worker(site) as started:
        yield started


def wait_stopped(stopped: Worker) -> None:
    """Wait until the process has stopped itself."""
    _, status = os.waitpid(stopped.process.pid, os.WUNTRACED)
    assert os.WIFSTOPPED(status)


def test_stopped_with_a_decision_that_is_old_news(site: Address, other: Worker) -> None:
    """It wakes with a wager decided on a round that is over by now, and can't append it."""
    with worker(site, JACKPOT_FAULT="before-commit:stop:2") as stopped:
        opened = stopped.ask(1, OpenRound())
        stopped.send(2, wagers(1))
        wait_stopped(stopped)
        assert other.ask(1, OpenRound()) == opened
        placed = other.ask(2, wagers(2))  # the same identity with another seat: the first counts
        assert placed is not None
        assert not placed.reason
        os.kill(stopped.process.pid, signal.SIGCONT)
        told = stopped.hear()
        assert told is not None
        assert told.reason == Reason.REQUEST_REUSED
        assert stopped.ask(2, wagers(2)) == placed
    assert [kind for _, kind in events_of(site)] == ["RoundOpened", "WagersPlaced"]
    assert verify(site).ok


def test_stopped_with_the_lock(site: Address, other: Worker) -> None:
    """The lock is taken from it within seconds, and what it held it can't commit any more."""
    with worker(site, JACKPOT_FAULT="before-commit:stop:6") as stopped:
        number = last = 0
        while True:  # each sees that the other writes too
            number += 1
            stopped.send(number, OpenRound(), "t1")
            if not answers(stopped):
                break
            last = number
            stopped.hear()
            other.ask(number, OpenRound(), "t2")
        began = time.monotonic()
        moved_on = other.insist(number, OpenRound(), table="t2")
        assert moved_on.sequence
        assert time.monotonic() - began < HELD_LOCK_S + 20
        os.kill(stopped.process.pid, signal.SIGCONT)
        told = stopped.hear()
        assert told is not None
        assert told.reason == Reason.STORE_UNAVAILABLE
        assert stopped.insist(number, OpenRound(), table="t1").sequence > moved_on.sequence
    assert last > 1
    assert len(events_of(site)) == 2 * number
    assert verify(site).ok


def answers(asked: Worker) -> bool:
    """Whether it answers, or has stopped itself."""
    while True:
        if select.select([asked.answers], [], [], 0.05)[0]:
            return True
        pid, status = os.waitpid(asked.process.pid, os.WUNTRACED | os.WNOHANG)
        if pid and os.WIFSTOPPED(status):
            return False
