"""What a command of the staff must come to: validations, payments, rejections, meters, links."""

from collections.abc import Callable
from typing import Any

from emulator.audit.books import Books, Level, Link, Payout, put_in_service
from emulator.audit.undoing import Change, take_back
from jackpot.v1 import operator_pb2 as op
from jackpot.v1 import payout_pb2

_READ = ("SHARE", "FIXED", "ENVY")  # awards that hang on what a hand is called


def source_name(value: Any) -> str:
    """A payout's source by name."""
    name: str = payout_pb2.PayoutSource.Name(value)
    return name.removeprefix("PAYOUT_SOURCE_")


def _why_closed(books: Books, payout: int, floorperson: str | None = None) -> str:
    if not 1 <= payout <= books.last_payout:
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
        if payout.id in award.payouts and payout.due.kind != "ENVY":
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
    payout.floorperson = message.floorperson
    if message.source:
        payout.source = source_name(message.source)
    _touch(books, payout)
    return op.ValidatePayoutResponse(
        source=payout_pb2.PayoutSource.Value(f"PAYOUT_SOURCE_{payout.source}"),
        amount_micros=payout.amount,
    )


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
    link = books.links[payout.due.link]
    link.pending -= payout.amount
    link.players += payout.amount
    _touch(books, payout)
    books.forget((payout.table, payout.round))
    return op.PayPayoutResponse(
        source=payout_pb2.PayoutSource.Value(f"PAYOUT_SOURCE_{payout.source}"),
        amount_micros=payout.amount,
    )


def _why_not_reject(books: Books, message: op.RejectPayoutRequest) -> str:
    return _why_closed(books, message.payout, message.floorperson)


def _reject(books: Books, message: op.RejectPayoutRequest) -> op.RejectPayoutResponse:
    payout = books.payouts[message.payout]
    key = (payout.table, payout.round)
    settlement = books.settlements[key]
    doomed = {payout.id}
    if message.reason == op.REJECT_REASON_HAND_MISREAD and payout.due.kind in _READ:
        for award in settlement.awards:
            for other in (books.payouts[p] for p in award.payouts if p in books.payouts):
                same = other.due.link == payout.due.link and other.holder == payout.holder
                if same and other.due.kind in _READ:
                    doomed.add(other.id)
    changes = take_back(books, settlement, doomed, {})
    books.forget(key)
    return op.RejectPayoutResponse(changes=[change_message(change) for change in changes])


def change_message(change: Change) -> payout_pb2.PayoutChange:
    """A change as the wire has it."""
    return payout_pb2.PayoutChange(
        payout=change.payout,
        amount_micros=change.amount,
        meter_before_micros=change.meter_before,
        closed=change.closed,
    )


def _find(books: Books, link: str, level: str) -> tuple[Link | None, Level | None]:
    found = books.links.get(link)
    return found, found.levels.get(level) if found else None


def _why_unknown(link: Link | None, level: Level | None) -> str:
    return "UNKNOWN_LINK" if link is None else "UNKNOWN_LEVEL" if level is None else ""


def _why_not_adjust(books: Books, message: op.AdjustMeterRequest) -> str:
    link, level = _find(books, message.link, message.level)
    if link is None or level is None:
        return _why_unknown(link, level)
    if link.status not in ("IN_SERVICE", "SUSPENDED"):
        return "WRONG_LINK_STATE"
    more = message.to_micros - level.meter
    if not more:
        return "METER_UNCHANGED"
    short = not _at_house_cost(message, more) and more > level.overflow
    return "INSUFFICIENT_FUNDS" if short else ""


def _at_house_cost(message: op.AdjustMeterRequest, more: int) -> bool:
    promoted = message.reason == op.METER_REASON_PROMOTION and more > 0
    return promoted or message.reason == op.METER_REASON_MALFUNCTION


def _adjust(books: Books, message: op.AdjustMeterRequest) -> op.AdjustMeterResponse:
    link = books.links[message.link]
    level = link.levels[message.level]
    before, more = level.meter, message.to_micros - level.meter
    level.meter += more
    if _at_house_cost(message, more):
        link.house -= more
    else:
        level.overflow -= more
    return op.AdjustMeterResponse(before_micros=before, after_micros=level.meter)


def _why_not_transfer(books: Books, message: op.TransferFundsRequest) -> str:
    for name, level_name in ((message.link, message.level), (message.to_link, message.to_level)):
        if why := _why_unknown(*_find(books, name, level_name)):
            return why
    if books.links[message.to_link].status not in ("IN_SERVICE", "SUSPENDED"):
        return "WRONG_LINK_STATE"
    level = books.level((message.link, message.level))
    held = level.overflow if message.pool == op.POOL_OVERFLOW else level.reserve
    return "INSUFFICIENT_FUNDS" if message.amount_micros > held else ""


def _transfer(books: Books, message: op.TransferFundsRequest) -> op.TransferFundsResponse:
    amount = message.amount_micros
    level = books.level((message.link, message.level))
    if message.pool == op.POOL_OVERFLOW:
        level.overflow -= amount
    else:
        level.reserve -= amount
    books.level((message.to_link, message.to_level)).meter += amount
    return op.TransferFundsResponse(amount_micros=amount)


def _status_rule(needs: str) -> Callable[[Books, Any], str]:
    def why_not(books: Books, message: Any) -> str:
        link = books.links.get(message.link)
        if link is None:
            return "UNKNOWN_LINK"
        return "" if link.status == needs else "WRONG_LINK_STATE"

    return why_not


def _put(books: Books, message: op.PutLinkInServiceRequest) -> op.PutLinkInServiceResponse:
    put_in_service(books.links[message.link])
    return op.PutLinkInServiceResponse()


def _suspend(books: Books, message: op.SuspendLinkRequest) -> op.SuspendLinkResponse:
    books.links[message.link].status = "SUSPENDED"
    return op.SuspendLinkResponse()


def _resume(books: Books, message: op.ResumeLinkRequest) -> op.ResumeLinkResponse:
    books.links[message.link].status = "IN_SERVICE"
    return op.ResumeLinkResponse()


# By RPC: why it must be refused, and else what it does and must answer (but for the sequence).
Why = Callable[[Books, Any], str]
Do = Callable[[Books, Any], Any]
FLOOR: dict[str, tuple[Why, Do]] = {
    "ValidatePayout": (_why_not_validate, _validate),
    "PayPayout": (_why_not_pay, _pay),
    "RejectPayout": (_why_not_reject, _reject),
    "AdjustMeter": (_why_not_adjust, _adjust),
    "TransferFunds": (_why_not_transfer, _transfer),
    "PutLinkInService": (_status_rule("DEFINED"), _put),
    "SuspendLink": (_status_rule("IN_SERVICE"), _suspend),
    "ResumeLink": (_status_rule("SUSPENDED"), _resume),
}
