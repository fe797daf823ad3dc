"""Processes of a benchmark: servers that are measured, loads that measure them, and how much."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from statistics import median
from typing import Any, Self

import click
import msgspec

from emulator.bench.load import Job, Seen
from emulator.bench.messages import house_text
from emulator.linux_process import cpu_by_process, resident_mb, tree
from jackpot.front.process import GRPC_SETTINGS

Child = subprocess.Popen[str]
_SERVING = re.compile(r"(?:serving \S+ on )?(\S+)")


class BenchError(click.ClickException):
    """A part of a benchmark that failed, in one line."""


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
        tied = [sys.executable, "-m", "emulator.linux_process", str(os.getpid())]
        with tempfile.TemporaryFile("w+") as log:
            # A command of our own making.
            self._process = subprocess.Popen(  # noqa: S603
                [*tied, *self._arguments],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env={**(GRPC_SETTINGS if self.role == "tuned" else {}), **os.environ},
            )
            serving = _SERVING.match(next_line(self._process))
            self.started_s = time.perf_counter() - began
            if not serving:
                self.kill()
                log.seek(0)
                why = (log.read().strip().splitlines() or ["it does not say why"])[-1]
                raise BenchError(f"the {self.role} server did not start: {why}")
        self.address = serving[1]
        if "--http" in self._arguments:
            self.url = next_line(self._process).rpartition(" ")[2]
        return self

    def stop(self) -> None:
        """Let it end in good order."""
        if self._process:
            self.signal(signal.SIGCONT)
            self._process.terminate()
            self._process.communicate(timeout=120)
            self._process = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def signal(self, number: signal.Signals) -> None:
        """Send it and all below it a signal, such as one that stops it while others run."""
        for pid in tree(self.pid) if self._process else ():
            os.kill(pid, number)

    def kill(self) -> None:
        """As a power cut would."""
        if self._process:
            self._process.send_signal(signal.SIGKILL)
            self._process.communicate()
            self._process = None


class House(Server):
    """`jackpot serve` itself, on the site file of a house; its journal is in `data`."""

    def __init__(self, folder: Path, tables: int = 512, *options: str) -> None:
        """Write the site file; `options` go to the command."""
        super().__init__("controller", folder)
        self.data = folder / "data"
        site = folder / "site.toml"
        site.write_text(house_text(tables), "utf-8")
        self._arguments = [sys.executable, "-m", "jackpot", "serve", "--site", str(site)]
        self._arguments += ["--store", str(self.data), "--grpc", "127.0.0.1:0", *options]


def started(stack: ExitStack, folder: Path, *roles: str) -> dict[str, Server]:
    """Servers by role, each with a folder of its own, until the stack ends."""
    return {role: stack.enter_context(Server(role, folder / role)) for role in roles}


class Measured(msgspec.Struct):
    """One run against one server."""

    messages_per_s: float
    wagers_per_s: float
    rounds_per_s: float
    p50_ms: float
    p99_ms: float
    p999_ms: float
    server_cpu_us: float  # a wager
    client_cpu_us: float  # a wager
    server_busy: float  # processors
    client_busy: float
    resident_mb: float
    process_us: dict[str, float]  # a message, by process

    @property
    def limit(self) -> str:
        """Who could not have done more."""
        if self.client_busy >= max(self.server_busy, _BUSY):
            return "client"
        return "server" if self.server_busy >= _BUSY else "neither"


_BUSY = 0.8  # of a processor: the interpreter lock lets a Python process use about one


def child(module: str, *arguments: str, errors: int | None = None) -> Child:
    """A module of ours in a process of its own, which is told lines and says lines."""
    command = [sys.executable, "-m", module, *arguments]
    pipe = subprocess.PIPE
    # A command of our own making.
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=errors, text=True)  # noqa: S603


def tell(process: Child, line: str) -> None:
    """Give a process a line to read."""
    if process.stdin is None:
        raise AssertionError("it was asked for")
    process.stdin.write(line + "\n")
    process.stdin.flush()


def next_line(process: Child) -> str:
    """What a process says next; nothing where it has ended."""
    if process.stdout is None:
        raise AssertionError("it was asked for")
    return process.stdout.readline().strip()


@contextmanager
def loader(errors: int | None = None) -> Iterator[Child]:
    """A process for loads, one after the other."""
    process = child("emulator.bench.load", errors=errors)
    try:
        yield process
    finally:
        process.communicate()


@contextmanager
def loading(job: Job, errors: int | None = None) -> Iterator[Child]:
    """A load that is connected and waits to be told to go, in a process of its own."""
    with loader(errors) as process:
        yield prepared(process, job)


def prepared(load: Child, job: Job) -> Child:
    """Have a process connect a load."""
    tell(load, json.dumps(msgspec.to_builtins(job)))
    if next_line(load) != "ready":
        raise BenchError(f"the load on {job.address} could not be prepared")
    return load


def run_load(load: Child) -> Seen:
    """Tell a load to go, and wait for what it saw."""
    tell(load, "go")
    if line := next_line(load):
        return msgspec.json.decode(line, type=Seen)
    raise BenchError("a load broke off; what it printed above says why")


def measure(job: Job, server_pid: int, load: Child | None = None) -> Measured:
    """Run a load, in a process of its own unless there is one, and watch the server meanwhile."""
    with nullcontext(prepared(load, job)) if load else loading(job) as ready:
        before = cpu_by_process(server_pid)
        seen = run_load(ready)
        after = cpu_by_process(server_pid)
        names = tree(server_pid)
        used = {names.get(p, str(p)): now - before.get(p, 0.0) for p, now in after.items()}
        return _measured(seen, used, resident_mb(server_pid))


def kill_under(job: Job, server: Server) -> None:
    """Let a load begin, and kill the server under it."""
    with loading(job, errors=subprocess.DEVNULL) as load:  # it ends in a traceback, as it should
        tell(load, "go")
        time.sleep(0.3)
        server.kill()


def spread(runs: Sequence[Measured]) -> dict[str, Any]:
    """Medians of everything, and the spread of the rate."""
    *fields, by_process = Measured.__struct_fields__
    found: dict[str, Any] = {name: median(getattr(run, name) for run in runs) for name in fields}
    rates = [run.wagers_per_s for run in runs]
    found["wagers_per_s_spread"] = [min(rates), max(rates)]
    found["message_us"] = median(sum(run.process_us.values()) for run in runs)
    found[by_process] = {
        name: median(run.process_us.get(name, 0.0) for run in runs)
        for name in dict.fromkeys(name for run in runs for name in run.process_us)
    }
    limits = [run.limit for run in runs]
    found["limit"] = max(set(limits), key=limits.count)
    return found


def ratios(mine: Sequence[float], other: Sequence[float]) -> dict[str, float]:
    """Each run against the one that ran beside it: the middle, and the whole spread."""
    found = [a / b for a, b in zip(mine, other, strict=True)]
    return {"median": median(found), "least": min(found), "most": max(found)}


def ratios_of(field: str, mine: Sequence[Measured], other: Sequence[Measured]) -> dict[str, float]:
    """The same of one field."""
    return ratios([getattr(run, field) for run in mine], [getattr(run, field) for run in other])


def quantile_ms(latencies_us: Sequence[int], share: float) -> float:
    """How long all but a share of the answers took at most; the latencies are sorted."""
    return latencies_us[min(len(latencies_us) - 1, int(share * len(latencies_us)))] / 1000


def _measured(seen: Seen, used_s: dict[str, float], resident: float) -> Measured:
    wagers, server_cpu_s = seen.wagers, sum(used_s.values())
    latencies = sorted(seen.latencies_us)
    return Measured(
        messages_per_s=seen.messages / seen.elapsed_s,
        wagers_per_s=wagers / seen.elapsed_s,
        rounds_per_s=seen.rounds / seen.elapsed_s,
        p50_ms=quantile_ms(latencies, 0.5),
        p99_ms=quantile_ms(latencies, 0.99),
        p999_ms=quantile_ms(latencies, 0.999),
        server_cpu_us=server_cpu_s / wagers * 1e6,
        client_cpu_us=seen.cpu_s / wagers * 1e6,
        server_busy=server_cpu_s / seen.elapsed_s,
        client_busy=seen.cpu_s / seen.elapsed_s,
        resident_mb=resident,
        process_us={name: used / seen.messages * 1e6 for name, used in used_s.items()},
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
