"""Processes of a benchmark: servers that are measured, loads that measure them, and how much."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import IO, Any, Self

import click
import msgspec

from emulator.bench.load import Job, Seen
from emulator.linux_process import children, resident_mb

_TICKS = os.sysconf("SC_CLK_TCK")


class BenchError(click.ClickException):
    """A part of a benchmark that failed, in one line."""


def cpu_s(pid: int) -> float:
    """Processor time that a process and the children that live have used."""
    return _own_cpu_s(pid) + sum(cpu_s(child) for child in children(pid))


def _own_cpu_s(pid: int) -> float:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return 0.0
    fields = stat.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


class Server:
    """One server of `emulator.bench.servers`."""

    def __init__(
        self, role: str, store: Path | str, tables: int = 512, links: int = 1, sites: int = 1
    ) -> None:
        """`store` is the folder that it keeps its data in, or a PostgreSQL address."""
        self.role = role
        if isinstance(store, Path):
            store.mkdir(parents=True, exist_ok=True)
        self._arguments = [sys.executable, "-m", "emulator.bench.servers"]
        self._arguments += [role, str(store), str(tables), str(links), str(sites)]
        self.address = ""
        self.url = ""  # of its pages, where it has any
        self.started_s = 0.0
        self._process: subprocess.Popen[str] | None = None

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid if self._process else 0

    def start(self) -> Self:
        """Start it and wait until it serves."""
        began = time.perf_counter()
        # A command of our own making.
        self._process = subprocess.Popen(  # noqa: S603
            self._arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.address, _, self.url = _line(self._process).partition(" ")
        self.started_s = time.perf_counter() - began
        if not self.address:
            self.stop()
            raise BenchError(f"the {self.role} server did not start")
        return self

    def stop(self) -> None:
        """Let it end in good order."""
        if self._process:
            self._process.send_signal(signal.SIGCONT)
            self._process.communicate("", timeout=120)
            self._process = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def signal(self, number: signal.Signals) -> None:
        """Send it a signal, such as one that stops it while it is not its turn."""
        if self._process:
            self._process.send_signal(number)

    def kill(self) -> None:
        """As a power cut would."""
        if self._process:
            self._process.send_signal(signal.SIGKILL)
            self._process.communicate()
            self._process = None


class Measured(msgspec.Struct):
    """One run against one server."""

    messages_per_s: float
    wagers_per_s: float
    p50_ms: float
    p99_ms: float
    p999_ms: float
    server_cpu_us: float  # a wager
    client_cpu_us: float  # a wager
    server_busy: float  # processors
    client_busy: float
    resident_mb: float

    @property
    def limit(self) -> str:
        """Who could not have done more."""
        if self.client_busy >= max(self.server_busy, _BUSY):
            return "client"
        return "server" if self.server_busy >= _BUSY else "neither"


_BUSY = 0.8  # of a processor: the interpreter lock lets a Python process use about one


@contextmanager
def loading(job: Job, errors: int | None = None) -> Iterator["subprocess.Popen[str]"]:
    """A load that is connected and waits to be told to go."""
    process = subprocess.Popen(
        [sys.executable, "-m", "emulator.bench.load"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
    )
    try:
        _tell(process.stdin, json.dumps(msgspec.to_builtins(job)))
        if _line(process) != "ready":
            raise BenchError(f"the load on {job.address} could not be prepared")
        yield process
    finally:
        process.communicate()


def run_load(load: "subprocess.Popen[str]") -> Seen:
    """Tell a load to go, and wait for what it saw."""
    _tell(load.stdin, "go")
    if line := _line(load):
        return msgspec.json.decode(line, type=Seen)
    raise BenchError("a load broke off; what it printed above says why")


def measure(job: Job, server_pid: int) -> Measured:
    """Run a load, and watch the server meanwhile."""
    with loading(job) as load:
        before = cpu_s(server_pid)
        seen = run_load(load)
        return _measured(seen, cpu_s(server_pid) - before, resident_mb(server_pid))


def kill_under(job: Job, server: Server, after_s: float = 0.3) -> None:
    """Let a load begin, and kill the server under it."""
    with loading(job, errors=subprocess.DEVNULL) as load:  # it ends in a traceback, as it should
        _tell(load.stdin, "go")
        time.sleep(after_s)
        server.kill()


def spread(runs: Sequence[Measured]) -> dict[str, Any]:
    """Medians of everything, and the spread of the rate."""
    fields = Measured.__struct_fields__
    found: dict[str, Any] = {name: median(getattr(run, name) for run in runs) for name in fields}
    rates = [run.wagers_per_s for run in runs]
    found["wagers_per_s_spread"] = [min(rates), max(rates)]
    limits = [run.limit for run in runs]
    found["limit"] = max(set(limits), key=limits.count)
    return found


def _tell(pipe: IO[str] | None, line: str) -> None:
    if pipe is None:
        raise AssertionError("it was asked for")
    pipe.write(line + "\n")
    pipe.flush()


def _line(process: "subprocess.Popen[str]") -> str:
    """What a process says next; nothing where it has ended."""
    if process.stdout is None:
        raise AssertionError("it was asked for")
    return process.stdout.readline().strip()


def _measured(seen: Seen, server_cpu_s: float, resident: float) -> Measured:
    wagers = seen.wagers
    latencies = sorted(seen.latencies_us)

    def quantile_ms(share: float) -> float:
        return latencies[min(len(latencies) - 1, int(share * len(latencies)))] / 1000

    return Measured(
        messages_per_s=seen.messages / seen.elapsed_s,
        wagers_per_s=wagers / seen.elapsed_s,
        p50_ms=quantile_ms(0.5),
        p99_ms=quantile_ms(0.99),
        p999_ms=quantile_ms(0.999),
        server_cpu_us=server_cpu_s / wagers * 1e6,
        client_cpu_us=seen.cpu_s / wagers * 1e6,
        server_busy=server_cpu_s / seen.elapsed_s,
        client_busy=seen.cpu_s / seen.elapsed_s,
        resident_mb=resident,
    )


WINDOWS = {1: 24, 8: 16, 64: 16, 512: 2}  # messages unanswered at each table
MOST_UNANSWERED = 24  # messages; some hold two commands, and a stream may have 32


class Plan(msgspec.Struct):
    """How long everything takes."""

    runs: int = 5
    messages: int = 16_000  # a run, on the streaming servers
    calls: int = 1_500  # a run, on the others
    seconds: float = 6.0  # a run at a fixed load: one pause of the machine is not a hundredth of it
    lengths: tuple[int, ...] = (10_000, 100_000, 1_000_000)

    def stream(self, server: Server, tables: int, rate: float = 0.0, share: float = 1.0) -> Job:
        """A load of messages on streams, or of a share of them; with a rate, by the clock."""
        count = max(int(self.messages * share), 20 * tables)
        if rate:
            count = max(tables, int(rate * self.seconds))
        return Job(
            "stream",
            server.address,
            tables,
            count,
            window=MOST_UNANSWERED if rate else WINDOWS.get(tables, 4),
            attach=server.role == "controller",
            one_reply_each=server.role == "bytes",
            rate=rate,
            channels=0,
        )


QUICK = Plan(runs=3, messages=2_500, calls=400, seconds=1.5, lengths=(10_000, 100_000))
FULL_LENGTHS = (10_000, 100_000, 1_000_000, 10_000_000)
