"""Decide what a floorperson does at a table: void its round, void a seat, remove a wager.

The floorperson is known by their own credential, and the event records it. A request names the
round that is meant, so that it never hits the next one.
"""

from jackpot.core.commands import Request
from jackpot.core.commands.base import OperatorOrigin
from jackpot.core.commands.operator import RemoveWager, VoidTableRound, VoidTableSeat
from jackpot.core.events.table import RoundVoided, SeatVoided, WagerRemoved
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.core.rounds import in_phase
from jackpot.core.state import Round, State, TableState
from jackpot.core.voids import round_voided, seat_voided, unknown_seat


def void_round(state: State, command: VoidTableRound, request: Request) -> RoundVoided | Refusal:
    """Void a table's round, unless an award of it was validated or paid."""
    table = _table(state, command.table)
    if isinstance(table, Refusal):
        return table
    round_ = _voidable(table, command.round)
    if isinstance(round_, Refusal):
        return round_
    return round_voided(state, table, round_, command.irregularity, _person(request))


def void_seat(state: State, command: VoidTableSeat, request: Request) -> SeatVoided | Refusal:
    """Void one seat of a table's round, unless an award of the round was validated or paid."""
    table = _table(state, command.table)
    if isinstance(table, Refusal):
        return table
    if refusal := unknown_seat(table, command.seat):
        return refusal
    round_ = _voidable(table, command.round)
    if isinstance(round_, Refusal):
        return round_
    irregularity, person = command.irregularity, _person(request)
    return seat_voided(state, table, round_, command.seat, irregularity, person)


def remove_wager(state: State, command: RemoveWager, request: Request) -> WagerRemoved | Refusal:
    """Take out an accepted wager that has no chip, before any card is dealt."""
    table = _table(state, command.table)
    if isinstance(table, Refusal):
        return table
    meant = _meant(table, command.round)
    round_ = meant if isinstance(meant, Refusal) else in_phase(table, "locked")
    if isinstance(round_, Refusal):
        return round_
    placed = command.wager
    accepted = round_.wagers.get(placed.seat, {}).get(placed.bet)
    if accepted is None or accepted.medium != "chips":
        return refuse(Reason.NO_SUCH_WAGER, seat=placed.seat, bet=placed.bet)
    person, amount = _person(request), accepted.amount_micros
    return WagerRemoved(table.config.id, placed, person, round_.number, amount)


def _table(state: State, table: str) -> TableState | Refusal:
    return state.tables.get(table) or refuse(Reason.UNKNOWN_TABLE, table=table)


def _meant(table: TableState, number: int) -> Round | Refusal:
    """The table's round if it is the one that the floorperson means."""
    round_ = table.round
    if round_ is None:
        return refuse(Reason.NO_ROUND, table=table.config.id, round=number)
    if round_.number != number:
        return refuse(
            Reason.WRONG_ROUND, table=table.config.id, round=number, current=round_.number
        )
    return round_


def _voidable(table: TableState, number: int) -> Round | Refusal:
    round_ = _meant(table, number)
    if isinstance(round_, Round) and round_.validated:
        return refuse(Reason.VOID_TOO_LATE, table=table.config.id, round=number)
    return round_


def _person(request: Request) -> str:
    """Who calls, as the door has found out."""
    if not isinstance(request.origin, OperatorOrigin):
        raise TypeError(f"{type(request.command).__name__} is a floorperson's, not a table's")
    return request.origin.principal
