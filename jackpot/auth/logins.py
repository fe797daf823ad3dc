"""Logins of browsers: who has one, until when, and who tries too often to guess one.

A browser without a certificate is let in by somebody who has one: with it they fetch a code, which
is good once and for minutes, and the browser gives the code for a login. A login is as good as the
certificate behind it, and ends with it. Kept in memory only, and of secrets only their digests.
"""

import hashlib
import secrets
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import NamedTuple

from jackpot.auth.gate import Actor

CODE_S = 300.0
LOGIN_S = 12 * 3_600.0  # a long shift
MAX_CODES, MAX_LOGINS = 256, 1_024  # past them the oldest goes
MAX_FAILURES, FAILURES_S = 10, 60.0  # codes that one peer may get wrong, in how long
MAX_PEERS = 1_024
_ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"  # nothing that reads like something else
_LETTERS, _GROUP = 16, 4  # 78 bits, in groups that can be typed


class Login(NamedTuple):
    """Who is let in, until when."""

    actor: Actor
    until_s: float


class Logins:
    """The codes and logins of one site's pages."""

    def __init__(
        self, fault: Callable[[Actor], str], clock: Callable[[], float] = time.time
    ) -> None:
        """`fault` says why an actor's certificate is good no longer."""
        self._fault = fault
        self._clock = clock
        self._codes: OrderedDict[bytes, Login] = OrderedDict()
        self._logins: OrderedDict[bytes, Login] = OrderedDict()

    def new_code(self, actor: Actor) -> str:
        """A code by which one browser gets in as this actor."""
        letters = "".join(secrets.choice(_ALPHABET) for _ in range(_LETTERS))
        self._keep(self._codes, letters, actor, CODE_S, MAX_CODES)
        return "-".join(letters[at : at + _GROUP] for at in range(0, _LETTERS, _GROUP))

    def redeem(self, code: str) -> tuple[str, Login] | None:
        """The token of a new login for a code, which is used up by that; None for a wrong one."""
        letters = "".join(letter for letter in code.upper() if letter.isalnum())
        found = self._good(self._codes.pop(_digest(letters), None))
        if found is None:
            return None
        token = secrets.token_urlsafe(32)
        return token, self._keep(self._logins, token, found.actor, LOGIN_S, MAX_LOGINS)

    def find(self, token: str) -> Actor | None:
        """Whose login a token is, while it lasts."""
        found = self._good(self._logins.get(_digest(token)))
        return found.actor if found else None

    def end(self, token: str) -> Actor | None:
        """End a login; whose it was."""
        found = self._logins.pop(_digest(token), None)
        return found.actor if found else None

    def _keep(
        self,
        where: OrderedDict[bytes, Login],
        secret: str,
        actor: Actor,
        for_s: float,
        most: int,
    ) -> Login:
        while len(where) >= most:
            where.popitem(last=False)
        login = Login(actor, min(self._clock() + for_s, actor.expires_s))
        where[_digest(secret)] = login
        return login

    def _good(self, login: Login | None) -> Login | None:
        if login is None or login.until_s <= self._clock() or self._fault(login.actor):
            return None
        return login


class Attempts:
    """How often each peer was wrong of late."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures: OrderedDict[str, deque[float]] = OrderedDict()

    def wait_s(self, peer: str) -> float:
        """How long a peer must wait before it may try again; 0 if it needn't."""
        failures = self._failures.get(peer)
        if failures is None or len(failures) < MAX_FAILURES:
            return 0.0
        return max(failures[0] + FAILURES_S - self._clock(), 0.0)

    def failed(self, peer: str) -> None:
        """A peer was wrong."""
        while len(self._failures) >= MAX_PEERS and peer not in self._failures:
            self._failures.popitem(last=False)
        self._failures.setdefault(peer, deque(maxlen=MAX_FAILURES)).append(self._clock())
        self._failures.move_to_end(peer)


def _digest(secret: str) -> bytes:
    # Secrets are looked up by digest: how long that takes tells nothing about any of them.
    return hashlib.sha256(secret.encode()).digest()
