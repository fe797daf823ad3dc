"""What the floor should look into, found in what pages show anyway."""

from collections.abc import Iterable, Iterator

from jackpot.display.record import MICROS_PER_MS, Record
from jackpot.display.views import Alarm, PayoutView, TableView

LATE_MS = 15 * 60_000  # a payout that waits longer keeps its table shut too long
SILENT_MS = 60_000  # a table in the middle of a round that says nothing
MINUTE_MS = 60_000


def of_controller(halted: str | None, now_ms: int, *, serving: bool) -> Iterator[Alarm]:
    """What keeps the controller from serving the site."""
    if halted:
        yield Alarm("critical", f"the site is halted: {halted}", now_ms)
    elif not serving:
        yield Alarm("critical", "the controller takes no commands", now_ms)


def of_floor(
    tables: Iterable[TableView], payouts: Iterable[PayoutView], now_ms: int
) -> Iterator[Alarm]:
    """What waits too long."""
    for table in tables:
        silent_ms = now_ms - table.heard_ms
        if table.phase in ("open", "locked", "collected") and silent_ms > SILENT_MS:
            minutes = silent_ms // MINUTE_MS
            heard = f"for {minutes} min" if table.heard_ms else "since the start"
            text = f"{table.table}: nothing heard {heard}, round {table.round} {table.phase}"
            yield Alarm("warning", text, table.heard_ms or now_ms)
    for payout in payouts:
        if now_ms - payout.since_ms > LATE_MS:
            minutes = (now_ms - payout.since_ms) // MINUTE_MS
            text = f"payout {payout.payout} at {payout.table} is {payout.state} for {minutes} min"
            yield Alarm("warning", text, payout.since_ms)


def of_record(record: Record | None) -> Iterator[Alarm]:
    """What was said when rounds were settled, newest first."""
    if record:
        for time_micros, text in reversed(record.alarms):
            yield Alarm("warning", text, time_micros // MICROS_PER_MS)
