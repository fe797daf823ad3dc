"""What signs cost the controller: processor time a wager, with and without 200 watchers.

Three processes: a real `jackpot serve` with its pages; this one, whose tables play whole rounds of
six wagers; and one that holds the watchers, each a server-sent event stream of the same link. Runs
with and without watchers alternate, so that whatever else the machine does hits both; medians and
the whole spread are shown. The controller's own processor time counts, not the wall's.

Run it from the repository: `python benchmarks/watchers.py [--quick] [--json]`. Exits 1 when the
watchers add more than a tenth.
"""

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import NamedTuple
from urllib.parse import urlsplit

import uvloop

from jackpot.wire.v1 import table_pb2
from table_client.client import TableClient, open_channel

GOAL = 1.10
WATCHERS = 200
TABLES = 8
SEATS = range(1, 7)
BET = "five-card-progressive"
DOLLAR = 1_000_000
TICKS_PER_S = os.sysconf("SC_CLK_TCK")
SITE = """
[site]
id = "bench"

[[links]]
id = "link"
title = "Benchmark"
rule = "pa-crazy-4-poker"
bet = "five-card-progressive"
paytable = "C"
wager = "$1"
in_service = true
"""


class Run(NamedTuple):
    """One measurement."""

    watchers: int
    wagers: int
    cpu_s: float
    wall_s: float
    events: int

    @property
    def micros_per_wager(self) -> float:
        """The controller's processor time."""
        return 1e6 * self.cpu_s / self.wagers


class Controller:
    """`jackpot serve` in a process of its own."""

    def __init__(self, folder: Path) -> None:
        site = folder / "site.toml"
        tables = "".join(f'\n[[tables]]\nid = "t{n}"\nlinks = ["link"]\n' for n in range(TABLES))
        site.write_text(SITE + tables)
        command = [sys.executable, "-m", "jackpot", "serve", "--site", str(site)]
        command += ["--data", str(folder / "data"), "--grpc", "127.0.0.1:0"]
        self._process = subprocess.Popen(
            [*command, "--http", "127.0.0.1:0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.address = self._read(r"serving \S+ on (\S+)")
        self.url = self._read(r"signs and pages on (\S+)")

    def _read(self, pattern: str) -> str:
        assert self._process.stdout is not None
        found = re.match(pattern, self._process.stdout.readline())
        assert found
        return found[1]

    def cpu_s(self) -> float:
        """Processor time so far."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS_PER_S

    def stop(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.wait()


# -- the watchers ----------------------------------------------------------------------------------


async def watch(url: str, count: int) -> None:
    """Hold so many streams until told to stop, then say how many events came."""
    where = urlsplit(url)
    events = 0

    async def one() -> None:
        nonlocal events
        reader, writer = await asyncio.open_connection(where.hostname, where.port)
        writer.write(f"GET /events/sign/link HTTP/1.1\r\nHost: {where.netloc}\r\n\r\n".encode())
        while data := await reader.read(65_536):
            events += data.count(b"event: frame")

    streams = [asyncio.create_task(one()) for _ in range(count)]
    await asyncio.sleep(1)
    print("watching", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    for stream in streams:
        stream.cancel()
    print(events, flush=True)


@contextmanager
def watching(url: str, count: int) -> Iterator[subprocess.Popen[str]]:
    """Watchers in a process of their own."""
    command = [sys.executable, __file__, "--watch", url, str(count)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "watching\n"
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


# -- the load --------------------------------------------------------------------------------------


async def play(address: str, seconds: float) -> int:
    """Whole rounds on all tables; the wagers that were accepted."""
    ends_s = time.monotonic() + seconds
    async with open_channel(address) as channel:
        counts = await asyncio.gather(
            *(table(TableClient(channel, "bench", f"t{n}"), ends_s) for n in range(TABLES))
        )
    return sum(counts)


async def table(client: TableClient, ends_s: float) -> int:
    """One table's rounds."""
    wagers = [table_pb2.Wager(seat=seat, bet=BET, amount_micros=DOLLAR) for seat in SEATS]
    cards = [f"{rank}{suit}" for suit in "cdhs" for rank in "23456789TJQKA"]
    # Every fifth card, so that nobody has a pair or a suit, and nothing is won.
    hands = [[cards[(seat + 11 * n) % 52] for n in range(5)] for seat in range(7)]
    played = [
        table_pb2.SeatHand(seat=seat, cards=hands[seat], fate=table_pb2.FATE_PLAYED)
        for seat in SEATS
    ]
    count = 0
    async with client:
        attached = await client.attach()
        if attached.round.phase == table_pb2.ROUND_PHASE_COLLECTED:
            await client.settle(played, hands[0])
        elif attached.round.phase not in (0, table_pb2.ROUND_PHASE_SETTLED):
            await client.void_round("benchmark")
        while time.monotonic() < ends_s:
            await asyncio.gather(
                client.open_round(),
                client.place_wagers(wagers),
                client.lock_out(),
                client.confirm_collection({BET: len(SEATS)}),
            )
            await client.settle(played, hands[0])
            count += len(SEATS)
    return count


def measure(runner: asyncio.Runner, controller: Controller, watchers: int, seconds: float) -> Run:
    """One run."""
    with watching(controller.url, watchers) as process:
        before_s, begun_s = controller.cpu_s(), time.monotonic()
        wagers = runner.run(play(controller.address, seconds))
        cpu_s, wall_s = controller.cpu_s() - before_s, time.monotonic() - begun_s
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write("\n")
        process.stdin.flush()
        events = int(process.stdout.readline())
    return Run(watchers, wagers, cpu_s, wall_s, events)


def main() -> int:
    """Measure and judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="short runs, to see that it works")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--watch", nargs=2, metavar=("URL", "COUNT"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.watch:
        uvloop.run(watch(options.watch[0], int(options.watch[1])))
        return 0
    rounds, seconds = (2, 1.0) if options.quick else (7, 5.0)
    with (
        tempfile.TemporaryDirectory() as folder,
        asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner,
    ):
        controller = Controller(Path(folder))
        measure(runner, controller, 0, 1.0)  # warm
        counts = (0, WATCHERS) * rounds
        runs = [measure(runner, controller, count, seconds) for count in counts]
        controller.stop()
    return report(runs, as_json=options.json)


def report(runs: list[Run], *, as_json: bool) -> int:
    """Say what was measured; 1 where the goal is missed."""
    costs = {
        count: [run.micros_per_wager for run in runs if run.watchers == count]
        for count in (0, WATCHERS)
    }
    ratio = median(costs[WATCHERS]) / median(costs[0])
    if as_json:
        print(json.dumps({"ratio": ratio, "runs": [run._asdict() for run in runs]}))
        return int(ratio > GOAL)
    for count, values in costs.items():
        rates = [run.wagers / run.wall_s for run in runs if run.watchers == count]
        events = [run.events / run.wall_s for run in runs if run.watchers == count]
        print(
            f"{count:4d} watchers: {median(values):6.1f} us a wager "
            f"({min(values):.1f} to {max(values):.1f}), {median(rates):,.0f} wagers/s, "
            f"{median(events):,.0f} frames/s sent"
        )
    print(f"ratio of the medians {ratio:.3f}, goal at most {GOAL}")
    return int(ratio > GOAL)


if __name__ == "__main__":
    sys.exit(main())
