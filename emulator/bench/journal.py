"""Build a journal of a given length: the controller's own rules and entries, without its traffic.

Every entry is decided, applied, hashed and stored by the code that a controller runs, thousands to
a commit; only queues, threads and answers are left out. `jackpot verify` finds nothing amiss.
"""

import asyncio
import time
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

from emulator.bench.messages import BETS_A_LINK, DOLLAR, SITE, WAGERS, bench_site
from jackpot.core.commands import AnyCommand, Request, TakeSnapshot
from jackpot.core.commands.base import ControllerOrigin, OperatorOrigin, Origin, TableOrigin
from jackpot.core.commands.operator import AttachTable
from jackpot.core.decide import decide
from jackpot.core.identity import digest
from jackpot.core.reasons import Refusal
from jackpot.engine import Engine
from jackpot.engine.replica import Replica, load
from jackpot.rules.hands import names
from jackpot.server.parse import play_requests
from jackpot.server.setup import set_up
from jackpot.store import codec
from jackpot.store.journal import Entry
from jackpot.store.sqlite import SqliteJournal
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import table_pb2 as pb

_TABLE = "t63"  # none of those that the load plays on
_A_COMMIT = 8_192


class JournalError(Exception):
    """A journal that can't be built, in one line."""


def build(folder: Path, length: int) -> None:
    """Fill a journal up to so many entries and a few; one that is there is continued."""
    asyncio.run(_set_up(folder))
    journal = SqliteJournal.open(folder)
    try:
        replica = load(journal, SITE)
        _fill(journal, replica, length)
    finally:
        journal.close()


async def _set_up(folder: Path) -> None:
    engine = Engine(partial(SqliteJournal.open, folder), names, sites=[SITE])
    await engine.start()
    await set_up(engine, bench_site(64))
    await engine.drain()


def _fill(journal: SqliteJournal, replica: Replica, length: int) -> None:
    writer = _Writer(replica)
    attached = writer.add(OperatorOrigin("build", new_request_id()), AttachTable(_TABLE))
    epoch: int = attached.epoch
    # One round's commands, parsed once and sent again and again; only their numbers change.
    opened, *rest = _round(epoch)
    number = 0
    if replica.state.tables[_TABLE].round is not None:  # left by an earlier build
        number += 1
        writer.add(TableOrigin(_TABLE, epoch, number), rest[-1])
    plays = cycle((command, digest(command)) for command in (opened, *rest))
    while replica.head.sequence < length:
        for _ in range(min(_A_COMMIT, length - replica.head.sequence)):
            command, command_digest = next(plays)
            number += 1
            writer.add(TableOrigin(_TABLE, epoch, number), command, command_digest)
        with journal.begin() as transaction:
            snapshot = codec.encode_state(replica.state)
            taken = TakeSnapshot(snapshot.sequence, codec.state_digest(snapshot))
            writer.add(ControllerOrigin(), taken, "")
            replica.check()
            transaction.append(SITE, writer.take())
            transaction.save_snapshot(SITE, snapshot)
            transaction.commit()


class _Writer:
    """Decides and chains, as a controller's writer does."""

    def __init__(self, replica: Replica) -> None:
        self._replica = replica
        self._entries: list[Entry] = []

    def add(self, origin: Origin, command: AnyCommand, command_digest: str | None = None) -> Any:
        """Carry a command out; the event."""
        state = self._replica.state
        now_micros = max(state.time_micros, time.time_ns() // 1000)
        event = decide(state, Request(SITE, origin, command, now_micros), names)
        if isinstance(event, Refusal):
            raise JournalError(f"the journal can't be built: {event}")
        if command_digest is None:
            command_digest = digest(command)
        self._entries.append(self._replica.add(origin, event, command_digest, now_micros))
        return event

    def take(self) -> list[Entry]:
        """The entries so far, to be stored."""
        entries, self._entries = self._entries, []
        return entries


def _round(epoch: int) -> list[AnyCommand]:
    """A round from its opening to its void; each wager by itself, as a chip meets its sensor."""
    wagers = [
        pb.Wager(seat=seat, bet=f"l0b{bet}", amount_micros=DOLLAR)
        for bet in range(BETS_A_LINK)
        for seat in range(1, WAGERS + 1)
    ]
    sent: list[dict[str, Any]] = [
        {"open_round": pb.OpenRound()},
        *({"place_wagers": pb.PlaceWagers(wagers=[wager])} for wager in wagers),
        {"void_round": pb.VoidRound(irregularity="benchmark")},
    ]
    numbered = [pb.PlayCommand(number=1, **command) for command in sent]
    message = pb.PlayRequest(site=SITE, table=_TABLE, epoch=epoch, commands=numbered)
    found: list[AnyCommand] = []
    for _, _, request in play_requests(message):
        if isinstance(request, Refusal):
            raise JournalError(f"the journal can't be built: {request}")
        found.append(request.command)
    return found
