"""Named moments of a commit at which a test can make something go wrong.

A controller under test is told by an environment variable, for example
`JACKPOT_FAULT=before-commit:kill:17`: the 17th time that it is about to commit, it is killed.
"""

import os
import signal
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Literal, get_args

Point = Literal[
    "before-lock", "after-decide", "before-commit", "after-commit", "before-publish", "snapshot"
]
POINTS: tuple[Point, ...] = get_args(Point)
Faults = Callable[[Point], None]
VARIABLE = "JACKPOT_FAULT"


class InjectedError(Exception):
    """A fault that was asked for."""


def none(_: Point) -> None:
    """Nothing goes wrong."""


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
        return none
    wanted, action, nth = text.split(":")
    if wanted not in POINTS or action not in _ACTIONS or not nth.isdigit():
        raise ValueError(f"{VARIABLE}={text} is not point:action:count")
    passed: Counter[str] = Counter()

    def fault(point: Point) -> None:
        passed[point] += 1
        if point == wanted and passed[point] == int(nth):
            _ACTIONS[action]()

    return fault
