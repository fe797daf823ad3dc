"""Double entry: the accounts of a site, and a book that collects one decision's postings.

Money only ever moves from one account to another, so postings sum to zero by construction.
Accounts per level: meter (shown), reserve (hidden), overflow (above a limit, or parked). Per link:
players (wagers in, awards out), retained (the part of wagers that feeds no meter), house (seeds,
reseeds, fixed awards, shortfalls of voids) and pending (awards decided, not yet paid); for a Bad
Beat fund also a box for each table. Per site: game accounts, and the cashier who fills them. Only
the house and the players outside (the cashier stands for them) may stand below zero.
"""

from collections.abc import Iterable, Mapping


def key(link: str, level: str) -> str:
    """How a level is named within a site."""
    return f"{link}/{level}"


def meter(level_key: str) -> str:
    """What the sign shows."""
    return f"{level_key}/meter"


def reserve(level_key: str) -> str:
    """What is kept for the meter after the next 100% award."""
    return f"{level_key}/reserve"


def overflow(level_key: str) -> str:
    """Players' money that may not be on the meter."""
    return f"{level_key}/overflow"


def players(link: str) -> str:
    """Wagers in, awards out."""
    return f"{link}/players"


def retained(link: str) -> str:
    """The house's part of the wagers."""
    return f"{link}/retained"


def house(link: str) -> str:
    """What the house funds; below zero by as much as it has put in."""
    return f"{link}/house"


def pending(link: str) -> str:
    """Awards decided and not yet paid."""
    return f"{link}/pending"


def box(link: str, table: str) -> str:
    """What pots put into a table's Bad Beat box since it was last counted."""
    return f"{link}/box/{table}"


# Where money comes from that is put on game accounts; no link's id begins so.
CASHIER = "@cashier/players"


def game_account(account: str) -> str:
    """A player's money for electronic wagers."""
    return f"@account/{account}"


def may_be_negative(account: str) -> bool:
    """Whether an account's owner can owe: the house and the players outside."""
    return account.endswith(("/house", "/players"))


class Book:
    """The postings of one decision on top of the balances before it."""

    def __init__(self, balances: Mapping[str, int]) -> None:
        self._balances = balances
        self._deltas: dict[str, int] = {}

    def balance(self, account: str) -> int:
        """An account as it would stand now."""
        return self._balances.get(account, 0) + self._deltas.get(account, 0)

    def move(self, amount_micros: int, source: str, target: str) -> None:
        """Move money; a negative amount moves it the other way."""
        deltas = self._deltas
        deltas[source] = deltas.get(source, 0) - amount_micros
        deltas[target] = deltas.get(target, 0) + amount_micros

    def add(self, postings: Iterable[tuple[str, int]]) -> None:
        """Post what sums to zero."""
        deltas = self._deltas
        for account, amount_micros in postings:
            deltas[account] = deltas.get(account, 0) + amount_micros

    def credit_meter(
        self, amount_micros: int, source: str, level_key: str, limit_micros: int
    ) -> int:
        """Put money on a meter, and to overflow what its limit keeps off it; how much that is."""
        self.move(amount_micros, source, meter(level_key))
        return self.keep_limit(level_key, limit_micros, amount_micros)

    def keep_limit(self, level_key: str, limit_micros: int, added_micros: int) -> int:
        """Move to overflow what is above a meter's limit of money just added; how much that is."""
        if not limit_micros:
            return 0
        account = meter(level_key)
        over = max(0, min(added_micros, self.balance(account) - limit_micros))
        self.move(over, account, overflow(level_key))
        return over

    def spill(self, level_key: str, limit_micros: int, stood_micros: int) -> None:
        """Move to overflow what is above a meter's limit and above where it has stood before."""
        account = meter(level_key)
        above = self.balance(account) - max(limit_micros, stood_micros)
        if limit_micros and above > 0:
            self.move(above, account, overflow(level_key))

    def cover(self, link: str, *accounts: str) -> None:
        """Raise accounts that would stand below zero to zero, at the house's cost."""
        for account in accounts:
            if (below := self.balance(account)) < 0:
                self.move(-below, house(link), account)

    def postings(self) -> tuple[tuple[str, int], ...]:
        """What there is to post, in a fixed order."""
        return tuple(sorted([posting for posting in self._deltas.items() if posting[1]]))
