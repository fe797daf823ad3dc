"""The file of PINs: hashes only, for its owner only, and shared by the controllers that name it.

It is read again when another has written it, and changed under a lock. So a PIN that was taken away
at one controller is good at none of them.
"""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import msgspec

from jackpot.auth.callers import Actor
from jackpot.auth.roles import Role
from jackpot.durable import write_durably
from jackpot.wire.errors import PlainError

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


ByPerson = dict[tuple[str, str], Pin]  # by site and principal


class PinFile:
    """What a file says, as of the last look."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._seen: tuple[int, int, int] | None = None
        self._pins: ByPerson = {}
        self.pins()

    def pins(self) -> ByPerson:
        """Everybody's PIN as the file has it now; PinError where it can't be used."""
        if (seen := _signature(self._path)) != self._seen:
            self._pins = {}  # of what can't be read nothing is good
            self._pins = {(pin.site, pin.principal): pin for pin in _read(self._path)}
            self._seen = seen
        return self._pins

    def change(self, change: Callable[[ByPerson], ByPerson]) -> bool:
        """Write what becomes of the PINs; whether that is anything else. It may take a while."""
        with _locked(self._path):
            changed = change(before := self.pins())
            if changed == before:
                return False
            _write(self._path, list(changed.values()))
            return True


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    try:
        lock = os.open(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT, _MODE)
    except OSError as error:
        raise PinError(f"can't write {path}: {error.strerror}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def _signature(path: Path) -> tuple[int, int, int] | None:
    """What differs when the file was put in another's place; None where there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise PinError(f"can't read {path}: {error.strerror}") from error
    return found.st_ino, found.st_mtime_ns, found.st_mode


def _read(path: Path) -> list[Pin]:
    try:
        if path.stat().st_mode & 0o077:
            raise PinError(f"other users can read {path}; run: chmod 600 {path}")
        return msgspec.json.decode(path.read_bytes(), type=list[Pin])
    except FileNotFoundError:
        return []
    except OSError as error:
        raise PinError(f"can't read {path}: {error.strerror}") from error
    except (msgspec.MsgspecError, UnicodeDecodeError):
        # Without its cause: it may quote what it could not read.
        raise PinError(
            f"{path} is not a PIN file; move it away, then people can set new PINs"
        ) from None


def _write(path: Path, pins: list[Pin]) -> None:
    """All or nothing, and never readable by others, not even for a moment."""
    raw = msgspec.json.format(msgspec.json.encode(pins))
    try:
        write_durably(path, raw, lambda name, flags: os.open(name, flags, _MODE))
    except OSError as error:
        raise PinError(f"can't write {path}: {error.strerror}") from error
