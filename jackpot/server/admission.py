"""Admit callers: find out who is calling, whether they may, and end streams that no longer may.

Without TLS the server listens on loopback only, and whoever can connect may do everything. There,
and only there, a caller says by metadata who they are, so that a laboratory can try dual control.
"""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from jackpot.auth.authority import AuthorityError
from jackpot.auth.gate import Actor, DeniedError, Gate, allow, record_denial
from jackpot.core.reasons import Reason
from jackpot.server.codec.fields import identifier, malformed
from jackpot.server.errors import CallRefusedError, refused

LOCAL = "local"
SITE_FILE = "site-file"  # by this name the controller itself defines what its site file has
PRINCIPAL_KEY, DEPARTMENT_KEY = "x-jackpot-principal", "x-jackpot-department"
_WATCH_S = 1.0
_log = logging.getLogger(__name__)


class Admission:
    """Admits callers, and knows the streams that they have open."""

    def __init__(self, gate: Gate | None = None) -> None:
        self.gate = gate
        self._open: dict[asyncio.Task[Any], Actor] = {}

    def admit(
        self, context: Any, rpc: str, table: str | None = None, site: str | None = None
    ) -> Actor:
        """The caller, who may make this call; CallRefusedError otherwise."""
        principal = ""
        try:
            if self.gate is None:
                return _local(context)
            actor = self.gate.identify(context)
            principal = actor.principal
            allow(actor, rpc, table, site)
        except DeniedError as error:
            record_denial(rpc, context.peer(), principal, str(error))
            raise _refused(error) from error
        return actor

    def check(self, actor: Actor, rpc: str, site: str, table: str, peer: str) -> None:
        """Judge a message of a stream that says what it is about."""
        try:
            allow(actor, rpc, table, site)
        except DeniedError as error:
            record_denial(rpc, peer, actor.principal, str(error))
            raise _refused(error) from error

    @contextmanager
    def stream(self, actor: Actor) -> Iterator[None]:
        """Around a stream: it is ended when its caller's certificate is revoked or expires."""
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a stream is served by a task")
        self._open[task] = actor
        try:
            yield
        except asyncio.CancelledError:
            if self.gate is not None and self.gate.fault(actor):
                task.uncancel()
                raise refused(Reason.UNAUTHENTICATED, principal=actor.principal) from None
            raise
        finally:
            del self._open[task]

    async def watch(self) -> None:
        """Read the list of revoked certificates as it changes, and end streams that may not go on.

        A certificate that was good when its stream began may expire while it is open.
        """
        while self.gate is not None:
            await asyncio.sleep(_WATCH_S)
            try:
                await asyncio.to_thread(self.gate.reload)
            except (AuthorityError, OSError) as error:
                # The list that was read before stays in force until this one can be read.
                _log.error("the list of revoked certificates can't be read: %s", error)
            for task, actor in list(self._open.items()):
                if fault := self.gate.fault(actor):
                    record_denial("stream", "", actor.principal, fault)
                    task.cancel()


def _local(context: Any) -> Actor:
    said = dict(context.invocation_metadata() or ())
    principal, department = said.get(PRINCIPAL_KEY, LOCAL), said.get(DEPARTMENT_KEY, "")
    if principal == SITE_FILE:  # or a caller's request ids could stand in the way of a start
        raise malformed("principal", "the controller's own", principal)
    return Actor(
        identifier(str(principal), "principal"),
        identifier(str(department), "department") if department else "",
    )


def _refused(error: DeniedError) -> CallRefusedError:
    # The caller is not told why: the audit log is.
    return refused(Reason.NOT_ALLOWED if error.known else Reason.UNAUTHENTICATED)
