"""The core's words and the wire's enums, each made from the other's names.

A word that the wire lacks stops the import, so the two can't drift apart.
"""

import re
from typing import Any, Generic, TypeVar, get_args

from jackpot.core import config, state
from jackpot.core.commands.operator import MeterReason, Pool, RejectReason
from jackpot.core.commands.table import Dealing, Fate
from jackpot.core.reasons import Reason
from jackpot.engine.alarms import Severity
from jackpot.server.errors import refused
from jackpot.wire.v1 import meter_pb2, operator_pb2, payout_pb2, table_pb2

Word = TypeVar("Word", bound=str)


class Words(Generic[Word]):
    """A translation between a literal of the core and an enum of the wire."""

    def __init__(self, enum: Any, literal: Any) -> None:
        self._name = enum.DESCRIPTOR.name
        prefix = re.sub(r"(?<!^)(?=[A-Z])", "_", self._name).upper()
        self._values: dict[Word, Any] = {
            word: enum.Value(f"{prefix}_{word.replace('-', '_').upper()}")
            for word in get_args(literal)
        }
        self._words = {value: word for word, value in self._values.items()}

    def to_wire(self, word: Word) -> Any:
        """The enum's value for a word."""
        return self._values[word]

    def from_wire(self, value: int) -> Word:
        """The word for an enum's value; unknown and unspecified ones are malformed."""
        if word := self._words.get(value):
            return word
        raise refused(Reason.MALFORMED, field=self._name, problem="unknown enum value", value=value)


FATES: Words[Fate] = Words(table_pb2.Fate, Fate)
DEALINGS: Words[Dealing] = Words(table_pb2.Dealing, Dealing)
PHASES: Words[state.Phase] = Words(table_pb2.RoundPhase, state.Phase)
KINDS: Words[state.ClaimKind] = Words(payout_pb2.PayoutKind, state.ClaimKind)
SOURCES: Words[config.Source] = Words(payout_pb2.PayoutSource, config.Source)
POOLS: Words[Pool] = Words(operator_pb2.Pool, Pool)
REJECT_REASONS: Words[RejectReason] = Words(operator_pb2.RejectReason, RejectReason)
METER_REASONS: Words[MeterReason] = Words(operator_pb2.MeterReason, MeterReason)
ALARM_SEVERITIES: Words[Severity] = Words(operator_pb2.AlarmSeverity, Severity)
MEDIA: Words[config.Medium] = Words(meter_pb2.BetMedium, config.Medium)
LINK_STATUSES: Words[state.LinkStatus] = Words(meter_pb2.LinkStatus, state.LinkStatus)
HIT_STATUSES: Words[str] = Words(meter_pb2.HitStatus, state.Hit.__annotations__["status"])
