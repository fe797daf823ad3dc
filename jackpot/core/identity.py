"""Tell a new command from one that was answered before.

Identity is looked up before any business check, in the evolved state, so a repeat is seen inside
one batch and on another controller too. What is older than the state remembers is never executed.
"""

import hashlib
from functools import lru_cache

import msgspec
from msgspec import Struct

from jackpot.core.commands import AnyCommand, Request
from jackpot.core.commands.base import OperatorOrigin, TableOrigin
from jackpot.core.commands.operator import AttachTable
from jackpot.core.commands.table import LockOut, Malformed, OpenRound, PlaceWagers
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.core.request_memory import requests_of
from jackpot.core.state import Answer, State, TableState

_DIGEST_DIGITS = 24
_FEW_WAGERS = 16
_encode = msgspec.json.Encoder().encode


class Repeat(Struct, frozen=True):
    """The command was answered by the entry with this sequence."""

    sequence: int


def digest(command: AnyCommand) -> str:
    """A short text that differs when the content of a command does."""
    if found := _ALWAYS_THE_SAME.get(type(command)):
        return found
    # The same few wagers come in round after round; a few of them are at most some kilobytes.
    if type(command) is PlaceWagers and len(command.wagers) <= _FEW_WAGERS:
        return _known_digest(command)
    if type(command) is Malformed:  # why it was refused may be said in other words one day
        return _digest((command.command, command.content))
    return _digest(command)


def _digest(content: AnyCommand | tuple[str, ...]) -> str:
    return hashlib.sha256(_encode(content)).hexdigest()[:_DIGEST_DIGITS]


_known_digest = lru_cache(maxsize=1_024)(_digest)
# These commands say nothing but what they are.
_ALWAYS_THE_SAME: dict[type, str] = {type(each): _digest(each) for each in (OpenRound(), LockOut())}


def identify(state: State, request: Request, command_digest: str) -> Repeat | Refusal | None:
    """None for a new command; where its answer is for a repeat; or why it can't be either."""
    origin = request.origin
    if type(origin) is TableOrigin:
        return _identify_table(state, origin, command_digest)
    if isinstance(origin, OperatorOrigin):
        return _identify_request(state, origin, request.command, command_digest)
    return None


def _identify_request(
    state: State, origin: OperatorOrigin, command: AnyCommand, digest_: str
) -> Repeat | Refusal | None:
    if isinstance(command, AttachTable):
        if (table := state.tables.get(command.table)) is None:
            return refuse(Reason.UNKNOWN_TABLE, table=command.table)
        memory = table.attaches
    else:
        memory = requests_of(state, origin.principal)
    if answer := memory.recent.get(origin.request_id):
        return _repeat(answer, digest_)
    if origin.request_id <= memory.forgotten:
        return refuse(Reason.REQUEST_TOO_OLD, request_id=origin.request_id)
    return None


def _identify_table(state: State, origin: TableOrigin, digest_: str) -> Repeat | Refusal | None:
    table = state.tables.get(origin.table)
    if table is None:
        return refuse(Reason.UNKNOWN_TABLE, table=origin.table)
    if refusal := refuse_epoch(state, table, origin.epoch):
        return refusal
    number, expected = origin.number, table.last_number + 1
    if number == expected:
        return None
    if number > expected:
        return refuse(Reason.NUMBER_GAP, table=origin.table, expected=expected)
    if answer := table.recent.get(number):
        return _repeat(answer, digest_)
    return refuse(Reason.REQUEST_TOO_OLD, table=origin.table, number=number)


def refuse_epoch(state: State, table: TableState, epoch: int) -> Refusal | None:
    """Why an epoch is not the one that speaks for a table; None: it is."""
    if epoch == table.epoch > state.incarnation.epochs_above:
        return None
    id_ = table.config.id
    if epoch <= state.incarnation.epochs_above and state.incarnations:
        return refuse(Reason.OTHER_INCARNATION, table=id_, incarnation=state.incarnation.id)
    if epoch > table.epoch or not table.epoch:
        return refuse(Reason.NOT_ATTACHED, table=id_, epoch=table.epoch)
    return refuse(Reason.FENCED, table=id_, epoch=table.epoch) if epoch < table.epoch else None


def _repeat(answer: Answer, command_digest: str) -> Repeat | Refusal:
    if answer.digest == command_digest:
        return Repeat(answer.sequence)
    return refuse(Reason.REQUEST_REUSED, sequence=answer.sequence)
