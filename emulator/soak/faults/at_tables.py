"""Faults that tables, their devices and their clients commit themselves."""

from collections import Counter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from emulator.soak.faults.base import TableFault
from emulator.soak.options import Options

if TYPE_CHECKING:
    from emulator.soak.run import Soak


class _SideTableFault(TableFault):
    """A fault that only tables commit that play the progressive side alone."""

    @classmethod
    def why_impossible(cls, options: Options) -> str:
        """It needs at least one such table."""
        if all(map(options.plays_whole_games, range(options.tables))):
            return "this fault needs a table that does not play whole games (--whole-games)"
        return ""


class Device(TableFault):
    """Devices fail at random, at tables that play whole games."""

    name = "device"
    text = "shufflers and shoes jam, stop or misdeal; cards lie face up"
    chances = MappingProxyType({"device_fault_ppm": 1_500})

    @classmethod
    def why_impossible(cls, options: Options) -> str:
        """It needs a table with devices."""
        if not any(map(options.plays_whole_games, range(options.tables))):
            return "this fault needs a table that plays whole games with devices (--whole-games)"
        return ""

    def times_felt(self, soak: "Soak") -> int:
        """As the devices count."""
        return sum(self.figures(soak)["devices"].values())

    def figures(self, soak: "Soak") -> dict[str, Any]:
        """Each device fault, and the rounds that were void."""
        kinds: Counter[str] = Counter()
        for table in soak.tables:
            kinds.update(getattr(table, "faults", {}))
        void = sum(getattr(table, "voids", 0) for table in soak.tables)
        return {"devices": dict(sorted(kinds.items())), "rounds_void_by_devices": void}


class Late(TableFault):
    """Wagers are placed when the round no longer takes any."""

    name = "late"
    text = "wagers arrive after the lock-out"
    chances = MappingProxyType({"late": 0.1, "late_percent": 5})
    refusal = "LOCKED_OUT"


class Double(TableFault):
    """Clients send commands again, at once or later, or something else under the same number."""

    name = "double"
    text = "commands are sent twice; command numbers are used twice"
    chances = MappingProxyType({"resends": 0.03})
    counter = "client.copies"


class Mismatch(_SideTableFault):
    """A chip too few or too many is counted."""

    name = "mismatch"
    text = "the chip count differs from the accepted wagers"
    chances = MappingProxyType({"mismatch": 0.05})
    refusal = "COLLECTION_MISMATCH"


class Slow(_SideTableFault):
    """Clients pause in the middle of a round."""

    name = "slow"
    text = "clients pause between steps"
    chances = MappingProxyType({"pauses": 0.002})
    counter = "paused"


class Stuck(_SideTableFault):
    """A client hangs in mid-round; another one takes over, and then the first wakes up."""

    name = "stuck"
    text = "clients hang, are replaced, and wake up again"
    chances = MappingProxyType({"hangs": 0.002})
    counter = "hung"
