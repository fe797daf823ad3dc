"""The pages' process: killed it comes back, the tables don't notice, and it outlives no ledger."""

import asyncio
import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from jackpot.wire.v1 import table_pb2
from table_client.client import TableClient, open_channel
from tests.display.shown import ask
from tests.e2e.process import Process
from tests.engine.pit import eventually
from tests.server.house import FIVE, SITE, free_port

pytestmark = pytest.mark.process

WAGER = table_pb2.Wager(seat=1, bet=FIVE, amount_micros=1_000_000)


class Served:
    """A controller with pages."""

    def __init__(self, folder: Path) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        options = ("--http", f"127.0.0.1:{port}", "--staff-on-loopback")
        self.process = Process(folder, options=options, log=folder / "log")

    def pages(self) -> int:
        """The pages' process."""
        ledger = self.process.pid
        children = Path(f"/proc/{ledger}/task/{ledger}/children")
        for _ in range(200):
            for pid in children.read_text().split():
                with suppress(OSError):
                    if b"jackpot.display.web" in Path(f"/proc/{pid}/cmdline").read_bytes():
                        return int(pid)
            time.sleep(0.05)
        raise AssertionError("no process has the pages")

    async def answer(self, path: str, within_s: float = 10) -> str:
        """What a page says, as soon as it is answered."""
        async with asyncio.timeout(within_s):
            while True:
                with suppress(OSError, asyncio.IncompleteReadError):
                    async with ask(self.url, path) as answer:
                        if answer.status == 200:
                            return (await answer.body()).decode()
                await asyncio.sleep(0.05)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    """`jackpot serve` with its pages."""
    found = Served(tmp_path)
    with found.process:
        yield found


async def test_killed_pages_are_back_and_no_table_notices(served: Served) -> None:
    """Rounds go on over one stream while the pages die twice; the ledger's figures stay."""
    async with (
        open_channel(served.process.address) as channel,
        TableClient(channel, SITE, "s0") as client,
    ):
        await client.attach()
        rounds, killed = 0, 0

        async def play() -> None:
            nonlocal rounds
            while killed < 2:
                await client.open_round()
                await client.place_wagers([WAGER])
                await client.lock_out()
                await client.void_round("MISDEALT")
                rounds += 1

        playing = asyncio.create_task(play())
        assert await served.answer("/health") == "serving\n"
        for _ in range(2):
            before, first = rounds, served.pages()
            os.kill(first, signal.SIGKILL)
            await eventually(lambda first=first: served.pages() != first)  # type: ignore[misc]  # bound now
            assert await served.answer("/health") == "serving\n"
            assert rounds > before
            killed += 1
        await playing
    text = await served.answer("/metrics")
    assert f'jackpot_rounds_total{{end="voided"}} {rounds}.0' in text
    assert 'jackpot_alarms_raised_total{alarm="FRONT_LOST"} 2.0' in text


async def test_pages_that_hang_are_replaced(served: Served) -> None:
    """A process that answers no pings is ended, and another one serves."""
    # Only when the ledger knows that they serve does it expect their answers.
    assert (await asyncio.to_thread(served.process.said)).startswith("signs and pages on ")
    first = served.pages()
    os.kill(first, signal.SIGSTOP)
    assert await served.answer("/health", 30) == "serving\n"
    assert served.pages() != first


async def test_pages_end_with_their_ledger(served: Served) -> None:
    """However it ends: by a kill at once, and when it is asked to stop, before it."""
    for end in (served.process.kill, served.process.stop):
        pages = served.pages()
        await asyncio.to_thread(end)
        await eventually(lambda pages=pages: not _runs(pages), 20)  # type: ignore[misc]  # bound now
        await asyncio.to_thread(served.process.start)


def _runs(pid: int) -> bool:
    """Whether a process is more than a memory of one that has ended."""
    with suppress(OSError):
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    return False
