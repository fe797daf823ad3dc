"""Who is calling.

Without TLS the server listens on loopback only, and whoever can connect is the local principal.
"""

from typing import Any, NamedTuple

LOCAL = "local"


class Actor(NamedTuple):
    """A caller, by the name that the journal records."""

    principal: str


def identify_caller(_context: Any) -> Actor:
    """The caller behind a call, by its gRPC context."""
    return Actor(LOCAL)
