"""A real PostgreSQL on loopback that a test can kill, copy and promote."""

import os
import signal
import subprocess
import tempfile
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Self

from emulator.bench.postgres import USER, PostgresServer

MEMORY = Path("/dev/shm")


def scratch() -> Path:
    """Where servers of tests are kept: in memory if possible, as their fsyncs are many."""
    return MEMORY if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) else Path(tempfile.gettempdir())


class Server(PostgresServer):
    """A server that fails as a test wants it to."""

    def create_from(self, primary: "Server") -> Self:
        """Make a standby that follows a primary, under the name of its folder."""
        source = f"host=127.0.0.1 port={primary.port} user={USER}"
        self._run("pg_basebackup", "-R", "-X", "stream", "--no-sync", "-c", "fast", "-d", source)
        self.settings["primary_conninfo"] = f"{source} application_name={self.folder.name}"
        return self

    def kill(self) -> None:
        """As a power cut would: every process at once, without a word."""
        process = self._running()
        children = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(process.pid)],
            capture_output=True,
            text=True,
            check=False,
        ).stdout.split()
        for pid in (process.pid, *map(int, children)):
            with suppress(ProcessLookupError):  # it was faster
                os.kill(pid, signal.SIGKILL)
        process.wait()
        self._process = None

    def signal(self, number: signal.Signals) -> None:
        """Send the server a signal."""
        self._running().send_signal(number)

    def promote(self) -> None:
        """Make a standby a primary."""
        self.query("SELECT pg_promote(true, 30)")


def running_server(**settings: object) -> AbstractContextManager[Server]:
    """A server in a folder that is gone afterwards."""
    return Server.running(scratch(), **settings)
