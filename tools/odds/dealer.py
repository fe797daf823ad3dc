"""Count every deal of a player's hand and a dealer's from one deck, by how the two compare.

All pairs of hands without a common card are counted by inclusion and exclusion over the cards that
two hands share: the pairs of any two hands, less those that share a card, plus those that share
two, and so on. Of sets of shared cards that differ only by a change of suits one is looked at, and
for each set only how many hands have which rank matters.

The deals are then gathered into kinds that end alike, each with an example.
"""

from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jackpot.odds.played import Kind
from jackpot.rules import bulk
from jackpot.rules.cards import SUITS
from jackpot.rules.hands import at_least, names, rank
from jackpot.rules.model import Rule, When
from jackpot.rules.rankings import STRAIGHT_FLUSH
from tools.odds.suits import BITS, Words, choices, classes

Floats = NDArray[np.float64]
Hand = tuple[str, ...]
WHENS: tuple[When, ...] = ("dealer-not-qualified", "player-higher", "tie", "player-lower")
_CHUNK = 500_000  # hands at a time


class Deals(NamedTuple):
    """For each rank of the player's hand, how many deals end in each of `WHENS`."""

    codes: bulk.Codes
    counts: NDArray[np.int64]


@cache
def ranks_of(ranking: str, *sizes: int) -> bulk.Codes:
    """Every rank that hands of these sizes can have, lowest first."""
    found = [np.unique(bulk.ranks(ranking, batch)) for n in sizes for batch in bulk.hand_batches(n)]
    return np.unique(np.concatenate(found))


def histogram(ranking: str, codes: bulk.Codes, shared: np.uint64, more: int) -> Floats:
    """How many hands, made of the shared cards and so many more, have each rank."""
    counts = np.zeros(len(codes))
    rest = BITS[(BITS & shared) == 0]
    for words in _extensions(shared, rest, more):
        found = np.searchsorted(codes, bulk.ranks(ranking, words))
        counts += np.bincount(found, minlength=len(codes))
    return counts


def _extensions(start: np.uint64, rest: Words, more: int) -> Iterator[Words]:
    index = choices(len(rest), more)
    for chunk in np.array_split(index, max(1, len(index) // _CHUNK)):
        words: Words = start | np.bitwise_or.reduce(rest[chunk], axis=1)
        yield words


def count_deals(ranking: str, player: int, dealer: int, qualifies_from: int = 0) -> Deals:
    """All deals of so many cards each; the dealer has as many as the player, or one more."""
    codes = ranks_of(ranking, *{player, dealer})
    qualified = codes >= qualifies_from
    total = np.zeros((len(WHENS), len(codes)))
    for size in range(player):
        words, times = classes(size)
        for word, alike in zip(words, times, strict=True):
            mine = histogram(ranking, codes, word, player - size)
            same = player == dealer
            theirs = mine if same else histogram(ranking, codes, word, dealer - size)
            total += (-1) ** size * alike * mine * _compared(theirs, qualified)
    total += (-1) ** player * _inside(ranking, player, dealer, codes, qualified)
    return Deals(codes, np.rint(total).astype(np.int64))


def _compared(dealer: Floats, qualified: NDArray[np.bool_]) -> Floats:
    """How many of the dealer's hands fall under each of `WHENS`, for each rank of the player's."""
    out = np.full(len(dealer), dealer[~qualified].sum())
    same = np.where(qualified, dealer, 0.0)
    below = np.cumsum(same) - same
    return np.array([out, below, same, same.sum() - below - same])


def _inside(
    ranking: str, player: int, dealer: int, codes: bulk.Codes, qualified: NDArray[np.bool_]
) -> Floats:
    """The pairs in which the dealer's hand holds all of the player's."""
    words, times = classes(player)
    mine = np.searchsorted(codes, bulk.ranks(ranking, words))
    found = np.zeros((len(WHENS), len(codes)))
    for more in [np.uint64(0)] if player == dealer else BITS:
        free = (words & more) == 0
        theirs = np.searchsorted(codes, bulk.ranks(ranking, words[free] | more))
        own = mine[free]
        when = np.where(qualified[theirs], 2 + np.sign(theirs - own), 0)
        np.add.at(found, (when, own), times[free])
    return found


def text(cards: Hand) -> str:
    """Cards as they are kept."""
    return " ".join(cards)


def rows_of(rules: list[Rule], bets: tuple[str, ...]) -> frozenset[str]:
    """Every name that a paytable of these bets has a row for."""
    tables = (
        table for rule in rules for bet in rule.bets if bet.id in bets for table in bet.paytables
    )
    return frozenset(row.hand for table in tables for row in table.rows)


def paid_names(ranking: str, hand: Hand, rows: frozenset[str]) -> tuple[str, ...]:
    """The names of a hand that a paytable may have a row for."""
    return tuple(name for name in names(ranking, hand) if name in rows)


def against_dealer(
    rule: Rule, ranking: str, rows: frozenset[str], times_of: Callable[[Hand], int]
) -> tuple[Kind, ...]:
    """Every deal of a game, by the player's hand, what is wagered on it, and how it ends."""
    if rule.deal is None:
        raise ValueError(f"{rule.id} does not say how many cards are dealt")
    sizes = rule.deal.seat_cards, rule.deal.dealer_cards
    lowest = _qualifies_from(rule, ranking, sizes[1])
    deals = count_deals(ranking, *sizes, qualifies_from=lowest)
    found: dict[tuple[tuple[str, ...], int, int], list[tuple[int, Hand]]] = {}
    for place, own in enumerate(one_of_each(ranking, sizes[0], deals.codes)):
        for hand, part in _by_suit(ranking, own):
            for when, count in enumerate(deals.counts[:, place].tolist()):
                if count:
                    key = paid_names(ranking, hand, rows), times_of(hand), when
                    found.setdefault(key, []).append((count // part, hand))
    dealers = _Dealers(ranking, sizes[1], lowest)
    return tuple(
        Kind(sum(count for count, _ in alike), times, *dealers.example(alike, when))
        for (_, times, when), alike in sorted(found.items())
    )


def _qualifies_from(rule: Rule, ranking: str, cards: int) -> int:
    """The lowest rank with which the dealer qualifies."""
    if rule.dealer is None:
        return 0
    codes = ranks_of(ranking, cards)
    hands = zip(codes.tolist(), one_of_each(ranking, cards, codes), strict=True)
    return next(int(code) for code, hand in hands if at_least(ranking, hand, rule.dealer.qualifies))


def one_of_each(ranking: str, size: int, codes: bulk.Codes) -> list[Hand]:
    """A hand of each rank; no cards where no hand of this size has it."""
    found: dict[int, int] = {}
    for batch in bulk.hand_batches(size):
        ranked, first = np.unique(bulk.ranks(ranking, batch), return_index=True)
        for code, at in zip(ranked.tolist(), first.tolist(), strict=True):
            found.setdefault(code, int(batch[at]))
    return [bulk.cards_of(found.get(code, 0)) for code in codes.tolist()]


def _by_suit(ranking: str, hand: Hand) -> Iterator[tuple[Hand, int]]:
    """A hand; where a suit may have a name the hand in each, with a quarter of the deals."""
    if not hand:
        return
    if bulk.category_of(ranking, bulk.pack(rank(ranking, hand))) != STRAIGHT_FLUSH:
        yield hand, 1
        return
    for turn in range(len(SUITS)):
        moved = {suit: SUITS[(place + turn) % 4] for place, suit in enumerate(SUITS)}
        yield tuple(card[0] + moved[card[1]] for card in hand), len(SUITS)


class _Dealers:
    """The dealer's hands, to find one for an example."""

    def __init__(self, ranking: str, size: int, lowest: int) -> None:
        self._ranking, self._lowest = ranking, lowest
        self._words = bulk.all_hands(size)
        self._codes = bulk.ranks(ranking, self._words)

    def example(self, alike: list[tuple[int, Hand]], when: int) -> tuple[str, str]:
        """A deal that ends so, with one of these hands: the commonest that has one."""
        for _, own in sorted(alike, reverse=True):
            if other := self._against(own, when):
                return text(own), text(other)
        raise AssertionError("deals were counted of which there is none")

    def _against(self, own: Hand, when: int) -> Hand:
        mine = bulk.pack(rank(self._ranking, own))
        found = 2 + np.sign(self._codes - mine)
        found[self._codes < self._lowest] = 0
        fits = (found == when) & ((self._words & np.uint64(bulk.word_of(own))) == 0)
        at = int(fits.argmax())
        return bulk.cards_of(int(self._words[at])) if fits[at] else ()
