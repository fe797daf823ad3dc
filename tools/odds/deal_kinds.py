"""Gather all deals against a dealer into kinds that end alike, each with an example."""

from collections.abc import Callable, Iterator

import numpy as np

from jackpot.odds.played import Kind
from jackpot.rules import bulk
from jackpot.rules.cards import SUITS
from jackpot.rules.hands import at_least, names, rank
from jackpot.rules.model import Rule
from jackpot.rules.rankings import STRAIGHT_FLUSH
from tools.odds.dealer import count_deals, ranks_of

Hand = tuple[str, ...]


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
