"""The payment order of what a site owes: of a settlement's awards, and of all open payouts.

`payment_order` of `claims.py` is the order itself. It is asked again here, and not read off the
payouts' numbers: a void or a rejection can give a divided award another turn.
"""

from jackpot.core.claims import payment_order
from jackpot.core.state import Award, Payout, Settlement, State


def awards_in_order(state: State, settlement: Settlement) -> list[Award]:
    """The awards of a settlement in payment order."""
    links = [state.links[link].config for link in state.tables[settlement.table].config.links]
    key = payment_order(links)
    return sorted(settlement.awards, key=lambda award: key(award.claim))


def payouts_in_order(state: State) -> list[Payout]:
    """All open payouts: the oldest settlement first, and each settlement's in payment order."""
    return [
        state.payouts[payout]
        for settlement in sorted(state.settlements.values(), key=lambda each: each.sequence)
        for award in awards_in_order(state, settlement)
        for payout in award.payouts
        if payout in state.payouts
    ]
