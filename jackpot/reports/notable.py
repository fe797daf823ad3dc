"""What of a day somebody may ask about: changes, voids, mismatches, counts, decks, alarms."""

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from jackpot.core.commands.base import OperatorOrigin, Origin, TableOrigin
from jackpot.core.config import Level
from jackpot.core.events import AnyEvent, Record, Refused
from jackpot.core.events.operator import (
    BadBeatVerified,
    BoxCounted,
    CallDeclined,
    DisplayConfirmed,
    DualControlSet,
    FundsTransferred,
    IncarnationBegun,
    LinkChanged,
    MeterAdjusted,
    MetersRead,
    ParametersChanged,
)
from jackpot.core.events.table import (
    CallWithdrawn,
    CollectionConfirmed,
    DeckPlaced,
    DeckRemoved,
    FloorCalled,
    LostRange,
    RoundLocked,
    RoundSettled,
    RoundVoided,
    SeatVoided,
    TableAttached,
    WagerRemoved,
)
from jackpot.core.money import dollars
from jackpot.core.reasons import Reason
from jackpot.core.state import Deck
from jackpot.engine.alarms import rates_text
from jackpot.reports.movements import people, taken_back_by

Heading = Literal["changes", "rates", "voids", "mismatches", "counts", "decks", "alarms"]


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
        case RoundVoided() | SeatVoided() | WagerRemoved():
            yield _taken_back(event, at, record.origin)
        case Refused(reason=Reason.COLLECTION_MISMATCH, details=said):
            table = record.origin.table if isinstance(record.origin, TableOrigin) else ""
            count = f"{said.get('accepted')} wagers, {said.get('counted')} chips"
            yield Note("mismatches", *at, table, f"{said.get('bet')}: {count}")
        case LinkChanged():
            yield _link_changed(event, at, record.origin)
        case MeterAdjusted() | FundsTransferred() | ParametersChanged() | DualControlSet():
            yield _change(event, at)
        case BoxCounted() | BadBeatVerified() | DisplayConfirmed():
            yield _bad_beat(event, at, record.origin)
        case FloorCalled() | CallWithdrawn() | CallDeclined():
            yield _call(event, at)
        case DeckPlaced():
            what = f"{event.deck.back} in use, dealt by {event.deck.dealing}"
            if event.replaced:
                what += f", in place of one {_used(event.replaced, time_micros)}"
            yield Note("decks", *at, event.table, what)
        case DeckRemoved():
            what = f"{event.deck.back} off the table, {_used(event.deck, time_micros)}"
            yield Note("decks", *at, event.table, what)
    yield from _alarms(event, at)
    yield from _restores(event, at)


def _alarms(event: AnyEvent, at: tuple[int, int]) -> Iterator[Note]:
    match event:
        case RoundLocked() | CollectionConfirmed() | RoundSettled() | BoxCounted():
            for alarm in event.alarms:
                yield Note("alarms", *at, event.table, alarm)
        case MetersRead() | ParametersChanged():
            for alarm in event.alarms:
                yield Note("alarms", *at, "site", alarm)
    if isinstance(event, ParametersChanged) and event.before and event.alarms:
        yield _rate_change(event, event.before, at)


def _link_changed(event: LinkChanged, at: tuple[int, int], origin: Origin) -> Note:
    if event.away_micros:
        what = f"{event.status}: no controller for {hours_text(event.away_micros)}"
        return Note("changes", *at, event.link, what, "the controller")
    who = origin.principal if isinstance(origin, OperatorOrigin) else ""
    return Note("changes", *at, event.link, event.status, who)


def _restores(event: AnyEvent, at: tuple[int, int]) -> Iterator[Note]:
    """That a backup was restored, and what each table lost by it."""
    match event:
        case IncarnationBegun():
            what = f"a backup was restored; its last entry is {event.common_sequence:,}"
            yield Note("alarms", *at, "journal", f"{what}: {event.reason}", event.by)
        case TableAttached(lost=LostRange() as lost):
            where = f"was at round {lost.round}" if lost.round else "had no round under way"
            known = f"the table knows of entries {lost.first:,} to {lost.last:,}"
            what = f"{known}, which the journal no longer has; the table {where}"
            yield Note("alarms", *at, event.table, what)


def _taken_back(
    event: RoundVoided | SeatVoided | WagerRemoved, at: tuple[int, int], origin: Origin
) -> Note:
    by = taken_back_by(event.floorperson, origin)
    if isinstance(event, WagerRemoved):
        round_ = f"round {event.number} " if event.number else ""
        what = f"{round_}seat {event.wager.seat}: {event.wager.bet} removed: it had no chip"
        micros = event.amount_micros
    else:
        seat = f" seat {event.seat}" if isinstance(event, SeatVoided) else ""
        what = f"round {event.number}{seat}: {event.irregularity}"
        micros = event.returned_micros
    return Note("voids", *at, event.table, f"{what}{_answers(event.call)}", by, micros)


def _answers(call: int) -> str:
    return f", call {call}" if call else ""


def _call(event: FloorCalled | CallWithdrawn | CallDeclined, at: tuple[int, int]) -> Note:
    match event:
        case FloorCalled():
            about = [f"round {event.round}", f"seat {event.seat}" if event.seat else ""]
            why = f": {event.irregularity or event.bet}"
            asked = f"{event.act.replace('-', ' ')}, {' '.join(filter(None, about))}{why}"
            return Note("voids", *at, event.table, f"call {event.id} to {asked}", "the table")
        case CallWithdrawn():
            what = f"call {event.call} withdrawn"
            return Note("voids", *at, event.table, what, "the table")
        case CallDeclined():
            return Note("voids", *at, event.table, f"call {event.call} declined", event.floorperson)


def _bad_beat(
    event: BoxCounted | BadBeatVerified | DisplayConfirmed, at: tuple[int, int], origin: Origin
) -> Note:
    match event:
        case BoxCounted():
            off = event.counted_micros - event.recorded_micros
            what = f"box counted, differs by ${dollars(off)}" if off else "box counted"
            where, by = f"{event.link} {event.table}", event.cashier
            if event.floorperson:  # in an early journal: nobody knows who was there
                by += f"; {event.floorperson}, named by the cashier"
            return Note("counts", *at, where, what, by, event.counted_micros)
        case BadBeatVerified():
            where = f"{event.link} {event.table}"
            paid = sum(payout.amount_micros for payout in event.payouts)
            return Note("counts", *at, where, _hands(event), event.supervisor, paid)
        case DisplayConfirmed():
            what = "display confirmed"
            by = origin.principal if isinstance(origin, OperatorOrigin) else ""
            if event.floorperson:
                by += f"; {event.floorperson}, named by the cashier"
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
    late = f", {hours_text(late_micros)} late" if deck.due_micros and late_micros > 0 else ""
    return f"used for {hours_text(now_micros - deck.since_micros)}{late}"


def hours_text(micros: int) -> str:
    """A length of time in hours and minutes."""
    hours, minutes = divmod(micros // _MICROS_PER_MINUTE, 60)
    return f"{hours} h {minutes} min"


def _change(
    event: MeterAdjusted | FundsTransferred | ParametersChanged | DualControlSet,
    at: tuple[int, int],
) -> Note:
    if isinstance(event, DualControlSet):
        what = "dual control on" if event.dual_control else "dual control off"
        return Note("changes", *at, "site", f"{what}: {event.reference}", people(event.approval))
    where, by, micros = f"{event.link}/{event.level}", people(event.approval), 0
    match event:
        case MeterAdjusted():
            before = dollars(event.before_micros)
            what, micros = f"{event.reason}, from ${before}", event.after_micros
        case FundsTransferred():
            what = f"{event.pool} to {event.to_link}/{event.to_level}"
            micros = event.amount_micros
        case ParametersChanged():
            level = next(level for level in event.config.levels if level.id == event.level)
            limit = f"${dollars(level.limit_micros)}" if level.limit_micros else "none"
            what = f"{rates_text(level)}, limit {limit}, when the link resumes"
    return Note("changes", *at, where, f"{what}: {event.reference}", by, micros)


def _rate_change(event: ParametersChanged, before: Level, at: tuple[int, int]) -> Note:
    """What accounting has to know: the rates before and after, and from when."""
    after = next(level for level in event.config.levels if level.id == event.level)
    rates = f"from {rates_text(before)} to {rates_text(after)}"
    what = f"{rates}, when the link resumes: {event.reference}"
    return Note("rates", *at, f"{event.link}/{event.level}", what, people(event.approval))
