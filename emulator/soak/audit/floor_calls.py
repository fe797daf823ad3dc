"""Audit calls for the floor: what a table may ask for, and that nothing is done without a call.

An approval must name a call that the table has made and that nobody has answered; it does to the
books exactly what was asked for.
"""

from typing import Any

from emulator.soak.audit.books import Books, Call, Table
from emulator.soak.audit.manager_commands import Do, Why
from emulator.soak.audit.rounds import out_of_phase, round_of, take_out
from emulator.soak.audit.undoing import Change, change_message, void_round, void_seat
from jackpot.wire.v1 import operator_pb2 as op
from jackpot.wire.v1 import table_pb2 as pb

_ROUND, _SEAT, _WAGER = (
    pb.FLOOR_ACT_VOID_ROUND,
    pb.FLOOR_ACT_VOID_SEAT,
    pb.FLOOR_ACT_REMOVE_WAGER,
)
_KEPT = 4  # closed calls of a table that the controller remembers


def why_not_call(books: Books, table: Table, asked: pb.CallFloor) -> str:
    """CallFloor: what is asked for must be possible, and the table's only call."""
    if asked.act == _WAGER:
        if table.terms.bet(asked.bet) is None:
            return "UNKNOWN_BET"
    elif asked.act == _SEAT and not 1 <= asked.seat <= table.terms.seats:
        return "UNKNOWN_SEAT"
    elif why := why_not_word(table, asked.irregularity, of_seat=asked.act == _SEAT):
        return why
    why = _impossible(table, asked)
    return why or ("CALL_OPEN" if table.terms.id in books.calls else "")


def why_not_word(table: Table, irregularity: str, *, of_seat: bool) -> str:
    """A void needs a word of the game's list, and a seat's is not that of all hands."""
    terms = table.terms
    if of_seat and irregularity in terms.voids_round:
        return "VOIDS_ALL_HANDS"
    known = terms.voids_seat if of_seat else terms.voids_round
    return "" if irregularity in known else "UNKNOWN_IRREGULARITY"


def _impossible(table: Table, asked: pb.CallFloor) -> str:
    if table.round is None:
        return "NO_ROUND"
    if table.round.number != asked.round:
        return "WRONG_ROUND"
    if asked.act == _WAGER:
        if why := out_of_phase(table, "LOCKED"):
            return why
        wager = table.round.wagers.get(asked.seat, {}).get(asked.bet)
        return "NO_SUCH_WAGER" if wager is None or wager.electronic else ""
    if table.round.touched:
        return "VOID_TOO_LATE"
    gone = asked.act == _SEAT and asked.seat in table.round.void_seats
    return "SEAT_NOT_IN_ROUND" if gone else ""


def call(books: Books, table: Table, asked: pb.CallFloor) -> int:
    """The number of a new call."""
    books.last_call += 1
    books.calls[table.terms.id] = Call(books.last_call, asked)
    table.calls.append(books.last_call)
    return books.last_call


def call_message(table: str, found: Call) -> pb.FloorCall:
    """An open call as an attachment shows it, but for its times."""
    asked = found.asked
    return pb.FloorCall(
        id=found.id,
        table=table,
        round=asked.round,
        act=asked.act,
        seat=asked.seat,
        bet=asked.bet,
        irregularity=asked.irregularity,
    )


def close_impossible(books: Books) -> None:
    """Forget the calls that nobody can approve any more."""
    for table in [t for t, c in books.calls.items() if _impossible(books.tables[t], c.asked)]:
        del books.calls[table]


def why_not_withdraw(books: Books, table: Table, number: int) -> str:
    """WithdrawCall: a table's own open call, or one of its last."""
    found = books.calls.get(table.terms.id)
    if found and found.id == number:
        return ""
    return "CALL_CLOSED" if number in table.calls[-_KEPT:] else "UNKNOWN_CALL"


def _why_not_answer(books: Books, message: Any) -> str:
    lost = any(message.call in each for each in books.lost_calls)
    if lost or not 1 <= message.call <= books.last_call:
        return "UNKNOWN_CALL"
    return "" if any(c.id == message.call for c in books.calls.values()) else "CALL_CLOSED"


def _table_of(books: Books, number: int) -> str:
    return next(table for table, found in books.calls.items() if found.id == number)


def _approve(books: Books, message: op.ApproveFloorCallRequest) -> op.ApproveFloorCallResponse:
    name = _table_of(books, message.call)
    asked, table = books.calls.pop(name).asked, books.tables[name]
    answer = op.ApproveFloorCallResponse(table=name, round=round_of(table).number)
    changes: list[Change] = []
    if asked.act == _ROUND:
        answer.returned_micros, changes = void_round(books, table, asked.irregularity)
    elif asked.act == _SEAT:
        answer.returned_micros, changes = void_seat(books, table, asked.seat)
    else:
        take_out(table, asked.seat, asked.bet)
    answer.changes.extend(change_message(change) for change in changes)
    return answer


def _decline(books: Books, message: op.DeclineFloorCallRequest) -> op.DeclineFloorCallResponse:
    del books.calls[_table_of(books, message.call)]
    return op.DeclineFloorCallResponse()


# By RPC: why it must be refused, and else what it does and must answer (but for the sequence).
CALL_COMMANDS: dict[str, tuple[Why, Do]] = {
    "ApproveFloorCall": (_why_not_answer, _approve),
    "DeclineFloorCall": (_why_not_answer, _decline),
}
