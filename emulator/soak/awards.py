"""What the tables won, by link, level and kind: counted from the awards that the auditor agreed."""

from collections import Counter

from emulator.audit.books import Payout, Round, Table
from emulator.audit.claims import Cards

Key = tuple[str, str, str, str]  # link, level, kind, hand


class Awards:
    """Counts and sums."""

    def __init__(self) -> None:
        self.counts: Counter[Key] = Counter()
        self.micros: Counter[Key] = Counter()
        self.last: list[str] = []  # of the percentages, newest last

    def note(self, table: Table, round_: Round, cards: Cards, payouts: list[Payout]) -> None:
        """A round was settled."""
        del cards
        for payout in payouts:
            due = payout.due
            key = (due.link, due.level, due.kind.lower(), due.hand)
            self.counts[key] += 1
            self.micros[key] += payout.amount
            if due.share_bps:
                dollars = f"${payout.amount / 1e6:,.2f}"
                where = f"{table.terms.id} seat {payout.seat}, round {round_.number}"
                self.last.append(f"{due.link}/{due.level} {due.hand} {dollars} at {where}")
                del self.last[:-8]
