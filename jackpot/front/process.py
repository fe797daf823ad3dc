"""Start a process that shares a socket with this one and does not outlive it."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable

from jackpot.processor import freely

_PR_SET_PDEATHSIG = 1
# gRPC's event engine hands each message through three threads. Without it the thread that reads a
# socket also completes the call, and a front takes a quarter to a third less processor time.
GRPC_SETTINGS = {"GRPC_EXPERIMENTS": "-event_engine_listener,-event_engine_for_all_other_endpoints"}

# Each of gRPC's threads would otherwise keep memory of its own for itself.
_MALLOC_SETTINGS = {"MALLOC_ARENA_MAX": "2"}


def start(
    module: str, descriptors: Iterable[int] = ()
) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Run a module of ours in a process of its own; our end of the socket that it is given.

    It inherits the descriptors under their numbers here.
    """
    ours, theirs = socket.socketpair()
    with theirs, freely():
        command = [sys.executable, "-m", module, str(theirs.fileno()), str(os.getpid())]
        process = subprocess.Popen(  # noqa: S603 - our own module
            command,
            pass_fds=[theirs.fileno(), *descriptors],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env={**GRPC_SETTINGS, **_MALLOC_SETTINGS, **os.environ},
        )
    return process, ours


def die_with(parent: int) -> None:
    """End when the parent does, however it ends; leave signals to a group to the parent."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it was gone before we asked to be told
        sys.exit(1)
