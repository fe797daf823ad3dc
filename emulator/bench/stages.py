"""`python -m emulator.bench.stages`: what a message of a whole round costs the ledger, by stage.

The ledger in one thread and without sockets: streams are fed the messages of `bench rounds`, the
writer is told when to take a batch, and answers are made of what it says. Processor time of this
thread; the least of several repeats, since whatever else runs on the machine can only add to it.
"""

import asyncio
import logging
import tempfile
import time
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

import click
import uvloop

from emulator.bench.messages import house_text, messages
from emulator.bench.processes import BenchError
from jackpot.core.commands import AnyCommand, Request
from jackpot.core.commands.base import OperatorOrigin
from jackpot.core.commands.operator import (
    AttachTable,
    DefineLink,
    DefineTable,
    PayPayout,
    PutInService,
    ValidatePayout,
)
from jackpot.engine import Engine
from jackpot.engine.commit_points import Point
from jackpot.rules.hands import names
from jackpot.rules.site import load_site
from jackpot.server.play import PlayStream
from jackpot.store.sqlite import SqliteJournal
from jackpot.tuning import calm_collector
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import table_pb2 as pb

TABLES = 8
ROUNDS, REPEATS = 60, 7
# What a stage is called, by the moment at which it ends.
STAGES: dict[str, str] = {
    "before-lock": "read and submit",
    "after-decide": "lock, decide, apply, encode, hash",
    "before-commit": "insert",
    "after-commit": "commit",
    "answered": "publish and answer",
}


class _Caller:
    """A caller who takes every answer at once."""

    def __init__(self) -> None:
        self.receive: Any = None
        self.heed_room: Any = None
        self.ended = False
        self.answers: list[bytes] = []

    def has_room(self) -> bool:
        return True

    def send(self, raw: bytes) -> None:
        self.answers.append(raw)

    def fail(self) -> None:
        raise BenchError("the stream failed")

    refuse = end = fail


class Ledger:
    """An engine whose writer's turns are taken here, one after the other."""

    def __init__(self, folder: Path) -> None:
        self.used: dict[str, float] = dict.fromkeys(STAGES, 0.0)
        self._last_s = 0.0
        self._site = load_site(folder / "site.toml")
        self._engine = Engine(
            lambda: SqliteJournal.open(folder), names, sites=[self._site.id], faults=self._reached
        )
        self._engine._loop = asyncio.get_running_loop()  # noqa: SLF001 - instead of `start`
        self._engine._started = True  # noqa: SLF001
        (handle,) = self._engine._handles  # noqa: SLF001
        self._writer = handle.writer
        self._opened = self._writer._open()  # noqa: SLF001 - the beginning of its thread
        self._writer._tell(healthy=True)  # noqa: SLF001

    def _reached(self, point: Point | str) -> None:
        """A stage is over."""
        now_s = time.thread_time()
        if point in STAGES:
            self.used[point] += now_s - self._last_s
            self._last_s = now_s

    async def _turn(self) -> None:
        self._writer.busy_since = time.monotonic()
        self._writer._turn(*self._opened)  # noqa: SLF001 - what its thread does
        await asyncio.sleep(0)  # the engine hears of it, and wakes the streams
        await asyncio.sleep(0)

    async def set_up(self) -> None:
        """Make the site ready to play."""
        site = self._site
        await asyncio.sleep(0)
        await self.operate(*map(DefineLink, site.links), *map(DefineTable, site.tables))
        await self.operate(*map(PutInService, site.in_service))

    async def operate(self, *commands: AnyCommand) -> None:
        """Carry out what people ask for."""
        for each in commands:
            origin = OperatorOrigin("floor", new_request_id())
            request = Request(self._site.id, origin, each, keeps_cage=True)
            self._engine.submit(request, lambda _: None)
        await self._turn()

    async def pay(self) -> None:
        """Pay whatever was won."""
        due = list(self._opened[1].replicas[self._site.id].state.payouts.values())
        checked = [ValidatePayout(each.id, "floor") for each in due if each.needs_floorperson]
        await self.operate(*checked, *[PayPayout(each.id) for each in due])

    async def seat(self, table: str) -> tuple[int, _Caller]:
        """Attach a table; its epoch and its stream."""
        await self.operate(AttachTable(table))
        caller: Any = _Caller()
        PlayStream(self._engine, caller, lambda _site, _table: None)
        return self._opened[1].replicas[self._site.id].state.tables[table].epoch, caller

    async def play(self, sent: list[tuple[_Caller, bytes]]) -> None:
        """Carry out the messages of one batch."""
        self._last_s = time.thread_time()
        for caller, raw in sent:
            caller.receive(raw)
        await self._turn()
        self._reached("answered")


async def measure(
    folder: Path, at_once: int, rounds: int = ROUNDS, repeats: int = REPEATS
) -> dict[str, float]:
    """Microseconds a message, by stage."""
    (folder / "site.toml").write_text(house_text(TABLES), "utf-8")
    ledger = Ledger(folder)
    await ledger.set_up()
    least = dict.fromkeys(STAGES, float("inf"))
    for _ in range(repeats):
        seats = [await ledger.seat(f"t{table}") for table in range(TABLES)]
        loads = [
            [(caller, each.raw) for each in messages("rounds", table, 1, epoch, 3 * rounds)]
            for table, (epoch, caller) in enumerate(seats)
        ]
        sent = [each for step in zip_longest(*loads) for each in step if each]
        ledger.used = dict.fromkeys(STAGES, 0.0)
        for first in range(0, len(sent), at_once):
            await ledger.play(sent[first : first + at_once])
        least = {
            stage: min(us, ledger.used[stage] / len(sent) * 1e6) for stage, us in least.items()
        }
        for problem in refused(caller for _, caller in seats):
            raise BenchError(f"refused: {problem}")
        await ledger.pay()
    return {says: least[stage] for stage, says in STAGES.items()}


def refused(callers: Iterator[_Caller]) -> Iterator[str]:
    """What was answered with an error."""
    for caller in callers:
        for raw in caller.answers:
            for result in pb.PlayResponse.FromString(raw).results:
                if result.WhichOneof("result") == "error":
                    yield result.error.message


@click.command(epilog="\b\nExample:\n  python -m emulator.bench.stages --at-once 90")
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder on the disk to measure; files made there are removed.  [default: a temporary one]",
)
@click.option(
    "--at-once",
    type=click.IntRange(min=1),
    default=24,
    show_default=True,
    help="How many messages share a batch.",
)
def main(data: Path | None, at_once: int) -> None:
    """Print what a message of a whole round costs the ledger, by stage, in microseconds."""
    calm_collector()
    logging.disable()  # the rounds raise alarms, as those of a house do
    with tempfile.TemporaryDirectory(dir=data) as folder:
        found = uvloop.run(measure(Path(folder), at_once))
    for stage, used in found.items():
        click.echo(f"{stage:<34}{used:6.1f} us")
    click.echo(f"{'in all':<34}{sum(found.values()):6.1f} us")


if __name__ == "__main__":
    main()
