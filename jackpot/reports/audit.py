"""Look through the journal: who did what, when, at which table."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from jackpot.core.commands.base import ControllerOrigin, OperatorOrigin, Origin, TableOrigin
from jackpot.core.commands.table import Placed
from jackpot.core.events import AnyEvent, Record
from jackpot.core.events.operator import Approval, Proposed
from jackpot.core.money import dollars
from jackpot.reports.walk import Walk
from jackpot.store import codec
from jackpot.store.journal import Entry

CONTROLLER = "controller"
_COUNTED = ("wagers", "hands", "payouts", "changes")


class Filter(NamedTuple):
    """What to look for; whatever is empty matches all."""

    since_micros: int = 0
    until_micros: int = 0
    actor: str = ""
    table: str = ""
    kinds: frozenset[str] = frozenset()


class Finding(Struct, frozen=True):
    """An entry that was looked for."""

    sequence: int
    time_micros: int
    actor: str
    kind: str
    about: str
    hash: str
    record: dict[str, Any]


def audit(walk: Walk, wanted: Filter) -> Iterator[Finding]:
    """Entries that match, in order; the chain is checked on the way."""
    for entry in walk.chained():
        if wanted.until_micros and entry.time_micros >= wanted.until_micros:
            return
        if entry.time_micros < wanted.since_micros:
            continue
        if wanted.kinds and entry.kind not in wanted.kinds:
            continue
        record = codec.decode_entry(walk.site, entry)
        if wanted.actor and wanted.actor != actor_of(record.origin).partition(" ")[0]:
            continue
        if wanted.table and wanted.table != _table(record):
            continue
        yield _finding(entry, record)


def actor_of(origin: Origin) -> str:
    """Who caused an entry: a person and department, a table and attachment, the controller."""
    match origin:
        case OperatorOrigin():
            return (
                f"{origin.principal} ({origin.department})"
                if origin.department
                else (origin.principal)
            )
        case TableOrigin():
            return origin.table
        case ControllerOrigin():
            return CONTROLLER


def _table(record: Record) -> str:
    if isinstance(record.origin, TableOrigin):
        return record.origin.table
    table = getattr(record.event, "table", "")
    return table if isinstance(table, str) else str(table.id)


def _finding(entry: Entry, record: Record) -> Finding:
    return Finding(
        entry.sequence,
        entry.time_micros,
        actor_of(record.origin),
        entry.kind,
        _about(record.event),
        entry.hash.hex(),
        msgspec.json.decode(entry.body),
    )


def _about(event: AnyEvent) -> str:
    """The plain values of an event, in its own order."""
    if isinstance(event, Proposed):
        proposal = event.proposal
        change = type(proposal.change).__name__
        where = f"{proposal.link}/{proposal.change.level}"
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
        if name in _COUNTED and value:
            said.append(f"{len(value)} {name}")
        if not isinstance(value, str | int) or value == "":
            continue
        if name.endswith("_micros"):
            said.append(f"{name.removesuffix('_micros')} {dollars(value)}")  # type: ignore[arg-type]  # micros are whole numbers
        else:
            said.append(f"{name} {value}")
    return ", ".join(said)
