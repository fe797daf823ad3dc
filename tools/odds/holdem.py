"""Count Texas Hold 'Em Bonus Poker: every deal, street by street, with the best decisions.

A deal is two cards for the player, five in the middle and two for the dealer. For every board,
boards that differ by a change of suits once, each player's hand is compared with all dealer's hands
that can be dealt beside it. What a hand wins on all boards that can follow then says whether a Turn
or a River Wager is worth making: exactly when the hand wins more often than it loses. Neither wager
depends on the other, so no other decision can do better. Whether a Flop Wager is worth making
follows from all four wagers together, and depends on what the Ante pays.
"""

from collections.abc import Iterator
from fractions import Fraction
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from jackpot.rules import bulk
from tools.odds.suits import BITS, ORDERS, Words, choices, classes, lowest_alike

RANKING = "five-card"
GROUPS = 10  # the nine categories, lowest first, and the royal flush
STARTS = 169  # kinds of two cards: a pair, suited or not
_BOARDS = 32  # looked at together, so that what lies between stays in the cache
_REST = 47  # cards that are not on the board
_RUNOUTS, _DEALERS = comb(49, 2), comb(45, 2)
_KEY = 11  # bits for the place of a hand among up to 2,048
_CATEGORY = 20  # where the category of a packed rank begins
_ROYAL = bulk.pack((8, 14))

Counts = NDArray[np.int64]
Stand = NDArray[np.int16]


class Street(NamedTuple):
    """How often a wager that is made wins and loses, by the player's first two cards."""

    made: Counts
    wins: Counts
    losses: Counts
    total: int  # all deals that are counted


class Streets(NamedTuple):
    """All that the odds of the game follow from; the Flop Wager is counted on every hand."""

    hands: Counts  # how many first two cards are of each kind
    ante_wins: Counts  # by kind of first two cards and group of the winning hand
    flop: Street
    turn: Street
    river: Street

    def plays(self, pays: tuple[Fraction, ...]) -> NDArray[np.bool_]:
        """Which first two cards are worth a Flop Wager, given what the Ante pays each group."""
        return np.array([self._worth(kind, pays) > -1 for kind in range(STARTS)])

    def _worth(self, kind: int, pays: tuple[Fraction, ...]) -> Fraction:
        """What the whole round brings, in Antes, with these two cards and a Flop Wager."""

        def net(street: Street) -> Fraction:
            here = street.total // comb(52, 2) * int(self.hands[kind])
            return Fraction(int(street.wins[kind] - street.losses[kind]), here)

        deals = self.flop.total // comb(52, 2) * int(self.hands[kind])
        paid = sum(
            (int(n) * p for n, p in zip(self.ante_wins[kind], pays, strict=True)), Fraction()
        )
        ante = (paid - int(self.flop.losses[kind])) / deals
        return ante + 2 * net(self.flop) + net(self.turn) + net(self.river)


_PAIRS = choices(52, 2).astype(np.intp)
_PAIR_AT = np.zeros((52, 52), dtype=np.intp)
_PAIR_AT[_PAIRS[:, 0], _PAIRS[:, 1]] = _PAIR_AT[_PAIRS[:, 1], _PAIRS[:, 0]] = np.arange(1_326)


def kinds_of_pairs() -> NDArray[np.intp]:
    """For each two cards of a deck their kind: 0 to 12 pairs, then unsuited, then suited."""
    low, high = np.sort(_PAIRS // 4, axis=1).T
    unlike = 13 + high * (high - 1) // 2 + low
    suited = (_PAIRS[:, 0] % 4 == _PAIRS[:, 1] % 4) * comb(13, 2)
    kinds: NDArray[np.intp] = np.where(low == high, low, unlike + suited)
    return kinds


def groups_of(codes: bulk.Codes) -> bulk.Codes:
    """The group of each hand: its category, or one more for the royal flush."""
    found: bulk.Codes = (codes >> _CATEGORY) + (codes >= _ROYAL)
    return found


def standing(codes: bulk.Codes) -> tuple[Stand, Stand]:
    """For each hand how many of its row are lower, and how many are higher."""
    many = codes.shape[-1]
    keyed = np.sort(codes.astype(np.int64) << _KEY | np.arange(many), axis=-1)
    place, ranks = keyed & (1 << _KEY) - 1, keyed >> _KEY
    new = ranks[..., 1:] != ranks[..., :-1]
    counter = np.arange(1, many, dtype=np.int16)
    first = np.zeros(codes.shape, dtype=np.int16)
    first[..., 1:] = np.where(new, counter, 0)
    np.maximum.accumulate(first, axis=-1, out=first)
    after = np.full(codes.shape, many, dtype=np.int16)
    after[..., :-1] = np.where(new, counter, many)
    after = np.minimum.accumulate(after[..., ::-1], axis=-1)[..., ::-1]
    lower, higher = np.empty_like(first), np.empty_like(first)
    np.put_along_axis(lower, place, first, axis=-1)
    np.put_along_axis(higher, place, np.int16(many) - after, axis=-1)
    return lower, higher


class _Layout:
    """Which hands of two of the 47 other cards hold which card, and at which place among those."""

    def __init__(self) -> None:
        self.pairs = choices(_REST, 2).astype(np.intp)
        holds = (self.pairs == card for card in range(_REST))
        self.with_card = np.array([np.flatnonzero(each.any(axis=1)) for each in holds])
        self.places = [
            np.array([np.searchsorted(self.with_card[card], n) for n, card in enumerate(cards)])
            for cards in self.pairs.T
        ]


def against_all(
    boards: Words, layout: _Layout | None = None
) -> tuple[NDArray[np.intp], bulk.Codes, Stand, Stand]:
    """On each board each hand's two cards, its rank, and how many dealer's hands it beats or not.

    Of all hands the lower ones are counted, less those that share a card with it.
    """
    layout = layout or _Layout()
    rest = np.array([np.flatnonzero((BITS & board) == 0) for board in boards])
    one, other = (rest[:, cards] for cards in layout.pairs.T)
    hands = boards[:, None] | BITS[one] | BITS[other]
    codes = bulk.ranks(RANKING, hands.ravel()).reshape(hands.shape)
    lower, higher = standing(codes)
    fewer, more = standing(codes[:, layout.with_card])
    for card, place in zip(layout.pairs.T, layout.places, strict=True):
        lower -= fewer[:, card, place]
        higher -= more[:, card, place]
    return _PAIR_AT[one, other], codes, lower, higher


class _Boards(NamedTuple):
    """Every board, one of those that are alike, with what each two cards win and lose on it."""

    words: Words
    wins: Stand  # board, pair; 0 where the pair holds a card of the board
    losses: Stand
    ante_wins: Counts
    flop_losses: Counts


def _boards() -> _Boards:
    words, times = classes(5)
    wins = np.zeros((len(words), len(_PAIRS)), dtype=np.int16)
    losses = np.zeros_like(wins)
    kinds = kinds_of_pairs()
    won = np.zeros(STARTS * GROUPS)
    lost = np.zeros(STARTS)
    layout = _Layout()
    for start in range(0, len(words), _BOARDS):
        part = slice(start, start + _BOARDS)
        pairs, codes, lower, higher = against_all(words[part], layout)
        np.put_along_axis(wins[part], pairs, lower, axis=1)
        np.put_along_axis(losses[part], pairs, higher, axis=1)
        group = groups_of(codes)
        alike = np.broadcast_to(times[part, None], codes.shape).ravel()
        kind = kinds[pairs].ravel()
        won += np.bincount(
            kind * GROUPS + group.ravel(), weights=alike * lower.ravel(), minlength=len(won)
        )
        lost += np.bincount(kind, weights=alike * higher.ravel(), minlength=STARTS)
    by_group = won.astype(np.int64).reshape(STARTS, GROUPS)
    return _Boards(words, wins, losses, by_group, lost.astype(np.int64))


def _changed_pairs() -> NDArray[np.intp]:
    """For each change of suits, what becomes of each pair."""
    changed = []
    for order in ORDERS:
        to = np.argsort(order)  # the suit order[j] becomes j
        card = np.arange(52) // 4 * 4 + to[np.arange(52) % 4]
        changed.append(_PAIR_AT[card[_PAIRS[:, 0]], card[_PAIRS[:, 1]]])
    return np.array(changed)


def _runouts(boards: _Boards) -> Iterator[tuple[float, NDArray[np.bool_], Stand, Stand]]:
    """For each flop, one of those alike: how many are, the pairs left, and all that may follow."""
    flops, times = classes(3)
    changed = _changed_pairs()
    index = choices(49, 2).astype(np.intp)
    pair_words = BITS[_PAIRS[:, 0]] | BITS[_PAIRS[:, 1]]
    for flop, alike in zip(flops, times, strict=True):
        rest = BITS[(BITS & flop) == 0]
        lowest, which = lowest_alike(flop | rest[index[:, 0]] | rest[index[:, 1]])
        at, pairs = np.searchsorted(boards.words, lowest)[:, None], changed[which]
        yield alike, (pair_words & flop) == 0, boards.wins[at, pairs], boards.losses[at, pairs]


def _later(boards: _Boards) -> tuple[Street, Street]:
    """The Turn and the River Wager, each made where the hand wins more often than it loses."""
    kinds = kinds_of_pairs()
    index = choices(49, 2)
    with_turn = [np.flatnonzero((index == card).any(axis=1)) for card in range(49)]
    found = np.zeros((2, 3, STARTS))  # turn and river; made, wins, losses
    for alike, free, wins, losses in _runouts(boards):
        turn = wins.sum(axis=0, dtype=np.int64), losses.sum(axis=0, dtype=np.int64)
        rivers = [
            np.array([each[rows].sum(axis=0, dtype=np.int32) for rows in with_turn])
            for each in (wins, losses)
        ]
        bet = free & (turn[0] > turn[1])
        bets = rivers[0] > rivers[1]
        counted = (
            (bet * comb(_REST, 2) * _DEALERS, turn[0] * bet, turn[1] * bet),
            (bets.sum(axis=0) * 46 * _DEALERS, *((each * bets).sum(axis=0) for each in rivers)),
        )
        for street, three in enumerate(counted):
            for row, weights in enumerate(three):
                found[street, row] += alike * np.bincount(kinds, weights=weights, minlength=STARTS)
    deals = comb(52, 2) * comb(50, 3) * _DEALERS
    first, second = found.astype(np.int64)
    return (
        Street(first[0], first[1], first[2], deals * comb(_REST, 2)),
        Street(second[0], second[1], second[2], deals * _REST * (_REST - 1)),
    )


def count_streets() -> Streets:
    """Count every deal; takes minutes and two gigabytes."""
    boards = _boards()
    hands = np.bincount(kinds_of_pairs(), minlength=STARTS)
    per_pair = comb(50, 5) * _DEALERS
    flop = Street(
        hands * per_pair,
        boards.ante_wins.sum(axis=1),
        boards.flop_losses,
        comb(52, 2) * per_pair,
    )
    return Streets(hands, boards.ante_wins, flop, *_later(boards))
