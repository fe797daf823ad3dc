"""Look through the journal: who did what, when, at which table."""

import datetime as dt
from collections.abc import Iterator
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct

from jackpot.core.commands.base import ControllerOrigin, OperatorOrigin, Origin, TableOrigin
from jackpot.core.commands.table import Placed
from jackpot.core.config import MIDNIGHT, GamingDay, Link, Table
from jackpot.core.events import AnyEvent, Record
from jackpot.core.events.operator import Approval, Proposed
from jackpot.core.money import dollars, rate_text
from jackpot.engine.gaming_day import MICROS_PER_S, local_time
from jackpot.reports.movements import account_of
from jackpot.reports.notable import hours_text
from jackpot.reports.walk import Walk, site_day
from jackpot.store import codec
from jackpot.store.journal import Entry

CONTROLLER = "controller"
_COUNTED = ("wagers", "hands", "payouts", "changes")
# Fields in micros that are no money.
_MOMENTS = ("time_micros", "due_micros", "expires_micros", "last_micros")
_LENGTHS = ("away_micros",)


class Filter(NamedTuple):
    """What to look for; whatever is empty matches all."""

    since: dt.datetime | None = None  # without a zone, in the site's
    until: dt.datetime | None = None
    actor: str = ""
    table: str = ""
    kinds: frozenset[str] = frozenset()


class Finding(Struct, frozen=True):
    """An entry that was looked for."""

    sequence: int
    time_micros: int
    zone: str  # the site's, then
    actor: str
    kind: str
    about: str
    hash: str
    record: dict[str, Any]


def audit(walk: Walk, wanted: Filter) -> Iterator[Finding]:
    """Entries that match, in order; the chain is checked on the way."""
    day = MIDNIGHT
    for entry in walk.chained():
        day = site_day(walk.site, entry, day)
        if wanted.until and entry.time_micros >= _micros(wanted.until, day):
            return
        if wanted.since and entry.time_micros < _micros(wanted.since, day):
            continue
        if wanted.kinds and entry.kind not in wanted.kinds:
            continue
        record = codec.decode_entry(walk.site, entry)
        if wanted.actor and wanted.actor != actor_of(record.origin).partition(" ")[0]:
            continue
        if wanted.table and wanted.table != _table(record):
            continue
        yield _finding(entry, record, day)


def _micros(moment: dt.datetime, day: GamingDay) -> int:
    """A moment in micros since 1970; one without a zone is on the site's clocks."""
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=ZoneInfo(day.zone))
    return int(moment.timestamp()) * MICROS_PER_S


def actor_of(origin: Origin) -> str:
    """Who caused an entry: a person and department, a table and attachment, the controller."""
    match origin:
        case OperatorOrigin():
            department = f" ({origin.department})" if origin.department else ""
            return f"{origin.principal}{department}"
        case TableOrigin():
            return origin.table
        case ControllerOrigin():
            return CONTROLLER


def _table(record: Record) -> str:
    if isinstance(record.origin, TableOrigin):
        return record.origin.table
    table = getattr(record.event, "table", "")
    return table if isinstance(table, str) else str(table.id)


def _finding(entry: Entry, record: Record, day: GamingDay) -> Finding:
    return Finding(
        entry.sequence,
        entry.time_micros,
        day.zone,
        actor_of(record.origin),
        entry.kind,
        _about(record.event, day),
        entry.hash.hex(),
        msgspec.json.decode(entry.body),
    )


def _about(event: AnyEvent, day: GamingDay) -> str:
    """The plain values of an event, in its own order."""
    if isinstance(event, Proposed):
        proposal = event.proposal
        change = type(proposal.change).__name__
        where = account_of(proposal)
        return f"{proposal.id}: {change} {where}, {proposal.before} -> {proposal.after}"
    said = []
    defaults = {each.name: each.default for each in msgspec.structs.fields(event)}
    for name, value in msgspec.structs.asdict(event).items():
        if value == defaults[name]:
            continue  # an early journal may not have it
        if isinstance(value, Approval):
            said.append(f"by {value.proposer}, approved by {value.approver or 'nobody'}")
        if isinstance(value, Placed):
            said.append(f"seat {value.seat}, bet {value.bet}")
        if isinstance(value, Link | Table):
            said.append(f"{name} {value.id}")
        if isinstance(value, GamingDay):
            hour, minute = divmod(value.start_minutes, 60)
            said.append(f"day begins at {hour:02}:{minute:02} {value.zone}")
        if name in _COUNTED and value:
            said.append(f"{len(value)} {name}")
        if not isinstance(value, str | int) or value == "":
            continue
        said.append(_named(name, value, day))
    return ", ".join(said)


def _named(name: str, value: str | int, day: GamingDay) -> str:
    """A value after its name: dollars, percent, local time, hours, yes or no."""
    plain = name.removesuffix("_micros").removesuffix("_bps").replace("_", " ")
    if isinstance(value, bool):
        return f"{plain} {'yes' if value else 'no'}"
    if isinstance(value, int) and name in _MOMENTS:
        return f"{plain} {local_time(day, value)}"
    if isinstance(value, int) and name in _LENGTHS:
        return f"{plain} {hours_text(value)}"
    if isinstance(value, int) and name.endswith("_micros"):
        return f"{plain} ${dollars(value)}"
    if isinstance(value, int) and name.endswith("_bps"):
        return f"{plain} {rate_text(value)}"
    return f"{plain} {value}"
