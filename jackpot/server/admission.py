"""Admit callers: find out who is calling, whether they may, and end streams that no longer may.

Without TLS the server listens on loopback only, and whoever can connect may do everything. There,
and only there, a caller says by metadata who they are, so that a laboratory can try dual control.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from typing import TYPE_CHECKING

from jackpot.audit_log import record_denial
from jackpot.auth.callers import Actor, DeniedError, allow, allow_at, unknown
from jackpot.auth.roles import LISTENERS, Listener
from jackpot.core.reasons import Reason
from jackpot.server.calls import Call
from jackpot.server.codec.fields import identifier, malformed
from jackpot.server.errors import CallRefusedError, refused
from jackpot.wire.identity import DEPARTMENT_KEY, PRINCIPAL_KEY
from jackpot.wire.limits import (
    MAX_CALLS_EACH,
    MAX_STREAMS_EACH,
    MAX_TABLE_STREAMS,
    STAFF_WATCHERS,
)

if TYPE_CHECKING:
    from jackpot.auth.gate import Gate

LOCAL = "local"
SITE_FILE = "site-file"  # by this name the controller itself defines what its site file has
_WATCH_S = 1.0
_Places = Counter[tuple[str, str]]  # by site and principal: other sites have the same names


class Admission:
    """Admits callers, and knows the streams that they have open."""

    def __init__(
        self, gate: "Gate | None" = None, addresses: Mapping[Listener, str] | None = None
    ) -> None:
        """`addresses` has the listeners that there are, once the controller has taken them."""
        self.gate = gate
        self.listener: Listener = "tables"
        self._addresses = {} if addresses is None else addresses
        self._open: dict[Call, Actor] = {}
        self._calls: _Places = Counter()  # under way
        self._streams: _Places = Counter()

    def at(self, listener: Listener) -> "Admission":
        """The same for calls at a listener: whoever calls at both counts as one caller."""
        there = copy(self)
        there.listener = listener
        return there

    def admit(
        self, call: Call, rpc: str, table: str | None = None, site: str | None = None
    ) -> Actor:
        """The caller, who may make this call; CallRefusedError otherwise."""
        if self.gate is None:
            return _local(call)
        actor = self._caller(self.gate, call, rpc)
        try:
            self.gate.verify_site(actor)
            allow(actor, rpc, table, site)
        except DeniedError as error:
            record_denial(rpc, call.peer, error.principal, str(error))
            raise _refused(error, rpc) from error
        return actor

    def know(self, call: Call, rpc: str) -> None:
        """Let anybody pass whose certificate is good here, whatever they may do and their site."""
        if self.gate is not None:
            self._caller(self.gate, call, rpc)

    def _caller(self, gate: "Gate", call: Call, rpc: str) -> Actor:
        """Whose certificate it is; what comes with one that is no good here gets no further.

        Its front refuses whatever follows by itself, so the refusal is not about this RPC.
        """
        try:
            actor = gate.known(call.certificate)
            allow_at(actor, self.listener, self._addresses)
        except DeniedError as error:
            record_denial(rpc, call.peer, error.principal, str(error))
            refusal = _refused(error)
            call.shun(refusal)
            raise refusal from error
        return actor

    def check(self, actor: Actor, rpc: str, site: str, table: str, peer: str) -> None:
        """Judge a message of a stream that says what it is about."""
        try:
            allow(actor, rpc, table, site)
        except DeniedError as error:
            record_denial(rpc, peer, error.principal, str(error))
            raise _refused(error, rpc) from error

    @contextmanager
    def busy(self, actor: Actor) -> Iterator[None]:
        """Around a call: what one caller asks for must not keep others from being answered."""
        _take_place(self._calls, actor, MAX_CALLS_EACH)
        try:
            yield
        finally:
            _leave_place(self._calls, actor)

    def hold(self, call: Call, actor: Actor) -> None:
        """Know of a stream: it is ended when its caller's certificate is revoked or expires."""
        limit = MAX_TABLE_STREAMS if actor.table else MAX_STREAMS_EACH
        _take_place(self._streams, actor, limit)
        self._open[call] = actor

        def leave() -> None:
            del self._open[call]
            _leave_place(self._streams, actor)

        call.at_end.append(leave)

    async def watch(self) -> None:
        """Read the list of revoked certificates as it changes, and end streams that may not go on.

        A certificate that was good when its stream began may expire while it is open.
        """
        while self.gate is not None:
            await asyncio.sleep(_WATCH_S)
            await self.gate.refresh()
            for call, actor in list(self._open.items()):
                if fault := self.gate.fault(actor):
                    record_denial("stream", call.peer, actor.principal, fault)
                    call.shun(_refused(unknown(fault, actor.principal)))


def _take_place(places: _Places, actor: Actor, limit: int) -> None:
    """Count one more; without TLS everybody is the same caller, and only the whole is limited."""
    if actor.role is not None and places[actor.site, actor.principal] >= limit:
        raise refused(Reason.OVERLOADED, principal=actor.principal, limit=limit)
    places[actor.site, actor.principal] += 1


def _leave_place(places: _Places, actor: Actor) -> None:
    places[actor.site, actor.principal] -= 1
    if not places[actor.site, actor.principal]:
        del places[actor.site, actor.principal]


def most_watchers(limit: int, actor: Actor) -> int:
    """How many may watch when this caller comes: signs and tables leave places to the others."""
    others = actor.role is None or actor.role in LISTENERS["staff"]
    return limit if others else limit - min(STAFF_WATCHERS, limit // 2)


def _local(call: Call) -> Actor:
    said = dict(call.metadata)
    principal, department = said.get(PRINCIPAL_KEY, LOCAL), said.get(DEPARTMENT_KEY, "")
    if principal == SITE_FILE:  # or a caller's request ids could stand in the way of a start
        raise malformed("principal", "the controller's own", principal)
    return Actor(
        identifier(principal, "principal"),
        identifier(department, "department") if department else "",
    )


def _refused(error: DeniedError, rpc: str = "") -> CallRefusedError:
    """Tell known callers who they are and what is needed, others what is wrong."""
    reason = Reason.NOT_ALLOWED if error.known else Reason.UNAUTHENTICATED
    return refused(reason, **({"rpc": rpc} if rpc else {}), **error.details)
