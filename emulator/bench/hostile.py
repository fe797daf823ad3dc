"""`jackpot-emulator bench hostile`: measure a table's lock-out while abusive clients attack.

`jackpot serve` behind TLS with its pages. Tables play whole rounds through the client at a calm
pace, and time their lock-outs: alone, and then under each attack in turn.

  header       one client sends the pages a header that never ends
  connections  3,000 TLS connections are opened at the gRPC port and left
  resets       a revoked certificate opens calls and resets them at once
  browsers     200 of them load the sign's page, watch it, and load it again

Attackers yield the processor to everybody else and keep to a rate, so a lock-out that is late is
not late for want of a processor. Afterwards every answer that a table got must be in the journal,
once and where the answer said, and the sign must show what was wagered.
"""

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import click
import msgspec
import uvloop

from emulator.attacks.attack import Attack
from emulator.bench.command import progress, temporary_folder
from emulator.bench.messages import DOLLAR, FIVE_PERCENT, FIVE_SEED, SIGN
from emulator.bench.processes import BenchError, child, next_line, quantile_ms, ratios, tell
from emulator.bench.report import Target, machine, machine_lines, present, target_lines
from emulator.bench.victims import Answers, Floor, Table, lost
from emulator.linux_process import resident_mb
from jackpot.verify import verify

QUIET = "quiet"
P99_OF_QUIET = 2.0
_MEMORY_S = 0.25
_REST_S = 1.0  # after an attack, for the controller to be rid of it


class Size(NamedTuple):
    """How much is measured; rates are what attackers keep to, a second."""

    runs: int = 3
    seconds: float = 5.0  # under full attack, and quiet
    tables: int = 8
    rounds_per_s: float = 10.0  # of each table
    pieces_per_s: float = 200.0  # of 32 KiB, of the header
    connections: int = 3_000
    connections_per_s: float = 400.0
    resets_per_s: float = 3_000.0
    browsers: int = 200
    reloads_per_s: float = 40.0


def attacks(floor: Floor, size: Size) -> dict[str, Attack]:
    """All of them, by name."""
    pages = floor.house.url.partition("://")[2]
    to_pages, to_calls = (pages, str(floor.root)), (floor.house.address, str(floor.root))
    revoked = str(floor.revoked)
    return {
        "header": Attack("header", *to_pages, per_s=size.pieces_per_s),
        "connections": Attack(
            "connections",
            *to_calls,
            certificate=revoked,
            per_s=size.connections_per_s,
            count=size.connections,
        ),
        "resets": Attack("resets", *to_calls, certificate=revoked, per_s=size.resets_per_s),
        "browsers": Attack(
            "browsers",
            *to_pages,
            per_s=size.reloads_per_s,
            count=size.browsers,
            path=f"/sign/{SIGN}",
        ),
    }


class Attacker:
    """A process that attacks."""

    def __init__(self, name: str, attack: Attack) -> None:
        self._name = name
        self._process = child("emulator.attacks")
        tell(self._process, msgspec.json.encode(attack).decode())

    def at_strength(self) -> None:
        """Wait until it does all that it was told to do."""
        if next_line(self._process) != "attacking":
            raise BenchError(f"the attack {self._name} failed; what it printed above says why")

    def end(self) -> int:
        """Call it off; how much it did."""
        said, _ = self._process.communicate()
        return int(said or 0)


class Hostile:
    """All attacks in turn, between times without any."""

    def __init__(self, floor: Floor, size: Size, done: Callable[[], object]) -> None:
        """`done` is told after each attack."""
        self._floor = floor
        self._size = size
        self._done = done
        self.answers: Answers = {}
        self.wagers = 0

    async def run(self) -> dict[str, list[dict[str, float]]]:
        """What every run found, by attack."""
        found: dict[str, list[dict[str, float]]] = {}
        async with AsyncExitStack() as stack:
            tables = [
                await stack.enter_async_context(self._floor.table(f"t{n}"))
                for n in range(self._size.tables)
            ]
            await self._phase(tables, "", None)  # warms up
            for _ in range(self._size.runs):
                for name, attack in {QUIET: None, **attacks(self._floor, self._size)}.items():
                    row = await self._phase(tables, name, attack)
                    found.setdefault(name, []).append(row)
                    self._done()
            for table in tables:
                self.answers |= table.answers
                self.wagers += table.wagers
        return found

    async def _phase(
        self, tables: list[Table], name: str, attack: Attack | None
    ) -> dict[str, float]:
        """Lock-outs from before an attack begins until it has been at its worst for a while."""
        ended, attacker, most_mb = asyncio.Event(), None, 0.0
        for table in tables:
            table.lock_outs_us.clear()
        gap_s = 1 / self._size.rounds_per_s
        playing = []
        for table in tables:
            playing.append(asyncio.create_task(table.play(gap_s, ended)))
            await asyncio.sleep(gap_s / len(tables))
        if attack:
            attacker = Attacker(name, attack)
            await asyncio.to_thread(attacker.at_strength)
        ends_at = time.monotonic() + self._size.seconds
        while time.monotonic() < ends_at:
            await asyncio.sleep(_MEMORY_S)
            most_mb = max(most_mb, resident_mb(self._floor.house.pid))
        ended.set()
        await asyncio.gather(*playing)
        did = 0
        if attacker:
            did = await asyncio.to_thread(attacker.end)
            await asyncio.sleep(_REST_S)
        latencies = sorted(us for table in tables for us in table.lock_outs_us)
        return {
            "lock_outs": len(latencies),
            "p50_ms": quantile_ms(latencies, 0.5),
            "p99_ms": quantile_ms(latencies, 0.99),
            "most_ms": latencies[-1] / 1000,
            "resident_mb": most_mb,
            "did": did,
        }


def summary(found: dict[str, list[dict[str, float]]]) -> dict[str, Any]:
    """The medians, the worst, and each p99 as a multiple of the quiet one of its run."""
    told: dict[str, Any] = {}
    for name, rows in found.items():
        told[name] = {field: median(row[field] for row in rows) for field in rows[0]}
        for field in ("most_ms", "resident_mb"):
            told[name][field] = max(row[field] for row in rows)
        for field in ("p50_ms", "p99_ms"):
            mine, quiet = ([row[field] for row in each] for each in (rows, found[QUIET]))
            told[name][f"{field[:3]}_of_quiet"] = ratios(mine, quiet)
    return told


def targets(report: dict[str, Any]) -> Iterator[Target]:
    """Every goal that the figures can judge."""
    for name, row in report["attacks"].items():
        if name != QUIET:
            ratio = row["p99_of_quiet"]["median"]
            says = f"p99 of a quiet lock-out's, {name}"
            yield Target(says, ratio, P99_OF_QUIET, ratio <= P99_OF_QUIET)
    yield Target("answers lost", report["lost"], 0, report["lost"] == 0)
    amiss = abs(report["meters_micros"] - report["expected_micros"]) / DOLLAR
    yield Target("dollars that the sign is off", amiss, 0, amiss == 0)


def text_lines(report: dict[str, Any]) -> Iterator[str]:
    """For a terminal of 80 columns."""
    yield from machine_lines(report["machine"])
    yield "\nA table's lock-out under attack: ms, p99 of the quiet one's (least to most)"
    yield f"\n{'':14}{'p50':>7}{'p99':>8}{'most':>8}   {'p99 of quiet':<22}{'MB':>5}{'did':>11}"
    for name, row in report["attacks"].items():
        ratio = row["p99_of_quiet"]
        shown = f"{ratio['median']:.2f} ({ratio['least']:.2f} to {ratio['most']:.2f})"
        yield (
            f"  {name:<12}{row['p50_ms']:>7.1f}{row['p99_ms']:>8.1f}{row['most_ms']:>8.1f}   "
            f"{shown if name != QUIET else '':<22}{row['resident_mb']:>5.0f}{row['did']:>11,.0f}"
        )
    yield (
        f"\n{report['answers']:,} answers, {report['lost']} of them lost; "
        f"the journal {'verifies' if report['verifies'] else 'DOES NOT VERIFY'}"
    )
    yield ""
    yield from target_lines(Target(*each) for each in report["targets"])


def run_hostile(folder: Path, size: Size, done: Callable[[], object]) -> dict[str, Any]:
    """Attack; the report."""
    here = machine(folder)
    floor = Floor(folder / "house", size.tables)
    with floor.house:
        hostile = Hostile(floor, size, done)

        async def run() -> tuple[dict[str, list[dict[str, float]]], int]:
            return await hostile.run(), await floor.meters_micros()

        found, shown = uvloop.run(run())
    report: dict[str, Any] = {
        "at": here.pop("at"),
        "machine": here,
        "size": size._asdict(),
        "attacks": summary(found),
        "answers": len(hostile.answers),
        "lost": lost(floor.house.data, hostile.answers),
        "verifies": verify(floor.house.data).ok,
        "meters_micros": shown,
        "expected_micros": FIVE_SEED + hostile.wagers * DOLLAR * FIVE_PERCENT // 100,
    }
    report["targets"] = [list(target) for target in targets(report)]
    return report


def run(runs: int, seconds: float, data: Path, report: Path | None, *, as_json: bool) -> None:
    """Run it as `jackpot-emulator bench hostile` does."""
    size, folder = Size(runs, seconds), temporary_folder(data)
    with progress(runs * 5, "attacks") as done:
        found = run_hostile(folder, size, done)
    present("hostile", found, text_lines(found), report, as_json=as_json)
    if found["lost"] or not found["verifies"] or found["meters_micros"] != found["expected_micros"]:
        raise click.exceptions.Exit(1)
