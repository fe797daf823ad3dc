"""A controller without a network, as a process that a test can kill.

Each line of its input is a request as JSON, or `limit BYTES` to shrink the disk; each line of its
output is an outcome as JSON, in order. `python -m tests.engine.worker STORE`.
"""

import asyncio
import os
import resource
import sys

import msgspec

from emulator.soak.under_test import from_environment
from jackpot.core.commands import Request
from jackpot.core.events import Refused
from jackpot.engine import Engine, JournaledAnswer, Outcome
from jackpot.store.opening import journal_opener
from tests.core.floor import tagged_names
from tests.engine.pit import SITE


class Told(msgspec.Struct):
    """An outcome as the test reads it."""

    sequence: int = 0
    reason: str = ""


def told(outcome: Outcome) -> Told:
    """An outcome in short."""
    if not isinstance(outcome, JournaledAnswer):
        return Told(reason=outcome.reason)
    event = outcome.event
    return Told(outcome.sequence, event.reason if isinstance(event, Refused) else "")


def say(line: str) -> None:
    """A line to the test."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


async def main(store: str) -> None:
    """Serve until the input ends."""
    engine = Engine(
        journal_opener(store), tagged_names, sites=(SITE,), faults=from_environment(os.environ)
    )
    await engine.start()
    say("ready")
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        if line.startswith("limit "):
            size = int(line.split()[1])
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
            continue
        outcome = await engine.execute(msgspec.json.decode(line, type=Request))
        say(msgspec.json.encode(told(outcome)).decode())
    await engine.drain()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
