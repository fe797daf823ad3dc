"""Counts of hands; that those which are kept are right is shown in tests/rules/test_chances.py."""

from math import comb

import pytest

from jackpot.odds.counting import tally
from jackpot.rules.chances import kept_tally


@pytest.mark.parametrize(
    ("ranking", "dealt", "expected"),
    [
        (
            "five-card",
            5,
            {
                "royal-flush": 4,
                "straight-flush": 36,
                "four-of-a-kind": 624,
                "full-house": 3_744,
                "flush": 5_108,
                "straight": 10_200,
                "three-of-a-kind": 54_912,
                "two-pair": 123_552,
                "pair-of-sixes-or-better": 9 * 84_480,
                "pair": 4 * 84_480,
                "any": 1_302_540,
            },
        ),
        (
            "four-card",
            5,
            {
                "four-aces": 48,
                "four-of-a-kind": 576,
                "straight-flush": 2_072,
                "three-of-a-kind": 58_656,
                "flush": 114_616,
                "straight": 101_808,
                "two-pair": 123_552,
                "pair": 1_047_552,
                "any": 1_150_080,
            },
        ),
        (
            "three-card",
            3,
            {
                "mini-royal-spades": 1,
                "mini-royal": 3,
                "straight-flush": 44,
                "three-of-a-kind": 52,
                "straight": 720,
                "flush": 1_096,
                "pair": 3_744,
                "any": 16_440,
            },
        ),
        (
            "six-card-bonus",
            6,
            {
                "six-card-royal-flush-diamonds": 1,
                "six-card-royal-flush": 3,
                "royal-flush": 184,
                "straight-flush": 1_656,
                "four-of-a-kind": 14_664,
                "full-house": 165_984,
                "flush": 205_792,
                "straight": 361_620,
                "three-of-a-kind": 732_160,
                "any": 18_876_456,
            },
        ),
        (
            "two-card-bonus",
            2,
            {
                "pair-of-aces": 6,
                "ace-king-suited": 4,
                "ace-queen-or-jack-suited": 8,
                "ace-king-offsuit": 12,
                "pair-of-jacks-or-better": 18,
                "ace-queen-or-jack-offsuit": 24,
                "pair": 54,
                "any": 1_200,
            },
        ),
    ],
)
def test_every_hand_is_counted_in_one_row(
    ranking: str, dealt: int, expected: dict[str, int]
) -> None:
    """The counts of each row are exact, and together they are all hands that can be dealt."""
    hands = kept_tally(ranking, dealt)
    assert dict(zip(expected, hands.row_counts(list(expected)), strict=True)) == expected
    assert hands.total == sum(expected.values()) == comb(52, dealt)


def test_a_row_takes_only_what_no_row_above_took() -> None:
    """Without a row of its own a royal flush is paid as a straight flush, never as a flush."""
    assert kept_tally("five-card", 5).row_counts(["straight-flush", "flush"]) == (40, 5_108)
    assert kept_tally("five-card", 5).row_counts(["flush"]) == (5_108,)


def test_aces_against_aces_are_counted_over_both_hands() -> None:
    """Player and dealer hold all four aces in 6 of 1,624,350 deals."""
    hands = kept_tally("two-card-bonus-both", 4)
    assert hands.total == comb(52, 2) * comb(50, 2)
    assert hands.row_counts(["aces-against-aces", "pair-of-aces"]) == (6, 6 * (1_225 - 1))


def test_a_wrong_number_of_cards_is_refused() -> None:
    """A ranking counts only hands that it can rank."""
    with pytest.raises(ValueError, match="not for 4 cards"):
        tally("three-card", 4)
