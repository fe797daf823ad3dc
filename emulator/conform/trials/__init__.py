"""The trials of a client: a round each, with trouble at a chosen moment."""

from emulator.conform.trials.base import Trial
from emulator.conform.trials.controllers import Drain, Restart, Restored
from emulator.conform.trials.network import (
    Delays,
    Duplicates,
    LostAnswers,
    LostAttach,
    LostCommands,
    Overloaded,
    Refused,
)
from emulator.conform.trials.people import (
    Fenced,
    FloorApproves,
    FloorDeclines,
    OpensLate,
    Papers,
    Returns,
    Revoked,
    VoidedByFloor,
    VoidedByTable,
)
from jackpot.engine.commit_points import POINTS

__all__ = ["Trial", "all_trials"]


def all_trials() -> list[Trial]:
    """Every trial, in the order in which they are held."""
    killed = [Restart(point) for point in POINTS if point != "snapshot"]
    return [
        *(Trial(), LostAnswers(), LostCommands(), Duplicates(), Delays(), Overloaded()),
        *(Refused(), LostAttach(), *killed, Drain(), Restored()),
        *(VoidedByTable(), VoidedByFloor(), FloorApproves(), FloorDeclines()),
        *(Papers(), OpensLate(), Fenced(), Returns(), Revoked()),
    ]
