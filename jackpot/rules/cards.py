"""Cards as two characters: rank and suit, "As", "Td", "2c", and "Jk" for the joker.

Everything that speaks of cards, from a shuffler's message to the journal, uses this one spelling,
so that two spellings of one card can never be taken for two cards.
"""

from collections.abc import Iterable, Sequence

RANKS = "23456789TJQKA"  # lowest first
SUITS = "cdhs"
JOKER = "Jk"

RANK_WORDS = (
    *("two", "three", "four", "five", "six", "seven", "eight"),
    *("nine", "ten", "jack", "queen", "king", "ace"),
)
RANK_PLURALS = tuple("sixes" if word == "six" else f"{word}s" for word in RANK_WORDS)
SUIT_WORDS = {"c": "clubs", "d": "diamonds", "h": "hearts", "s": "spades"}
SUIT_SYMBOLS = {"c": "♣", "d": "♦", "h": "♥", "s": "♠"}

DECK: tuple[str, ...] = tuple(rank + suit for rank in RANKS for suit in SUITS)
_RANK_OF = {card: 2 + RANKS.index(card[0]) for card in DECK}
_KNOWN = frozenset((*DECK, JOKER))


class CardError(ValueError):
    """Text that is no card, or cards that cannot be held together under a ranking."""


def parse_card(text: str) -> str:
    """The card that a person or a device wrote: "as", "10d" and "A♠" are read too."""
    card = text.strip()
    for suit, symbol in SUIT_SYMBOLS.items():
        card = card.replace(symbol, suit)
    card = card.replace("10", "T")
    card = card[:1].upper() + card[1:].lower()
    if card not in _KNOWN:
        raise CardError(f"{text!r} is not a card; write rank and suit, such as As, Td or 2c")
    return card


def parse_cards(text: str) -> tuple[str, ...]:
    """Cards separated by blanks or commas, or run together ("AsKs10d"); no card twice."""
    spaced = text.replace("10", "T").replace(",", " ").split()
    cards = tuple(
        parse_card(word[start : start + 2]) for word in spaced for start in range(0, len(word), 2)
    )
    verify_distinct(cards)
    return cards


def verify_distinct(cards: Sequence[str]) -> None:
    """Raise if a card is unknown or appears twice: one deck holds each card once."""
    seen: set[str] = set()
    for card in cards:
        if card not in _KNOWN:
            raise CardError(f"{card!r} is not a card; write rank and suit, such as As, Td or 2c")
        if card in seen:
            raise CardError(f"{card} appears twice")
        seen.add(card)


def deck(*, joker: bool = False) -> tuple[str, ...]:
    """A deck, lowest card first; Pai Gow Poker adds the joker."""
    return (*DECK, JOKER) if joker else DECK


def rank_of(card: str) -> int:
    """A card's rank as a number, 2 to 14 (ace); the joker ranks as an ace."""
    return 14 if card == JOKER else _RANK_OF[card]


def suit_of(card: str) -> str:
    """A card's suit, one of "cdhs"; the joker's is a fifth, its own."""
    return card[1]


def pretty(cards: Iterable[str]) -> str:
    """Cards as a person reads them: "A♠ 10♦ joker"."""
    return " ".join(
        "joker" if card == JOKER else card[0].replace("T", "10") + SUIT_SYMBOLS[card[1]]
        for card in cards
    )
