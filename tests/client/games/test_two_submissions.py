"""Under two lawful submissions of one game the table pays what exact odds say of each.

Every hand that a side bet can be dealt is settled by the code of the table and counted; the counts
of hands come from `jackpot.odds`. Where there are too many hands, a seeded sample is settled under
both submissions, and must agree with exact odds within five standard errors.
"""

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import pytest

from jackpot.core.config import BaseTerms
from jackpot.rules.base_game import paytable_of
from jackpot.rules.cards import DECK
from jackpot.rules.chances import kept_tally
from jackpot.rules.compile_base_game import WagerChoice
from table_client.table.games.catalogue import GAMES
from table_client.table.ports import Way
from table_client.table.round.round_state import Layout
from table_client.table.round.verdicts import settle_bet
from table_client.table.trace import Trace
from tests.client.games.tables import (
    CARIBBEAN,
    CRISS,
    DOLLAR,
    FOUR,
    HOLDEM,
    PA,
    RIDE,
    THREE,
    Scripted,
    terms_of,
)

SAMPLE = 6_000


def average(rule: str, bet: str, terms: BaseTerms, hands: Iterable[tuple[str, ...]]) -> Fraction:
    """What the table pays on a dollar, on the average of these hands."""
    layout = Layout(GAMES[rule], terms, Way.AUTOMATED_SHOE, Trace(), {1: Scripted()})
    seat = layout.seats[1]
    seat.wagers = {bet: DOLLAR}
    total, many = 0, 0
    deal = GAMES[rule].rule.deal
    own = deal.seat_cards if deal else 0
    for cards in hands:
        seat.cards, layout.community = list(cards[:own]), list(cards[own:])
        total += settle_bet(layout, seat, layout.bet(bet)).net_micros
        many += 1
    return Fraction(total, many * DOLLAR)


SMALL = [
    (RIDE, "three-card-bonus", 3, {"paytables": {"three-card-bonus": "A"}}),
    (RIDE, "three-card-bonus", 3, {"paytables": {"three-card-bonus": "F"}}),
    (THREE, "pair-plus", 3, {}),
    (THREE, "pair-plus", 3, {"wagers": {"pair-plus": WagerChoice(pays={"flush": "4 to 1"})}}),
    (HOLDEM, "bonus", 2, {"paytables": {"bonus": "standard"}}),
    (HOLDEM, "bonus", 2, {"wagers": {"bonus": WagerChoice(pays={"pair": "4 to 1"})}}),
]


def exact(rule: str, bet_id: str, terms: BaseTerms, cards: int) -> tuple[Fraction, float]:
    """The return of a side bet by counting every hand, and the standard error of one hand."""
    bet = GAMES[rule].rule.bet(bet_id)
    assert bet
    paytable = paytable_of(terms, bet)
    counts, total = Counter[Fraction](), math.comb(52, cards)
    found = kept_tally(bet.ranking, cards).row_counts([row.hand for row in paytable.rows])
    for row, count in zip(paytable.rows, found, strict=True):
        counts[Fraction(*row.pay.won_per_wager)] += count
    counts[Fraction(-1)] += total - sum(counts.values())
    mean = sum(won * count for won, count in counts.items()) / total
    square = sum((won - mean) ** 2 * count for won, count in counts.items()) / total
    return Fraction(mean), math.sqrt(square)


@pytest.mark.parametrize(
    ("rule", "bet", "cards", "filed"),
    SMALL,
    ids=[f"{each[1]}-{number}" for number, each in enumerate(SMALL)],
)
def test_every_hand_of_a_small_side_bet_pays_its_odds(
    rule: str, bet: str, cards: int, filed: dict[str, Any]
) -> None:
    """To the last micro, under each of two submissions."""
    terms = terms_of(rule, **filed)
    mean, _ = exact(rule, bet, terms, cards)
    assert average(rule, bet, terms, itertools.combinations(DECK, cards)) == mean


LARGE = [
    (PA, "queens-up", 5, ("A", "D")),
    (FOUR, "aces-up", 5, ("I", "VII")),
    (CARIBBEAN, "bonus", 5, ("A", "C")),
]


@pytest.mark.parametrize(("rule", "bet", "cards", "paytables"), LARGE)
def test_a_sample_of_a_large_side_bet_pays_its_odds(
    rule: str, bet: str, cards: int, paytables: tuple[str, str]
) -> None:
    """Six thousand hands under each submission, within five standard errors."""
    draw = random.Random(f"{rule}/{bet}")
    hands = [tuple(draw.sample(DECK, cards)) for _ in range(SAMPLE)]
    means = []
    for paytable in paytables:
        terms = terms_of(rule, paytables={bet: paytable})
        mean, deviation = exact(rule, bet, terms, cards)
        means.append(mean)
        error = abs(float(average(rule, bet, terms, hands) - mean))
        assert error <= 5 * deviation / math.sqrt(SAMPLE)
    assert means[0] != means[1]


@pytest.mark.parametrize(("chosen", "better"), [("push", "pair-of-jacks"), ("win", "pair-of-tens")])
def test_criss_cross_pays_its_odds_under_both_readings(chosen: str, better: str) -> None:
    """An Across Bet on six thousand hands, where a pair of tens is returned, and where it wins."""
    draw = random.Random("across")
    hands = [(*(c := draw.sample(DECK, 5))[:2], "", *c[2:], "") for _ in range(SAMPLE)]
    terms = terms_of(CRISS, pair_of_tens=chosen)
    mean, deviation = exact(CRISS, "across", terms, 5)
    error = abs(float(average(CRISS, "across", terms, hands) - mean))
    assert error <= 5 * deviation / math.sqrt(SAMPLE)
    bet = GAMES[CRISS].rule.bet("across")
    assert bet
    assert any(row.hand == f"{better}-or-better" for row in paytable_of(terms, bet).rows)
