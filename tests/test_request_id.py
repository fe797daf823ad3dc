"""Request ids of one process only ever grow."""

import threading
import time

import pytest

from jackpot.wire import request_id
from jackpot.wire.request_id import new_request_id, request_id_time_ms

MANY = 20_000  # far more than milliseconds pass


def test_ids_grow_within_a_millisecond() -> None:
    """However quickly they are made."""
    ids = [new_request_id() for _ in range(MANY)]
    assert ids == sorted(set(ids))


def test_ids_grow_when_the_clock_steps_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a moment or by an hour; each is still a request id."""
    first = new_request_id()
    now_ns = time.time_ns()
    made = [first]
    for back_s in (0.001, 1, 3_600, 0):
        monkeypatch.setattr(time, "time_ns", lambda at=now_ns - int(back_s * 1e9): at)
        made += [new_request_id() for _ in range(100)]
    assert made == sorted(set(made))
    assert all(request_id_time_ms(each) >= request_id_time_ms(first) for each in made)


def test_a_full_millisecond_runs_over_into_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """More ids than one millisecond holds still grow."""
    ids = request_id._Ids()
    now_ns = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now_ns)
    made = [ids.next() for _ in range(3 * MANY)]
    assert made == sorted(set(made))
    assert request_id_time_ms(made[-1]) > request_id_time_ms(made[0])


def test_ids_follow_the_clock() -> None:
    """An id says when it was made."""
    assert abs(request_id_time_ms(new_request_id()) - time.time() * 1_000) < 5_000


def test_threads_share_one_order() -> None:
    """No two threads make the same id, and each sees its own grow."""
    made: list[list[str]] = [[] for _ in range(4)]
    threads = [
        threading.Thread(target=lambda own=own: own.extend(new_request_id() for _ in range(2_000)))
        for own in made
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(own == sorted(own) for own in made)
    assert len({each for own in made for each in own}) == 8_000
