"""Run controllers as processes of their own, start again whichever ends, and run `jackpot`.

A controller whose exit code is not explained by anything that was done to it has failed; so has one
that does not start.
"""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Coroutine, Iterable, Sequence
from pathlib import Path
from typing import IO, Any

from emulator.linux_process import free_port
from jackpot.wire.errors import PlainError

READY = re.compile(r"serving \S+ on (\S+)")
FAILED = "a batch failed"
START_S = 180.0


class ControllerError(PlainError):
    """A controller that did not start, in one line; the exit code if it ended by itself."""

    def __init__(self, why: str, code: int | None = None) -> None:
        super().__init__(why)
        self.code = code


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
        self,
        site: Path,
        store: str,
        log: Path,
        command: Sequence[str] | None = None,
        fronts: int | None = None,
    ) -> None:
        self.address = f"127.0.0.1:{free_port()}"
        self.lives = 0
        self.command = [
            *(sys.executable, "-m", "emulator.linux_process", str(os.getpid())),
            *(command or (sys.executable, "-m", "emulator.soak.under_test")),
            *("serve", "--site", str(site), "--store", store, "--grpc", self.address),
            *(() if fronts is None else ("--fronts", str(fronts))),
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
                self.command,
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


KILLED = -signal.SIGKILL
_CODES = {signal.SIGKILL: KILLED, signal.SIGTERM: 0}  # what a controller ends with by each


class UnexpectedEndError(Exception):
    """A controller ended by itself."""


class Supervisor:
    """Keeps one controller running: starts it again whenever it ends."""

    def __init__(self, controller: ControllerProcess) -> None:
        self.controller = controller
        self.fault = ""  # what this life is to meet and has not felt yet
        self.next_fault = ""
        self.last_code = 0  # of the life before this one
        self.up = asyncio.Event()
        self.may_start = asyncio.Event()  # not while its journal is being replaced
        self.may_start.set()
        self.restarts: list[float] = []  # seconds from the end to serving again
        self._may_end: set[int] = set()  # this life's exit codes that were brought about

    @property
    def is_doomed(self) -> bool:
        """Whether something was done that ends or stops this life, perhaps later."""
        return bool(self.fault or self._may_end)

    def end_by(self, number: signal.Signals) -> None:
        """Send a signal that ends it."""
        self._may_end.add(_CODES[number])
        self.controller.signal(number)

    async def kill(self) -> None:
        """Kill the controller, and wait until it serves again."""
        self.end_by(signal.SIGKILL)
        self.up.clear()
        await self.up.wait()

    async def hold(self, number: signal.Signals) -> None:
        """End the controller; it is not started again before `may_start` is set."""
        self.may_start.clear()
        self.up.clear()
        self.end_by(number)
        await self.controller.ended()

    async def recover(self) -> None:
        """Disarm a fault that was not met, let the controller go on, and wait until it serves."""
        self.next_fault = ""
        if self.is_doomed:
            await self.kill()
        self.controller.signal(signal.SIGCONT)
        await self.up.wait()

    async def work(self) -> None:
        """Start the controller again whenever it ends, until cancelled."""
        self.up.set()
        while True:
            self.last_code = await self.controller.ended()
            self.up.clear()
            if self.last_code not in self._may_end:
                why = f"the controller ended by itself (exit code {self.last_code})"
                raise UnexpectedEndError(why)
            await self.may_start.wait()
            self.fault, self.next_fault = self.next_fault, ""
            self._may_end = {KILLED} if ":kill:" in self.fault else set()
            began = time.monotonic()
            try:
                await self.controller.start(self.fault)
            except ControllerError as error:
                if error.code not in self._may_end:
                    raise
                continue  # it met its fault before it served
            self.restarts.append(time.monotonic() - began)
            self.up.set()


def error_text(error: BaseException) -> str:
    """The first of what went wrong, as text."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"


async def cancel_all(tasks: Iterable["asyncio.Task[None]"]) -> None:
    """Cancel tasks, and wait for their end."""
    ending = list(tasks)
    for task in ending:
        task.cancel()
    await asyncio.gather(*ending, return_exceptions=True)


async def while_supervised(
    work: Coroutine[Any, Any, None], supervisors: Iterable["asyncio.Task[None]"]
) -> None:
    """Do what needs the controllers; if one of them can't be kept running, that is the failure."""
    doing = asyncio.create_task(work)
    try:
        done, _ = await asyncio.wait({doing, *supervisors}, return_when=asyncio.FIRST_COMPLETED)
        for task in done - {doing}:
            task.result()
        await doing
    finally:
        await cancel_all([doing])


class CommandFailedError(Exception):
    """A command of `jackpot` that did not succeed, in one line."""


async def jackpot(*arguments: str) -> Any:
    """Run a command, as an operator would, with `--json` among its arguments; what it prints.

    Not by the loop, for the reason that `ControllerProcess` gives.
    """
    command = (sys.executable, "-m", "jackpot", *arguments)
    done = await asyncio.to_thread(
        subprocess.run, command, capture_output=True, check=False, start_new_session=True
    )
    if done.returncode:
        raise CommandFailedError(f"jackpot {arguments[0]}: {done.stderr.decode().strip()}")
    return json.loads(done.stdout)
