"""`jackpot-emulator bench watchers`: what signs cost the controller, with and without 200 of them.

Three processes: a controller with its pages; a load whose tables play whole rounds of a house;
and one that holds the watchers, each a stream of server-sent events of the same link. Runs with and
without watchers alternate, so that whatever else the machine does hits both; medians and the whole
spread are shown. The controller's own processor time counts, not the wall's.

python -m emulator.bench.watchers URL COUNT holds the watchers.
"""

import asyncio
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import click
import uvloop

from emulator.bench.load import Job
from emulator.bench.messages import SIGN
from emulator.bench.processes import BenchError, Child, House, child, measure, next_line
from emulator.bench.report import machine, present
from jackpot.tuning import raise_file_limit

GOAL = 1.10
TABLES = 8
WINDOW = 3  # messages: one round
EACH = 200  # watchers of one address


class Size(NamedTuple):
    """How much is measured."""

    runs: int = 7
    messages: int = 9_000  # a run
    watchers: int = 200


QUICK = Size(runs=2, messages=1_500)


class Run(NamedTuple):
    """One measurement."""

    watchers: int
    wagers_per_s: float
    server_cpu_us: float  # of the controller, a wager
    frames_per_s: float


async def watch(url: str, count: int) -> None:
    """Hold so many streams until the input ends, then say how many frames came."""
    where = urlsplit(url)
    frames = 0

    async def one(number: int) -> None:
        nonlocal frames
        # One address has a share of the places; all of 127.0.0.0/8 is this machine.
        own = (f"127.0.0.{2 + number // EACH}", 0) if where.hostname == "127.0.0.1" else None
        reader, writer = await asyncio.open_connection(where.hostname, where.port, local_addr=own)
        writer.write(f"GET /events/sign/{SIGN} HTTP/1.1\r\nHost: {where.netloc}\r\n\r\n".encode())
        while data := await reader.read(65_536):
            frames += data.count(b"event: frame")

    streams = [asyncio.create_task(one(number)) for number in range(count)]
    await asyncio.sleep(1)
    click.echo("watching")
    await asyncio.to_thread(sys.stdin.read)
    for stream in streams:
        stream.cancel()
    click.echo(frames)


@contextmanager
def watching(url: str, count: int) -> Iterator[Child]:
    """Watchers in a process of their own, which ends when its input does."""
    process = child("emulator.bench.watchers", url, str(count))
    try:
        if next_line(process) != "watching":
            raise BenchError("the watchers could not connect; what they printed above says why")
        yield process
    finally:
        process.kill()
        process.communicate()


def measure_watchers(folder: Path, size: Size) -> list[Run]:
    """Runs without and with watchers, in turn; one before them only warms up."""
    with House(folder, TABLES, "--http", "127.0.0.1:0") as server:

        def run(count: int) -> Run:
            job = Job(
                "stream",
                server.address,
                TABLES,
                size.messages,
                window=WINDOW,
                attach=True,
                messages="rounds",
            )
            with watching(server.url, count) as process:
                found = measure(job, server.pid)
                frames = int(process.communicate()[0])
            elapsed_s = size.messages / found.messages_per_s
            return Run(count, found.wagers_per_s, found.server_cpu_us, frames / elapsed_s)

        run(0)
        return [run(count) for count in (0, size.watchers) * size.runs]


def text_lines(runs: list[Run], ratio: float) -> Iterator[str]:
    """The medians, for a terminal."""
    for count in dict.fromkeys(run.watchers for run in runs):
        here = [run for run in runs if run.watchers == count]
        costs = [run.server_cpu_us for run in here]
        yield (
            f"{count:4d} watchers: {median(costs):6.1f} us a wager "
            f"({min(costs):.1f} to {max(costs):.1f}), "
            f"{median(run.wagers_per_s for run in here):,.0f} wagers/s, "
            f"{median(run.frames_per_s for run in here):,.0f} frames/s sent"
        )
    yield f"ratio of the medians {ratio:.3f}, goal at most {GOAL}"


def cost_ratio(runs: list[Run]) -> float:
    """What a wager costs with watchers, as a multiple of what it costs without."""
    with_them, without = (
        median(run.server_cpu_us for run in runs if bool(run.watchers) == watched)
        for watched in (True, False)
    )
    return with_them / without


def run(report: Path | None, *, quick: bool, as_json: bool) -> None:
    """Run it as `jackpot-emulator bench watchers` does."""
    with tempfile.TemporaryDirectory() as folder:
        about = machine(Path(folder))
        runs = measure_watchers(Path(folder), QUICK if quick else Size())
    ratio = cost_ratio(runs)
    found: dict[str, Any] = {"machine": about, "ratio": ratio}
    found["runs"] = [run._asdict() for run in runs]
    present("watchers", found, text_lines(runs, ratio), report, as_json=as_json)
    if ratio > GOAL:
        raise click.exceptions.Exit(1)


if __name__ == "__main__":
    raise_file_limit()
    uvloop.run(watch(sys.argv[1], int(sys.argv[2])))
