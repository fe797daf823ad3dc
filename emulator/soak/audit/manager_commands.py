"""Work out a manager's command: meters, funds, terms, game accounts, a link's status."""

from collections.abc import Callable
from typing import Any

from emulator.soak.audit.books import Books, Level, Link, put_in_service
from emulator.soak.audit.terms import WHOLE_BPS, LevelTerms
from jackpot.wire.v1 import operator_pb2 as op


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
    if not _at_house_cost(message, more) and more > level.overflow:
        return "INSUFFICIENT_FUNDS"
    return "METER_UNCHANGED" if more > 0 and _is_full(level) else ""


def _is_full(level: Level) -> bool:
    """Whether the limit lets nothing more on the meter."""
    return 0 < level.terms.limit_micros <= level.meter


def _at_house_cost(message: op.AdjustMeterRequest, more: int) -> bool:
    promoted = message.reason == op.METER_REASON_PROMOTION and more > 0
    return promoted or message.reason == op.METER_REASON_MALFUNCTION


def _adjust(books: Books, message: op.AdjustMeterRequest) -> op.AdjustMeterResponse:
    link = books.links[message.link]
    level = link.levels[message.level]
    before, more = level.meter, message.to_micros - level.meter
    if _at_house_cost(message, more):
        link.house -= more
    else:
        level.overflow -= more
    if more > 0:
        level.credit(more)
    else:
        level.meter += more
    return op.AdjustMeterResponse(
        changed=op.MeterChange(
            link=message.link,
            level=message.level,
            before_micros=before,
            after_micros=level.meter,
            reason=message.reason,
            reference=message.reference,
        )
    )


def _as_adjustment(books: Books, message: op.ResetMeterRequest) -> op.AdjustMeterRequest:
    """A reset is an adjustment to the reseed, for that reason."""
    _, level = _find(books, message.link, message.level)
    return op.AdjustMeterRequest(
        link=message.link,
        level=message.level,
        to_micros=level.terms.reseed_micros if level else 0,
        reason=op.METER_REASON_RESET,
        reference=message.reference,
    )


def _why_not_reset(books: Books, message: op.ResetMeterRequest) -> str:
    return _why_not_adjust(books, _as_adjustment(books, message))


def _reset(books: Books, message: op.ResetMeterRequest) -> op.ResetMeterResponse:
    return op.ResetMeterResponse(changed=_adjust(books, _as_adjustment(books, message)).changed)


def _why_not_transfer(books: Books, message: op.TransferFundsRequest) -> str:
    for name, level_name in ((message.link, message.level), (message.to_link, message.to_level)):
        if why := _why_unknown(*_find(books, name, level_name)):
            return why
    if books.links[message.to_link].status not in ("IN_SERVICE", "SUSPENDED"):
        return "WRONG_LINK_STATE"
    level = books.level((message.link, message.level))
    held = level.overflow if message.pool == op.POOL_OVERFLOW else level.reserve
    if message.amount_micros > held:
        return "INSUFFICIENT_FUNDS"
    to = books.level((message.to_link, message.to_level))
    back_again = to is level and message.pool == op.POOL_OVERFLOW and _is_full(to)
    return "METER_UNCHANGED" if back_again else ""


def _transfer(books: Books, message: op.TransferFundsRequest) -> op.TransferFundsResponse:
    amount = message.amount_micros
    level = books.level((message.link, message.level))
    lying = level.overflow + level.reserve
    if message.pool == op.POOL_OVERFLOW:
        level.overflow -= amount
    else:
        level.reserve -= amount
    to = books.level((message.to_link, message.to_level))
    to.credit(amount)
    if to is level and message.pool == op.POOL_OVERFLOW:  # what the limit sent back never left
        amount = lying - level.overflow - level.reserve
    return op.TransferFundsResponse(
        changed=op.Transfer(
            link=message.link,
            level=message.level,
            pool=message.pool,
            to_link=message.to_link,
            to_level=message.to_level,
            amount_micros=amount,
            reference=message.reference,
        )
    )


def _next(link: Link, level: str) -> LevelTerms:
    """A level's terms with what has been changed since the link was suspended."""
    return link.next_terms.get(level) or link.levels[level].terms


def _why_not_limit(books: Books, message: op.SetLimitRequest) -> str:
    link, level = _find(books, message.link, message.level)
    if link is None or level is None:
        return _why_unknown(link, level)
    start = max(level.terms.seed_micros, level.terms.reseed_micros)
    if message.limit_micros and (
        message.limit_micros <= start or message.limit_micros < level.meter
    ):
        return "BELOW_MINIMUM"
    return "" if link.status == "SUSPENDED" else "WRONG_LINK_STATE"


def _limit(books: Books, message: op.SetLimitRequest) -> op.SetLimitResponse:
    link = books.links[message.link]
    terms = _next(link, message.level)._replace(limit_micros=message.limit_micros)
    link.next_terms[message.level] = terms
    return op.SetLimitResponse(changed=_terms_message(message, terms))


def _why_not_rate(books: Books, message: op.SetRateRequest) -> str:
    link, level = _find(books, message.link, message.level)
    if link is None or level is None:
        return _why_unknown(link, level)
    if level.terms.fixed:
        return "FIXED_BY_REGULATION"
    if message.primary_bps < level.terms.least_bps:
        return "BELOW_MINIMUM"
    if link.status != "SUSPENDED":
        return "WRONG_LINK_STATE"
    rates = message.primary_bps + message.reserve_bps
    for name in link.levels:
        if name != message.level:
            rates += _next(link, name).primary_bps + _next(link, name).reserve_bps
    return "ABOVE_MAXIMUM" if rates > WHOLE_BPS else ""


def _rate(books: Books, message: op.SetRateRequest) -> op.SetRateResponse:
    link = books.links[message.link]
    terms = _next(link, message.level)._replace(
        primary_bps=message.primary_bps, reserve_bps=message.reserve_bps
    )
    link.next_terms[message.level] = terms
    return op.SetRateResponse(changed=_terms_message(message, terms))


def _terms_message(
    message: op.SetLimitRequest | op.SetRateRequest, terms: LevelTerms
) -> op.TermsChange:
    return op.TermsChange(
        link=message.link,
        level=message.level,
        terms=op.Terms(
            primary_bps=terms.primary_bps,
            reserve_bps=terms.reserve_bps,
            limit_micros=terms.limit_micros or None,
        ),
        reference=message.reference,
    )


def _buy_in(books: Books, message: op.BuyInRequest) -> op.BuyInResponse:
    balance = books.accounts.get(message.account, 0) + message.amount_micros
    books.accounts[message.account] = balance
    books.cashier -= message.amount_micros
    return op.BuyInResponse(balance_micros=balance)


def _why_not_cash_out(books: Books, message: op.CashOutRequest) -> str:
    short = message.amount_micros > books.accounts.get(message.account, 0)
    return "INSUFFICIENT_FUNDS" if short else ""


def _cash_out(books: Books, message: op.CashOutRequest) -> op.CashOutResponse:
    books.accounts[message.account] -= message.amount_micros
    books.cashier += message.amount_micros
    return op.CashOutResponse(balance_micros=books.accounts[message.account])


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


def _keep_rates(books: Books, link: Link) -> None:
    """Wagers that were accepted keep the rates of that time."""
    bets = {bet.id for bet in link.terms.bets}
    rates = tuple(
        (name, (level.terms.primary_bps, level.terms.reserve_bps))
        for name, level in link.levels.items()
    )
    for table in books.tables.values():
        on = link.terms.id in (each.id for each in table.terms.links)  # others may name bets alike
        for at_seat in table.round.wagers.values() if on and table.round else ():
            for bet in at_seat.keys() & bets:
                if not at_seat[bet].rates:
                    at_seat[bet] = at_seat[bet]._replace(rates=rates)


def _resume(books: Books, message: op.ResumeLinkRequest) -> op.ResumeLinkResponse:
    link = books.links[message.link]
    link.status = "IN_SERVICE"
    if link.next_terms:
        _keep_rates(books, link)
    for name, terms in link.next_terms.items():
        link.levels[name].terms = terms
    link.next_terms.clear()
    return op.ResumeLinkResponse()


Why = Callable[[Books, Any], str]
Do = Callable[[Books, Any], Any]
MANAGER_COMMANDS: dict[str, tuple[Why, Do]] = {
    "AdjustMeter": (_why_not_adjust, _adjust),
    "ResetMeter": (_why_not_reset, _reset),
    "TransferFunds": (_why_not_transfer, _transfer),
    "SetLimit": (_why_not_limit, _limit),
    "SetRate": (_why_not_rate, _rate),
    "BuyIn": (lambda _books, _message: "", _buy_in),
    "CashOut": (_why_not_cash_out, _cash_out),
    "PutLinkInService": (_status_rule("DEFINED"), _put),
    "SuspendLink": (_status_rule("IN_SERVICE"), _suspend),
    "ResumeLink": (_status_rule("SUSPENDED"), _resume),
}
