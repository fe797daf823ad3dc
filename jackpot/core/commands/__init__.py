"""All commands that the controller accepts, and who may send them.

A command says what is wanted; an `Origin` says who wants it and makes the command itself
recognizable when it is sent again. Time and randomness come in with the `Request`.
"""

from msgspec import Struct

from jackpot.core.commands.base import Command, Origin
from jackpot.core.commands.operator import OperatorCommand
from jackpot.core.commands.table import Malformed, TableCommand


class TakeSnapshot(Command, frozen=True):
    """Bind a snapshot of the state after `sequence` to the chain."""

    sequence: int
    state_sha256: str


class Probe(Command, frozen=True):
    """Write something: to learn whether the store takes commits, or to say who is here."""


class ReadMeters(Command, frozen=True):
    """Read every meter, at the start of a gaming day."""

    date: str
    due_micros: int  # when the day began
    missed: int = 0  # days before it at whose start nothing was read


class SuspendAfterAbsence(Command, frozen=True):
    """Take no more wagers on a link that was without a controller for so long."""

    link: str
    away_micros: int


ControllerCommand = TakeSnapshot | Probe | ReadMeters | SuspendAfterAbsence
AnyCommand = TableCommand | OperatorCommand | ControllerCommand


def name_of(command: AnyCommand) -> str:
    """What a command is called in the journal when it is refused."""
    return command.command if isinstance(command, Malformed) else type(command).__name__


class Request(Struct, frozen=True, gc=False):
    """A command as it reaches the core."""

    site: str
    origin: Origin
    command: AnyCommand
    time_micros: int = 0  # since 1970; the engine sets it
    entropy: bytes = b""  # 32 random bytes for each draw of a lock-out; the engine sets them
    keeps_cage: bool = False  # whether the caller may pay what the cage pays; roles decide it
    cage: str = ""  # the departments that may, to tell those who may not
    at_table: str = ""  # where the caller typed a PIN, which is good for what is that table's
