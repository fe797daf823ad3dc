"""The audit log: who was denied what, and who was let in.

No caller makes it grow without end. Past a burst and so many lines a second a caller's lines are
counted instead of written, and a line a moment later says how many there were.
"""

import asyncio
import json
import logging
import time
from collections import Counter
from collections.abc import Callable

from jackpot.quota import CallerQuota

BURST, PER_S = 100, 20
TELL_S = 5.0  # after which what was only counted is told
_MAX_TEXT = 256  # characters of each thing that a line says
_log = logging.getLogger("jackpot.audit")


class AuditLog:
    """The lines of one process."""

    def __init__(self, passed: Callable[[], int] | None = None) -> None:
        """`passed` is time in microseconds that no clock can set."""
        self._passed = passed or (lambda: time.monotonic_ns() // 1_000)
        self._quota = CallerQuota(BURST, PER_S)
        self._unwritten: Counter[str] = Counter()  # by caller
        self._telling: asyncio.AbstractEventLoop | None = None  # which will tell of them

    def write(self, level: int, caller: str, line: dict[str, str]) -> None:
        """Write a line that a caller has caused, or count it."""
        if self._quota.take("", caller, self._passed()):
            said = {key: value[:_MAX_TEXT] for key, value in line.items()}
            _log.log(level, "%s", json.dumps(said, sort_keys=True))
            return
        self._unwritten[caller] += 1
        loop = asyncio.get_running_loop()
        if self._telling is not loop:
            self._telling = loop
            loop.call_later(TELL_S, self.tell)

    def tell(self) -> None:
        """Say how many lines were counted and not written."""
        self._telling = None
        for caller, count in self._unwritten.items():
            line = {"caller": caller[:_MAX_TEXT], "not_written": count}
            _log.warning("%s", json.dumps(line, sort_keys=True))
        self._unwritten.clear()


_AUDIT = AuditLog()


def record_denial(what: str, peer: str, principal: str, why: str) -> None:
    """The one trace that a denied call leaves."""
    line = {"denied": what, "peer": peer, "principal": principal, "why": why}
    _AUDIT.write(logging.WARNING, principal or _host(peer), line)


def record_login(what: str, peer: str, principal: str) -> None:
    """That a browser was let in, or let itself out."""
    line = {"login": what, "peer": peer, "principal": principal}
    _AUDIT.write(logging.INFO, principal or _host(peer), line)


def _host(peer: str) -> str:
    """A peer as gRPC or HTTP names it, without the port: another connection is the same caller."""
    return peer.rpartition(":")[0] if peer.startswith(("ipv4:", "ipv6:")) else peer
