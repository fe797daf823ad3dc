"""Look at processes through /proc, find them a port, start one that ends when its parent does.

    python -m emulator.linux_process PARENT_ID COMMAND ...

runs a command that the kernel kills when the parent ends, however that happens, also while the
command is stopped. The command replaces this process and keeps its id. A soak can't do this between
fork and exec, because gRPC's threads don't survive a fork.
"""

import ctypes
import os
import signal
import socket
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path


def children(pid: int) -> list[int]:
    """The processes that a process has started and that still live."""
    found: list[int] = []
    with suppress(OSError):  # a process or a thread may end any time
        for path in Path(f"/proc/{pid}/task").glob("*/children"):
            with suppress(OSError):
                found += map(int, path.read_text().split())
    return found


def tree(pid: int) -> dict[int, str]:
    """A controller's processes, with names: `ledger`, `front 1`, `front 2`."""
    return {pid: "ledger"} | dict(zip(found := below(pid), _named(found), strict=True))


def below(pid: int) -> list[int]:
    """All processes that a process and its children have started and that still live."""
    return [each for child in children(pid) for each in (child, *below(child))]


def _named(pids: Sequence[int]) -> Iterator[str]:
    """What each runs, with a number where several run the same."""
    seen: Counter[str] = Counter()
    for pid in pids:
        try:
            words = Path(f"/proc/{pid}/cmdline").read_text().split("\0")
        except OSError:
            words = []
        module = words[words.index("-m") + 1] if "-m" in words[:-1] else words[0] if words else ""
        name = module.rpartition(".")[2] or "ended"
        seen[name] += 1
        yield f"{name} {seen[name]}"


def cpu_by_process(pid: int) -> dict[int, float]:
    """Processor time that a process and each of those below it have used, in seconds."""
    return {each: _own_cpu_s(each) for each in (pid, *below(pid))}


def cpu_s(pid: int) -> float:
    """Processor time that a process and all below it that live have used."""
    return sum(cpu_by_process(pid).values())


def _own_cpu_s(pid: int) -> float:
    """The process's own clock, to the nanosecond; /proc counts hundredths."""
    try:
        return time.clock_gettime((~pid << 3) | _SCHEDULED)
    except OSError:
        return 0.0


def resident_mb(pid: int) -> float:
    """Memory that a process holds; of several that share, each its part; 0 if it is not there."""
    own = below(pid)
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


def free_port() -> int:
    """A port that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


_PR_SET_PDEATHSIG = 1
_SCHEDULED = 2  # of clock_getcpuclockid(3): the time for which it was scheduled


def main() -> None:
    """Tie the knot, then be the command."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() != int(sys.argv[1]):
        raise SystemExit("the parent process is already gone")
    os.execvp(sys.argv[2], sys.argv[2:])  # noqa: S606 - a command of our own making


if __name__ == "__main__":
    main()
