"""What a client may make of a reason: read from the options that the proto gives each one."""

from collections.abc import Mapping

from jackpot.wire.v1 import reason_pb2

_PREFIX = "REASON_"

MEANINGS: Mapping[str, reason_pb2.ReasonMeaning] = {
    value.name.removeprefix(_PREFIX): value.GetOptions().Extensions[reason_pb2.meaning]
    for value in reason_pb2.Reason.DESCRIPTOR.values
    if value.number
}


def retry_class(reason: str) -> "reason_pb2.RetryClass.ValueType":
    """What sending again can do; unspecified for a reason that is not known here."""
    known = MEANINGS.get(reason)
    return known.retry if known else reason_pb2.RETRY_CLASS_UNSPECIFIED
