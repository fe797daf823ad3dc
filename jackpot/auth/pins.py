"""PINs: kept as Argon2 hashes in a file of their own, compared one at a time, guessed rarely.

A PIN is set by the person with their certificate, and is as good as that certificate. It is never
journaled or logged, and leaves the process that was given it in no form but its hash.
"""

import asyncio
import os
import time
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import msgspec

from jackpot.auth.gate import Actor
from jackpot.auth.logins import Attempts
from jackpot.auth.roles import Role
from jackpot.wire.errors import PlainError

PINS = "pins.json"  # their usual name, beside the journal
SHORTEST, LONGEST = 6, 12
# Wrong PINs of one person at one table; at one table; of one person anywhere. A place that guesses
# costs nobody their PIN elsewhere, until the last.
HERE, HERE_S = 5, 15 * 60.0
PLACE, PLACE_S = 20, 15 * 60.0
ANYWHERE, ANYWHERE_S = 30, 24 * 3_600.0
MAX_WAITING = 8  # for the one that is being compared
MAX_PINS = 4_096
_MODE = 0o600


class PinError(PlainError):
    """A PIN, or the file of them, that can't be used; the text never has any of it."""


class Pin(msgspec.Struct, frozen=True):
    """Somebody's PIN, and the certificate that it is as good as."""

    site: str
    principal: str
    department: str
    role: Role
    serial: str  # in hexadecimal digits
    expires_s: float
    since_s: float
    hash: str

    @property
    def actor(self) -> Actor:
        """Whose it is."""
        return Actor(
            self.principal,
            self.department,
            self.role,
            serial=int(self.serial, 16),
            site=self.site,
            expires_s=self.expires_s,
        )

    @classmethod
    def of(cls, actor: Actor, hash_: str, now_s: float) -> Self:
        """A person's new PIN."""
        assert actor.role is not None
        return cls(
            actor.site,
            actor.principal,
            actor.department,
            actor.role,
            f"{actor.serial:x}",
            actor.expires_s,
            now_s,
            hash_,
        )


class Checked(msgspec.Struct, frozen=True):
    """What came of a PIN that was typed: whose it is, or how long to wait before another."""

    actor: Actor | None = None
    wait_s: float = 0.0
    left: int = 0  # how often this person may still be wrong here


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


@cache
def _nobodys_hash() -> str:
    """What a name that nobody has is compared with, so that it takes as long as any other."""
    hash_: str = _hasher().hash("nobody's")
    return hash_


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
        fault: Callable[[Actor], str],
        clock: Callable[[], float] = time.time,
        passed: Callable[[], float] = time.monotonic,
    ) -> None:
        """`fault` says why a person's certificate is good no longer."""
        self._path = path
        self._fault = fault
        self._clock = clock
        self._pins = {(pin.site, pin.principal): pin for pin in _read(path)}
        self._one_at_a_time = asyncio.Lock()
        self._waiting = 0
        self._here = Attempts(passed, HERE, HERE_S)
        self._place = Attempts(passed, PLACE, PLACE_S)
        self._anywhere = Attempts(passed, ANYWHERE, ANYWHERE_S)

    def holders(self, site: str) -> list[tuple[Pin, bool]]:
        """Who has a PIN at a site, and whether it has ended."""
        found = (pin for (where, _), pin in sorted(self._pins.items()) if where == site)
        return [(pin, bool(self._fault(pin.actor))) for pin in found]

    async def set(self, actor: Actor, pin: str) -> Pin:
        """Give a person this PIN instead of any that they had; PinError where it is weak."""
        if problem := weakness(pin):
            raise PinError(problem)
        async with self._one_at_a_time:
            key = (actor.site, actor.principal)
            if key not in self._pins and len(self._pins) >= MAX_PINS:
                raise PinError(f"no more than {MAX_PINS} people can have a PIN")
            hash_ = await asyncio.to_thread(lambda: str(_hasher().hash(pin)))
            made = Pin.of(actor, hash_, self._clock())
            await self._save({**self._pins, key: made})
        self._anywhere.forget(f"{actor.site}/{actor.principal}")
        return made

    async def clear(self, site: str, principal: str) -> bool:
        """Take a PIN away; whether there was one."""
        async with self._one_at_a_time:
            left = {key: pin for key, pin in self._pins.items() if key != (site, principal)}
            there = len(left) < len(self._pins)
            if there:
                await self._save(left)
        return there

    async def check(self, site: str, name: str, pin: str, place: str) -> Checked:
        """Whose PIN this is, if it is theirs and they may try it here just now."""
        if self._waiting >= MAX_WAITING:
            return Checked(wait_s=1.0)
        self._waiting += 1
        try:
            async with self._one_at_a_time:
                return await self._check(site, name, pin, place)
        finally:
            self._waiting -= 1

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
            return Checked(found.actor)
        for attempts, key in counted:
            attempts.failed(key)
        return Checked(left=min(attempts.left(key) for attempts, key in counted))

    def _named(self, site: str, name: str) -> Pin | None:
        """Whom a name means: floor:flo, or flo where only one person of that name has a PIN."""
        if (site, name) in self._pins:
            return self._pins[site, name]
        found = [
            pin
            for (where, principal), pin in self._pins.items()
            if where == site and principal.partition(":")[2] == name
        ]
        return found[0] if len(found) == 1 else None

    async def _save(self, pins: "dict[tuple[str, str], Pin]") -> None:
        await asyncio.to_thread(_write, self._path, list(pins.values()))
        self._pins = pins


def _read(path: Path) -> list[Pin]:
    try:
        if path.stat().st_mode & 0o077:
            raise PinError(f"{path} can be read by others: chmod 600 {path}")
        return msgspec.json.decode(path.read_bytes(), type=list[Pin])
    except FileNotFoundError:
        return []
    except OSError as error:
        raise PinError(f"can't read {path}: {error.strerror}") from error
    except (msgspec.MsgspecError, UnicodeDecodeError):
        # Without its cause: it may quote what it could not read.
        raise PinError(
            f"{path} is not a file of PINs; move it away, and people set theirs again"
        ) from None


def _write(path: Path, pins: list[Pin]) -> None:
    """All or nothing, and never readable by others, not even for a moment."""
    fresh = path.with_name(f".{path.name}.new")
    try:
        fresh.unlink(missing_ok=True)
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _MODE), "wb") as file:
            file.write(msgspec.json.format(msgspec.json.encode(pins)))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError as error:
        raise PinError(f"can't write {path}: {error.strerror}") from error
