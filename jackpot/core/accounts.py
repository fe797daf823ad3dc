"""Decide what happens on game accounts: buy-in, cash-out, and the wagers that they pay for.

An electronic wager is debited when it is accepted, so an account can't be spent twice, and credited
again when the wager is withdrawn or void. An account never goes below zero.
"""

from jackpot.core import ledger
from jackpot.core.commands import Request
from jackpot.core.commands.operator import BuyIn, CashOut
from jackpot.core.events.operator import AccountMoved
from jackpot.core.ledger import Book
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.core.state import State


def buy_in(state: State, command: BuyIn, _: Request) -> AccountMoved:
    """Put money on an account; the first buy-in opens it."""
    return _moved(state, command.account, command.amount_micros, command.reference)


def cash_out(state: State, command: CashOut, _: Request) -> AccountMoved | Refusal:
    """Take money off an account, as far as there is any."""
    if refusal := short(Book(state.balances), command.account, command.amount_micros):
        return refusal
    return _moved(state, command.account, -command.amount_micros, command.reference)


def short(book: Book, account: str, amount_micros: int) -> Refusal | None:
    """Refuse if the account holds less than the amount."""
    held = book.balance(ledger.game_account(account))
    if amount_micros <= held:
        return None
    return refuse(Reason.INSUFFICIENT_FUNDS, account=account, micros=held, wanted=amount_micros)


def _moved(state: State, account: str, amount_micros: int, reference: str) -> AccountMoved:
    book = Book(state.balances)
    name = ledger.game_account(account)
    book.move(amount_micros, ledger.CASHIER, name)
    return AccountMoved(account, amount_micros, reference, book.balance(name), book.postings())
