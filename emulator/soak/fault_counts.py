"""How often each kind of fault really happened in a run: by its effect, not by the wish for it."""

from collections import Counter
from typing import TYPE_CHECKING

from emulator.soak.faults import Fault

if TYPE_CHECKING:
    from emulator.soak.run import Soak


def device_faults(soak: "Soak") -> Counter[str]:
    """What devices and cards did wrong, at all tables."""
    found: Counter[str] = Counter()
    for table in soak.tables:
        found.update(getattr(table, "faults", {}))
    return found


def fault_counts(soak: "Soak") -> Counter[Fault]:
    """Each fault and how often it was felt."""
    refusals = soak.tape.refusals
    found = Counter(soak.saboteur.done if soak.saboteur else {})
    found[Fault.DEVICE] = device_faults(soak).total()
    found[Fault.LATE] = refusals["LOCKED_OUT"]
    found[Fault.MISMATCH] = refusals["COLLECTION_MISMATCH"]
    found[Fault.DOUBLE] = sum(getattr(table.client, "copies", 0) for table in soak.tables)
    found[Fault.SLOW] = sum(getattr(table, "dawdled", 0) for table in soak.tables)
    found[Fault.STUCK] = sum(getattr(table, "hung", 0) for table in soak.tables)
    found[Fault.UNREAD] = soak.mute.streams if soak.mute else 0
    found[Fault.HERD] = len(soak.herd_s)
    return found
