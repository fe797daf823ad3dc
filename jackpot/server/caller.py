"""Who is calling.

Without TLS the server listens on loopback only, and whoever can connect is the local principal, or
whoever they say they are in the call's metadata: a test lab has no certificates to tell by.
"""

from typing import Any, NamedTuple

from jackpot.server.fields import identifier

LOCAL = "local"
PRINCIPAL_KEY = "x-jackpot-principal"
DEPARTMENT_KEY = "x-jackpot-department"


class Actor(NamedTuple):
    """A caller, by the name that the journal records."""

    principal: str
    department: str = ""


def identify_caller(context: Any) -> Actor:
    """The caller behind a call, by its gRPC context."""
    if context.auth_context().get("transport_security_type") != [b"insecure"]:
        # Somebody whom a certificate names: what they say of themselves counts for nothing.
        return Actor(LOCAL)
    said = dict(context.invocation_metadata() or ())
    principal, department = said.get(PRINCIPAL_KEY, LOCAL), said.get(DEPARTMENT_KEY, "")
    return Actor(
        identifier(str(principal), "principal"),
        identifier(str(department), "department") if department else "",
    )
