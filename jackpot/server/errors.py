"""Turn a refusal into a gRPC error: the one place where a reason becomes a code.

`MEANINGS` in the core says what each reason means; nothing here decides anything about it.
"""

from collections import Counter

from google.protobuf.duration_pb2 import Duration
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc import StatusCode

from jackpot.core.reasons import MEANINGS, Reason, Refusal, refuse

DOMAIN = "jackpot"
DETAILS_KEY = "grpc-status-details-bin"
RETRY_DELAY_MS = 200  # long enough for a batch in trouble to be given up, short for a dealer


# Refusals that this process has answered; whoever watches the controller reads them here.
REFUSALS: Counter[Reason] = Counter()


class RefusedError(Exception):
    """Carries a refusal out of a handler; `sequence` is where it is journaled, if it is."""

    def __init__(self, refusal: Refusal, sequence: int = 0) -> None:
        super().__init__(refusal.reason)
        self.refusal = refusal
        self.sequence = sequence


def refused(reason: Reason, **details: object) -> RefusedError:
    """An error to raise, with its details as text."""
    return RefusedError(refuse(reason, **details))


def code_of(refusal: Refusal) -> StatusCode:
    """The gRPC code of a refusal."""
    return StatusCode[MEANINGS[refusal.reason].code]


def status_of(refusal: Refusal, sequence: int = 0) -> status_pb2.Status:
    """A refusal as a client gets it."""
    REFUSALS[refusal.reason] += 1
    meaning = MEANINGS[refusal.reason]
    status = status_pb2.Status(code=code_pb2.Code.Value(meaning.code), message=meaning.sentence)
    metadata = dict(refusal.details)
    if sequence:
        metadata["sequence"] = str(sequence)
    info = error_details_pb2.ErrorInfo(reason=refusal.reason, domain=DOMAIN, metadata=metadata)
    status.details.add().Pack(info)
    if meaning.retry == "same":
        delay = Duration(nanos=RETRY_DELAY_MS * 1_000_000)
        status.details.add().Pack(error_details_pb2.RetryInfo(retry_delay=delay))
    return status


def trailers_of(status: status_pb2.Status) -> tuple[tuple[str, bytes]]:
    """What gRPC sends behind a call, so that the client finds the status again."""
    return ((DETAILS_KEY, status.SerializeToString()),)
