"""Which of two hands is higher under a ranking, for hands as tests write them."""

from jackpot.rules.cards import parse_cards
from jackpot.rules.hands import rank


def beats(ranking: str, higher: str, lower: str) -> bool:
    """Whether the first hand is strictly higher."""
    return rank(ranking, parse_cards(higher)) > rank(ranking, parse_cards(lower))


def ties(ranking: str, one: str, other: str) -> bool:
    """Whether two hands are of equal rank."""
    return rank(ranking, parse_cards(one)) == rank(ranking, parse_cards(other))
