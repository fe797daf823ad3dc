"""Count the hands of every paytable by enumeration, and write the counts that odds are shown by."""

import sys
from functools import cache
from itertools import combinations

import msgspec
import numpy as np
from numpy.typing import NDArray

from jackpot.odds.counting import tally
from jackpot.rules import bulk
from jackpot.rules.cards import DECK
from jackpot.rules.chances import COUNTS, HIGHER_OF_TWO_KEY, Tally, is_counted, tally_key
from jackpot.rules.hands import names
from jackpot.rules.loader import rules

_RANKING = "five-card"
_SHARED = 3
_SUIT_MASK = (1 << 16) - 1


@cache
def tally_higher_of_two() -> Tally:
    """Every deal of two hands with three cards in common, by the names of the higher hand.

    Criss-Cross Poker's Middle Bet: the player's two cards and the middle card belong to both hands;
    two more cards complete each. Of the 22,100 triples that can be shared, those that differ only
    in suits count alike. For one triple every pair of the other 49 cards makes a hand, and two
    hands are dealt together when their pairs have no card in common, so that no list of all 28
    billion deals is needed.
    """
    codes, groups = _groups()
    counts = [0] * len(groups)
    for word, alike in _triples():
        for group, count in enumerate(_deals(word, codes).tolist()):
            counts[group] += alike * count
    return Tally(sum(counts), tuple(zip(groups, counts, strict=True)))


@cache
def _groups() -> tuple[bulk.Codes, tuple[tuple[str, ...], ...]]:
    """Where each group of hands with the same names begins, lowest first, and those names."""
    hands = bulk.all_hands(5)
    codes, first = np.unique(bulk.ranks(_RANKING, hands), return_index=True)
    starts: list[int] = []
    groups: list[tuple[str, ...]] = []
    for code, word in zip(codes.tolist(), hands[first].tolist(), strict=True):
        given = names(_RANKING, bulk.cards_of(word))
        if not groups or groups[-1] != given:
            starts.append(code)
            groups.append(given)
    if set(groups) != {given for given, _ in tally(_RANKING, 5).groups}:
        raise AssertionError("hands of one name don't stand together in the order of ranks")
    return np.array(starts, dtype=np.int32), tuple(groups)


def _triples() -> list[tuple[int, int]]:
    """One triple of each kind, with how many are like it but for their suits."""
    kinds: dict[tuple[int, ...], list[int]] = {}
    for word in bulk.all_hands(_SHARED).tolist():
        suits = sorted(word >> 16 * suit & _SUIT_MASK for suit in range(4))
        kinds.setdefault(tuple(suits), []).append(word)
    return [(alike[0], len(alike)) for alike in kinds.values()]


def _deals(shared: int, starts: bulk.Codes) -> NDArray[np.int64]:
    """For each group, in how many deals with these shared cards the higher hand belongs to it."""
    rest = [bulk.word_of((card,)) for card in DECK if not bulk.word_of((card,)) & shared]
    cards = np.array(rest, dtype=np.uint64)
    one, other = np.array(list(combinations(range(len(rest)), 2)), dtype=np.int64).T
    codes = bulk.ranks(_RANKING, cards[one] | cards[other] | np.uint64(shared))
    group = np.searchsorted(starts, codes, side="right") - 1
    # held[c, g]: pairs with the card c that make a hand of at most group g.
    held = np.zeros((len(rest), len(starts)), dtype=np.int64)
    np.add.at(held, (one, group), 1)
    np.add.at(held, (other, group), 1)
    held = held.cumsum(axis=1)
    pairs = np.bincount(group, minlength=len(starts)).cumsum()
    # Of all ordered choices of two such pairs, those that meet in a card can't be dealt; a pair
    # with itself meets in two.
    at_most = pairs**2 - (held**2).sum(axis=0) + pairs
    exactly: NDArray[np.int64] = np.diff(at_most, prepend=0)
    return exactly


def keys() -> list[str]:
    """Every tally that the odds of some paytable need."""
    return sorted(
        {
            tally_key(rule, bet, paytable.ranking or bet.ranking)
            for rule in rules().values()
            for bet in rule.bets
            if is_counted(bet)
            for paytable in bet.paytables
        }
    )


def counted(key: str) -> Tally:
    """A tally, counted now."""
    if key == HIGHER_OF_TWO_KEY:
        return tally_higher_of_two()
    ranking, _, dealt = key.partition("/")
    return tally(ranking, int(dealt))


def _lines(key: str) -> str:
    """A tally with a line for each group of hands, most hands first."""
    found = counted(key)
    groups = sorted(found.groups, key=lambda group: (-group[1], group[0]))
    rows = ",\n".join(f"  {msgspec.json.encode(group).decode()}" for group in groups)
    return f'"{key}": {{"total": {found.total}, "groups": [\n{rows}]}}'


def main() -> int:
    """Write the file anew."""
    COUNTS.write_text("{\n" + ",\n".join(map(_lines, keys())) + "\n}\n", "utf-8")
    print(f"wrote {COUNTS}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
