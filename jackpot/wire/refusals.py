"""A refusal on the wire: into `google.rpc.Status` and back, and never through its text."""

from collections.abc import Mapping
from typing import Any

import grpc
from google.protobuf.duration_pb2 import Duration
from google.rpc import code_pb2, error_details_pb2, status_pb2

from jackpot.wire.channels import refusal_of
from jackpot.wire.v1 import reason_pb2

DOMAIN = "jackpot"
_RETRY_S = 0.2  # where the controller does not say how long to wait
DETAILS_KEY = "grpc-status-details-bin"
# Without a rich status these come from gRPC itself, not from the controller. A write that meets a
# broken connection is INTERNAL there, a stream that vanishes UNKNOWN, and a call that is under way
# when the controller stops CANCELLED.
_BROKEN = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.UNKNOWN,
    grpc.StatusCode.CANCELLED,
)
# What a client may make of each reason: read from the options that the proto gives it.
MEANINGS: Mapping[str, reason_pb2.ReasonMeaning] = {
    value.name.removeprefix("REASON_"): value.GetOptions().Extensions[reason_pb2.meaning]
    for value in reason_pb2.Reason.DESCRIPTOR.values
    if value.number
}


def to_status(
    code: str,
    message: str,
    reason: str,
    metadata: Mapping[str, str],
    retry_ms: int | None,
    domain: str = DOMAIN,
) -> status_pb2.Status:
    """A refusal as a client gets it; with `retry_ms`, sending the same again can help."""
    status = status_pb2.Status(code=code_pb2.Code.Value(code), message=message)
    info = error_details_pb2.ErrorInfo(reason=reason, domain=domain, metadata=metadata)
    status.details.add().Pack(info)
    if retry_ms is not None:
        delay = Duration(nanos=retry_ms * 1_000_000)
        status.details.add().Pack(error_details_pb2.RetryInfo(retry_delay=delay))
    return status


def trailers_of(status: status_pb2.Status) -> tuple[tuple[str, bytes]]:
    """What gRPC sends behind a call, so that the client finds the status again."""
    return ((DETAILS_KEY, status.SerializeToString()),)


class RefusedError(Exception):
    """The controller said no. `retry_s` is set where sending the same again can help."""

    def __init__(
        self,
        code: str,
        message: str,
        reason: str = "",
        metadata: Mapping[str, str] | None = None,
        retry_s: float | None = None,
    ) -> None:
        self.code = code
        self.message = message
        self.reason = reason
        self.metadata = dict(metadata or {})
        self.retry_s = retry_s
        details = ", ".join(
            f"{key} {value}" for key, value in sorted(self.metadata.items()) if value
        )
        super().__init__(f"{reason or code}: {message}" + (f" ({details})" if details else ""))


class UnreachableError(RefusedError):
    """The controller can't be reached, so it is not known what became of a command."""


def from_status(status: status_pb2.Status) -> RefusedError:
    """The refusal that a status tells of."""
    reason, metadata, retry_s = "", {}, None
    for detail in status.details:
        info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
        if detail.Unpack(info):
            reason, metadata = info.reason, dict(info.metadata)
        elif detail.Unpack(retry):
            retry_s = retry.retry_delay.ToTimedelta().total_seconds()
    # Of a reason that is known here the contract says whether sending the same again can help; of
    # another one only the delay that comes with it.
    known = MEANINGS.get(reason)
    if known and known.retry == reason_pb2.RETRY_CLASS_SAME:
        retry_s = _RETRY_S if retry_s is None else retry_s
    elif known and known.retry != reason_pb2.RETRY_CLASS_UNSPECIFIED:
        retry_s = None
    code = code_pb2.Code.Name(status.code)
    return RefusedError(code, status.message, reason, metadata, retry_s)


def from_rpc_error(error: Any) -> RefusedError:
    """The refusal behind a failed call; a broken connection is `UnreachableError`."""
    for key, value in error.trailing_metadata() or ():
        if key == DETAILS_KEY:
            return from_status(status_pb2.Status.FromString(value))
    code: grpc.StatusCode = error.code()
    message = error.details() or "no answer"
    if code in _BROKEN:
        return UnreachableError(code.name, message, retry_s=0.0)
    return RefusedError(code.name, message)


def explained(refusal: RefusedError, channel: object) -> RefusedError:
    """The same, or UNAUTHENTICATED where it was TLS that kept a channel from coming about."""
    if not isinstance(refusal, UnreachableError) or refusal.code != "UNAVAILABLE":
        return refusal
    why = refusal_of(channel)
    return RefusedError("UNAUTHENTICATED", why, "UNAUTHENTICATED") if why else refusal
