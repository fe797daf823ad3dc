"""Run a command that ends when the process that started it does, however that one ends.

    python -m emulator.soak.bound PARENT_ID COMMAND ...

The kernel kills it then, also where it is stopped. It keeps its process id: the command replaces
this one. A soak can't do this between fork and exec, because gRPC's threads don't survive a fork.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Tie the knot, then be the command."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL))
    if os.getppid() != int(sys.argv[1]):
        raise SystemExit("whoever started this is gone already")
    os.execvp(sys.argv[2], sys.argv[2:])  # noqa: S606 - a command of our own making


if __name__ == "__main__":
    main()
