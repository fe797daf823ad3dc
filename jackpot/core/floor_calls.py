"""Decide a table's calls for the floor: asked by the table, answered by a floorperson.

What a table may not take back alone it can only ask for. A call changes nothing but that it is
open, and it blocks nothing. An approval is the act itself, by the same functions as a floorperson's
own act (`jackpot.core.floor`); its one event names the call and the person. What makes the act
impossible closes the call (`jackpot.core.evolve_floor_calls`).
"""

from collections.abc import Iterator

from msgspec.structs import replace

from jackpot.core import floor
from jackpot.core.commands import Request
from jackpot.core.commands.base import OperatorOrigin
from jackpot.core.commands.operator import (
    ApproveFloorCall,
    DeclineFloorCall,
    RemoveWager,
    VoidTableRound,
    VoidTableSeat,
)
from jackpot.core.commands.table import CallFloor, Placed, WithdrawCall
from jackpot.core.events.operator import CallDeclined
from jackpot.core.events.table import (
    CallWithdrawn,
    FloorCalled,
    RoundVoided,
    SeatVoided,
    WagerRemoved,
)
from jackpot.core.incarnation import lost_call
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.core.rounds import find_bet
from jackpot.core.state import FloorCall, State, TableState
from jackpot.core.voids import unknown_seat, unlisted

CALL_LIFE_MICROS = 30 * 60 * 1_000_000
Act = RoundVoided | SeatVoided | WagerRemoved


def call_floor(
    state: State, table: TableState, command: CallFloor, request: Request
) -> FloorCalled | Refusal:
    """Ask for a floorperson, if what is asked for could be done now."""
    if refusal := _unknown(state, table, command):
        return refusal
    call = FloorCall(
        id=state.last_call + 1,
        table=table.config.id,
        round=command.round,
        act=command.act,
        time_micros=request.time_micros,
        expires_micros=request.time_micros + CALL_LIFE_MICROS,
        seat=command.seat,
        bet=command.bet,
        irregularity=command.irregularity,
    )
    if refusal := floor.impossible(table, _command(call)):
        return refusal
    if found := open_call(state, call.table, request.time_micros):
        return refuse(Reason.CALL_OPEN, call=found.id)
    return FloorCalled(
        call.id,
        call.table,
        call.round,
        call.act,
        call.seat,
        call.bet,
        call.irregularity,
        call.expires_micros,
    )


def withdraw(
    state: State, table: TableState, command: WithdrawCall, request: Request
) -> CallWithdrawn | Refusal:
    """Take a call back; only the table's own is known to it."""
    call = _open(state, command.call, request.time_micros, table.config.id)
    return call if isinstance(call, Refusal) else CallWithdrawn(call.id, call.table)


def approve(state: State, command: ApproveFloorCall, request: Request) -> Act | Refusal:
    """Do what a table has asked for."""
    call = _open(state, command.call, request.time_micros, request.at_table)
    if isinstance(call, Refusal):
        return call
    done = floor.act(state, _command(call), request)
    return done if isinstance(done, Refusal) else replace(done, call=call.id)


def decline(state: State, command: DeclineFloorCall, request: Request) -> CallDeclined | Refusal:
    """Close a call without doing what it asks for."""
    call = _open(state, command.call, request.time_micros, request.at_table)
    if isinstance(call, Refusal):
        return call
    if not isinstance(request.origin, OperatorOrigin):
        raise TypeError("a call is declined by a floorperson, not by a table")
    return CallDeclined(call.id, call.table, request.origin.principal)


def open_call(state: State, table: str, now_micros: int) -> FloorCall | None:
    """A table's open call, unless its time is over."""
    found = state.calls.get(table)
    return found if found and found.expires_micros > now_micros else None


def latest_call(state: State, table: str, now_micros: int) -> FloorCall | None:
    """A table's open call, or the last one with what became of it."""
    if found := state.calls.get(table):
        return found if found.expires_micros > now_micros else _expired(found)
    closed = state.closed_calls.get(table, ())
    return closed[-1] if closed else None


def _expired(call: FloorCall) -> FloorCall:
    return replace(call, outcome="expired", closed_micros=call.expires_micros)


def _unknown(state: State, table: TableState, command: CallFloor) -> Refusal | None:
    """Refuse what the table does not have: a bet, a seat, or a word for why."""
    if command.act == "remove-wager":
        if find_bet(state, table, command.bet) is None:
            return refuse(Reason.UNKNOWN_BET, table=table.config.id, bet=command.bet)
        return None
    if command.act == "void-seat" and (refusal := unknown_seat(table, command.seat)):
        return refusal
    return unlisted(table, command.irregularity, of_seat=command.act == "void-seat")


def _command(call: FloorCall) -> floor.FloorCommand:
    """What a floorperson would ask for on their own."""
    match call.act:
        case "void-round":
            return VoidTableRound(call.table, call.round, call.irregularity)
        case "void-seat":
            return VoidTableSeat(call.table, call.round, call.seat, call.irregularity)
        case "remove-wager":
            return RemoveWager(call.table, call.round, Placed(call.seat, call.bet))


def _open(state: State, number: int, now_micros: int, table: str = "") -> FloorCall | Refusal:
    """The open call with this number; only one of this table, where it is given."""
    if not 1 <= number <= state.last_call or lost_call(state, number):
        return refuse(Reason.UNKNOWN_CALL, call=number)
    for call in _known(state, table):
        if call.id != number:
            continue
        if call.outcome:
            return _closed(call)
        return call if call.expires_micros > now_micros else _closed(_expired(call))
    if table:
        return refuse(Reason.UNKNOWN_CALL, call=number)
    return refuse(Reason.CALL_CLOSED, call=number)  # so long ago that it is not known how


def _known(state: State, table: str) -> Iterator[FloorCall]:
    for at in (table,) if table else state.tables:
        if found := state.calls.get(at):
            yield found
        yield from state.closed_calls.get(at, ())


def _closed(call: FloorCall) -> Refusal:
    """Whoever answers too late is told who was first, and when."""
    return refuse(
        Reason.CALL_CLOSED,
        call=call.id,
        outcome=call.outcome,
        by=call.by,
        closed_micros=call.closed_micros,
    )
