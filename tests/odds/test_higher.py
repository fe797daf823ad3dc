from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from jackpot.rules import bulk
from jackpot.rules.cards import DECK
from jackpot.rules.chances import HIGHER_OF_TWO, HIGHER_OF_TWO_KEY, kept_tallies
from jackpot.rules.loader import rules
from tools import hand_counts


@pytest.mark.rule("PA2014 592.11(h)(4)")
def test_the_middle_bet_is_paid_on_the_higher_hand() -> None:
    """Over all deals of both hands a royal flush comes twice as often as in one hand."""
    hands = kept_tallies()[HIGHER_OF_TWO_KEY]
    assert hands.total == 22_100 * 1_176 * 1_081
    (royal,) = hands.row_counts(["royal-flush"])
    # Two royal flushes can't share three cards and differ, so the two chances simply add.
    assert Fraction(royal, hands.total) == 2 * Fraction(4, 2_598_960)
    bet = rules()["pa-2014-criss-cross-poker"].bet("middle")
    assert bet is not None
    assert bet.cards == HIGHER_OF_TWO


@pytest.mark.parametrize("shared", ["As Ks Qs", "2c 2d 2h", "7c 8d 9h", "5c 5d Ks"])
def test_deals_with_given_shared_cards_are_all_counted(shared: str) -> None:
    """For one triple the count agrees with every pair of hands looked at one by one."""
    word = bulk.word_of(tuple(shared.split()))
    starts, _ = hand_counts._groups()
    rest = [bulk.word_of((card,)) for card in DECK if card not in shared.split()]
    pairs = np.array([one | other for one, other in combinations(rest, 2)], dtype=np.uint64)
    codes = bulk.ranks("five-card", pairs | np.uint64(word))
    expected = np.zeros(len(starts), dtype=np.int64)
    for pair, code in zip(pairs, codes, strict=True):
        dealt_with_it = (pairs & pair) == 0
        group = np.searchsorted(starts, np.maximum(codes[dealt_with_it], code), side="right") - 1
        expected += np.bincount(group, minlength=len(starts))
    assert np.array_equal(hand_counts._deals(word, starts), expected)
