"""Build a journal of a given length, through the engine, as fast as it goes."""

import asyncio
from collections import deque
from functools import partial
from pathlib import Path
from typing import Any

from emulator.bench.messages import ROUND_MESSAGES, SITE, bench_site, commands
from jackpot.core.commands import AttachTable, OperatorOrigin, Request, TableOrigin
from jackpot.core.reasons import Refusal
from jackpot.engine import Engine, Limits, Outcome
from jackpot.engine.answers import Committed
from jackpot.request_id import new_request_id
from jackpot.rules.hands import names
from jackpot.server.parse import play_requests
from jackpot.server.setup import set_up
from jackpot.store.sqlite import SqliteJournal
from jackpot.v1 import table_pb2 as pb

_TABLE = 63  # none of those that the load plays on
_UNANSWERED = 8_192
_LIMITS = Limits(batch_commands=4_096, batch_bytes=64 << 20, gather_s=0.0)


def build(folder: Path, length: int) -> None:
    """Fill a journal up to so many entries; one that is there is continued."""
    asyncio.run(_build(folder, length))


async def _build(folder: Path, length: int) -> None:
    engine = Engine(partial(SqliteJournal.open, folder), names, sites=[SITE], limits=_LIMITS)
    await engine.start()
    site = bench_site(64)
    await set_up(engine, site)
    attach = await engine.execute(
        Request(SITE, OperatorOrigin("build", new_request_id()), AttachTable(f"t{_TABLE}"))
    )
    if not isinstance(attach, Committed):
        raise TypeError(f"the journal can't be built: {attach}")
    await _fill(engine, length, attach.sequence, _epoch(attach.event))
    await engine.drain()


def _epoch(event: Any) -> int:
    epoch: int = event.epoch
    return epoch


async def _fill(engine: Engine, length: int, sequence: int, epoch: int) -> None:
    """Keep the writer busy until the journal is long enough."""
    answered = asyncio.Event()
    waiting = 0
    reached = sequence

    def deliver(outcome: Outcome) -> None:
        nonlocal waiting, reached
        waiting -= 1
        if isinstance(outcome, Committed):
            reached = max(reached, outcome.sequence)
        answered.set()

    # One round's messages parsed once; only their numbers change.
    parsed = deque(_parsed(epoch))
    number = 0
    while reached + waiting < length:
        while waiting < _UNANSWERED and reached + waiting < length:
            command = parsed[0]
            parsed.rotate(-1)
            number += 1
            waiting += 1
            origin = TableOrigin(f"t{_TABLE}", epoch, number)
            engine.submit(Request(SITE, origin, command), deliver)
        answered.clear()
        await answered.wait()
    while waiting:
        answered.clear()
        await answered.wait()


def _parsed(epoch: int) -> list[Any]:
    """A full round's commands, to be sent again and again."""
    source = commands("wagers", _TABLE, 1)
    next(source)  # the first opening
    found: list[Any] = []
    for each in [next(source) for _ in range(ROUND_MESSAGES + 1)]:
        numbered = [pb.PlayCommand(number=1, **command) for command in each]
        message = pb.PlayRequest(site=SITE, table=f"t{_TABLE}", epoch=epoch, commands=numbered)
        for _, _, request in play_requests(message):
            if isinstance(request, Refusal):
                raise TypeError(f"the journal can't be built: {request}")
            found.append(request.command)
    # The void and the opening come first: they clear what an earlier build left.
    return found[-2:] + found[:-2]
