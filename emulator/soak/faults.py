"""The faults that a soak knows, by the names that `--faults` takes."""

from collections.abc import Iterable
from enum import StrEnum

from emulator.soak.habits import Habits


class Fault(StrEnum):
    """Something that goes wrong; `SAYS` has what."""

    DEVICE = "device"
    LATE = "late"
    DOUBLE = "double"
    MISMATCH = "mismatch"
    CONNECTION = "connection"
    SLOW = "slow"
    STUCK = "stuck"
    UNREAD = "unread"
    KILL = "kill"
    COMMIT = "commit"
    STOP = "stop"
    DISK = "disk"
    WRITE = "write"
    CLOCK = "clock"
    HERD = "herd"


SAYS = {
    Fault.DEVICE: "shufflers and shoes jam, stop, misdeal; cards face up",
    Fault.LATE: "wagers after the lock-out",
    Fault.DOUBLE: "commands sent twice, identities used twice",
    Fault.MISMATCH: "chips counted that are not the wagers accepted",
    Fault.CONNECTION: "connections delayed, frozen, cut, half-closed, lost",
    Fault.SLOW: "clients that take their time between steps",
    Fault.STUCK: "clients that hang, are replaced, and wake up",
    Fault.UNREAD: "clients and watchers that never read",
    Fault.KILL: "SIGKILL of the controller at any moment",
    Fault.COMMIT: "SIGKILL and SIGSTOP at named points of the commit",
    Fault.STOP: "SIGSTOP of the controller",
    Fault.DISK: "no space left (a tmpfs that shrinks; needs root)",
    Fault.WRITE: "writes that fail (a file size limit)",
    Fault.CLOCK: "the controller's clock steps by minutes",
    Fault.HERD: "1,000 tables that come back at once",
}


class UnknownFaultError(ValueError):
    """A fault that there is not, or none named at all."""


def parse_faults(text: str) -> frozenset[Fault]:
    """Read "all", "none", "kill,late", "all,-disk", or "-disk", which is the same."""
    known = ", ".join(Fault)
    words = [part.strip() for part in text.split(",") if part.strip()]
    if not words:
        raise UnknownFaultError(f"no fault is named; there are: all, none, {known}")
    if "none" in words:
        if len(words) > 1:
            raise UnknownFaultError("none goes with nothing else")
        return frozenset()
    found = set(Fault) if words[0].startswith("-") else set()
    for word in words:
        if word == "all":
            found |= set(Fault)
        elif word.removeprefix("-") not in set(Fault):
            raise UnknownFaultError(f"there is no fault {word!r}; there are: {known}")
        elif word.startswith("-"):
            found.discard(Fault(word[1:]))
        else:
            found.add(Fault(word))
    return frozenset(found)


def habits_for(faults: Iterable[Fault]) -> Habits:
    """What tables do with these faults."""
    asked = set(faults)
    return Habits(
        late=0.1 if Fault.LATE in asked else 0.0,
        mismatch=0.05 if Fault.MISMATCH in asked else 0.0,
        doubles=0.03 if Fault.DOUBLE in asked else 0.0,
        dawdles=0.002 if Fault.SLOW in asked else 0.0,
        hangs=0.002 if Fault.STUCK in asked else 0.0,
    )
