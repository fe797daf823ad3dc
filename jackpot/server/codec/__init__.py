"""Translate between messages and the core: one row per RPC, its parse and its answer side by side.

`table`, `operator` and `meter` each hold the rows of one service, by the names of its RPCs. Parsing
never looks at state: whether a seat, link or payout exists is for the core to say. The event is the
answer: today's and a repeated command's are made from the same journal entry.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from google.protobuf.message import Message
from msgspec.structs import replace

from jackpot.auth.callers import Actor
from jackpot.auth.roles import CAGE, keeps_cage
from jackpot.core.commands import Request
from jackpot.core.commands.base import OperatorOrigin, TableOrigin
from jackpot.core.commands.table import Malformed, TableCommand
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.engine.batch import FAILED
from jackpot.server.codec.fields import identifier, malformed, number, request_id
from jackpot.server.codec.messages import filled
from jackpot.server.errors import CallRefusedError

_MAX_DETAIL = 128  # characters of each thing that the journal keeps of a malformed command
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Row:
    """An RPC. A plain row, such as a stream's, is carried out by its service."""

    parse: Callable[[Any], Any]
    answer: Callable[..., Any]


@dataclass(frozen=True)
class Read(Row):
    """Reads state: `parse` gives a site and a question, `answer` takes the state and the question.

    Without `fresh` the store is asked only before a refusal.
    """

    fresh: bool = True


@dataclass(frozen=True)
class Command(Row):
    """Changes state: `parse` gives a command, `answer` takes the event's sequence and the event."""

    def request(self, message: Any, actor: Actor) -> Request:
        """The command with its identity; CallRefusedError if the message is malformed."""
        raise NotImplementedError


@dataclass(frozen=True)
class RequestedCommand(Command):
    """A command known by its request id: an operator's, or a table's wish to attach."""

    in_person: str = ""  # the field for who did it: a certificate leaves no choice of name

    def request(self, message: Any, actor: Actor) -> Request:
        """The command with its identity; CallRefusedError if the message is malformed."""
        identity = request_id(message.request_id)
        command = self.parse(message)
        if actor.role is not None and self.in_person:
            command = replace(command, **{self.in_person: actor.principal})
        return Request(
            site=identifier(message.site, "site"),
            origin=OperatorOrigin(actor.principal, identity, actor.department),
            command=command,
            keeps_cage=keeps_cage(actor.department),
            cage=CAGE,
            at_table=actor.at_table,
        )


@dataclass(frozen=True)
class NumberedCommand(Command):
    """A table's command, known by its number: alone in an RPC or among others in a Play stream.

    One that is malformed comes out as `Malformed`: the engine journals its refusal, so that it uses
    its number. Without site, table, epoch and number there is nothing to journal it under, and the
    call ends.

    `fill` adds what the event says to a response that has its sequence. A Play stream's answers are
    filled in place: one that was made apart would be copied.
    """

    fill: Callable[[Any, Any], None]

    def request(self, message: Any, actor: Actor) -> Request:  # noqa: ARG002 - a table speaks for itself
        """The command with its identity; CallRefusedError if the message has none."""
        which = message.id
        return Request(
            site=identifier(which.site, "site"),
            origin=TableOrigin(
                identifier(which.table, "table"),
                number(which.epoch, "epoch"),
                number(which.number, "number"),
            ),
            command=self.command(message.command)
            if message.HasField("command")
            else malformed_command(message.command, malformed("command", "absent").refusal),
        )

    def command(self, message: Message) -> TableCommand:
        """The command, or `Malformed`."""
        try:
            command: TableCommand = self.parse(message)
        except CallRefusedError as error:
            return malformed_command(message, error.refusal)
        except Exception:  # noqa: BLE001 - a number that stays unused would stop the table
            _log.exception("a %s could not be read", message.DESCRIPTOR.name)
            return malformed_command(message, refuse(Reason.MALFORMED, problem=FAILED))
        return command


def numbered(
    parse: Callable[[Any], Any],
    response: Callable[..., Any],
    fill: Callable[[Any, Any], None] = lambda _response, _event: None,
) -> NumberedCommand:
    """A table's command with its response; without `fill` that says no more than its sequence."""
    return NumberedCommand(parse, filled(response, fill), fill)


def malformed_command(message: Message, refusal: Refusal) -> Malformed:
    """A command of which only a digest and the reason are kept, to know it when it comes again."""
    content = sha256(message.SerializeToString(deterministic=True)).hexdigest()
    details = {key: value[:_MAX_DETAIL] for key, value in refusal.details.items()}
    return Malformed(message.DESCRIPTOR.name, content, refusal.reason, details)
