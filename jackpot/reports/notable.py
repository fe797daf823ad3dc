"""What of a day somebody may ask about: changes, voids, mismatches, counts, decks, alarms."""

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from jackpot.core.commands.base import OperatorOrigin, TableOrigin
from jackpot.core.events import AnyEvent, Record, Refused
from jackpot.core.events.operator import (
    BadBeatVerified,
    BoxCounted,
    DisplayConfirmed,
    FundsTransferred,
    IncarnationBegun,
    LinkChanged,
    MeterAdjusted,
    ParametersChanged,
)
from jackpot.core.events.table import (
    DeckPlaced,
    DeckRemoved,
    LostRange,
    RoundSettled,
    RoundVoided,
    SeatVoided,
    TableAttached,
    WagerRemoved,
)
from jackpot.core.money import dollars, rate_text
from jackpot.core.reasons import Reason
from jackpot.core.state import Deck
from jackpot.reports.movements import people, taken_back_by

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


def notable_events(sequence: int, time_micros: int, record: Record) -> Iterator[Note]:
    """What an entry is worth noting for."""
    event, at = record.event, (sequence, time_micros)
    match event:
        case RoundVoided() | SeatVoided():
            seat = f" seat {event.seat}" if isinstance(event, SeatVoided) else ""
            what = f"round {event.number}{seat}: {event.irregularity}"
            by = taken_back_by(event.floorperson, record.origin)
            yield Note("voids", *at, event.table, what, by, event.returned_micros)
        case WagerRemoved():
            round_ = f"round {event.number} " if event.number else ""
            what = f"{round_}seat {event.wager.seat}: {event.wager.bet} removed: it had no chip"
            by = taken_back_by(event.floorperson, record.origin)
            yield Note("voids", *at, event.table, what, by, event.amount_micros)
        case Refused(reason=Reason.COLLECTION_MISMATCH, details=said):
            table = record.origin.table if isinstance(record.origin, TableOrigin) else ""
            count = f"{said.get('accepted')} wagers, {said.get('counted')} chips"
            yield Note("mismatches", *at, table, f"{said.get('bet')}: {count}")
        case LinkChanged():
            who = record.origin.principal if isinstance(record.origin, OperatorOrigin) else ""
            yield Note("changes", *at, event.link, event.status, who)
        case MeterAdjusted() | FundsTransferred() | ParametersChanged():
            yield _change(event, at)
        case BoxCounted() | BadBeatVerified() | DisplayConfirmed():
            yield _bad_beat(event, at)
        case DeckPlaced():
            what = f"{event.deck.back} in use, dealt by {event.deck.dealing}"
            if event.replaced:
                what += f", in place of one {_used(event.replaced, time_micros)}"
            yield Note("decks", *at, event.table, what)
        case DeckRemoved():
            what = f"{event.deck.back} off the table, {_used(event.deck, time_micros)}"
            yield Note("decks", *at, event.table, what)
    if isinstance(event, RoundSettled | BoxCounted):
        for alarm in event.alarms:
            yield Note("alarms", *at, event.table, alarm)
    yield from _restores(event, at)


def _restores(event: AnyEvent, at: tuple[int, int]) -> Iterator[Note]:
    """That a backup was restored, and what each table lost by it."""
    match event:
        case IncarnationBegun():
            what = f"a backup was restored, entry {event.common_sequence:,} is its last"
            yield Note("alarms", *at, "journal", f"{what}: {event.reason}", event.by)
        case TableAttached(lost=LostRange() as lost):
            at_round = f"at round {lost.round}" if lost.round else "between rounds"
            what = f"entries {lost.first:,} to {lost.last:,} were lost, {at_round}"
            yield Note("alarms", *at, event.table, what)


def _bad_beat(event: BoxCounted | BadBeatVerified | DisplayConfirmed, at: tuple[int, int]) -> Note:
    match event:
        case BoxCounted():
            off = event.counted_micros - event.recorded_micros
            what = f"box counted, differs by ${dollars(off)}" if off else "box counted"
            where, by = f"{event.link} {event.table}", f"{event.cashier}, {event.floorperson}"
            return Note("counts", *at, where, what, by, event.counted_micros)
        case BadBeatVerified():
            where = f"{event.link} {event.table}"
            paid = sum(payout.amount_micros for payout in event.payouts)
            return Note("counts", *at, where, _hands(event), event.supervisor, paid)
        case DisplayConfirmed():
            what, by = "display confirmed", event.floorperson
            return Note("counts", *at, event.link, what, by, event.displayed_micros)


def _hands(event: BadBeatVerified) -> str:
    """The hand that lost and the one that beat it; of old only the first was asked for."""
    if not event.losing:
        return f"{event.hand} lost"
    losing, winning, board = map(" ".join, (event.losing, event.winning, event.community))
    shared = f", board {board}" if board else ""
    return f"{event.hand} ({losing}) lost to {event.winning_hand} ({winning}){shared}"


def _used(deck: Deck, now_micros: int) -> str:
    """For how long a deck was in use when it went, and by how much that was too long."""
    late_micros = now_micros - deck.due_micros
    late = f", {_hours(late_micros)} late" if deck.due_micros and late_micros > 0 else ""
    return f"used for {_hours(now_micros - deck.since_micros)}{late}"


def _hours(micros: int) -> str:
    hours, minutes = divmod(micros // _MICROS_PER_MINUTE, 60)
    return f"{hours}:{minutes:02d} h"


def _change(
    event: MeterAdjusted | FundsTransferred | ParametersChanged,
    at: tuple[int, int],
) -> Note:
    where, by, micros = f"{event.link}/{event.level}", people(event.approval), 0
    match event:
        case MeterAdjusted():
            before = dollars(event.before_micros)
            what, micros = f"{event.reason}, from {before}", event.after_micros
        case FundsTransferred():
            what = f"{event.pool} to {event.to_link}/{event.to_level}"
            micros = event.amount_micros
        case ParametersChanged():
            level = next(level for level in event.config.levels if level.id == event.level)
            limit = f"${dollars(level.limit_micros)}" if level.limit_micros else "none"
            primary, reserve = rate_text(level.primary_bps), rate_text(level.reserve_bps)
            rates = f"primary {primary}, reserve {reserve}"
            what = f"{rates}, limit {limit}, when the link resumes"
    return Note("changes", *at, where, f"{what}: {event.reference}", by, micros)
