"""A deck of cards as an object that wears out, loses cards and gains strange ones."""

from typing import Final

from jackpot.rules.cards import DECK, deck
from table_client.table.devices.model import HOUR_MS, Method, StationConfig
from table_client.table.randomness import RandomStream

# The hours after which a deck is changed: 657a.3(c), 573.3(c), 592.3(c), MA 2(c), 555.3(c),
# 559.3(c) and their like by the way of dealing; 553.3(b) for Poker.
HAND_LIMIT_MS: Final = 4 * HOUR_MS
SHOE_LIMIT_MS: Final = 8 * HOUR_MS
POKER_LIMIT_MS: Final = 6 * HOUR_MS


def limit_ms(config: StationConfig, method: Method) -> int:
    """The age at which a deck has to be changed."""
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
