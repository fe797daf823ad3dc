"""Odds that are looked up are those that counting all hands gives."""

import pytest

from jackpot.rules.chances import (
    HIGHER_OF_TWO_KEY,
    chances,
    is_counted,
    kept_tallies,
    one_in,
    tally_key,
)
from jackpot.rules.loader import rules
from tools.hand_counts import counted, keys

QUICK = [key for key in keys() if key in ("three-card/3", "two-card-bonus/2")]
SECONDS = [key for key in keys() if key not in QUICK]


def test_every_tally_that_a_paytable_needs_is_kept() -> None:
    """And none besides."""
    assert sorted(kept_tallies()) == keys()
    assert len(QUICK) == 2
    assert {"five-card/5", "six-card-bonus/6", HIGHER_OF_TWO_KEY} < set(SECONDS)


@pytest.mark.parametrize(
    "key", [*QUICK, *(pytest.param(key, marks=pytest.mark.exhaustive) for key in SECONDS)]
)
def test_what_is_kept_is_what_is_counted(key: str) -> None:
    """Every hand, ranked and named again."""
    kept, now = kept_tallies()[key], counted(key)
    assert (kept.total, dict(kept.groups)) == (now.total, dict(now.groups))


@pytest.mark.parametrize(
    ("rule", "bet", "hand", "odds"),
    [
        ("pa-crazy-4-poker", "five-card-progressive", "royal-flush", "1 in 649,740"),
        ("pa-crazy-4-poker", "four-card-progressive", "four-aces", "1 in 54,145"),
        ("pa-2010-three-card-poker", "pair-plus", "straight-flush", "1 in 502.3"),
    ],
)
def test_known_odds(rule: str, bet: str, hand: str, odds: str) -> None:
    """Of awards whose odds any table of odds has."""
    found = rules()[rule].bet(bet)
    assert found
    hands = [row.hand for row in found.paytables[0].rows]
    known = chances(rules()[rule], found, hands)
    assert known
    assert known.texts[hands.index(hand)] == odds


def test_what_depends_on_the_dealer_has_no_odds() -> None:
    """Ante and Play are decided against the dealer's hand."""
    rule = rules()["pa-crazy-4-poker"]
    for bet in rule.bets:
        hands = [row.hand for table in bet.paytables[:1] for row in table.rows]
        assert (chances(rule, bet, hands) is None) == (not is_counted(bet))
    ante = rule.bet("super-bonus")
    assert ante
    assert chances(rule, ante, ["royal-flush"]) is None


@pytest.mark.parametrize(
    ("count", "total", "text"),
    [(0, 10, "never"), (1, 649_740, "1 in 649,740"), (3, 10, "1 in 3.3"), (4, 10, "1 in 2.5")],
)
def test_odds_in_words(count: int, total: int, text: str) -> None:
    """To a tenth, and a whole number without one."""
    assert one_in(count, total) == text


def test_a_higher_of_two_hand_has_a_tally_of_its_own() -> None:
    """The Middle Bet is paid by the higher of two hands that share three cards."""
    rule = rules()["pa-2014-criss-cross-poker"]
    middle = rule.bet("middle")
    assert middle
    assert tally_key(rule, middle, middle.ranking) == HIGHER_OF_TWO_KEY
