"""What must hold of a site after every entry: nothing is created, lost or counted twice."""

from jackpot.core import ledger
from jackpot.core.due import Due
from jackpot.core.money import dollars
from jackpot.core.state import State


class BrokenInvariantError(Exception):
    """The state can't be right. Nothing more may be written to the site."""


def check(state: State) -> None:
    """All of it, over every account: at a start, for a snapshot, and by whoever verifies."""
    if total := sum(state.balances.values()):
        raise BrokenInvariantError(f"the site's accounts add up to ${dollars(total)}, not to $0")
    for account, balance in state.balances.items():
        if balance < 0 and not ledger.may_be_negative(account):
            raise BrokenInvariantError(
                f"account {account} holds ${dollars(balance)}, which is less than $0"
            )
    if not state.due.same(Due(state.payouts.values())):
        raise BrokenInvariantError("the open payouts do not add up to the recorded total")
    check_open(state)


def check_open(state: State) -> None:
    """What a batch can have broken that its postings don't show: pending is what is due.

    Posting has seen to the rest, that each entry's postings sum to zero and overdraw no account, so
    a site with many game accounts need not walk through all of them after every batch.
    """
    due = state.due.micros
    for link in state.links:
        pending = state.balances.get(ledger.pending(link), 0)
        if pending != due.get(link, 0):
            raise BrokenInvariantError(
                f"link {link} has ${dollars(pending)} pending, but its open payouts are "
                f"${dollars(due.get(link, 0))}"
            )
