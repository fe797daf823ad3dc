"""Controllers as processes of their own: started, killed, stopped and started again."""

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from jackpot.wire.errors import PlainError

READY = re.compile(r"serving \S+ on (\S+)")
FAILED = "a batch failed"
START_S = 180.0


class ControllerError(PlainError):
    """A controller that did not start, in one line; the exit code if it ended by itself."""

    def __init__(self, why: str, code: int | None = None) -> None:
        super().__init__(why)
        self.code = code


def free_port() -> int:
    """A port that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def read_from(pipe: IO[bytes]) -> tuple[asyncio.StreamReader, asyncio.ReadTransport]:
    """Read a pipe in the loop, which takes it over.

    libuv closes its descriptor, and then uvloop closes it once more, as a file. By then another
    thread may have opened something under that number: so here the file leaves it alone.
    """
    with pipe:
        file = os.fdopen(os.dup(pipe.fileno()), "rb", closefd=False)
    reader = asyncio.StreamReader()
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), file
    )
    return reader, transport


class ControllerProcess:
    """One `jackpot serve`. Its port stays the same over all its lives.

    It is started by the standard library, not by the loop: libuv forks in a way that makes gRPC
    take its own connections for a child's. It has a session of its own, so that Ctrl-C reaches the
    soak alone, which needs it to the end; and it does not outlive a soak that is killed.
    """

    def __init__(
        self, site: Path, store: str, log: Path, command: Sequence[str] | None = None
    ) -> None:
        self.address = f"127.0.0.1:{free_port()}"
        self.lives = 0
        self._arguments = [
            *(sys.executable, "-m", "emulator.soak.bound", str(os.getpid())),
            *(command or (sys.executable, "-m", "emulator.soak.under_test")),
            *("serve", "--site", str(site), "--store", store, "--grpc", self.address),
        ]
        self.log = log
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: asyncio.ReadTransport | None = None

    @property
    def pid(self) -> int:
        """The id of the present process; 0 if there is none."""
        process = self._process
        return process.pid if process and process.poll() is None else 0

    async def start(self, fault: str = "") -> None:
        """Start it, and wait until it serves. `fault` is what JACKPOT_FAULT asks for."""
        with self.log.open("ab") as log:
            # A command of our own making.
            process = subprocess.Popen(  # noqa: S603, ASYNC220 - it returns as soon as it has begun
                self._arguments,
                stdout=subprocess.PIPE,
                stderr=log,
                env={**os.environ, "JACKPOT_FAULT": fault},
                start_new_session=True,
            )
        self._process = process
        self.lives += 1
        code = None
        try:
            async with asyncio.timeout(START_S):
                if READY.match(await self._first_line(process)):
                    return
                code = await self.ended()
        except TimeoutError:
            await self.kill()
        raise ControllerError(f"the controller did not start: {self._last_words()}", code)

    async def _first_line(self, process: "subprocess.Popen[bytes]") -> str:
        if process.stdout is None:
            raise AssertionError("a pipe")
        # The pipe stays open: a controller also says when it has stopped.
        reader, self._pipe = await read_from(process.stdout)
        return (await reader.readline()).decode()

    def _last_words(self) -> str:
        """What it logged last: the log itself may be gone when somebody reads this."""
        lines = self.log.read_text("utf-8", "replace").split("\n")
        said = [line.strip() for line in lines if line.strip()]
        return said[-1].removeprefix("Error: ") if said else "it said nothing"

    def failed_commits(self) -> int:
        """How many batches it could not commit, in all its lives, by its own word."""
        return self.log.read_text("utf-8").count(FAILED)

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal, if it is there."""
        if pid := self.pid:  # asked for once: it may end any time, and 0 is our own group
            os.kill(pid, number)

    async def ended(self) -> int:
        """Wait for its end; its exit code."""
        process = self._process
        if process is None:
            return 0
        if process.poll() is None:
            gone, loop = asyncio.Event(), asyncio.get_running_loop()
            handle = os.pidfd_open(process.pid)
            try:
                loop.add_reader(handle, gone.set)
                await gone.wait()
            finally:
                loop.remove_reader(handle)
                os.close(handle)
        if self._pipe:
            self._pipe.close()
        return process.wait()

    async def kill(self) -> None:
        """As a power cut would."""
        self.signal(signal.SIGKILL)
        await self.ended()

    async def stop(self) -> int:
        """Ask it to stop; its exit code."""
        self.signal(signal.SIGTERM)
        return await self.ended()
