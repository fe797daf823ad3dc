"""Turn a refusal into a gRPC error: the one place where a reason becomes a code.

`MEANINGS` in the core says what each reason means; nothing here decides anything about it.
"""

from collections import Counter
from typing import TypeVar

from google.protobuf.timestamp_pb2 import Timestamp
from google.rpc import status_pb2
from grpc import StatusCode

from jackpot.auth.callers import Fault
from jackpot.core.events import Refused
from jackpot.core.reasons import MEANINGS, Reason, Refusal, refuse
from jackpot.engine import JournaledAnswer, Outcome
from jackpot.wire.errors import PlainError
from jackpot.wire.refusals import to_status

Answer = TypeVar("Answer")

RETRY_DELAY_MS = 200  # long enough for a batch in trouble to be given up, short for a dealer


# Refusals that this process has answered; whoever watches the controller reads them here.
REFUSALS: Counter[Reason] = Counter()


class CallRefusedError(PlainError):
    """Carries a refusal out of a handler; `sequence` is where it is journaled, if it is."""

    def __init__(self, refusal: Refusal, sequence: int = 0) -> None:
        details = "".join(f", {key} {value}" for key, value in refusal.details.items())
        super().__init__(f"{refusal.reason}{details}")
        self.refusal = refusal
        self.sequence = sequence


def refused(reason: Reason, **details: object) -> CallRefusedError:
    """An error to raise, with its details as text."""
    return CallRefusedError(refuse(reason, **details))


def accepted(outcome: Outcome) -> JournaledAnswer:
    """What was committed; a refusal, journaled or not, is raised."""
    if not isinstance(outcome, JournaledAnswer):
        raise CallRefusedError(outcome)
    if type(event := outcome.event) is Refused:
        raise CallRefusedError(Refusal(event.reason, event.details), outcome.sequence)
    return outcome


def seen(answer: Answer | Refusal) -> Answer:
    """What a look at the state found; a refusal is raised."""
    if isinstance(answer, Refusal):
        raise CallRefusedError(answer)
    return answer


def code_of(refusal: Refusal) -> StatusCode:
    """The gRPC code of a refusal."""
    return StatusCode[MEANINGS[refusal.reason].code]


# Details that are moments: the journal keeps whole micros, and a client gets RFC 3339 as text.
_TIMES = {"closed_micros": "closed_time", "expired_micros": "expired_time"}


def _on_the_wire(key: str, value: str) -> tuple[str, str]:
    if key not in _TIMES:
        return key, value
    moment = Timestamp()
    moment.FromMicroseconds(int(value))
    return _TIMES[key], moment.ToJsonString()


# What to do, where more is known than that nobody is.
_FAULTS = {
    Fault.MISSING: "There is no certificate: use one issued by the controller's authority.",
    Fault.NOBODY: "The certificate does not name its holder: use one made with jackpot ca issue.",
    Fault.FOREIGN: "The certificate is from another authority: use one issued by the controller's.",
    Fault.REVOKED: "The certificate is revoked: ask the authority's administrator for a new one.",
    Fault.EXPIRED: "The certificate has expired: ask the authority's administrator to renew it.",
    Fault.ENDED: "The login or PIN has ended: log in or type the PIN again.",
}
_LISTENERS = {  # by the listener that a caller needs
    "staff": "Staff have an address of their own at this controller: call there.",
    "tables": "This address is for staff only: call at the controller's address for tables.",
}
_SENTENCES = {fault.name.lower(): sentence for fault, sentence in _FAULTS.items()} | _LISTENERS


def status_of(refusal: Refusal, sequence: int = 0) -> status_pb2.Status:
    """A refusal as a client gets it; it is counted."""
    REFUSALS[refusal.reason] += 1
    return uncounted_status(refusal, sequence)


def uncounted_status(refusal: Refusal, sequence: int = 0) -> status_pb2.Status:
    """The same, for whoever may give it or not."""
    meaning = MEANINGS[refusal.reason]
    metadata = dict(_on_the_wire(*each) for each in refusal.details.items())
    if sequence:
        metadata["sequence"] = str(sequence)
    retry_ms = RETRY_DELAY_MS if meaning.retry == "same" else None
    known = metadata.get("fault") or metadata.get("needs_listener", "")
    sentence = _SENTENCES.get(known, meaning.sentence)
    return to_status(meaning.code, sentence, refusal.reason, metadata, retry_ms)
