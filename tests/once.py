"""Make once what takes long to make, for all workers of a run."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(
    factory: pytest.TempPathFactory, name: str, make: Callable[[Path], Path | None]
) -> Path | None:
    """What `make` has put into a folder of this run, by whichever worker came first.

    The others wait for it, and nobody may change it afterwards. None where it can't be made.
    """
    run = factory.getbasetemp()
    run = run.parent if "PYTEST_XDIST_WORKER" in os.environ else run
    folder, done = run / name, run / f"{name}.done"
    with (run / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            folder.mkdir(exist_ok=True)
            done.write_text(str(make(folder) or ""))
    made = done.read_text()
    return Path(made) if made else None
