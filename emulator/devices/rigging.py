"""Winning hands on purpose, for demonstrations: nobody would see a jackpot otherwise.

A rigged shoe puts a winning hand on top before it dispenses a player's stack, now and then. The
cards are those that it holds, so the deck stays whole. A station says in its status that it is
rigged; no table of a casino may have such a shoe.
"""

from typing import Final

from jackpot.rules.cards import RANKS, SUITS
from table_client.table.devices.faults import PPM
from table_client.table.randomness import RandomStream

_HAND: Final = 5
# How often each is chosen: those that take a meter or a tenth of it come, but not each time.
_CHOICES: Final = (
    *("royal-flush", "straight-flush", "straight-flush"),
    *("four-of-a-kind", "four-of-a-kind", "full-house", "full-house", "flush"),
)


class Rig:
    """Decides which stacks are winning hands."""

    def __init__(self, draws: RandomStream, rate_ppm: int) -> None:
        self._draws = draws
        self._rate_ppm = rate_ppm

    def stack(self, cards: list[str], count: int) -> None:
        """Put a hand on top of the cards, whose top is the last, in so many of a million cases."""
        if not self._rate_ppm or self._draws.below(PPM) >= self._rate_ppm:
            return
        hand = self._hand() if count >= _HAND else self._of_a_kind(count)
        if all(cards.count(card) for card in hand):  # else some of it was dealt before: bad luck
            for card in hand:
                cards.remove(card)
            cards += hand

    def _hand(self) -> list[str]:
        """Five cards that win something in every game."""
        suit = self._one_of(SUITS)
        match _CHOICES[self._draws.below(len(_CHOICES))]:
            case "royal-flush":
                return [rank + suit for rank in RANKS[-_HAND:]]
            case "straight-flush":
                lowest = self._draws.below(len(RANKS) - _HAND)
                return [rank + suit for rank in RANKS[lowest : lowest + _HAND]]
            case "four-of-a-kind":
                return [*self._of_a_kind(4), self._one_of(RANKS[:4]) + suit]
            case "full-house":
                pair = self._one_of(RANKS[:4])
                return [*self._of_a_kind(3), *(pair + each for each in SUITS[:2])]
            case _:
                return [rank + suit for rank in self._draws.shuffled(RANKS)[:_HAND]]

    def _of_a_kind(self, count: int) -> list[str]:
        """Up to four cards of one of the higher ranks."""
        rank = self._one_of(RANKS[4:])
        return [rank + suit for suit in self._draws.shuffled(SUITS)[:count]]

    def _one_of(self, marks: str) -> str:
        return marks[self._draws.below(len(marks))]
