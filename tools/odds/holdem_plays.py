"""The plays of Texas Hold 'Em Bonus Poker: the best for each Ante, and a bet on every street."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from jackpot.odds.played import Kind, Part, Play
from jackpot.rules import bulk
from jackpot.rules.cards import DECK
from jackpot.rules.model import Rule
from jackpot.rules.rankings import ranking_of
from tools.odds import holdem
from tools.odds.dealer import text
from tools.odds.suits import BITS

_DEALS, _BATCH, _SEED = 4_000_000, 100_000, 563  # among which the rarest examples are found
_CARDS = 9
_OWN = [0, 1, 4, 5, 6, 7, 8]  # after the player's two cards come the dealer's, then the board
_HIGH_CARD, _PAIR = 0, 1

Example = tuple[str, str, str]
Examples = dict[tuple[int, int], Example]


def plays(rule: Rule, streets: holdem.Streets) -> list[Play]:
    """The best play under each paytable of the Ante, and that of who bets on every street."""
    ante = next(bet for bet in rule.bets if bet.id == "ante")
    groups = (*ranking_of(holdem.RANKING).order, "royal-flush")
    examples = _examples()
    found = []
    for table in ante.paytables:
        paid = {row.hand: Fraction(*row.pay.won_per_wager) for row in table.rows}
        chosen = streets.plays(tuple(paid.get(group, Fraction(0)) for group in groups))
        parts = _parts(streets, chosen, examples)
        says = "Each wager is made where it brings the most"
        found.append(Play("best", (rule.id,), says, parts, paytables={"ante": table.id}))
    always = streets._replace(turn=streets.flop, river=streets.flop)
    parts = _parts(always, np.ones(holdem.STARTS, dtype=np.bool_), examples)
    says = "The Flop, the Turn and the River Wager are made on every hand"
    return [*found, Play("every-street", (rule.id,), says, parts)]


def _examples() -> Examples:
    """A deal of each way to end, by the group of the player's hand and by who is higher."""
    random = np.random.default_rng(_SEED)
    found: Examples = {}
    for _ in range(_DEALS // _BATCH):
        cards = random.random((_BATCH, len(DECK))).argsort(axis=1)[:, :_CARDS]
        own, other = (
            bulk.ranks(holdem.RANKING, np.bitwise_or.reduce(BITS[part], axis=1))
            for part in (cards[:, _OWN], cards[:, 2:])
        )
        key = holdem.groups_of(own) * 3 + np.sign(own - other) + 1
        for value, at in zip(*np.unique(key, return_index=True), strict=True):
            dealt = tuple(DECK[card] for card in cards[at])
            parts = text(dealt[:2]), text(dealt[2:4]), text(dealt[4:])
            found.setdefault((int(value) // 3, int(value) % 3 - 1), parts)
    return found


def _parts(
    streets: holdem.Streets, chosen: NDArray[np.bool_], examples: Examples
) -> tuple[Part, ...]:
    """All wagers, with a Flop Wager on the chosen first two cards alone."""
    ante, flop = streets.ante_wins[chosen].sum(axis=0).tolist(), streets.flop
    tie, lower = examples[_PAIR, 0], examples[_HIGH_CARD, -1]
    ends = [(count, 2, examples[group, 1]) for group, count in enumerate(ante) if count]
    ends += [
        (_sum(flop.made - flop.wins - flop.losses, chosen), 2, tie),
        (_sum(flop.losses, chosen), 2, lower),
        (_sum(flop.made, ~chosen), 0, lower),
    ]
    parts = [Part(("ante", "flop"), "flop", _kinds(ends))]
    for bet, street in (("turn", streets.turn), ("river", streets.river)):
        made, won, lost = (_sum(each, chosen) for each in street[:3])
        ends = [
            (won, 1, examples[_PAIR, 1]),
            (made - won - lost, 1, tie),
            (lost, 1, lower),
            (street.total - made, 0, lower),
        ]
        parts.append(Part((bet,), bet, _kinds(ends)))
    return tuple(parts)


def _sum(counts: holdem.Counts, chosen: NDArray[np.bool_]) -> int:
    return int(counts[chosen].sum())


def _kinds(ends: list[tuple[int, int, Example]]) -> tuple[Kind, ...]:
    return tuple(Kind(count, times, *example) for count, times, example in ends if count)
