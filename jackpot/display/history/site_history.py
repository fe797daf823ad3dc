"""What the state forgets and people still look at: past rounds, meters over time, contributions.

It is fed the events of one site in the order of the journal. It is bounded, it is lost with
the process, and nothing is ever decided by it.
"""

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any

from jackpot.core import ledger
from jackpot.core.events import AnyEvent
from jackpot.core.events.base import Postings
from jackpot.core.events.table import (
    CollectionConfirmed,
    RoundLocked,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    SeatVoided,
    TableAttached,
    TableEvent,
)
from jackpot.core.state import Payout, Posted
from jackpot.display.history.series import LevelHistory
from jackpot.display.views import words
from jackpot.display.views.values import DealtHand, RoundView
from jackpot.engine import JournaledAnswer

ROUNDS_KEPT = 6  # of each table
MICROS_PER_MS = 1_000
MICROS_PER_S = 1_000_000
_METER = ledger.meter("")  # what a meter's account ends in


class TableHistory:
    """A table's recent past."""

    def __init__(self) -> None:
        self.heard_micros = 0
        self.chips: dict[str, int] | None = None  # of the round under way, once counted
        self.rounds: deque[RoundView] = deque(maxlen=ROUNDS_KEPT)
        self.contributed_micros = 0
        self._round_micros = 0  # what the round under way has contributed

    def open(self) -> None:
        """A round began."""
        self.chips = None
        self._round_micros = 0

    def contribute(self, posted: Iterable[Posted], *, more: bool) -> None:
        """The round has put money on meters: in addition, or in all."""
        total_micros = sum(p.meter_micros + p.reserve_micros + p.overflow_micros for p in posted)
        before_micros = 0 if more else self._round_micros
        self._round_micros = total_micros + (self._round_micros if more else 0)
        self.contributed_micros += total_micros - before_micros


class SiteHistory:
    """A site's recent past, up to and with `sequence`."""

    def __init__(self, sequence: int = 0, *, has_rounds: bool = True) -> None:
        """`has_rounds` says whether it is fed events, or nothing but meters."""
        self.sequence = sequence
        self.has_rounds = has_rounds
        self.since_micros = 0  # time of the first event in it
        self.levels: dict[str, LevelHistory] = {}  # by "link/level"
        self.tables: dict[str, TableHistory] = {}

    def table(self, table: str) -> TableHistory:
        """A table's past."""
        if table not in self.tables:
            self.tables[table] = TableHistory()
        return self.tables[table]

    def level(self, key: str) -> LevelHistory:
        """A meter's past."""
        if key not in self.levels:
            self.levels[key] = LevelHistory()
        return self.levels[key]

    def take(self, committed: JournaledAnswer) -> None:
        """Take in the event that comes next."""
        event, time_micros = committed.event, committed.time_micros
        self.sequence = committed.sequence
        self.since_micros = self.since_micros or time_micros
        if isinstance(event, TableEvent):
            self.table(event.table).heard_micros = time_micros
        self._post(getattr(event, "postings", ()), time_micros)
        if handler := _HANDLERS.get(type(event)):
            handler(self, event, time_micros)

    def rebase(self, meters: dict[str, int], time_micros: int) -> None:
        """Say what each meter holds now; everything before it follows."""
        self.since_micros = self.since_micros or time_micros
        for key, value in meters.items():
            history = self.level(key)
            history.shift(value - history.value)
            history.add(time_micros // MICROS_PER_S, value)

    def _post(self, postings: Postings, time_micros: int) -> None:
        for account, amount in postings:
            if account.endswith(_METER):
                history = self.level(account.removesuffix(_METER))
                history.add(time_micros // MICROS_PER_S, history.value + amount)


def _attached(history: SiteHistory, event: TableAttached, _: int) -> None:
    history.table(event.table)


def _opened(history: SiteHistory, event: RoundOpened, _: int) -> None:
    history.table(event.table).open()


def _locked(history: SiteHistory, event: RoundLocked, _: int) -> None:
    history.table(event.table).contribute(event.posted.values(), more=True)


def _confirmed(history: SiteHistory, event: CollectionConfirmed, _: int) -> None:
    table = history.table(event.table)
    table.chips = event.chips
    table.contribute(event.posted.values(), more=True)


def _settled(history: SiteHistory, event: RoundSettled, time_micros: int) -> None:
    table = history.table(event.table)
    hands = [DealtHand(0, event.dealer, "played")] if event.dealer else []
    hands += [
        DealtHand(hand.seat, hand.cards, hand.fate, tuple(_awards(event.payouts, hand.seat)))
        for hand in event.hands
    ]
    table.rounds.appendleft(
        RoundView(event.number, time_micros // MICROS_PER_MS, tuple(hands), event.community)
    )
    for key in event.paid_full:
        history.level(key).won(time_micros // MICROS_PER_S)


def _awards(payouts: Iterable[Payout], seat: int) -> Iterable[str]:
    for payout in payouts:
        if payout.seat == seat:
            envy = " envy" if payout.kind == "envy" else ""
            yield f"{words.spaced(payout.hand)}{envy} ${words.money(payout.amount_micros)}"


def _voided(history: SiteHistory, event: RoundVoided, time_micros: int) -> None:
    table = history.table(event.table)
    table.contribute((), more=False)
    if table.rounds and table.rounds[0].number == event.number:
        table.rounds.popleft()
    table.rounds.appendleft(
        RoundView(event.number, time_micros // MICROS_PER_MS, void=event.irregularity)
    )


def _seat_voided(history: SiteHistory, event: SeatVoided, _: int) -> None:
    history.table(event.table).contribute(event.posted.values(), more=False)


_HANDLERS: dict[type[AnyEvent], Callable[[SiteHistory, Any, int], None]] = {
    TableAttached: _attached,
    RoundOpened: _opened,
    RoundLocked: _locked,
    CollectionConfirmed: _confirmed,
    RoundSettled: _settled,
    RoundVoided: _voided,
    SeatVoided: _seat_voided,
}
