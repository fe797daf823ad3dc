"""Hands of Crazy 4 Poker, and a case for each of its three texts."""

import pytest

from tests.client.games.tables import CRAZY

# One player, from an automated shoe: five cards to the player, five to the dealer.
PAIR_OF_KINGS = "Ks Kh 9d 5c 2s "
QUEEN_HIGH = "Qs Jh 8d 5c 2h "  # a dealer who does not qualify
KING_HIGH = "Kd Jd 8c 5h 3h "  # a dealer who does
FOUR_NINES = "9s 9h 9d 9c 2s "
NOTHING = "Jc Tc 8h 5d 2s "


def each(*ids: str) -> list[object]:
    """The three texts, each with its clause."""
    return [
        pytest.param(rule, marks=pytest.mark.rule(clause))
        for rule, clause in zip(CRAZY, ids, strict=True)
    ]
