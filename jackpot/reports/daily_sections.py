"""A daily report as headings and tables, drawn as CSV or HTML; the command line draws text."""

import csv
import io
from collections.abc import Iterable, Iterator
from html import escape
from typing import NamedTuple

from msgspec.structs import astuple

from jackpot.core.money import dollars
from jackpot.core.state import Hit
from jackpot.engine.gaming_day import local_time
from jackpot.reports.daily import DailyReport
from jackpot.reports.movements import CAUSES, POOLS, account_of
from jackpot.reports.notable import Heading
from jackpot.reports.totals import LevelTotals, PaidTotals
from jackpot.reports.walk import Reading
from jackpot.software import this_software


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
    yield reading_section(
        [report.reading] if report.reading else [], "Meters at the start of the day"
    )
    for level in report.levels:
        yield _level(level, f"Level {level.level}, {_wagers(level)}")
    yield _decreases(report)
    yield _tables(report)
    yield _hits(report, "Hits of the day", report.hits)
    yield _paid("Paid on the day", report.paid)
    yield _notes(report, "Changes", "changes")
    yield _notes(report, "For accounting: changed rates", "rates")
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
        yield _level(level, f"Since it went into service: {level.level}, {hits}, {_wagers(level)}")
    yield _paid("Paid since the links went into service", report.paid_since_service)
    yield _hits(report, "Last hits", report.last_hits)


def _head(report: DailyReport) -> Section:
    zone = report.day.zone
    stands: tuple[tuple[Cell, ...], ...] = ()
    if report.as_of_micros < report.end_micros:
        begun = report.as_of_micros >= report.start_micros
        words = "this day is not over" if begun else "this day has not begun"
        stands = (("as of", f"{local_time(report.day, report.as_of_micros)} {zone}: {words}"),)
    journal = f"entries {report.first_sequence} to {report.last_sequence}"
    if not report.first_sequence:
        journal = f"no entries on this day; the last entry before it is {report.last_sequence}"
    return Section(
        f"Gaming day {report.date}, site {report.site}",
        ("", ""),
        (
            ("from", f"{local_time(report.day, report.start_micros)} {zone}"),
            ("to", f"{local_time(report.day, report.end_micros)} {zone}"),
            *stands,
            ("journal", journal),
            ("hash", report.last_hash),
            ("made by", this_software().label),
            ("rounds", report.rounds),
            ("amounts", "US dollars"),
        ),
    )


def reading_section(readings: Iterable[Reading], title: str) -> Section:
    """Readings of the meters, level by level."""
    headings = ("day", "taken at", "level", "meter", "reserve", "overflow", "wagers", "hits")
    rows = tuple(
        (
            found.read.date,
            local_time(found.day, found.time_micros),
            level.level,
            Money(level.meter_micros),
            Money(level.reserve_micros),
            Money(level.overflow_micros),
            level.wagers,
            level.hits,
        )
        for found in readings
        for level in found.read.levels
    )
    return Section(title, headings, rows, "No reading was taken.")


def _wagers(level: LevelTotals) -> str:
    return "1 wager" if level.wagers == 1 else f"{level.wagers:,} wagers"


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
        "No meter, reserve or overflow decreased.",
    )


def _tables(report: DailyReport) -> Section:
    headings = ("table", "link", "wagered", "meter", "reserve", "overflow", "retained", "box")
    rows = [astuple(table) for table in report.tables]
    amounts = tuple((table, link, *map(Money, micros)) for table, link, *micros in rows)
    return Section("Contributions by table", headings, amounts)


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
                hit.hand.replace("-", " "),
                Money(hit.amount_micros),
                hit.status,
            )
            for hit in hits
        ),
    )


def _paid(title: str, paid: Iterable[PaidTotals]) -> Section:
    rows = tuple((level, *map(Money, micros)) for level, *micros in map(astuple, paid))
    return Section(title, ("level", "by the system", "by attendants", "together"), rows)


def _notes(report: DailyReport, title: str, heading: Heading) -> Section:
    rows = tuple(
        (n.sequence, _clock(report, n.time_micros), n.where, n.what, n.by, Money(n.micros))
        for n in report.notes
        if n.heading == heading
    )
    return Section(title, ("journal", "time", "where", "what", "by", "amount"), rows)


def _decks(report: DailyReport) -> Section:
    when = "at the end of the day" if report.as_of_micros == report.end_micros else "now"
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
            (p.id, p.proposer, account_of(p), p.before, p.after, p.change.reference)
            for p in report.open_proposals
        ),
    )


def _clock(report: DailyReport, time_micros: int) -> str:
    return local_time(report.day, time_micros)[-8:]


_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 68rem; padding: 0 1rem;
  color: #1c1c1e; background: #fff }
h1 { font-size: 1.5rem } h2 { font-size: 1.05rem; margin: 1.8rem 0 .4rem }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { padding: .2rem .6rem .2rem 0; text-align: left; vertical-align: top;
  overflow-wrap: anywhere; border-bottom: 1px solid #e3e3e6 }
th { font-weight: 600; color: #5a5a60 } .n { text-align: right; white-space: nowrap }
p { color: #5a5a60; margin: .2rem 0 }
@media (prefers-color-scheme: dark) { body { color: #e8e8ea; background: #17171a }
  th, td { border-color: #333338 } th, p { color: #a0a0a8 } }
@media print { body { margin: 0; max-width: none } h2 { break-after: avoid } }
"""


def as_csv(found: Iterable[Section]) -> str:
    """Every section as a block: its title, its headings, its rows, an empty line."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for section in found:
        writer.writerow([section.title])
        writer.writerow(section.headings)
        writer.writerows([_plain(cell) for cell in row] for row in section.rows)
        writer.writerow([])
    return out.getvalue()


def as_html(found: Iterable[Section]) -> str:
    """A page that needs nothing beside itself, for a screen or for paper."""
    parts: list[str] = []
    title = ""
    for section in found:
        title = title or section.title
        tag = "h2" if parts else "h1"
        parts.append(f"<{tag}>{escape(section.title)}</{tag}>")
        parts.append(_html_table(section) if section.rows else f"<p>{escape(section.nothing)}</p>")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


def _html_table(section: Section) -> str:
    right = [isinstance(cell, int | Money) for cell in section.rows[0]]

    def line(tag: str, cells: Iterable[Cell]) -> str:
        return "".join(
            f"<{tag}{' class=n' if number else ''}>{escape(str(cell))}</{tag}>"
            for cell, number in zip(cells, right, strict=True)
        )

    head = f"<tr>{line('th', section.headings)}</tr>" if any(section.headings) else ""
    body = "\n".join(f"<tr>{line('td', row)}</tr>" for row in section.rows)
    return f"<table>{head}\n{body}</table>"


def _plain(cell: Cell) -> str:
    """A cell as a spreadsheet reads it: no commas between thousands."""
    text = dollars(cell.micros).replace(",", "") if isinstance(cell, Money) else str(cell)
    # A spreadsheet would run what begins like a formula; people's notes may begin so.
    return f"'{text}" if isinstance(cell, str) and text[:1] in ("=", "+", "-", "@") else text
