"""Cards for a round's hands: fair, or rigged so that rare hands come by in minutes.

A rigged deal is a fair one into which, now and then, winning hands are put. Which rounds those are
is drawn before the cards, so that the other rounds stay fair and count for the odds.
"""

import random
from collections.abc import Sequence
from typing import NamedTuple

from jackpot.rules.cards import DECK

RIGGED_SHARE = 0.25
_ROYAL, _STRAIGHT = "AKQJT", "98765"


class Dealt(NamedTuple):
    """The cards of a round."""

    hands: dict[int, list[str]]  # by seat, 0 for the dealer
    community: list[str]
    fair: bool


def deal(
    draw: random.Random,
    seats: Sequence[int],
    sizes: tuple[int, int, int],
    *,
    rigged: bool,
) -> Dealt:
    """Deal to every seat, the dealer and the middle; `sizes` is how many cards each gets."""
    own, dealers, shared = sizes
    planted: dict[int, list[str]] = {}
    is_rigged = rigged and draw.random() < RIGGED_SHARE
    community: list[str] = []
    if is_rigged:
        planted, community = _plant(draw, seats, sizes)
    gone = {card for cards in planted.values() for card in cards} | set(community)
    rest = [card for card in DECK if card not in gone]
    draw.shuffle(rest)
    take = iter(rest)
    hands = {
        seat: planted.get(seat) or [next(take) for _ in range(count)]
        for seat, count in [(0, dealers), *((seat, own) for seat in seats)]
        if count
    }
    community = community or [next(take) for _ in range(shared)]
    return Dealt(hands, community, not is_rigged)


def _plant(
    draw: random.Random, seats: Sequence[int], sizes: tuple[int, int, int]
) -> tuple[dict[int, list[str]], list[str]]:
    """Winning hands for some, in suits and ranks that don't meet."""
    own, dealers, shared = sizes
    suits = draw.sample("cdhs", 4)
    if shared:  # one hand with the cards in the middle
        cards = [rank + suits[0] for rank in draw.choice([_ROYAL, _STRAIGHT])]
        return {draw.choice(seats): cards[:own]}, cards[own : own + shared]
    holders = [*seats, *([0] if dealers else [])]
    lucky = draw.sample(holders, min(len(holders), draw.choice([1, 1, 2, 3])))
    ladders = [[rank + suit for rank in ranks] for suit in suits for ranks in (_ROYAL, _STRAIGHT)]
    if draw.choice([True, False]):
        hands = dict(zip(lucky, draw.sample(ladders, len(lucky)), strict=True))
    else:  # four of a kind
        hands = {}
        ranks = draw.sample("A23K", len(lucky))
        odd = draw.sample([rank + suit for rank in "45678" for suit in "cdhs"], len(lucky))
        for holder, rank, card in zip(lucky, ranks, odd, strict=True):
            hands[holder] = [rank + suit for suit in suits] + [card]
    for holder, cards in hands.items():
        count = dealers if holder == 0 else own
        hands[holder] = cards[:count]
    return hands, []
