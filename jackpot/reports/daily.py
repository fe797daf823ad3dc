"""A gaming day, from the journal alone: what every meter did and why, and what is still open.

The report depends on the entries up to the day's end and on nothing else, not even on today's
settings, so yesterday's report is the same tomorrow. Of a day that is not over it says so, and how
things stand now. A day's bounds are those of the setting that its first entry was written under, or
made.
"""

import datetime as dt

from msgspec import Struct, field
from msgspec.structs import replace

from jackpot.core import config, ledger
from jackpot.core.commands.table import Dealing
from jackpot.core.events import AnyEvent, Record
from jackpot.core.events.base import PayoutChange
from jackpot.core.events.operator import (
    BadBeatVerified,
    MetersRead,
    PayoutPaid,
    PayoutRejected,
    PayoutValidated,
)
from jackpot.core.events.table import RoundSettled, RoundVoided, SeatVoided
from jackpot.core.evolve_awards import change_payout, hit_of
from jackpot.core.order import payouts_in_order
from jackpot.core.state import Hit, Payout, Proposal
from jackpot.engine.gaming_day import bounds, date_of
from jackpot.engine.replica import Replica
from jackpot.reports.movements import Cause, Pool, movements
from jackpot.reports.notable import Note, notable_events
from jackpot.reports.totals import LevelTotals, PaidTotals, TableTotals, Totals
from jackpot.reports.walk import Reading, Walk, site_day
from jackpot.store.journal import Entry


class Decrease(Struct, frozen=True):
    """Why a pool went down."""

    sequence: int
    time_micros: int
    level: str
    pool: Pool
    micros: int
    cause: Cause
    reference: str


class DeckInUse(Struct, frozen=True):
    """A deck that a table had in use when the day ended, or has now."""

    table: str
    back: str
    dealing: Dealing
    since_micros: int
    due_micros: int  # 0: no text says when it is changed
    overdue: bool  # by the end of the day, or by now


class DailyReport(Struct):
    """All that a day's report says."""

    site: str
    date: dt.date
    day: config.GamingDay
    start_micros: int
    end_micros: int
    as_of_micros: int = 0  # the day's end; before it the day is not over, or has not begun
    first_sequence: int = 0  # of the day; 0: nothing happened
    last_sequence: int = 0  # that this report is about
    last_hash: str = ""
    rounds: int = 0
    reading: Reading | None = None  # of the meters, at the day's start
    levels: list[LevelTotals] = field(default_factory=list)
    since_service: list[LevelTotals] = field(default_factory=list)
    decreases: list[Decrease] = field(default_factory=list)
    tables: list[TableTotals] = field(default_factory=list)
    hits: list[Hit] = field(default_factory=list)  # of the day
    last_hits: list[Hit] = field(default_factory=list)  # 25 at most, whenever they were
    paid: list[PaidTotals] = field(default_factory=list)
    paid_since_service: list[PaidTotals] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    decks: list[DeckInUse] = field(default_factory=list)
    open_payouts: list[Payout] = field(default_factory=list)
    open_proposals: list[Proposal] = field(default_factory=list)


def daily_report(walk: Walk, date: dt.date, now_micros: int) -> DailyReport:
    """The report of a gaming day, as far as the journal has it; `now` counts until it is over."""
    builder = _Builder(walk.site, date)
    for entry in walk.entries():
        now_micros = max(now_micros, entry.time_micros)  # the clock may be behind the journal
        if not builder.takes(entry):
            break
        record = builder.replica.follow(entry)
        builder.add(entry.sequence, entry.time_micros, record)
    return builder.finished(now_micros)


def day_before(walk: Walk, now_micros: int) -> dt.date:
    """The last gaming day that is over, by the setting that is in force now."""
    day = config.MIDNIGHT
    for entry in walk.entries():
        day = site_day(walk.site, entry, day)
    return date_of(day, now_micros) - dt.timedelta(days=1)


class _Builder:
    """Takes in one entry after the other."""

    def __init__(self, site: str, date: dt.date) -> None:
        self.replica = Replica(site)
        self._date = date
        self._report: DailyReport | None = None
        self._day = Totals()
        self._ever = Totals()
        self._won: dict[int, Payout] = {}  # the percentage awards of the day
        self._hits: dict[int, Hit] = {}  # and how each is shown
        self._payees: dict[int, str] = {}  # open payout -> level or link

    def takes(self, entry: Entry) -> bool:
        """Whether the next entry still belongs to the report."""
        if self._report is None:
            day = site_day(self.replica.site, entry, self.replica.state.day)
            if entry.time_micros >= bounds(day, self._date)[0]:
                self._report = self._begin(day)
        return self._report is None or entry.time_micros < self._report.end_micros

    def _begin(self, day: config.GamingDay) -> DailyReport:
        self._day.open(self.replica.state)
        return DailyReport(self.replica.site, self._date, day, *bounds(day, self._date))

    def add(self, sequence: int, time_micros: int, record: Record) -> None:
        """Count an entry."""
        event = record.event
        moved = list(movements(record))
        paid = self._payment(event)
        won = [payout for payout in _payouts(event) if is_hit(payout)]
        for totals in (self._ever, self._day) if self._report else (self._ever,):
            for movement in moved:
                totals.move(movement)
            for payment in paid:
                totals.pay(*payment)
            for payout in won:
                totals.level(ledger.key(payout.link, payout.level)).hits += 1
        if self._report is None:
            return
        report = self._report
        report.first_sequence = report.first_sequence or sequence
        report.rounds += isinstance(event, RoundSettled)
        report.decreases += [
            Decrease(sequence, time_micros, m.level, m.pool, m.micros, m.cause, m.reference)
            for m in moved
            if m.micros < 0
        ]
        if isinstance(event, MetersRead):
            report.reading = Reading(sequence, time_micros, event, report.day)
        report.notes += notable_events(sequence, time_micros, record)
        self._day.contribute(event)
        self._won |= {payout.id: payout for payout in won}
        self._hits |= {payout.id: hit_of(payout, time_micros) for payout in won}
        self._follow_hits(event)

    def _payment(self, event: AnyEvent) -> list[tuple[str, str, int]]:
        """What an event paid: of which level, from where, how much."""
        for payout in _payouts(event):
            level = ledger.key(payout.link, payout.level) if payout.level else payout.link
            self._payees[payout.id] = level
        for change in _changes(event):
            if change.closed:
                self._payees.pop(change.payout, None)
        if isinstance(event, PayoutPaid):
            return [(self._payees.pop(event.payout), event.source, event.amount_micros)]
        return []

    def _follow_hits(self, event: AnyEvent) -> None:
        """What became of the day's hits within the day."""
        for change in _changes(event):
            if hit := self._hits.get(change.payout):
                if change.closed:
                    self._hits[change.payout] = replace(hit, status="rejected")
                else:
                    payout = change_payout(self._won[change.payout], change)
                    self._won[change.payout] = payout
                    again = hit_of(payout, hit.time_micros)
                    self._hits[change.payout] = replace(again, status=hit.status)
        if isinstance(event, PayoutValidated | PayoutPaid):
            status = "paid" if isinstance(event, PayoutPaid) else "validated"
            if hit := self._hits.get(event.payout):
                self._hits[event.payout] = replace(hit, status=status)

    def finished(self, now_micros: int) -> DailyReport:
        """The report, when there are no more entries."""
        state, head = self.replica.state, self.replica.head
        report = self._report or self._begin(state.day)
        report.as_of_micros = min(report.end_micros, now_micros)
        report.last_sequence, report.last_hash = head.sequence, head.hash.hex()
        for totals in (self._day, self._ever):
            totals.close(state)
        report.levels = list(self._day.levels.values())
        report.since_service = list(self._ever.levels.values())
        report.paid = list(self._day.paid.values())
        report.paid_since_service = list(self._ever.paid.values())
        report.tables = [self._day.tables[name] for name in sorted(self._day.tables)]
        report.hits = list(self._hits.values())
        report.last_hits = list(state.hits)
        report.decks = [
            DeckInUse(
                table.config.id,
                deck.back,
                deck.dealing,
                deck.since_micros,
                deck.due_micros,
                overdue=0 < deck.due_micros <= report.as_of_micros,
            )
            for _, table in sorted(state.tables.items())
            for _, deck in sorted(table.decks.items())
        ]
        report.open_payouts = payouts_in_order(state)
        report.open_proposals = list(state.proposals.values())
        return report


def is_hit(payout: Payout) -> bool:
    """Whether a payout is a part of a meter, as a sign shows it."""
    return bool(payout.share_bps) or payout.kind == "bad-beat"


def _payouts(event: AnyEvent) -> tuple[Payout, ...]:
    if isinstance(event, RoundSettled | BadBeatVerified):
        return event.payouts
    return ()


def _changes(event: AnyEvent) -> tuple[PayoutChange, ...]:
    if isinstance(event, RoundVoided | SeatVoided | PayoutRejected):
        return event.changes
    return ()
