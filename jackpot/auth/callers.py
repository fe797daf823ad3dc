"""Who calls, and what each may do: what the rest of the controller knows of its gate.

Nothing here reads a certificate, so that a controller without TLS need not load what does.
"""

import math
from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from jackpot.auth.roles import ACCESS, PAGES, ROLES, Listener, Role, carries


class Actor(NamedTuple):
    """A caller, by the name that the journal records."""

    principal: str
    department: str = ""
    role: Role | None = None  # None without TLS: whoever can reach loopback may do everything
    table: str = ""  # the one table that a table's certificate speaks for
    serial: int = 0
    site: str = ""  # the one site that a certificate is good for
    expires_s: float = math.inf  # when its certificate does, in seconds since 1970
    at_table: str = ""  # with a PIN: where it was typed, and all that it is good for


class Fault(StrEnum):
    """Why nobody is known by what they show."""

    MISSING = "no certificate"
    NOBODY = "the certificate does not name its holder"
    FOREIGN = "the certificate is from another authority"
    REVOKED = "the certificate is revoked"
    EXPIRED = "the certificate has expired"
    ENDED = "no such session"


class DeniedError(Exception):
    """The call is not for this caller."""

    def __init__(
        self, *, known: bool, why: str, principal: str = "", details: dict[str, str] | None = None
    ) -> None:
        super().__init__(why)
        # For the caller: who they are, and what the call needs, or what is wrong with what they
        # show.
        self.details = details or {}
        self.known = known  # False: whoever is calling, the certificate proves nothing
        self.principal = principal  # whom the certificate names


def allow(actor: Actor, what: str, table: str | None = None, site: str | None = None) -> None:
    """Raise DeniedError unless the role makes this call, or sees this page, for table and site."""
    if actor.role is None:
        return
    if site and site != actor.site:
        raise denied(actor, f"the certificate is for site {actor.site}", needs_site=site)
    if actor.role not in (allowed := ACCESS.get(what) or PAGES[what]):
        needs = ", ".join(role for role in ROLES if role in allowed)
        raise denied(actor, f"the role {actor.role} may not use {what}", needs_role=needs)
    if actor.table and table and table != actor.table:
        raise denied(actor, "a table may act only for itself", needs_table=table)


def allow_at(actor: Actor, at: Listener, addresses: Mapping[Listener, str]) -> None:
    """Raise DeniedError unless the listener at which somebody calls is the one for their role."""
    if not carries(at, actor.role, addresses):
        needed = next(each for each in addresses if carries(each, actor.role, addresses))
        why = f"the {at} listener is not for {actor.role}"
        raise denied(actor, why, needs_listener=needed, needs_address=addresses[needed])


def unknown(fault: Fault, principal: str = "") -> DeniedError:
    """Nobody is known by this; what is wrong is for the caller to know, who has it in hand."""
    details = {"fault": fault.name.lower()} | ({"principal": principal} if principal else {})
    return DeniedError(known=False, why=fault, principal=principal, details=details)


def denied(actor: Actor, why: str, **needs: str) -> DeniedError:
    """Somebody known asks for what is not theirs; what it needs is for them to know."""
    who = {"principal": actor.principal, "role": actor.role or "", "site": actor.site}
    return DeniedError(known=True, why=why, principal=actor.principal, details={**who, **needs})
