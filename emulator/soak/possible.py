"""Which faults can't happen in a run, and why: else one would believe that it has met them."""

import tempfile
from pathlib import Path

from emulator.soak.disk import SmallDisk
from emulator.soak.faults import Fault
from emulator.soak.options import Options

_AT_SIDE_TABLES = (Fault.MISMATCH, Fault.SLOW, Fault.STUCK)


def impossible(options: Options) -> dict[Fault, str]:
    """The faults asked for that these options, or this machine, rule out."""
    found: dict[Fault, str] = {}
    whole = [options.plays_whole_games(place) for place in range(options.tables)]
    if not any(whole):
        found[Fault.DEVICE] = "no table plays its whole game, so none has devices (--whole-games)"
    if all(whole):
        why = "every table plays its whole game, and only others do this (--whole-games)"
        found |= dict.fromkeys(_AT_SIDE_TABLES, why)
    if options.command:
        found[Fault.CLOCK] = "the controllers are another program, with the machine's own clock"
    if options.store:
        why = "the journal is in a database, on no disk of ours (--store)"
        found |= dict.fromkeys((Fault.DISK, Fault.WRITE), why)
    elif Fault.DISK in options.faults and not _may_mount():
        found[Fault.DISK] = "this user may not mount a small disk here: it needs root"
    return {fault: why for fault, why in sorted(found.items()) if fault in options.faults}


def _may_mount() -> bool:
    """Tried out: root in a container may be root in name only."""
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        disk = SmallDisk(Path(folder))
        found = disk.mount()
        disk.unmount()
    return found
