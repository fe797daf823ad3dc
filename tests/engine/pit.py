"""A gaming floor on a real journal: an engine, a link, tables, and commands sent by name."""

import asyncio
import itertools
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from jackpot.core.commands import AnyCommand, Request
from jackpot.core.commands.base import OperatorOrigin, TableOrigin
from jackpot.core.commands.operator import AttachTable, DefineLink, DefineTable, PutInService
from jackpot.core.commands.table import (
    ConfirmCollection,
    LockOut,
    OpenRound,
    PlaceWagers,
    Settle,
    Wager,
)
from jackpot.core.events import Refused
from jackpot.core.events.table import TableAttached
from jackpot.core.reasons import Reason, Refusal
from jackpot.core.state import State
from jackpot.engine import CommandOrder, Engine, JournaledAnswer, Limits, Outcome, commit_points
from jackpot.engine.commit_points import Faults, Point
from jackpot.store.journal import Journal
from jackpot.store.opening import Address, journal_opener
from tests.core.floor import DOLLAR, cards, five_card_a, hand, table, tagged_names

SITE = "test"
BET = "a-five"
METER = "a/main/meter"
WITHIN_S = 1.0


def wagers(*seats: int) -> PlaceWagers:
    """A dollar from each seat."""
    return PlaceWagers(tuple(Wager(seat, BET, DOLLAR) for seat in seats))


class Pit:
    """Sends commands to an engine as one table and its operator would."""

    def __init__(self, engine: Engine, site: str = SITE) -> None:
        self.engine = engine
        self.site = site
        self.epochs: dict[str, int] = {}
        self.numbers: dict[str, int] = {}
        self._requests = itertools.count(1)

    def request(self, table_id: str, command: AnyCommand, number: int | None = None) -> Request:
        """A table's next command, or the one with this number again."""
        if number is None:
            number = self.numbers[table_id] = self.numbers[table_id] + 1
        return Request(self.site, TableOrigin(table_id, self.epochs[table_id], number), command)

    async def operate(self, command: AnyCommand, request_id: str = "") -> Outcome:
        """An operator's command."""
        request_id = request_id or f"{next(self._requests):08d}"
        return await self.engine.execute(
            Request(self.site, OperatorOrigin("ops", request_id), command)
        )

    async def play(self, table_id: str, command: AnyCommand, number: int | None = None) -> Outcome:
        """A table's command."""
        return await self.engine.execute(self.request(table_id, command, number))

    def send(
        self, table_id: str, *commands: AnyCommand, order: CommandOrder | None = None
    ) -> list["asyncio.Future[Outcome]"]:
        """Commands queued in one go, so that they share a batch."""
        futures = []
        for command in commands:
            future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
            self.engine.submit(self.request(table_id, command), future.set_result, order)
            futures.append(future)
        return futures

    async def attach(self, table_id: str) -> None:
        """Speak for a table from now on."""
        outcome = ok(await self.operate(AttachTable(table_id)))
        assert isinstance(outcome.event, TableAttached)
        self.epochs[table_id], self.numbers[table_id] = outcome.event.epoch, 0

    async def open_up(self, *tables: str) -> "Pit":
        """One link in service, and tables attached to it."""
        ok(await self.operate(DefineLink(five_card_a())))
        ok(await self.operate(PutInService("a")))
        for table_id in tables:
            ok(await self.operate(DefineTable(table(table_id, "a"))))
            await self.attach(table_id)
        return self

    async def round(self, table_id: str, *seats: int) -> None:
        """A round up to its collection."""
        ok(await self.play(table_id, OpenRound()))
        ok(await self.play(table_id, wagers(*seats)))
        ok(await self.play(table_id, LockOut()))
        ok(await self.play(table_id, ConfirmCollection({BET: len(seats)})))

    async def settle(self, table_id: str) -> None:
        """Settle a round in which nobody holds anything."""
        seats = await self.engine.read(self.site, lambda state: _seats(state, table_id))
        assert isinstance(seats, list)
        hands = tuple(hand(seat, "nothing") for seat in seats)
        ok(await self.play(table_id, Settle(hands, cards(0, "nothing"))))

    async def balance(self, account: str) -> int:
        """An account in the committed state."""
        found = await self.engine.read(self.site, lambda state: state.balances.get(account, 0))
        assert isinstance(found, int)
        return found


def _seats(state: State, table_id: str) -> list[int]:
    round_ = state.tables[table_id].round
    return list(round_.wagers) if round_ else []


@asynccontextmanager
async def running(
    store: Address,
    *,
    limits: Limits | None = None,
    faults: Faults = commit_points.none,
    journal: Callable[[], Journal] | None = None,
    on_health: Callable[[bool], None] | None = None,
    sites: tuple[str, ...] = (SITE,),
) -> AsyncIterator[Engine]:
    """An engine on the journal of a store, drained at the end."""
    engine = Engine(
        journal or journal_opener(store),
        tagged_names,
        sites=sites,
        limits=limits,
        faults=faults,
        on_health=on_health,
    )
    await engine.start()
    try:
        yield engine
    finally:
        await engine.drain()


def ok(outcome: Outcome) -> JournaledAnswer:
    """A durable answer that is no refusal."""
    assert isinstance(outcome, JournaledAnswer), outcome
    assert not isinstance(outcome.event, Refused), outcome
    return outcome


def reason(outcome: Outcome) -> Reason:
    """Why it was refused, which it must have been."""
    refused = outcome.event if isinstance(outcome, JournaledAnswer) else outcome
    assert isinstance(refused, Refusal | Refused), outcome
    return refused.reason


async def eventually(holds: Callable[[], bool], within_s: float = 30.0) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(within_s):
        while not holds():  # noqa: ASYNC110 - what is waited for may be in another thread
            await asyncio.sleep(0.01)


class Trap:
    """Stops the writer at a point, once, until it is released; then makes it raise."""

    def __init__(self, point: Point, error: BaseException | None = None) -> None:
        self.point = point
        self.error = error
        self.armed = False
        self.reached = threading.Event()
        self.release = threading.Event()

    def __call__(self, point: Point) -> None:
        """The engine's hook."""
        if self.armed and point == self.point:
            self.armed = False
            self.reached.set()
            self.release.wait(10)
            if self.error is not None:
                raise self.error
