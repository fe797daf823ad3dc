"""The pages' process: `python -m jackpot.display.web DESCRIPTOR PARENT`, started by the ledger.

It lives as long as its ledger, which drains it when it stops.
"""

import asyncio
import logging
import os
import socket
import sys

import uvloop

from jackpot.front.frames import connect
from jackpot.front.process import die_with
from jackpot.tuning import calm_collector, paused_collector, raise_file_limit


async def _run(end: socket.socket) -> None:
    # Not before this process is bound to its ledger: it takes a moment.
    from jackpot.display.web.process import PagesProcess  # noqa: PLC0415

    pages = PagesProcess()
    await connect(pages.link, end)
    calm_collector()
    await pages.done.wait()


def main(descriptor: str, parent: str) -> None:
    """Serve until the ledger has drained the pages, or is gone."""
    die_with(int(parent))
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    raise_file_limit()
    with paused_collector(), asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(_run(socket.socket(fileno=int(descriptor))))
        os._exit(0)  # at once: whoever still reads a page has nobody to read it from


if __name__ == "__main__":
    main(*sys.argv[1:])
