"""A lock on a data directory: shared by all who have its journal open, alone for a restore.

A journal that is opened while files are swapped would be the one that was just put aside, and what
is then committed would be lost. The kernel lets go of the lock when a process ends.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_PAUSE_S = 0.02


def share(directory: Path, until_s: float) -> int:
    """A descriptor that keeps restores out until it is closed; BlockingIOError past a time."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until_s:
                os.close(descriptor)
                raise
            time.sleep(_PAUSE_S)
        else:
            return descriptor


@contextmanager
def alone(directory: Path) -> Iterator[None]:
    """Keep everybody else's journal shut meanwhile; BlockingIOError where one is open."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)
