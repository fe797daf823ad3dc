"""All events. Each command causes exactly one, which is also its answer.

An event carries its postings and every value that `evolve` needs, so a replay never consults
rules or settings. Fields are only ever added, with a default; anything else is a new event.
"""

from msgspec import Struct

from jackpot.core.commands.base import Origin
from jackpot.core.events.base import Event
from jackpot.core.events.operator import OperatorEvent
from jackpot.core.events.table import TableEvent
from jackpot.core.reasons import Reason


class Refused(Event, frozen=True):
    """A command was refused. Journaled, or it could be accepted later when it is sent again."""

    command: str
    reason: Reason
    details: dict[str, str] = {}


class SnapshotTaken(Event, frozen=True):
    """Binds a snapshot of the state after `sequence` to the chain, so that it can't be edited."""

    of_sequence: int
    state_sha256: str


class Probed(Event, frozen=True):
    """The store took a commit again; or an hour went by in which nothing else was written."""


ControllerEvent = SnapshotTaken | Probed
AnyEvent = TableEvent | OperatorEvent | ControllerEvent | Refused


class Record(Struct, frozen=True, gc=False, omit_defaults=True):
    """An event with who caused it: what a row of the journal says."""

    origin: Origin
    event: AnyEvent
    digest: str = ""  # of the command, to tell a repeat from a reuse of its identity
