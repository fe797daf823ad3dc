"""Look at processes through /proc, and start one that ends when its parent does.

    python -m emulator.linux_process PARENT_ID COMMAND ...

runs a command that the kernel kills when the parent ends, however that happens, also while the
command is stopped. The command replaces this process and keeps its id. A soak can't do this between
fork and exec, because gRPC's threads don't survive a fork.
"""

import ctypes
import os
import signal
import sys
from pathlib import Path


def children(pid: int) -> list[int]:
    """The processes that a process has started and that still live."""
    found = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += [int(child) for child in path.read_text().split()]
        except OSError:
            continue
    return found


def resident_mb(pid: int) -> float:
    """Memory that a process holds; of several that share, each its part; 0 if it is not there."""
    own = children(pid)
    if not own:
        return _memory_mb(pid, "status", "VmRSS")
    return sum(_memory_mb(each, "smaps_rollup", "Pss") for each in (pid, *own))


def is_stopped(pid: int) -> bool:
    """Whether a signal has stopped a process that is still there."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] == "T"


def _memory_mb(pid: int, file: str, field: str) -> float:
    try:
        lines = Path(f"/proc/{pid}/{file}").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(x.split()[1]) / 1024 for x in lines if x.startswith(f"{field}:")), 0.0)


_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Tie the knot, then be the command."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() != int(sys.argv[1]):
        raise SystemExit("whoever started this is gone already")
    os.execvp(sys.argv[2], sys.argv[2:])  # noqa: S606 - a command of our own making


if __name__ == "__main__":
    main()
