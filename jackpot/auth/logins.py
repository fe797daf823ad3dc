"""Sessions of people at pages: who has one, what for, until when, and who guesses too often.

A browser without a certificate is let in by somebody who has one: with it they fetch a code, which
is good once and for minutes, and the browser gives the code for a login. A PIN gives a session for
a single act. Either is as good as the certificate behind it, and ends with it. The ledger keeps
them, in memory only, and of secrets only their digests. Nobody's sessions cost another theirs: past
the limit of one person their own oldest goes.
"""

import hashlib
import secrets
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from typing import NamedTuple

from jackpot.auth.callers import Actor

CODE_S = 300.0
LOGIN_S = 12 * 3_600.0  # a long shift
SINGLE_S = 60.0  # for what a PIN was typed for
MAX_EACH = 16  # codes, logins or single acts of one person; past it their oldest goes
MAX_CODES, MAX_LOGINS = 256, 1_024  # of all; past it the oldest of whoever has most
MAX_FAILURES, FAILURES_S = 10, 60.0  # codes that one peer may get wrong, in how long
MAX_PEERS = 1_024
_ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"  # nothing that reads like something else
_LETTERS, _GROUP = 16, 4  # 78 bits, in groups that can be typed


class Login(NamedTuple):
    """Who is let in, until when; for one act at one table where it names any."""

    actor: Actor
    until_s: float
    act: str = ""
    table: str = ""
    stands: Callable[[], bool] = lambda: True  # whether what it was given for is still good


_Kept = OrderedDict[bytes, Login]


class Logins:
    """The codes, logins and single acts of one controller's pages."""

    def __init__(
        self, fault: Callable[[Actor], str | None], clock: Callable[[], float] = time.time
    ) -> None:
        """`fault` says why an actor's certificate is good no longer."""
        self._fault = fault
        self._clock = clock
        self._codes: _Kept = OrderedDict()
        self._logins: _Kept = OrderedDict()
        self._singles: _Kept = OrderedDict()

    def new_code(self, actor: Actor) -> str:
        """A code by which one browser gets in as this actor."""
        letters = "".join(secrets.choice(_ALPHABET) for _ in range(_LETTERS))
        self._keep(self._codes, letters, Login(actor, CODE_S), MAX_CODES)
        return "-".join(letters[at : at + _GROUP] for at in range(0, _LETTERS, _GROUP))

    def redeem(self, code: str) -> tuple[str, Login] | None:
        """The token of a new login for a code, which is used up by that; None for a wrong one."""
        letters = "".join(letter for letter in code.upper() if letter.isalnum())
        found = self._good(self._codes.pop(_digest(letters), None))
        return self._new(self._logins, Login(found.actor, LOGIN_S)) if found else None

    def grant(
        self, actor: Actor, act: str = "", table: str = "", stands: Callable[[], bool] | None = None
    ) -> tuple[str, Login]:
        """The token of a session that is good once, for one act, while `stands` says so."""
        login = Login(actor, SINGLE_S, act, table)
        return self._new(self._singles, login._replace(stands=stands) if stands else login)

    def find(self, token: str) -> Actor | None:
        """Whose login a token is, while it lasts."""
        found = self._good(self._logins.get(_digest(token)))
        return found.actor if found else None

    def single(self, token: str) -> Login | None:
        """The session for a single act that a token is, while it lasts."""
        return self._good(self._singles.get(_digest(token)))

    def use_up(self, token: str) -> None:
        """A session for a single act is good no more."""
        self._singles.pop(_digest(token), None)

    def end(self, token: str) -> Actor | None:
        """End a login; whose it was."""
        found = self._logins.pop(_digest(token), None)
        return found.actor if found else None

    def _new(self, where: _Kept, login: Login) -> tuple[str, Login]:
        token = secrets.token_urlsafe(32)
        return token, self._keep(where, token, login, MAX_LOGINS)

    def _keep(self, where: _Kept, secret: str, login: Login, most: int) -> Login:
        """Keep a session whose end is given as so long from now."""
        _make_room(where, _person(login), most)
        until_s = min(self._clock() + login.until_s, login.actor.expires_s)
        where[_digest(secret)] = login = login._replace(until_s=until_s)
        return login

    def _good(self, login: Login | None) -> Login | None:
        if login is None or login.until_s <= self._clock() or self._fault(login.actor):
            return None
        return login if login.stands() else None


def _person(login: Login) -> tuple[str, str]:
    """Whose it is: another site may have somebody of the same name."""
    return login.actor.site, login.actor.principal


def _make_room(where: _Kept, person: tuple[str, str], most: int) -> None:
    """Let go of the person's oldest past their limit, and of the greediest's past that of all."""
    held = Counter(map(_person, where.values()))
    if held[person] < MAX_EACH:
        if len(where) < most:
            return
        person = held.most_common(1)[0][0]
    del where[next(key for key, login in where.items() if _person(login) == person)]


class Attempts:
    """How often each peer was wrong of late."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        most: int = MAX_FAILURES,
        within_s: float = FAILURES_S,
        peers: int = MAX_PEERS,
    ) -> None:
        """Past so many peers the one is forgotten that was wrong the longest ago."""
        self._clock = clock
        self._most = most
        self._within_s = within_s
        self._peers = peers
        self._failures: OrderedDict[str, deque[float]] = OrderedDict()

    def wait_s(self, peer: str) -> float:
        """How long a peer must wait before it may try again; 0 if it needn't."""
        failures = self._failures.get(peer)
        if failures is None or len(failures) < self._most:
            return 0.0
        return max(failures[0] + self._within_s - self._clock(), 0.0)

    def left(self, peer: str) -> int:
        """How often a peer may still be wrong before it must wait."""
        since_s = self._clock() - self._within_s
        return self._most - sum(at_s > since_s for at_s in self._failures.get(peer, ()))

    def failed(self, peer: str) -> None:
        """A peer was wrong."""
        while len(self._failures) >= self._peers and peer not in self._failures:
            self._failures.popitem(last=False)
        self._failures.setdefault(peer, deque(maxlen=self._most)).append(self._clock())
        self._failures.move_to_end(peer)

    def forget(self, peer: str) -> None:
        """A peer was right: what it got wrong before counts no more."""
        self._failures.pop(peer, None)


def _digest(secret: str) -> bytes:
    # Secrets are looked up by digest: how long that takes tells nothing about any of them.
    return hashlib.sha256(secret.encode()).digest()
