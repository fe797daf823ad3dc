"""What must hold of a site after every entry: nothing is created, lost or counted twice."""

from jackpot.core import ledger
from jackpot.core.state import State


class BrokenInvariantError(Exception):
    """The state can't be right. Nothing more may be written to the site."""


def check(state: State) -> None:
    """Conservation over the whole site; cheap enough to run after every batch."""
    if total := sum(state.balances.values()):
        raise BrokenInvariantError(f"the site's accounts sum to {total} micros, not zero")
    for account, balance in state.balances.items():
        if balance < 0 and not ledger.may_be_negative(account):
            raise BrokenInvariantError(f"{account} stands at {balance} micros")
    due: dict[str, int] = {}
    for payout in state.payouts.values():
        due[payout.link] = due.get(payout.link, 0) + payout.amount_micros
    for link in state.links:
        pending = state.balances.get(ledger.pending(link), 0)
        if pending != due.get(link, 0):
            raise BrokenInvariantError(
                f"link {link} has {pending} micros pending and payouts of {due.get(link, 0)}"
            )
