"""Keep the threads that share Python's interpreter lock on one processor.

Only one of them runs at a time. With a processor for each, every hand-over moves what they both
work on from one cache to another, which takes the ledger a fifth of its throughput. So they share a
processor, and move together when other work crowds it while another one has room.

Nor do they or the fronts interrupt others when they wake, while there is much to do. A thread that
takes the processor for every message costs itself and the thread it interrupts more than a short
wait does: after the wait, many messages are there to be taken at once. With little to do they take
the processor at once, or whatever else runs on the machine would delay each message.
"""

import asyncio
import os
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

# As this process was started. Only Linux can bind a thread.
ALLOWED: frozenset[int] = (
    frozenset(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else frozenset()
)
LOOK_S = 1.0
LOAD_LOOK_S = 0.1  # how often a process looks how much it has to do ...
BUSY = 0.3  # ... and by so much of a processor the ledger has much to do
CROWDED = 0.3  # of a processor: by so much another one must have more room ...
LOOKS = 2  # ... so many times in a row
# How the kernel schedules a thread. Only Linux has the patient way.
_USUAL: int | None = getattr(os, "SCHED_OTHER", None)
_PATIENT: int | None = getattr(os, "SCHED_BATCH", None)
_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
_IDLE = slice(3, 5)  # of a line of /proc/stat: idle, and waiting for a disk
_FIELDS = 8  # user to steal; what guests use is in `user` already


class Use(NamedTuple):
    """Seconds in use since some moment: each processor by anybody, and one by our own threads."""

    processors: Mapping[int, float]
    own_s: float


class SharedProcessor:
    """The processor that some threads of this process share."""

    def __init__(self, allowed: Collection[int] = ALLOWED) -> None:
        """Where there is only one processor, or threads can't be bound, nothing is done."""
        self._allowed = sorted(allowed)
        self._threads: set[int] = set()
        # Controllers that start together should not all begin on the same one.
        self.at = self._allowed[os.getpid() % len(self._allowed)] if self._allowed else 0
        self._patience = Patience()
        self._before: Use | None = None
        self._crowded = 0  # looks in a row

    def join(self) -> None:
        """Bind the calling thread."""
        if len(self._allowed) > 1:
            thread = threading.get_native_id()
            self._threads.add(thread)
            _bind(thread, {self.at})

    def leave(self) -> None:
        """Let the calling thread run anywhere again."""
        self._threads.discard(threading.get_native_id())
        run_freely()

    def note_load(self, used_s: float) -> None:
        """Have the threads wait for their turn if the process used much since the last look."""
        self._patience.set(used_s >= BUSY * LOAD_LOOK_S, self._threads)

    def look(self) -> None:
        """See how crowded it is. Called every `LOOK_S` seconds."""
        if self._threads:
            with suppress(OSError, ValueError):  # a container may hide what is in use
                self.note(Use(_processors_s(self._allowed), sum(map(_ran_s, self._threads))))

    def note(self, use: Use) -> None:
        """Move where another processor had more room than this one, several times in a row."""
        before, self._before = self._before, use
        if before is None:
            return
        others = {
            number: used_s - before.processors[number] for number, used_s in use.processors.items()
        }
        others[self.at] -= use.own_s - before.own_s
        best = min(others, key=lambda number: others[number])
        crowded = others[self.at] - others[best] > CROWDED * LOOK_S
        self._crowded = self._crowded + 1 if crowded else 0
        if self._crowded == LOOKS:
            self._crowded, self.at = 0, best
            for thread in self._threads:
                _bind(thread, {best})


class Patience:
    """Whether threads wait for their turn when they wake, and interrupt nobody."""

    def __init__(self) -> None:
        self._on = False

    def set(self, on: bool, threads: Iterable[int]) -> None:  # noqa: FBT001 - the only thing said
        """Have threads of this process wait, or not."""
        if on != self._on:
            self._on = on
            for thread in threads:
                _schedule(_PATIENT if on else _USUAL, thread)


def own_threads() -> list[int]:
    """All threads of this process; only Linux can tell."""
    with suppress(OSError):
        return [int(task.name) for task in Path("/proc/self/task").iterdir()]
    return []


def run_freely() -> None:
    """Let the calling thread run as it would have: anywhere, and at once when it wakes."""
    _schedule(_USUAL)
    if len(ALLOWED) > 1:
        _bind(0, ALLOWED)


@contextmanager
def freely() -> Iterator[None]:
    """Start processes and threads here, or they inherit what binds the thread that starts them."""
    if len(ALLOWED) < 2:  # noqa: PLR2004 - nothing is bound then
        yield
        return
    bound, policy = os.sched_getaffinity(0), os.sched_getscheduler(0)
    run_freely()
    try:
        yield
    finally:
        _schedule(policy)
        _bind(0, bound)


def free_helpers(loop: asyncio.AbstractEventLoop) -> None:
    """Let whatever a bound loop gives to threads run on any processor."""
    pool = ThreadPoolExecutor(thread_name_prefix="helper", initializer=run_freely)
    loop.set_default_executor(pool)


def _schedule(policy: int | None, thread: int = 0) -> None:
    if policy is not None:
        with suppress(OSError):  # a container may forbid it; the thread may have ended
            os.sched_setscheduler(thread, policy, os.sched_param(0))


def _bind(thread: int, processors: Collection[int]) -> None:
    with suppress(OSError):  # it has ended, or its container has been given others
        os.sched_setaffinity(thread, processors)


def _processors_s(numbers: Collection[int]) -> dict[int, float]:
    """For how many seconds processors have been in use since the machine was started."""
    found = {}
    for line in Path("/proc/stat").read_text("ascii").splitlines()[1:]:
        name, *ticks = line.split()
        if not name.startswith("cpu"):
            break
        if (number := int(name[3:])) in numbers:
            spent = [int(each) for each in ticks[:_FIELDS]]
            found[number] = (sum(spent) - sum(spent[_IDLE])) * _TICK_S
    return found


def _ran_s(thread: int) -> float:
    """For how many seconds a thread of this process has run."""
    with suppress(OSError):
        ran_ns, *_ = Path(f"/proc/self/task/{thread}/schedstat").read_text("ascii").split()
        return int(ran_ns) / 1e9
    return 0.0
