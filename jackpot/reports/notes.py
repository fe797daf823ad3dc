"""What of a day somebody may ask about: changes, voids, mismatches, counts, decks, alarms."""

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from jackpot.core import events
from jackpot.core.commands import OperatorOrigin, TableOrigin
from jackpot.core.money import dollars
from jackpot.core.reasons import Reason
from jackpot.core.state import Deck
from jackpot.reports.movements import people

Heading = Literal["changes", "voids", "mismatches", "counts", "decks", "alarms"]


_MICROS_PER_MINUTE = 60_000_000


class Note(Struct, frozen=True):
    """Something that happened."""

    heading: Heading
    sequence: int
    time_micros: int
    where: str
    what: str
    by: str = ""
    micros: int = 0


def notes(sequence: int, time_micros: int, record: events.Record) -> Iterator[Note]:
    """What an entry is worth noting for."""
    event, at = record.event, (sequence, time_micros)
    match event:
        case events.RoundVoided() | events.SeatVoided():
            seat = f" seat {event.seat}" if isinstance(event, events.SeatVoided) else ""
            what = f"round {event.number}{seat}: {event.irregularity}"
            yield Note("voids", *at, event.table, what, event.floorperson, event.returned_micros)
        case events.Refused(reason=Reason.COLLECTION_MISMATCH, details=said):
            table = record.origin.table if isinstance(record.origin, TableOrigin) else ""
            count = f"{said.get('accepted')} wagers, {said.get('counted')} chips"
            yield Note("mismatches", *at, table, f"{said.get('bet')}: {count}")
        case events.LinkChanged():
            who = record.origin.principal if isinstance(record.origin, OperatorOrigin) else ""
            yield Note("changes", *at, event.link, event.status, who)
        case events.MeterAdjusted() | events.FundsTransferred() | events.ParametersChanged():
            yield _change(event, at)
        case events.BoxCounted():
            off = event.counted_micros - event.recorded_micros
            what = f"box counted, {dollars(off)} off the record" if off else "box counted"
            where, by = f"{event.link} {event.table}", f"{event.cashier}, {event.floorperson}"
            yield Note("counts", *at, where, what, by, event.counted_micros)
        case events.DisplayConfirmed():
            what, by = "display confirmed", event.floorperson
            yield Note("counts", *at, event.link, what, by, event.displayed_micros)
        case events.DeckPlaced():
            what = f"{event.deck.back} in use, dealt by {event.deck.dealing}"
            if event.replaced:
                what += f", in place of one {_used(event.replaced, time_micros)}"
            yield Note("decks", *at, event.table, what)
        case events.DeckRemoved():
            what = f"{event.deck.back} off the table, {_used(event.deck, time_micros)}"
            yield Note("decks", *at, event.table, what)
    if isinstance(event, events.RoundSettled | events.BoxCounted):
        for alarm in event.alarms:
            yield Note("alarms", *at, event.table, alarm)


def _used(deck: Deck, now_micros: int) -> str:
    """For how long a deck was in use when it went, and by how much that was too long."""
    late_micros = now_micros - deck.due_micros
    late = f", {_hours(late_micros)} late" if deck.due_micros and late_micros > 0 else ""
    return f"used for {_hours(now_micros - deck.since_micros)}{late}"


def _hours(micros: int) -> str:
    hours, minutes = divmod(micros // _MICROS_PER_MINUTE, 60)
    return f"{hours}:{minutes:02d} h"


def _change(
    event: events.MeterAdjusted | events.FundsTransferred | events.ParametersChanged,
    at: tuple[int, int],
) -> Note:
    where, by, micros = f"{event.link}/{event.level}", people(event.approval), 0
    match event:
        case events.MeterAdjusted():
            before = dollars(event.before_micros)
            what, micros = f"{event.reason}, from {before}", event.after_micros
        case events.FundsTransferred():
            what = f"{event.pool} to {event.to_link}/{event.to_level}"
            micros = event.amount_micros
        case events.ParametersChanged():
            level = next(level for level in event.config.levels if level.id == event.level)
            limit = dollars(level.limit_micros) if level.limit_micros else "none"
            rates = f"{level.primary_bps} + {level.reserve_bps} bps"
            what = f"{rates}, limit {limit}, once resumed"
    return Note("changes", *at, where, f"{what}: {event.reference}", by, micros)
