"""`jackpot serve` as a process of its own, to be killed, paused and started again."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Self

from jackpot.store.opening import Address
from tests.server.house import free_port, site_text, write_site

# Options for tests in which fronts play no part: a controller of one process starts sooner.
ALONE = ("--fronts", "0")
READY = re.compile(r"serving \S+ on (\S+)")


class Process:
    """A served site, its journal in the folder or on a store. `fault` is for JACKPOT_FAULT."""

    def __init__(
        self,
        folder: Path,
        store: Address | None = None,
        *,
        many: int = 8,
        more: str = "",
        port: int | None = None,
        options: tuple[str, ...] = (),
        log: Path | None = None,
    ) -> None:
        """`more` is added to the site file, `options` to the command; `log` takes its log."""
        self.store = store or folder / "data"
        self.site = write_site(folder, site_text(many) + more)
        self.address = f"127.0.0.1:{port or free_port()}"
        self._options = options
        self._log = log
        self._process: subprocess.Popen[str] | None = None

    def start(self, fault: str = "") -> Self:
        """Start it and wait until it serves."""
        return self.launch(fault).ready(fault)

    def launch(self, fault: str = "") -> Self:
        """Start it without waiting."""
        program = "emulator.soak.under_test" if fault else "jackpot"
        command = [sys.executable, "-m", program, "serve", "--site", str(self.site)]
        command += ["--store", str(self.store), "--grpc", self.address, *self._options]
        with (self._log or Path(os.devnull)).open("ab") as log:
            self._process = subprocess.Popen(
                command,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=os.environ | {"JACKPOT_FAULT": fault},
            )
        return self

    def ready(self, fault: str = "") -> Self:
        """Wait until it serves."""
        assert self._process is not None
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        # A fault can strike before the line is written: clients that wait connect at once.
        assert READY.match(line) or (fault and not line), line
        return self

    def said(self) -> str:
        """Wait for the next line that it says."""
        assert self._process is not None
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    @property
    def pid(self) -> int:
        """The process's id."""
        assert self._process is not None
        return self._process.pid

    @property
    def runs(self) -> bool:
        """Whether it has not ended."""
        assert self._process is not None
        return self._process.poll() is None

    @property
    def fronts(self) -> list[int]:
        """The ids of the processes that own its sockets."""
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return [
            int(child)
            for child in children
            if b"jackpot.front" in Path(f"/proc/{child}/cmdline").read_bytes()
        ]

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal."""
        assert self._process is not None
        self._process.send_signal(number)

    def wait(self, timeout_s: float = 20) -> int:
        """Wait for its end; its exit code."""
        assert self._process is not None
        assert self._process.stdout is not None
        code = self._process.wait(timeout_s)
        self._process.stdout.close()
        return code

    def kill(self) -> None:
        """As a power cut would, whether or not it still runs."""
        self.signal(signal.SIGKILL)
        self.wait()

    def stop(self) -> int:
        """Ask it to stop; its exit code."""
        self.signal(signal.SIGTERM)
        return self.wait()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        if self._process and self._process.poll() is None:
            self.kill()
