"""PINs: kept as Argon2 hashes in a file of their own, compared one at a time, guessed rarely.

A PIN is set by the person with their certificate, and is as good as that certificate. It is never
journaled or logged, and leaves the process that was given it in no form but its hash.
"""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from jackpot.auth.callers import Actor
from jackpot.auth.logins import Attempts
from jackpot.auth.pin_file import ByPerson, Pin, PinError, PinFile

PINS = "pins.json"  # their usual name, beside the journal
SHORTEST, LONGEST = 6, 12
# Wrong PINs of one person at one table; at one table; of one person anywhere. A place that guesses
# costs nobody their PIN elsewhere, until the last.
HERE, HERE_S = 5, 15 * 60.0
PLACE, PLACE_S = 20, 15 * 60.0
ANYWHERE, ANYWHERE_S = 30, 24 * 3_600.0
MAX_WAITING = 8  # for the one that is being compared ...
MAX_WAITING_HERE = 2  # ... of one place: no table takes all of them
MAX_PINS = 4_096
_log = logging.getLogger(__name__)


class Checked(msgspec.Struct, frozen=True):
    """What came of a PIN that was typed: whose it is, or how long to wait before another."""

    actor: Actor | None = None
    stands: Callable[[], bool] | None = None  # whether it still is theirs
    wait_s: float = 0.0
    left: int = 0  # how often this person may still be wrong here
    busy: bool = False  # so many are being typed that this one was not looked at


def weakness(pin: str) -> str:
    """Why a PIN can't be taken; empty where it can."""
    if not (pin.isascii() and pin.isdigit() and SHORTEST <= len(pin) <= LONGEST):
        return f"expected {SHORTEST} to {LONGEST} digits"
    steps = {(int(b) - int(a)) % 10 for a, b in pairwise(pin)}
    if len(steps) == 1 and steps <= {0, 1, 9}:
        return "too easy to guess: digits in a row"
    if len(set(pin)) < 3:  # noqa: PLR2004 - two digits make few PINs
        return "too easy to guess: use at least three different digits"
    return ""


@cache
def _hasher() -> Any:
    # It takes a moment to load, and few controllers need it at their start.
    from argon2 import PasswordHasher  # noqa: PLC0415

    return PasswordHasher(time_cost=3, memory_cost=64 << 10, parallelism=1)


def _hash(pin: str) -> str:
    hash_: str = _hasher().hash(pin)
    return hash_


@cache
def _nobodys_hash() -> str:
    """What a name that nobody has is compared with, so that it takes as long as any other."""
    return _hash("nobody's")


def _matches(hash_: str, pin: str) -> bool:
    from argon2.exceptions import VerificationError  # noqa: PLC0415

    try:
        _hasher().verify(hash_, pin)
    except VerificationError:
        return False
    return True


class Pins:
    """The PINs that one controller keeps."""

    def __init__(
        self,
        path: Path,
        fault: Callable[[Actor], str | None],
        passed: Callable[[], float] = time.monotonic,
        hash_pin: Callable[[str], str] = _hash,
    ) -> None:
        """`fault` says why a person's certificate is good no longer."""
        self._hash = hash_pin
        self._file = PinFile(path)
        self._fault = fault
        self._setting: set[tuple[str, str]] = set()  # who is setting theirs
        self._one_at_a_time = asyncio.Lock()
        self._waiting: Counter[tuple[str, str]] = Counter()  # by site and place
        self._here = Attempts(passed, HERE, HERE_S)
        self._place = Attempts(passed, PLACE, PLACE_S)
        self._anywhere = Attempts(passed, ANYWHERE, ANYWHERE_S, MAX_PINS)

    def holders(self, site: str) -> list[tuple[Pin, bool]]:
        """Who has a PIN at a site, and whether it has ended."""
        found = (pin for (where, _), pin in sorted(self._known().items()) if where == site)
        return [(pin, bool(self._fault(pin.actor))) for pin in found]

    async def set(self, actor: Actor, pin: str) -> Pin:
        """Give a person this PIN instead of any that they had; PinError where it is weak."""
        if problem := weakness(pin):
            raise PinError(problem)
        key = (actor.site, actor.principal)
        if key in self._setting:  # or whoever sets theirs without end would keep others waiting
            raise PinError("another PIN of this person is being set at this moment")
        self._setting.add(key)
        try:
            async with self._one_at_a_time:
                hash_ = await asyncio.to_thread(self._hash, pin)
                made = Pin.of(actor, hash_, time.time())
                await asyncio.to_thread(self._file.change, lambda pins: _added(pins, key, made))
        finally:
            self._setting.discard(key)
        self._anywhere.forget(f"{actor.site}/{actor.principal}")
        return made

    async def clear(self, site: str, principal: str) -> bool:
        """Take a PIN away; whether there was one."""

        def without(pins: ByPerson) -> ByPerson:
            return {key: pin for key, pin in pins.items() if key != (site, principal)}

        async with self._one_at_a_time:
            return await asyncio.to_thread(self._file.change, without)

    async def check(self, site: str, name: str, pin: str, place: str) -> Checked:
        """Whose PIN this is, if it is theirs and they may try it here just now."""
        here = (site, place)
        if self._waiting.total() >= MAX_WAITING or self._waiting[here] >= MAX_WAITING_HERE:
            return Checked(wait_s=1.0, busy=True)
        self._waiting[here] += 1
        try:
            async with self._one_at_a_time:
                return await self._check(site, name, pin, place)
        finally:
            self._waiting[here] -= 1
            self._waiting += Counter()  # forget places where nobody waits

    async def _check(self, site: str, name: str, pin: str, place: str) -> Checked:
        found = self._named(site, name)
        where = f"{site}/{place}"
        counted = [(self._place, where)]
        if found:  # what is remembered of names that nobody has, nobody can make grow
            counted.append((self._here, f"{where}/{found.principal}"))
            counted.append((self._anywhere, f"{site}/{found.principal}"))
        if wait_s := max(attempts.wait_s(key) for attempts, key in counted):
            return Checked(wait_s=wait_s)
        hash_ = found.hash if found else await asyncio.to_thread(_nobodys_hash)
        right = await asyncio.to_thread(_matches, hash_, pin[: LONGEST + 1])
        if found and right and not self._fault(found.actor):
            self._here.forget(f"{where}/{found.principal}")
            return Checked(found.actor, partial(self._stands, found))
        for attempts, key in counted:
            attempts.failed(key)
        return Checked(left=min(attempts.left(key) for attempts, key in counted))

    def _stands(self, pin: Pin) -> bool:
        """Whether nobody has cleared a PIN or set another since."""
        return self._known().get((pin.site, pin.principal)) == pin

    def _known(self) -> ByPerson:
        """Everybody's PIN; nobody's where the file can't be used any more."""
        try:
            return self._file.pins()
        except PinError as error:
            _log.error("no PIN is accepted: %s", error)
            return {}

    def _named(self, site: str, name: str) -> Pin | None:
        """Whom a name means: floor:flo, or flo where only one person of that name has a PIN."""
        pins = self._known()
        if (site, name) in pins:
            return pins[site, name]
        found = [
            pin
            for (where, principal), pin in pins.items()
            if where == site and principal.partition(":")[2] == name
        ]
        return found[0] if len(found) == 1 else None


def _added(pins: ByPerson, key: tuple[str, str], made: Pin) -> ByPerson:
    if key not in pins and len(pins) >= MAX_PINS:
        raise PinError(f"no more than {MAX_PINS} people can have a PIN")
    return {**pins, key: made}
