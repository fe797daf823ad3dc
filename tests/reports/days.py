"""A journal on disk that spans three gaming days and has every kind of event."""

import datetime as dt
from pathlib import Path
from typing import Any

import msgspec
import pysqlite3
from msgspec.structs import replace

from jackpot.core.commands.base import OperatorOrigin
from jackpot.core.config import GamingDay
from jackpot.core.events import Record
from jackpot.core.events.operator import SiteConfigured
from jackpot.engine.gaming_day import bounds
from jackpot.engine.replica import Replica
from jackpot.store.journal import Entry
from jackpot.store.sqlite import FILE_NAME, SqliteJournal
from tests.core.floor import Floor
from tests.golden.make_journal import play

SITE = "golden"
DAY = GamingDay(6 * 60, "America/New_York")
DATES = [dt.date(2026, 3, 7), dt.date(2026, 3, 8), dt.date(2026, 3, 9)]  # clocks go forward


def write_days(directory: Path, keep: int | None = None) -> Path:
    """The golden floor's journal, spread over three days; with `keep`, only its first entries."""
    records = [_on_our_clocks(record) for record, _ in play().journal]
    configured = Record(
        OperatorOrigin("site-file", "00000000-0000-7000-8000-000000000000"),
        SiteConfigured(dual_control=False, day=DAY),
    )
    entries = [configured, *records]
    start, end = bounds(DAY, DATES[0])[0], bounds(DAY, DATES[-1])[1]
    step = (end - start) // len(entries)
    replica = Replica(SITE)
    for number, record in enumerate(entries[:keep]):
        replica.add(record.origin, record.event, record.digest, start + number * step)
    return _stored(directory, SITE, replica.seal())


def write_floor(directory: Path, floor: Floor) -> Path:
    """A floor's journal, entry by entry at the floor's own times."""
    replica = Replica(floor.state.site)
    for record, time_micros in floor.journal:
        replica.add(record.origin, record.event, record.digest, time_micros)
    return _stored(directory, floor.state.site, replica.seal())


def _stored(directory: Path, site: str, entries: list[Entry]) -> Path:
    journal = SqliteJournal.open(directory)
    with journal.begin({site}) as transaction:
        transaction.append(site, entries)
        transaction.commit()
    journal.close()
    return directory


def _on_our_clocks(record: Record) -> Record:
    """The golden floor says nothing of a gaming day, which would be midnight."""
    if not isinstance(record.event, SiteConfigured):
        return record
    return replace(record, event=replace(record.event, day=DAY))


class Row(msgspec.Struct):
    """A row of the journal, read without any of the project's code."""

    sequence: int
    time_micros: int
    kind: str
    body: dict[str, Any]

    @property
    def event(self) -> dict[str, Any]:
        """The event."""
        found: dict[str, Any] = self.body["event"]
        return found

    @property
    def postings(self) -> list[tuple[str, int]]:
        """What it posted."""
        return [(account, micros) for account, micros in self.event.get("postings", ())]


def rows(directory: Path) -> list[Row]:
    """Every row, by SQL and JSON alone."""
    connection = pysqlite3.connect(str(directory / FILE_NAME))
    found = connection.execute("SELECT sequence, time_micros, kind, body FROM events").fetchall()
    connection.close()
    return [Row(s, t, k, msgspec.json.decode(body)) for s, t, k, body in sorted(found)]
