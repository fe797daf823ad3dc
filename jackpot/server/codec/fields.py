"""Read and write single fields of a message: what is read is well formed, or was refused.

Nothing that a caller wrote is echoed at length: a refusal's details fit into gRPC's trailers. The
core's words and the wire's enums are made from each other's names: a word that the wire lacks stops
the import, so the two can't drift apart.
"""

import re
import time
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any, Generic, TypeVar, get_args

from google.protobuf.timestamp_pb2 import Timestamp

from jackpot.core import config, state
from jackpot.core.commands.operator import MeterReason, Pool, RejectReason
from jackpot.core.commands.table import Dealing, Fate, FloorAct, Placed
from jackpot.core.money import MAX_MICROS, MICROS_PER_CENT
from jackpot.core.reasons import Reason
from jackpot.engine.alarms import Severity
from jackpot.rules.cards import DECK
from jackpot.server.errors import CallRefusedError, refused
from jackpot.wire.ids import is_id
from jackpot.wire.limits import MAX_AHEAD_S, MAX_CARDS, MAX_NUMBER, MAX_SEATS, MAX_TEXT
from jackpot.wire.request_id import request_id_time_ms
from jackpot.wire.v1 import alarm_pb2, meter_pb2, operator_pb2, payout_pb2, table_pb2

Item = TypeVar("Item")
Read = TypeVar("Read")
Word = TypeVar("Word", bound=str)

_ECHO = 40  # characters of a bad value that a refusal repeats
_CARDS = frozenset(DECK)  # in their one spelling
_MICROS_PER_S, _NANOS_PER_MICRO = 1_000_000, 1_000
_SEAT = re.compile(r"seat \d+")  # how the core names whoever is not named


def malformed(field: str, problem: str, value: object = "") -> CallRefusedError:
    """The refusal of a field. It may be journaled: of a bad value it has little, in print."""
    echo = str(value)[:_ECHO]
    echo = echo if echo.isprintable() else ascii(echo)[:_ECHO]
    return refused(Reason.MALFORMED, field=field, problem=problem, value=echo)


def within(error: CallRefusedError, field: str) -> CallRefusedError:
    """The same refusal, of a field inside another: `hands[2].cards[0]`."""
    details = dict(error.refusal.details)
    details["field"] = f"{field}.{inner}" if (inner := details.get("field")) else field
    return refused(error.refusal.reason, **details)


def each(items: Iterable[Item], field: str, read: Callable[[Item], Read]) -> tuple[Read, ...]:
    """What is read of every item; a refusal says which one it is about."""
    found: list[Read] = []
    for item in items:
        try:
            found.append(read(item))
        except CallRefusedError as error:
            raise within(error, f"{field}[{len(found)}]") from error
    return tuple(found)


@lru_cache(maxsize=4_096)  # the same few ids come in every message
def identifier(text: str, field: str) -> str:
    """The id of a site, link, level, table or bet."""
    if not is_id(text):
        raise malformed(field, "not an id", text)
    return text


def text(value: str, field: str, most: int = MAX_TEXT) -> str:
    """Something that a person wrote: one line, not empty."""
    if not value.strip():
        raise malformed(field, "empty")
    return optional_text(value, field, most)


def optional_text(value: str, field: str, most: int = MAX_TEXT) -> str:
    """Something that a person may have written."""
    if not value:
        return value
    if len(value) > most:
        raise refused(Reason.TOO_MANY, field=field, characters=len(value), limit=most)
    if not value.isprintable():
        raise malformed(field, "unprintable characters", ascii(value))
    return value


def whole(value: int, field: str, least: int, most: int) -> int:
    """A whole number within bounds."""
    if not least <= value <= most:
        raise malformed(field, f"not between {least} and {most}", value)
    return value


def number(value: int, field: str) -> int:
    """An epoch, a command's number or a payout's."""
    return value if 1 <= value <= MAX_NUMBER else whole(value, field, 1, MAX_NUMBER)


def amount(value: int, field: str) -> int:
    """Money that changes hands."""
    return whole(value, field, 1, MAX_MICROS)


def cash(value: int, field: str, least: int = MICROS_PER_CENT) -> int:
    """Money that a person counts: whole cents."""
    if value % MICROS_PER_CENT:
        raise malformed(field, "not in whole cents", value)
    return whole(value, field, least, MAX_MICROS)


def seat(value: int, field: str = "seat") -> int:
    """A seat that some table might have."""
    return value if 1 <= value <= MAX_SEATS else whole(value, field, 1, MAX_SEATS)


def player(value: str, at_seat: int) -> str:
    """Who plays a seat. Whoever is not named is called by the seat: nobody else may be."""
    if _SEAT.fullmatch(value) and value != f"seat {at_seat}":
        raise malformed("player", "the name of another seat", value)
    return optional_text(value, "player")


def given(message: Any, field: str) -> Any:
    """A field's value where zero means something, so that it must not be left out."""
    if not message.HasField(field):
        raise malformed(field, "absent")
    return getattr(message, field)


def placed(message: table_pb2.PlacedWager) -> Placed:
    """A wager, by seat and bet."""
    return Placed(seat(message.seat), identifier(message.bet, "bet"))


def many(items: Sequence[Item], field: str, most: int, least: int = 0) -> Sequence[Item]:
    """A list that is neither too long nor too short."""
    if len(items) > most:
        raise refused(Reason.TOO_MANY, field=field, count=len(items), limit=most)
    if len(items) < least:
        raise malformed(field, "empty")
    return items


def cards(items: Sequence[str], field: str) -> tuple[str, ...]:
    """Cards in their one spelling; whether they can be together is not judged here."""
    found = tuple(items[:])  # a slice is copied at once
    if len(found) <= MAX_CARDS and _CARDS.issuperset(found):
        return found
    for place, item in enumerate(many(found, field, MAX_CARDS)):
        if item not in _CARDS:
            raise malformed(f"{field}[{place}]", "not a card; a card is written As, Td or 2c", item)
    return found


def request_id(value: str) -> str:
    """A request id that is not from the future: it would make all others look old."""
    try:
        made_ms = request_id_time_ms(value)
    except ValueError as error:
        raise malformed("request_id", str(error), value) from error
    if made_ms > (time.time() + MAX_AHEAD_S) * 1_000:
        raise malformed("request_id", "the time in the id is in the future; check the clock", value)
    return value


def timestamp(micros: int) -> Timestamp | None:
    """A time for a message; 0, where there is none, leaves its field absent."""
    if not micros:
        return None
    seconds, rest = divmod(micros, _MICROS_PER_S)
    return Timestamp(seconds=seconds, nanos=rest * _NANOS_PER_MICRO)


def enum_value(enum: Any, word: str) -> Any:
    """The enum's value that is named like a word, `in-service`, or like a class, `AdjustMeter`."""
    prefix, name = (
        re.sub(r"(?<!^)(?=[A-Z])", "_", each).upper() for each in (enum.DESCRIPTOR.name, word)
    )
    return enum.Value(f"{prefix}_{name.replace('-', '_')}")


class Words(Generic[Word]):
    """A translation between a literal of the core and an enum of the wire."""

    def __init__(self, enum: Any, literal: Any) -> None:
        self._field = re.sub(r"(?<!^)(?=[A-Z])", "_", enum.DESCRIPTOR.name).lower()
        self._values: dict[Word, Any] = {word: enum_value(enum, word) for word in get_args(literal)}
        self._words = {value: word for word, value in self._values.items()}

    def to_wire(self, word: Word) -> Any:
        """The enum's value for a word."""
        return self._values[word]

    def from_wire(self, value: int, field: str = "") -> Word:
        """The word for an enum's value; unknown and unspecified ones are malformed.

        The field is named like the enum, where nothing else is said.
        """
        if word := self._words.get(value):
            return word
        raise malformed(field or self._field, "unknown enum value", value)


FATES: Words[Fate] = Words(table_pb2.Fate, Fate)
DEALINGS: Words[Dealing] = Words(table_pb2.Dealing, Dealing)
ACTS: Words[FloorAct] = Words(table_pb2.FloorAct, FloorAct)
CALL_OUTCOMES: Words[state.CallOutcome] = Words(table_pb2.CallOutcome, state.CallOutcome)
PHASES: Words[state.Phase] = Words(table_pb2.RoundPhase, state.Phase)
PAYOUT_STATUSES: Words[state.PayoutStatus] = Words(payout_pb2.PayoutStatus, state.PayoutStatus)
KINDS: Words[state.ClaimKind] = Words(payout_pb2.PayoutKind, state.ClaimKind)
ALARM_SEVERITIES: Words[Severity] = Words(alarm_pb2.AlarmSeverity, Severity)
MEDIA: Words[config.Medium] = Words(meter_pb2.BetMedium, config.Medium)
ROLES: Words[state.BadBeatRole] = Words(payout_pb2.BadBeatRole, state.BadBeatRole)
SOURCES: Words[config.PayoutSource] = Words(payout_pb2.PayoutSource, config.PayoutSource)
POOLS: Words[Pool] = Words(operator_pb2.Pool, Pool)
REJECT_REASONS: Words[RejectReason] = Words(operator_pb2.RejectReason, RejectReason)
METER_REASONS: Words[MeterReason] = Words(operator_pb2.MeterReason, MeterReason)
LINK_STATUSES: Words[state.LinkStatus] = Words(meter_pb2.LinkStatus, state.LinkStatus)
HIT_STATUSES: Words[state.PayoutStatus] = Words(meter_pb2.HitStatus, state.PayoutStatus)
