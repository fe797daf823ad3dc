"""What this controller is, what it can do, and how much it takes."""

import time
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from google.protobuf.duration_pb2 import Duration

from jackpot.core.money import CURRENCY
from jackpot.core.state import RECENT_NUMBERS
from jackpot.server.codec.fields import timestamp
from jackpot.software import Software
from jackpot.wire import limits
from jackpot.wire.v1 import meter_pb2

# Each by a name that never changes its meaning; docs/reference/api.md explains them.
FEATURES = (
    "floor-calls",
    "get-round",
    "incarnation",
    "next-page-token",
    "progress-frames",
    "table-config",
    "voided-round",
    "watch-table",
)

LIMITS = meter_pb2.Limits(
    message_bytes=limits.MAX_REQUEST_BYTES,
    commands=limits.MAX_COMMANDS,
    answers=RECENT_NUMBERS,
    wagers=limits.MAX_WAGERS,
    seats=limits.MAX_SEATS,
    cards=limits.MAX_CARDS,
    text=limits.MAX_TEXT,
    calls=limits.MAX_CALLS,
    table_streams=limits.MAX_TABLE_STREAMS,
    watched_links=limits.MAX_WATCHED_LINKS,
    page_size=limits.MAX_PAGE,
)


@cache
def program_version() -> str:
    """Of this program, as it was installed; "0" where it runs without having been."""
    try:
        return version("jackpot-controller")
    except PackageNotFoundError:
        return "0"


def duration(seconds: float) -> Duration:
    """A length of time for a message."""
    return Duration(seconds=int(seconds), nanos=int(seconds % 1 * 1_000_000_000))


def server_info(
    software: Software, features: Iterable[str], addresses: Iterable[str]
) -> meter_pb2.GetServerInfoResponse:
    """The answer to whoever asks what this is; `features`: what this controller was told to do."""
    return meter_pb2.GetServerInfoResponse(
        version=software.version,
        features=sorted({*FEATURES, *features}),
        manifest=software.manifest,
        release=f"RELEASE_CHECK_{software.check.upper()}",  # type: ignore[arg-type]  # by its name
        release_key=software.key,
        server_time=timestamp(time.time_ns() // 1_000),
        limits=LIMITS,
        addresses=addresses,
        currency=CURRENCY,
        heartbeat_interval=duration(limits.HEARTBEAT_S),
        progress_interval=duration(limits.PROGRESS_S),
    )
