"""Controllers in processes of their own, for tests to kill and to stop."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from jackpot.core.commands import Request
from jackpot.core.commands.base import TableOrigin
from jackpot.core.commands.table import OpenRound, PlaceWagers
from jackpot.core.reasons import Reason
from jackpot.store.opening import Address, open_to_read
from tests.engine.pit import SITE, Pit, running
from tests.engine.worker import Told

ROOT = Path(__file__).parents[2]


class Worker:
    """A controller process, spoken to in lines."""

    def __init__(self, store: Address, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.engine.worker", str(store)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env=os.environ | environment,
            text=True,
        )
        assert self.process.stdout is not None
        assert self.process.stdin is not None
        self.answers, self.questions = self.process.stdout, self.process.stdin
        assert self.answers.readline() == "ready\n"

    def ask(self, number: int, command: OpenRound | PlaceWagers, table: str = "t1") -> Told | None:
        """The outcome of a table's command, or None where the process died over it."""
        self.send(number, command, table)
        return self.hear()

    def send(self, number: int, command: OpenRound | PlaceWagers, table: str = "t1") -> None:
        """Ask without waiting."""
        request = Request(SITE, TableOrigin(table, 1, number), command)
        self.say(msgspec.json.encode(request).decode())

    def say(self, line: str) -> None:
        """A line to the process."""
        self.questions.write(line + "\n")
        self.questions.flush()

    def hear(self) -> Told | None:
        """The next outcome."""
        line = self.answers.readline()
        return msgspec.json.decode(line, type=Told) if line else None

    def insist(
        self,
        number: int,
        command: OpenRound | PlaceWagers,
        within_s: float = 10,
        table: str = "t1",
    ) -> Told:
        """Ask again until the store works."""
        until = time.monotonic() + within_s
        while time.monotonic() < until:
            told = self.ask(number, command, table)
            assert told is not None
            if told.reason != Reason.STORE_UNAVAILABLE:
                return told
            time.sleep(0.02)
        raise TimeoutError("the store did not come back")

    def kill(self) -> None:
        """End it at once."""
        self.process.kill()
        self.process.wait()
        self.answers.close()
        self.questions.close()


@contextmanager
def worker(store: Address, **environment: str) -> Iterator[Worker]:
    """A worker that is gone afterwards."""
    started = Worker(store, **environment)
    try:
        yield started
    finally:
        started.kill()


async def set_up(store: Address) -> None:
    """A journal in which tables t1 and t2 have just attached, with epoch 1."""
    async with running(store) as engine:
        await Pit(engine).open_up("t1", "t2")


def events_of(store: Address) -> list[tuple[int, str]]:
    """Sequences and kinds of the tables' own events."""
    journal = open_to_read(store)
    found = [(entry.sequence, entry.kind) for entry in journal.read(SITE, 0, 10_000)]
    journal.close()
    return [event for event in found if event[1] in {"RoundOpened", "WagersPlaced", "Refused"}]
