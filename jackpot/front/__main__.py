"""A front's process: `python -m jackpot.front DESCRIPTOR PARENT`, started by the ledger only.

It lives as long as its ledger. A signal to the whole group is the ledger's to heed: it drains its
fronts when it stops.
"""

import asyncio
import logging
import os
import socket
import sys
from contextlib import suppress

import uvloop

from jackpot.front.frames import connect
from jackpot.front.process import die_with
from jackpot.front.relay import Front
from jackpot.processor import LOAD_LOOK_S, Patience, own_threads
from jackpot.tuning import calm_collector, raise_file_limit

# Messages of callers who were let in. An attacker's calls do not count: a front that is attacked
# must not be slow to take up what others send.
MANY_PER_S = 1_000


async def _run(end: socket.socket) -> None:
    front = Front()
    await connect(front.link, end)
    calm_collector()
    patience, passed = Patience(), 0
    while not front.done.is_set():
        with suppress(TimeoutError):
            await asyncio.wait_for(front.done.wait(), LOAD_LOOK_S)
        before, passed = passed, front.passed
        patience.set(passed - before >= MANY_PER_S * LOAD_LOOK_S, own_threads())


def main(descriptor: str, parent: str) -> None:
    """Serve until the ledger has drained this front, or is gone."""
    die_with(int(parent))
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s front: %(message)s")
    raise_file_limit()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_run(socket.socket(fileno=int(descriptor))))
        os._exit(0)  # at once: without a ledger nothing that gRPC would tidy up matters


if __name__ == "__main__":
    main(*sys.argv[1:])
