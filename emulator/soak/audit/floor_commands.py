"""Work out a floorperson's command: validations, payments, rejections and voids."""

from typing import Any

from emulator.soak.audit.books import Books, Payout, Table
from emulator.soak.audit.floor_calls import CALL_COMMANDS, why_not_word
from emulator.soak.audit.manager_commands import MANAGER_COMMANDS, Do, Why
from emulator.soak.audit.rounds import out_of_phase, round_of, take_out
from emulator.soak.audit.undoing import (
    Change,
    change_message,
    keep_within,
    take_back,
    void_round,
    void_seat,
)
from jackpot.wire.v1 import operator_pb2 as op
from jackpot.wire.v1 import payout_pb2

_OF_ANY_SEAT = ("HAND_FOULED", "PLAYER_EXCLUDED", "WAGER_INVALID")
_READ = ("SHARE", "FIXED", "ENVY")  # awards that hang on what a hand is called


def source_name(value: Any) -> str:
    """A payout's source by name."""
    name: str = payout_pb2.PayoutSource.Name(value)
    return name.removeprefix("PAYOUT_SOURCE_")


def _why_closed(books: Books, payout: int, floorperson: str | None = None) -> str:
    if not 1 <= payout <= books.last_payout or any(payout in lost for lost in books.lost_payouts):
        return "UNKNOWN_PAYOUT"
    if floorperson == "":
        return "FLOORPERSON_REQUIRED"
    return "" if payout in books.payouts else "PAYOUT_CLOSED"


def _why_not_validate(books: Books, message: op.ValidatePayoutRequest) -> str:
    if why := _why_closed(books, message.payout, message.floorperson):
        return why
    payout = books.payouts[message.payout]
    if payout.floorperson:
        return "ALREADY_VALIDATED"
    if _earlier(books, payout):
        return "OUT_OF_ORDER"
    wanted = source_name(message.source)
    return "" if wanted in ("UNSPECIFIED", payout.source, "CAGE") else "WRONG_SOURCE"


def _earlier(books: Books, payout: Payout) -> bool:
    """Whether an award that this one depends on waits for the floorperson."""
    settlement = books.settlements[payout.table, payout.round]
    for award in settlement.awards:
        if payout.id in award.payouts:
            return False
        for other in (books.payouts[p] for p in award.payouts if p in books.payouts):
            if other.floorperson or not other.due.needs_floor:
                continue
            if other.due.link != payout.due.link:
                continue
            same_level = payout.due.level and other.due.level == payout.due.level
            cause = other.due.kind in ("SHARE", "FIXED") and other.holder == payout.holder
            if same_level or (payout.due.kind == "ENVY" and cause):
                return True
    return False


def _validate(books: Books, message: op.ValidatePayoutRequest) -> op.ValidatePayoutResponse:
    payout = books.payouts[message.payout]
    payout.floorperson, payout.status = message.floorperson, "VALIDATED"
    if message.source:
        payout.source = source_name(message.source)
    _touch(books, payout)
    return op.ValidatePayoutResponse(**_paid(payout))


def _paid(payout: Payout) -> dict[str, Any]:
    source = payout_pb2.PayoutSource.Value(f"PAYOUT_SOURCE_{payout.source}")
    return {"source": source, "amount_micros": payout.amount}


def _touch(books: Books, payout: Payout) -> None:
    """From now on the round can't be voided."""
    round_ = books.tables[payout.table].round
    if round_ and round_.number == payout.round:
        round_.touched = True


def _why_not_pay(books: Books, message: op.PayPayoutRequest) -> str:
    if why := _why_closed(books, message.payout):
        return why
    payout = books.payouts[message.payout]
    if payout.due.needs_floor and not payout.floorperson:
        return "NOT_VALIDATED"
    return "FORM_REQUIRED" if payout.source == "CAGE" and not message.form else ""


def _pay(books: Books, message: op.PayPayoutRequest) -> op.PayPayoutResponse:
    payout = books.payouts.pop(message.payout)
    payout.status, payout.form = "PAID", message.form
    link = books.links[payout.due.link]
    link.pending -= payout.amount
    if payout.source == "ACCOUNT" and payout.account:
        books.accounts[payout.account] += payout.amount
    else:
        link.players += payout.amount
    _touch(books, payout)
    books.forget((payout.table, payout.round))
    return op.PayPayoutResponse(**_paid(payout))


def _why_not_reject(books: Books, message: op.RejectPayoutRequest) -> str:
    return _why_closed(books, message.payout, message.floorperson)


def _reject(books: Books, message: op.RejectPayoutRequest) -> op.RejectPayoutResponse:
    payout = books.payouts[message.payout]
    key = (payout.table, payout.round)
    settlement = books.settlements[key]
    doomed = {payout.id}
    misread = message.reason == op.REJECT_REASON_HAND_MISREAD
    for award in settlement.awards:
        for other in (books.payouts[p] for p in award.payouts if p in books.payouts):
            if other.due.link != payout.due.link:
                continue
            read = {other.due.kind, payout.due.kind} <= set(_READ)
            same_hand = read and other.holder == payout.holder
            same_wager = (other.seat, other.due.bet) == (payout.seat, payout.due.bet)
            if same_hand if misread else same_wager:
                doomed.add(other.id)
    stood: dict[tuple[str, str], int] = {}
    changes = take_back(books, settlement, doomed, {}, stood)
    keep_within(books, stood)
    books.forget(key)
    return op.RejectPayoutResponse(changes=[change_message(change) for change in changes])


def void_answer(number: int, returned: int, changes: list[Change]) -> dict[str, Any]:
    """What a void must answer, by a table or by the floor."""
    messages = [change_message(change) for change in changes]
    return {"round": number, "returned_micros": returned, "changes": messages}


def _why_other_round(books: Books, message: Any) -> str:
    """A floorperson names table and round, and may mean no other than the one under way."""
    table = books.tables.get(message.table)
    if table is None:
        return "UNKNOWN_TABLE"
    if isinstance(message, op.VoidTableSeatRequest) and not 1 <= message.seat <= table.terms.seats:
        return "UNKNOWN_SEAT"
    if why := _why_not_word(table, message):
        return why
    if table.round is None:
        return "NO_ROUND"
    return "" if table.round.number == message.round else "WRONG_ROUND"


def _why_not_word(table: Table, message: Any) -> str:
    """A floorperson has some more words for a seat than the table."""
    if isinstance(message, op.VoidTableRoundRequest):
        return why_not_word(table, message.irregularity, of_seat=False)
    if isinstance(message, op.VoidTableSeatRequest) and message.irregularity not in _OF_ANY_SEAT:
        return why_not_word(table, message.irregularity, of_seat=True)
    return ""


def _why_not_void_round(books: Books, message: op.VoidTableRoundRequest) -> str:
    if why := _why_other_round(books, message):
        return why
    return "VOID_TOO_LATE" if round_of(books.tables[message.table]).touched else ""


def _void_round(books: Books, message: op.VoidTableRoundRequest) -> op.VoidTableRoundResponse:
    undone = void_round(books, books.tables[message.table], message.irregularity)
    return op.VoidTableRoundResponse(**void_answer(message.round, *undone))


def _why_not_void_seat(books: Books, message: op.VoidTableSeatRequest) -> str:
    if why := _why_other_round(books, message):
        return why
    round_ = round_of(books.tables[message.table])
    if round_.touched:
        return "VOID_TOO_LATE"
    return "SEAT_NOT_IN_ROUND" if message.seat in round_.void_seats else ""


def _void_seat(books: Books, message: op.VoidTableSeatRequest) -> op.VoidTableSeatResponse:
    undone = void_seat(books, books.tables[message.table], message.seat)
    return op.VoidTableSeatResponse(**void_answer(message.round, *undone))


def _why_not_remove(books: Books, message: op.RemoveWagerRequest) -> str:
    if why := _why_other_round(books, message):
        return why
    table = books.tables[message.table]
    if why := out_of_phase(table, "LOCKED"):
        return why
    wager = round_of(table).wagers.get(message.wager.seat, {}).get(message.wager.bet)
    return "NO_SUCH_WAGER" if wager is None or wager.electronic else ""


def _remove(books: Books, message: op.RemoveWagerRequest) -> op.RemoveWagerResponse:
    take_out(books.tables[message.table], message.wager.seat, message.wager.bet)
    return op.RemoveWagerResponse()


# By RPC: why it must be refused, and else what it does and must answer (but for the sequence).
FLOOR_COMMANDS: dict[str, tuple[Why, Do]] = {
    "ValidatePayout": (_why_not_validate, _validate),
    "PayPayout": (_why_not_pay, _pay),
    "RejectPayout": (_why_not_reject, _reject),
    "VoidTableRound": (_why_not_void_round, _void_round),
    "VoidTableSeat": (_why_not_void_seat, _void_seat),
    "RemoveWager": (_why_not_remove, _remove),
    **CALL_COMMANDS,
    **MANAGER_COMMANDS,
}
