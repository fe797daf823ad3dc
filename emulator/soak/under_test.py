"""Run `jackpot` as a controller under test, with faults and a clock that can be stepped.

    JACKPOT_FAULT=before-commit:kill:17 python -m emulator.soak.under_test serve --site site.toml

The 17th time that this controller is about to commit, it is killed. With `--clock FILE` first, it
runs under a clock that `set_offset` steps through that file, which holds a signed 64-bit number of
nanoseconds. They are added to the time of day; monotonic clocks are left alone, as a real clock
step leaves them. `jackpot serve` itself knows none of this.
"""

import mmap
import os
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

from jackpot.engine.commit_points import POINTS, Faults, Point
from jackpot.engine.commit_points import none as no_faults

VARIABLE = "JACKPOT_FAULT"


class InjectedError(Exception):
    """A fault that was asked for."""


def _raise() -> None:
    raise InjectedError("asked for by " + VARIABLE)


_ACTIONS: dict[str, Callable[[], None]] = {
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    # To this thread: a signal to the process may stop it a moment later, with the lock taken.
    "stop": lambda: signal.pthread_kill(threading.get_ident(), signal.SIGSTOP),
    "raise": _raise,
}


def from_environment(environment: Mapping[str, str]) -> Faults:
    """What `JACKPOT_FAULT` asks for; nothing where it is not set."""
    text = environment.get(VARIABLE, "")
    if not text:
        return no_faults
    wanted, action, nth = text.split(":")
    if wanted not in POINTS or action not in _ACTIONS or not nth.isdigit():
        raise ValueError(f"{VARIABLE}={text} is not point:action:count")
    passed: Counter[str] = Counter()

    def fault(point: Point) -> None:
        passed[point] += 1
        if point == wanted and passed[point] == int(nth):
            _ACTIONS[action]()

    return fault


def main() -> None:
    """Replace the clock where asked to, then be `jackpot`."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["--clock"]:
        run_under(Path(arguments[1]))
        arguments = arguments[2:]
    from jackpot.cli.main import main as jackpot  # noqa: PLC0415 - after the clock is replaced

    jackpot(arguments, prog_name="jackpot", obj=from_environment(os.environ))


_BYTES = 8


def set_offset(path: Path, seconds: float) -> None:
    """Step the clock of whoever runs under this file."""
    with path.open("r+b" if path.exists() else "w+b") as file:
        file.write(int(seconds * 1e9).to_bytes(_BYTES, "little", signed=True))


def run_under(path: Path) -> None:
    """Replace this process's time of day; call before anything else looks at it."""
    with path.open("r+b") as file:
        shared = mmap.mmap(file.fileno(), _BYTES)
    true_ns = time.time_ns

    def offset_ns() -> int:
        return int.from_bytes(shared[:_BYTES], "little", signed=True)

    def time_ns() -> int:
        return true_ns() + offset_ns()

    time.time_ns = time_ns
    time.time = lambda: time_ns() / 1e9


if __name__ == "__main__":
    main()
