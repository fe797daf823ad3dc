"""Detect a dead connection: if nobody answers its pings, it ends.

Without them a cable that was pulled, or a proxy that lost its other side, is silence: a call would
wait for as long as it may, while a new connection would be answered at once.
"""

EVERY_MS = 10_000
UNANSWERED_MS = 5_000


def keepalive(
    every_ms: int = EVERY_MS, unanswered_ms: int = UNANSWERED_MS
) -> tuple[tuple[str, int], ...]:
    """Options for a channel as for a server: how often to ping, and how long to wait."""
    return (
        ("grpc.keepalive_time_ms", every_ms),
        ("grpc.keepalive_timeout_ms", unanswered_ms),
        # Without this a ping that nobody answers is waited for a minute all the same.
        ("grpc.http2.ping_timeout_ms", unanswered_ms),
        ("grpc.http2.max_pings_without_data", 0),  # a table may think, and pings all the same
        # What a server allows. Its own default is five minutes, and a GOAWAY for the third ping.
        ("grpc.http2.min_ping_interval_without_data_ms", every_ms // 2),
    )
