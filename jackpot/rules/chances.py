"""How often each hand of a paytable comes: counts of all hands that can be dealt, kept as data.

`tools/hand_counts.py` counts them by enumeration, which takes seconds and numpy, and writes them
down; a test counts again. Everything that shows or uses odds looks them up here.
"""

from collections.abc import Sequence
from functools import cache

import msgspec
from msgspec import Struct

from jackpot.rules.loader import DATA
from jackpot.rules.model import BetRule, Rule
from jackpot.rules.rankings import ranking_of

COUNTS = DATA / "hand_counts.json"
COUNTED_KINDS = ("progressive", "linked-bonus", "paytable", "ante-bonus")
HIGHER_OF_TWO = "the higher of the Across and the Down hand"  # as its rule describes the cards
HIGHER_OF_TWO_KEY = "higher-of-two"
NOT_COUNTED = "odds not counted: the result also depends on the dealer's hand"
_PLACES = 10  # of the fraction in "1 in 4,164.8"


class Tally(Struct, frozen=True):
    """All hands that can be dealt, gathered by the names that they bear."""

    total: int
    groups: tuple[tuple[tuple[str, ...], int], ...]

    def row_counts(self, hands: Sequence[str]) -> tuple[int, ...]:
        """How many hands each row of a paytable pays: the first row, from the top, that fits."""
        counts = dict.fromkeys(hands, 0)
        for given, count in self.groups:
            row = next((hand for hand in hands if hand in given), None)
            if row is not None:
                counts[row] += count
        return tuple(counts.values())


class Chances(Struct, frozen=True):
    """How many of all hands win each row of a paytable."""

    total: int
    counts: tuple[int, ...]  # in the order of the rows

    @property
    def texts(self) -> tuple[str, ...]:
        """Each row's odds, for people to read."""
        return tuple(one_in(count, self.total) for count in self.counts)


def one_in(count: int, total: int) -> str:
    """Odds as people say them, to a tenth: "1 in 4,164.8"."""
    if not count:
        return "never"
    whole, tenth = divmod((2 * total * _PLACES + count) // (2 * count), _PLACES)
    return f"1 in {whole:,}" + (f".{tenth}" if tenth else "")


def is_counted(bet: BetRule) -> bool:
    """Whether a bet's odds follow from its paytable alone, without the dealer's hand."""
    return bet.kind in COUNTED_KINDS and bool(bet.paytables)


def cards_dealt(rule: Rule, ranking: str) -> int:
    """From how many cards a hand is made: the player's own if the ranking is for so many."""
    dealt = ranking_of(ranking).dealt
    own = rule.deal.seat_cards if rule.deal else 0
    return own if own in dealt else dealt[0]


def tally_key(rule: Rule, bet: BetRule, ranking: str) -> str:
    """Which of the tallies a bet's odds come from."""
    if bet.cards == HIGHER_OF_TWO:
        return HIGHER_OF_TWO_KEY
    return f"{ranking}/{cards_dealt(rule, ranking)}"


@cache
def kept_tallies() -> dict[str, Tally]:
    """All tallies that are kept."""
    return msgspec.json.decode(COUNTS.read_bytes(), type=dict[str, Tally])


def kept_tally(ranking: str, dealt: int) -> Tally:
    """Every hand of so many cards under a ranking."""
    return kept_tallies()[f"{ranking}/{dealt}"]


def chances(rule: Rule, bet: BetRule, hands: Sequence[str], ranking: str = "") -> Chances | None:
    """The odds of a paytable's rows, exact; None where counting hands does not give them."""
    if not is_counted(bet):
        return None
    tally = kept_tallies()[tally_key(rule, bet, ranking or bet.ranking)]
    return Chances(tally.total, tally.row_counts(hands))
