"""Decide what becomes of an award: validated by a floorperson, paid, or rejected."""

from collections.abc import Iterator

from jackpot.core import ledger
from jackpot.core.commands import Request
from jackpot.core.commands.base import OperatorOrigin
from jackpot.core.commands.operator import PayPayout, RejectPayout, ValidatePayout
from jackpot.core.events.operator import PayoutPaid, PayoutRejected, PayoutValidated
from jackpot.core.incarnation import lost_payout
from jackpot.core.ledger import Book
from jackpot.core.order import awards_in_order
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.core.rework import open_payouts, rework
from jackpot.core.state import Payout, Settlement, State

# Awards that stand or fall with what a hand is called; a Magic Card or a Lucky Bonus does not.
_READ = ("share", "fixed", "envy", "bad-beat")


def _open(
    state: State, payout: int, floorperson: str | None = None, at_table: str = ""
) -> Payout | Refusal:
    """The payout if it is open; with a floorperson, only if one is named, and of their table."""
    if not 1 <= payout <= state.last_payout or lost_payout(state, payout):
        return refuse(Reason.UNKNOWN_PAYOUT, payout=payout)
    if floorperson is not None and not floorperson:
        return refuse(Reason.FLOORPERSON_REQUIRED)
    if (found := state.payouts.get(payout)) is None:
        return refuse(Reason.PAYOUT_CLOSED, payout=payout)
    if at_table not in ("", found.table):
        return refuse(Reason.NOT_ALLOWED, payout=payout, needs_table=found.table)
    return found


def settlement_of(state: State, payout: Payout) -> Settlement:
    """The settlement that an open payout belongs to."""
    return state.settlements[f"{payout.table}/{payout.round}"]


def validate(state: State, command: ValidatePayout, request: Request) -> PayoutValidated | Refusal:
    """A floorperson confirms an award; those before it on its level come first."""
    payout = _open(state, command.payout, command.floorperson, request.at_table)
    if isinstance(payout, Refusal):
        return payout
    if payout.floorperson:
        return refuse(Reason.ALREADY_VALIDATED, payout=payout.id, by=payout.floorperson)
    for earlier in _before(state, payout):
        return refuse(Reason.OUT_OF_ORDER, payout=payout.id, first=earlier.id)
    source = command.source or payout.source
    if source not in (payout.source, "cage"):
        return refuse(Reason.WRONG_SOURCE, payout=payout.id, source=source)
    return PayoutValidated(payout.id, command.floorperson, source, payout.amount_micros)


def _before(state: State, payout: Payout) -> Iterator[Payout]:
    """Payouts that come before this one in payment order and on which it depends.

    Those are earlier awards of its level, since rejecting one would change this; and for an envy
    bonus the award for the hand that caused it, since the bonus stands or falls with that reading.
    """
    for award in awards_in_order(state, settlement_of(state, payout)):
        if payout.id in award.payouts:
            return
        for other in (state.payouts.get(p) for p in award.payouts):
            if other is None or other.floorperson or not other.needs_floorperson:
                continue
            same_level = bool(payout.level) and (other.link, other.level) == (
                payout.link,
                payout.level,
            )
            cause = (
                payout.kind == "envy"
                and other.kind in ("share", "fixed")
                and (other.link, other.holder) == (payout.link, payout.holder)
            )
            if same_level or cause:
                yield other


def pay(state: State, command: PayPayout, request: Request) -> PayoutPaid | Refusal:
    """Hand an award over, once; what the cage pays, by whoever keeps the cage."""
    payout = _open(state, command.payout)
    if isinstance(payout, Refusal):
        return payout
    if payout.source == "cage" and not request.keeps_cage:
        origin = request.origin
        department = origin.department if isinstance(origin, OperatorOrigin) else ""
        return refuse(
            Reason.NOT_ALLOWED,
            payout=payout.id,
            department=department,
            needs_department=request.cage,
        )
    if payout.needs_floorperson and not payout.floorperson:
        return refuse(Reason.NOT_VALIDATED, payout=payout.id)
    if payout.source == "cage" and not command.form:
        return refuse(Reason.FORM_REQUIRED, payout=payout.id)
    book = Book(state.balances)
    target = ledger.players(payout.link)
    if payout.source == "account" and payout.account:
        target = ledger.game_account(payout.account)
    book.move(payout.amount_micros, ledger.pending(payout.link), target)
    return PayoutPaid(payout.id, command.form, payout.source, payout.amount_micros, book.postings())


def _wager_of(payout: Payout) -> tuple[int, str, str]:
    return payout.seat, payout.link, payout.bet


def reject(state: State, command: RejectPayout, request: Request) -> PayoutRejected | Refusal:
    """Take an award back, with all that hung on the hand's reading or on the wager.

    Who has no lit lamp has made no wager (PA 657a.11(e)(2)), and an envy bonus is for those who
    made one (657a.11(e)(5)): so it falls with the award that was rejected for the wager.
    """
    payout = _open(state, command.payout, command.floorperson, request.at_table)
    if isinstance(payout, Refusal):
        return payout
    settlement = settlement_of(state, payout)
    doomed = {payout.id}
    others = [state.payouts[p] for p in open_payouts(state, settlement)]
    if command.reason != "hand-misread":
        doomed |= {o.id for o in others if _wager_of(o) == _wager_of(payout)}
    elif payout.kind in _READ:
        on_hand = payout.link, payout.holder
        doomed |= {o.id for o in others if o.kind in _READ and (o.link, o.holder) == on_hand}
    book = Book(state.balances)
    done = rework(state, book, settlement, doomed)
    done.keep_limits(state, book)
    return PayoutRejected(
        payout.id,
        command.reason,
        command.floorperson,
        tuple(done.changes),
        done.settlement,
        done.last_hit,
        book.postings(),
    )
