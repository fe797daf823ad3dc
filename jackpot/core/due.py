"""What the open payouts of a site come to, kept up as payouts come and go."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jackpot.core.state import Payout


class Due:
    """What the open payouts come to, so that nobody has to go through all of them."""

    def __init__(self, payouts: "Iterable[Payout]") -> None:
        self.micros: dict[str, int] = {}  # by link
        self.from_cage: dict[str, set[int]] = {}  # table -> payouts whose cards stay on it
        for payout in payouts:
            self.add(payout)

    def add(self, payout: "Payout") -> None:
        """A payout is due."""
        self.micros[payout.link] = self.micros.get(payout.link, 0) + payout.amount_micros
        if payout.source == "cage":
            self.from_cage.setdefault(payout.table, set()).add(payout.id)

    def remove(self, payout: "Payout") -> None:
        """A payout is due no more, or not as it was."""
        self.micros[payout.link] -= payout.amount_micros
        if payout.source == "cage":
            self.from_cage[payout.table].discard(payout.id)

    def same(self, other: "Due") -> bool:
        """Whether both come to the same; where nothing is due, neither need say so."""
        return _without_nothing(self.micros) == _without_nothing(other.micros) and (
            _without_nothing(self.from_cage) == _without_nothing(other.from_cage)
        )


def _without_nothing(found: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in found.items() if value}
