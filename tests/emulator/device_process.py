"""A real device process for tests, on a port of its own."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

COMMAND = [sys.executable, "-c", "from emulator.cli import main; main()", "devices", "--json"]


class DeviceProcess:
    """`jackpot-emulator devices`, running."""

    def __init__(self, *options: str, listen: str = "127.0.0.1:0") -> None:
        self.process = subprocess.Popen(
            [*COMMAND, "--listen", listen, *options], stdout=subprocess.PIPE, text=True
        )
        self.address = str(self.line()["address"])

    def line(self) -> dict[str, Any]:
        """The next log line."""
        assert self.process.stdout is not None
        line: dict[str, Any] = json.loads(self.process.stdout.readline())
        return line

    def end(self) -> int:
        """Ask it to stop, and wait; says how it ended."""
        self.process.terminate()
        return self.process.wait(10)

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.kill()
        self.process.wait(10)


@contextmanager
def running(*options: str, listen: str = "127.0.0.1:0") -> Iterator[DeviceProcess]:
    """A device process that is gone afterwards, whatever happens."""
    devices = DeviceProcess(*options, listen=listen)
    try:
        yield devices
    finally:
        devices.kill()
        assert devices.process.stdout is not None
        devices.process.stdout.close()
