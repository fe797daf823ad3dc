"""Controllers as processes of their own: started, killed, stopped and started again."""

import asyncio
import os
import re
import signal
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

READY = re.compile(r"serving \S+ on (\S+)")
START_S = 60.0


class ControllerError(Exception):
    """A controller that did not start, in one line."""


def free_port() -> int:
    """A port that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class ControllerProcess:
    """One `jackpot serve`. Its port stays the same over all its lives."""

    def __init__(
        self, site: Path, data: Path, log: Path, command: Sequence[str] | None = None
    ) -> None:
        self.address = f"127.0.0.1:{free_port()}"
        self.lives = 0
        self._arguments = [
            *(command or (sys.executable, "-m", "jackpot")),
            *("serve", "--site", str(site), "--data", str(data), "--grpc", self.address),
        ]
        self._log = log
        self._process: asyncio.subprocess.Process | None = None

    @property
    def pid(self) -> int:
        """The id of the present process; 0 if there is none."""
        running = self._process is not None and self._process.returncode is None
        return self._process.pid if running and self._process else 0

    async def start(self, fault: str = "") -> None:
        """Start it, and wait until it serves. `fault` is what JACKPOT_FAULT asks for."""
        with self._log.open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                *self._arguments,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                env={**os.environ, "JACKPOT_FAULT": fault},
            )
        self._process = process
        self.lives += 1
        if process.stdout is None:
            raise AssertionError("it was asked for")
        try:
            async with asyncio.timeout(START_S):
                line = (await process.stdout.readline()).decode()
        except TimeoutError:
            line = ""
        if not READY.match(line):
            if process.returncode is None and fault and not line:
                return  # it met its fault before it served
            raise ControllerError(f"the controller did not start; see {self._log}")

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal, if it is there."""
        if self.pid:
            os.kill(self.pid, number)

    async def ended(self) -> int:
        """Wait for its end; its exit code."""
        return await self._process.wait() if self._process else 0

    async def kill(self) -> None:
        """As a power cut would."""
        self.signal(signal.SIGKILL)
        await self.ended()

    async def stop(self) -> int:
        """Ask it to stop; its exit code."""
        self.signal(signal.SIGTERM)
        return await self.ended()
