"""A daily report as headings and tables, for whoever draws them: text, CSV or HTML."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from jackpot.core.money import dollars
from jackpot.core.state import Hit
from jackpot.reports.daily import DailyReport
from jackpot.reports.gaming_day import local_time
from jackpot.reports.movements import CAUSES, POOLS
from jackpot.reports.notable import Heading
from jackpot.reports.totals import LevelTotals, PaidTotals


class Money(NamedTuple):
    """An amount; each form writes it in its own way."""

    micros: int

    def __str__(self) -> str:
        return dollars(self.micros)


Cell = str | int | Money


class Section(NamedTuple):
    """A table with a title. An empty one says in words that there is nothing."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    nothing: str = "None."


def sections(report: DailyReport) -> Iterator[Section]:
    """The whole report, in the order in which it is read."""
    yield _head(report)
    for level in report.levels:
        yield _level(level, f"Level {level.level}")
    yield _decreases(report)
    yield _tables(report)
    yield _hits(report, "Hits of the day", report.hits)
    yield _paid("Paid on the day", report.paid)
    yield _notes(report, "Changes", "changes")
    yield _notes(report, "Voids and removed wagers", "voids")
    yield _notes(report, "Chip mismatches", "mismatches")
    yield _notes(report, "Bad Beat counts, hands and displays", "counts")
    yield _notes(report, "Deck changes", "decks")
    yield _decks(report)
    yield _notes(report, "Alarms", "alarms")
    yield _open_payouts(report)
    yield _open_proposals(report)
    for level in report.since_service:
        hits = "1 hit" if level.hits == 1 else f"{level.hits} hits"
        yield _level(level, f"Since service: {level.level}, {hits}")
    yield _paid("Paid since service", report.paid_since_service)
    yield _hits(report, "Last hits", report.last_hits)


def _head(report: DailyReport) -> Section:
    zone = report.day.zone
    stands: tuple[tuple[Cell, ...], ...] = ()
    if report.as_of_micros < report.end_micros:
        begun = report.as_of_micros >= report.start_micros
        words = "this day is not over" if begun else "this day has not begun"
        stands = (("as of", f"{local_time(report.day, report.as_of_micros)} {zone}: {words}"),)
    return Section(
        f"Gaming day {report.date}, site {report.site}",
        ("", ""),
        (
            ("from", f"{local_time(report.day, report.start_micros)} {zone}"),
            ("to", f"{local_time(report.day, report.end_micros)} {zone}"),
            *stands,
            ("journal", f"{report.first_sequence or '-'} to {report.last_sequence}"),
            ("hash", report.last_hash),
            ("rounds", report.rounds),
        ),
    )


def _level(level: LevelTotals, title: str) -> Section:
    pools = [level.pools[pool] for pool in POOLS]
    rows: list[tuple[Cell, ...]] = [("opening", *(Money(pool.opening_micros) for pool in pools))]
    for cause in CAUSES:
        moved = [pool.moved_micros.get(cause, 0) for pool in pools]
        if any(moved):
            rows.append((cause, *map(Money, moved)))
    rows.append(("closing", *(Money(pool.closing_micros) for pool in pools)))
    return Section(title, ("", *POOLS), tuple(rows))


def _decreases(report: DailyReport) -> Section:
    return Section(
        "Every decrease, explained",
        ("journal", "time", "account", "amount", "cause", "reference"),
        tuple(
            (
                d.sequence,
                _clock(report, d.time_micros),
                f"{d.level}/{d.pool}",
                Money(d.micros),
                d.cause,
                d.reference,
            )
            for d in report.decreases
        ),
        "Nothing went down.",
    )


def _tables(report: DailyReport) -> Section:
    return Section(
        "Contributions by table",
        ("table", "link", "wagered", "meter", "reserve", "overflow", "retained", "box"),
        tuple(
            (
                t.table,
                t.link,
                Money(t.wagered_micros),
                Money(t.meter_micros),
                Money(t.reserve_micros),
                Money(t.overflow_micros),
                Money(t.retained_micros),
                Money(t.boxed_micros),
            )
            for t in report.tables
        ),
    )


def _hits(report: DailyReport, title: str, hits: Iterable[Hit]) -> Section:
    return Section(
        title,
        ("payout", "time", "level", "table", "seat", "hand", "amount", "status"),
        tuple(
            (
                hit.payout,
                local_time(report.day, hit.time_micros),
                f"{hit.link}/{hit.level}",
                hit.table,
                hit.seat,
                hit.hand,
                Money(hit.amount_micros),
                hit.status,
            )
            for hit in hits
        ),
    )


def _paid(title: str, paid: Iterable[PaidTotals]) -> Section:
    rows = tuple(
        (p.level, Money(p.system_micros), Money(p.attendants_micros), Money(p.together_micros))
        for p in paid
    )
    return Section(title, ("level", "by the system", "by attendants", "together"), rows)


def _notes(report: DailyReport, title: str, heading: Heading) -> Section:
    rows = tuple(
        (n.sequence, _clock(report, n.time_micros), n.where, n.what, n.by, Money(n.micros))
        for n in report.notes
        if n.heading == heading
    )
    return Section(title, ("journal", "time", "where", "what", "by", "amount"), rows)


def _decks(report: DailyReport) -> Section:
    when = "at the day's end" if report.as_of_micros == report.end_micros else "now"
    return Section(
        f"Deck changes due: decks in use {when}",
        ("table", "backs", "dealt by", "in use since", "to be changed by", ""),
        tuple(
            (
                deck.table,
                deck.back,
                deck.dealing,
                local_time(report.day, deck.since_micros),
                local_time(report.day, deck.due_micros) if deck.due_micros else "-",
                "overdue" if deck.overdue else "",
            )
            for deck in report.decks
        ),
    )


def _open_payouts(report: DailyReport) -> Section:
    return Section(
        "Open payouts",
        ("payout", "since", "table", "round", "seat", "hand", "amount", "validated by"),
        tuple(
            (
                p.id,
                local_time(report.day, p.since_micros),
                p.table,
                p.round if p.round > 0 else "",  # a Bad Beat belongs to none
                p.seat,
                f"{p.hand} ({p.role})" if p.role else p.hand,
                Money(p.amount_micros),
                p.floorperson or "nobody",
            )
            for p in report.open_payouts
        ),
    )


def _open_proposals(report: DailyReport) -> Section:
    return Section(
        "Open proposals",
        ("proposal", "by", "account", "before", "after", "reference"),
        tuple(
            (p.id, p.proposer, f"{p.link}/{p.change.level}", p.before, p.after, p.change.reference)
            for p in report.open_proposals
        ),
    )


def _clock(report: DailyReport, time_micros: int) -> str:
    return local_time(report.day, time_micros)[-8:]
