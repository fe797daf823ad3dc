"""Decide what a floorperson does at a table: void its round, void a seat, remove a wager.

The floorperson is known by their own credential, and the event records it. A request names the
round that is meant, so that it never hits the next one. A floorperson acts on their own, or
approves a table's call (`jackpot.core.floor_calls`): both come through here.
"""

from jackpot.core.commands import Request
from jackpot.core.commands.base import OperatorOrigin
from jackpot.core.commands.operator import RemoveWager, VoidTableRound, VoidTableSeat
from jackpot.core.events.table import RoundVoided, SeatVoided, WagerRemoved
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.core.rounds import in_phase
from jackpot.core.state import Round, State, TableState
from jackpot.core.voids import (
    round_voided,
    seat_voided,
    unknown_seat,
    unlisted,
    voids_all_hands,
)

# What can be wrong with one seat whatever its game and its cards; only a floorperson can tell.
OF_ANY_SEAT = (
    "HAND_FOULED",  # by the player, who mixed or marked its cards
    "PLAYER_EXCLUDED",  # from gaming, or under age
    "WAGER_INVALID",  # it should not have been accepted
)
FloorCommand = VoidTableRound | VoidTableSeat | RemoveWager


def act(
    state: State, command: FloorCommand, request: Request
) -> RoundVoided | SeatVoided | WagerRemoved | Refusal:
    """Do it, unless it is impossible."""
    table = state.tables.get(command.table)
    if table is None:
        return refuse(Reason.UNKNOWN_TABLE, table=command.table)
    if request.at_table not in ("", command.table):
        return refuse(Reason.NOT_ALLOWED, needs_table=command.table)
    if refusal := _unlisted(table, command) or impossible(table, command):
        return refusal
    round_, person = _round(table), _person(request)
    match command:
        case VoidTableRound():
            return round_voided(state, table, round_, command.irregularity, person)
        case VoidTableSeat():
            return seat_voided(state, table, round_, command.seat, command.irregularity, person)
        case RemoveWager(wager=placed):
            amount = round_.wagers[placed.seat][placed.bet].amount_micros
            return WagerRemoved(table.config.id, placed, person, round_.number, amount)


def _unlisted(table: TableState, command: FloorCommand) -> Refusal | None:
    """Refuse a word that the game's rule does not have: the journal must say what happened."""
    match command:
        case VoidTableRound():
            return unlisted(table, command.irregularity, of_seat=False)
        case VoidTableSeat():
            refusal = unknown_seat(table, command.seat)
            if refusal or command.irregularity in OF_ANY_SEAT:
                return refusal
            return unlisted(table, command.irregularity, of_seat=True)
        case _:
            return None


def impossible(table: TableState, command: FloorCommand) -> Refusal | None:
    """Why it can't be done now, whoever asks for it."""
    if isinstance(command, VoidTableSeat) and (
        refusal := unknown_seat(table, command.seat) or voids_all_hands(table, command.irregularity)
    ):
        return refusal
    round_ = _meant(table, command.round)
    if isinstance(round_, Refusal):
        return round_
    if isinstance(command, RemoveWager):
        return _not_removable(table, command)
    if round_.validated:
        return refuse(Reason.VOID_TOO_LATE, table=table.config.id, round=round_.number)
    if isinstance(command, VoidTableSeat) and command.seat in round_.void_seats:
        return refuse(Reason.SEAT_NOT_IN_ROUND, seat=command.seat)
    return None


def _not_removable(table: TableState, command: RemoveWager) -> Refusal | None:
    """Only an accepted wager that has no chip goes, before any card is dealt."""
    round_ = in_phase(table, "locked")
    if isinstance(round_, Refusal):
        return round_
    placed = command.wager
    accepted = round_.wagers.get(placed.seat, {}).get(placed.bet)
    if accepted is None or accepted.medium != "chips":
        return refuse(Reason.NO_SUCH_WAGER, seat=placed.seat, bet=placed.bet)
    return None


def _meant(table: TableState, number: int) -> Round | Refusal:
    """The table's round if it is the one that is meant."""
    round_ = table.round
    if round_ is None:
        return refuse(Reason.NO_ROUND, table=table.config.id, round=number)
    if round_.number != number:
        return refuse(
            Reason.WRONG_ROUND, table=table.config.id, round=number, current=round_.number
        )
    return round_


def _round(table: TableState) -> Round:
    if table.round is None:
        raise AssertionError("what is possible has a round")
    return table.round


def _person(request: Request) -> str:
    """Who calls, as the door has found out."""
    if not isinstance(request.origin, OperatorOrigin):
        raise TypeError(f"{type(request.command).__name__} is a floorperson's, not a table's")
    return request.origin.principal
