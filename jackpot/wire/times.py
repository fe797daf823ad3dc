"""Times on the wire are Timestamps, everywhere else whole micros since 1970."""

from google.protobuf.timestamp_pb2 import Timestamp

_MICROS_PER_S, _NANOS_PER_MICRO = 1_000_000, 1_000


def timestamp(micros: int) -> Timestamp | None:
    """A time for a message; 0, where there is none, leaves its field absent."""
    if not micros:
        return None
    seconds, rest = divmod(micros, _MICROS_PER_S)
    return Timestamp(seconds=seconds, nanos=rest * _NANOS_PER_MICRO)
