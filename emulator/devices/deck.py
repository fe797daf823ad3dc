"""A deck of cards as an object: it wears out, loses cards, gains strange ones, may be rigged."""

from typing import Final

from jackpot.rules.cards import DECK, RANKS, SUITS, deck
from table_client.table.devices.device_faults import PPM
from table_client.table.devices.model import HOUR_MS, Method, StationConfig
from table_client.table.randomness import RandomStream

# The hours after which a deck is changed where the station was not told those of a rule: 657a.3(c),
# 573.3(c), 592.3(c), MA 2(c), 555.3(c), 559.3(c) and their like by the way of dealing; 553.3(b) for
# Poker.
HAND_LIMIT_MS: Final = 4 * HOUR_MS
SHOE_LIMIT_MS: Final = 8 * HOUR_MS
POKER_LIMIT_MS: Final = 6 * HOUR_MS


def limit_ms(config: StationConfig, method: Method) -> int:
    """The age at which a deck has to be changed."""
    if by_rule := config.by_hand_hours if method is Method.HAND else config.by_shoe_hours:
        return by_rule * HOUR_MS
    if config.poker:
        return POKER_LIMIT_MS
    return HAND_LIMIT_MS if method is Method.HAND else SHOE_LIMIT_MS


class Deck:
    """One deck at the table, known by the color of its backs."""

    def __init__(self, back: str, number: int, opened_ms: int, *, joker: bool) -> None:
        self.back = back
        self.number = number
        self.opened_ms = opened_ms
        self.cards: list[str] = list(deck(joker=joker))

    def shuffled(self, stream: RandomStream) -> list[str]:
        """The deck's cards in a drawn order.

        The cards are put in order first, so that a shuffle depends on its stream alone and not on
        how the last round was gathered: what makes a replay of one round possible.
        """
        return stream.shuffled(sorted(self.cards))

    def lose_card(self, stream: RandomStream) -> None:
        """One card falls to the floor, unseen."""
        del self.cards[stream.below(len(self.cards))]

    def gain_card(self, stream: RandomStream) -> None:
        """A card of another deck with the same back gets in."""
        self.cards.append(DECK[stream.below(len(DECK))])


_HAND: Final = 5
# How often each is chosen: those that take a meter or a tenth of it come, but not each time.
_CHOICES: Final = (
    *("royal-flush", "straight-flush", "straight-flush"),
    *("four-of-a-kind", "four-of-a-kind", "full-house", "full-house", "flush"),
)


class Rig:
    """Winning hands on purpose, for demonstrations: nobody would see a jackpot otherwise.

    A rigged shoe puts a winning hand on top before it dispenses a player's stack, now and then. The
    cards are those that it holds, so the deck stays whole. A station says in its status that it is
    rigged; no table of a casino may have such a shoe.
    """

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
