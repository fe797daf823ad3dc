"""What a command is, and who it can come from.

Like events and the values of a state, commands never refer back to what holds them, so the garbage
collector need not look at them (`gc=False`): thousands are made a second.
"""

from msgspec import Struct


class TableOrigin(Struct, frozen=True, gc=False, tag="table"):
    """A table's command: numbered without gaps within an attachment (its epoch)."""

    table: str
    epoch: int
    number: int


class OperatorOrigin(Struct, frozen=True, gc=False, tag="operator", omit_defaults=True):
    """A person's or a process's command, told apart by a request id that grows with time."""

    principal: str
    request_id: str
    department: str = ""


class ControllerOrigin(Struct, frozen=True, gc=False, tag="controller"):
    """The controller's own bookkeeping; never sent over the wire."""


Origin = TableOrigin | OperatorOrigin | ControllerOrigin


class Command(Struct, frozen=True, gc=False, tag=True):
    """Base of all commands."""
