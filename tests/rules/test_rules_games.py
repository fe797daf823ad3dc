"""What each chapter says of its table, its deal and who may place which wager."""

import pytest

from jackpot.core.money import MICROS_PER_DOLLAR
from jackpot.rules.cards import parse_cards
from jackpot.rules.contest import pays
from jackpot.rules.loader import rules
from jackpot.rules.model import BetRule


def bet(rule: str, bet_id: str) -> BetRule:
    """A bet that must exist."""
    found = rules()[rule].bet(bet_id)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("rule", "seats"),
    [
        pytest.param(rule, seats, marks=pytest.mark.rule(clause))
        for rule, seats, clause in (
            ("pa-crazy-4-poker", 6, "PA 657a.2(a)"),
            ("pa-2011-crazy-4-poker", 6, "PA2011 573.2(a)"),
            ("pa-2011-caribbean-stud", 7, "PA2010 555.2(a)"),
            ("pa-2010-four-card-poker", 7, "PA2010 557.2(a)"),
            ("pa-2010-let-it-ride", 7, "PA2010 559.2(a)"),
            ("pa-2010-pai-gow-poker", 6, "PA2010 561.2(a)"),
            ("pa-2011-texas-holdem-bonus", 6, "PA2010 563.2(a)"),
            ("pa-2010-three-card-poker", 7, "PA2010 565.2(a)"),
            ("pa-2014-criss-cross-poker", 6, "PA2014 592.2(a)"),
            ("pa-2010-poker-bad-beat", 10, "PA2010 553.2(a)"),
        )
    ],
)
def test_how_many_players_a_table_has(rule: str, seats: int) -> None:
    """The most seats that a table of the game may have."""
    table = rules()[rule].table
    assert table is not None
    assert table.seats == seats


@pytest.mark.parametrize(
    ("rule", "player", "dealer", "common", "joker"),
    [
        pytest.param(rule, *cards, joker, marks=[pytest.mark.rule(one) for one in clauses])
        for rule, cards, joker, clauses in (
            ("pa-crazy-4-poker", (5, 5, 0), False, ["PA 657a.8(d)"]),
            ("ma-crazy-4-poker", (5, 5, 0), False, ["MA 7(d)"]),
            ("pa-2011-crazy-4-poker", (5, 5, 0), False, ["PA2011 573.8(d)"]),
            ("pa-2011-caribbean-stud", (5, 5, 0), False, ["PA2010 555.8(d)"]),
            ("pa-2010-four-card-poker", (5, 6, 0), False, ["PA2010 557.8(d)"]),
            ("pa-2010-let-it-ride", (3, 0, 2), False, ["PA2010 559.10(e)", "PA2010 559.1"]),
            ("pa-2010-pai-gow-poker", (7, 7, 0), True, ["PA2010 561.9(c)", "PA2010 561.1"]),
            ("pa-2011-texas-holdem-bonus", (2, 2, 5), False, ["PA2010 563.8(e)", "PA2010 563.1"]),
            ("pa-2010-three-card-poker", (3, 3, 0), False, ["PA2010 565.8(d)"]),
            ("pa-2014-criss-cross-poker", (2, 0, 5), False, ["PA2014 592.8(d)", "PA2014 592.1"]),
            ("pa-2011-ultimate-texas-holdem", (2, 2, 5), False,
             ["PA2011 569.10(b)", "PA2011 569.10(c)"]),
        )
    ],
)  # fmt: skip
def test_how_many_cards_make_a_round(
    rule: str, player: int, dealer: int, common: int, *, joker: bool
) -> None:
    """Cards to each player, to the dealer and in common, and whether the deck has a joker."""
    deal = rules()[rule].deal
    assert deal is not None
    assert (deal.seat_cards, deal.dealer_cards, deal.community_cards) == (player, dealer, common)
    assert deal.joker == joker


@pytest.mark.parametrize(
    ("rule", "most"),
    [
        pytest.param(rule, most, marks=pytest.mark.rule(clause))
        for rule, most, clause in (
            ("pa-crazy-4-poker", 0, "PA 657a.7(e)"),
            ("ma-crazy-4-poker", 1, "MA 6(e)"),
            ("pa-2011-crazy-4-poker", 1, "PA2011 573.7(e)"),
            ("pa-2011-caribbean-stud", 1, "PA2011 555.7(f)"),
            ("pa-2010-four-card-poker", 2, "PA2010 557.7(e)"),
            ("pa-2010-let-it-ride", 2, "PA2010 559.7(e)"),
            ("pa-2010-pai-gow-poker", 2, "PA2010 561.7(d)"),
            ("pa-2011-texas-holdem-bonus", 1, "PA2010 563.7(f)"),
            ("pa-2010-three-card-poker", 2, "PA2010 565.7(e)"),
            ("pa-2014-criss-cross-poker", 1, "PA2014 592.7(g)"),
        )
    ],
)
def test_how_many_positions_one_person_may_play(rule: str, most: int) -> None:
    """The most adjacent positions; 0 where the operator declares it."""
    boxes = rules()[rule].boxes
    assert boxes is not None
    assert boxes.most == most


@pytest.mark.parametrize(
    ("rule", "bet_id", "requires", "optional", "medium"),
    [
        pytest.param(*case, marks=[pytest.mark.rule(one) for one in clauses])
        for case, clauses in (
            (("pa-crazy-4-poker", "ante", (), False, "chips"), ["PA 657a.7(d)(1)"]),
            (("pa-crazy-4-poker", "super-bonus", ("ante",), False, "chips"), ["PA 657a.7(d)(1)"]),
            (("pa-crazy-4-poker", "queens-up", ("ante", "super-bonus"), True, "chips"),
             ["PA 657a.7(d)(2)"]),
            (("pa-crazy-4-poker", "four-card-progressive", ("ante", "super-bonus"), True, "chips"),
             ["PA 657a.7(d)(3)"]),
            (("pa-crazy-4-poker", "five-card-progressive", ("ante", "super-bonus"), True, "chips"),
             ["PA 657a.7(d)(4)"]),
            (("pa-crazy-4-poker", "five-card-hand-bonus", ("ante", "super-bonus"), True,
              "electronic"), ["PA 657a.7(d)(5)", "PA 657a.2(b)(4)"]),
            (("pa-crazy-4-poker", "six-card-bonus", ("ante", "super-bonus"), True, "chips"),
             ["PA 657a.7(d)(6)"]),
            (("ma-crazy-4-poker", "super-bonus", ("ante",), False, "chips"), ["MA 6(d)(1)"]),
            (("ma-crazy-4-poker", "queens-up", ("ante", "super-bonus"), True, "chips"),
             ["MA 6(d)(2)"]),
            (("ma-crazy-4-poker", "four-card-progressive", ("ante", "super-bonus"), True, "chips"),
             ["MA 6(d)(3)"]),
            (("ma-crazy-4-poker", "five-card-progressive", ("ante", "super-bonus"), True, "chips"),
             ["MA 6(d)(4)"]),
            (("ma-crazy-4-poker", "five-card-hand-bonus", ("ante", "super-bonus"), True,
              "electronic"), ["MA 6(d)(5)"]),
            (("pa-2011-crazy-4-poker", "super-bonus", ("ante",), False, "chips"),
             ["PA2011 573.7(d)(1)"]),
            (("pa-2011-crazy-4-poker", "queens-up", ("ante", "super-bonus"), True, "chips"),
             ["PA2011 573.7(d)(2)"]),
            (("pa-2011-crazy-4-poker", "progressive", ("ante", "super-bonus"), True, "chips"),
             ["PA2011 573.7(d)(3)"]),
            (("pa-2011-caribbean-stud", "progressive", ("ante",), True, "chips"),
             ["PA2011 555.7(c)", "PA2010 555.7(c)"]),
            (("pa-2011-caribbean-stud", "bet", ("ante",), False, "chips"),
             ["PA2011 555.7(d)", "PA2010 555.7(d)"]),
            (("pa-2011-caribbean-stud", "bonus", ("ante",), True, "chips"), ["PA2011 555.7(e)"]),
            (("pa-2010-four-card-poker", "play", ("ante",), True, "chips"),
             ["PA2010 557.7(a)(1)", "PA2010 557.7(a)(3)"]),
            (("pa-2010-four-card-poker", "aces-up", (), True, "chips"),
             ["PA2010 557.7(a)(2)", "PA2010 557.7(a)(3)"]),
            (("pa-2010-let-it-ride", "bet-3", ("bet-1", "bet-2"), False, "chips"),
             ["PA2010 559.7(d)"]),
            (("pa-2010-let-it-ride", "bonus", ("bet-1", "bet-2", "bet-3"), True, "chips"),
             ["PA2010 559.8(a)", "PA2010 559.8(b)"]),
            (("pa-2010-let-it-ride", "three-card-bonus", ("bet-1", "bet-2", "bet-3"), True,
              "chips"), ["PA2010 559.9(a)", "PA2010 559.9(b)"]),
            (("pa-2011-texas-holdem-bonus", "bonus", ("ante",), True, "chips"),
             ["PA2010 563.7(c)"]),
            (("pa-2010-three-card-poker", "play", ("ante",), True, "chips"),
             ["PA2010 565.7(a)(1)", "PA2010 565.7(a)(3)"]),
            (("pa-2010-three-card-poker", "pair-plus", (), True, "chips"),
             ["PA2010 565.7(a)(2)", "PA2010 565.7(a)(3)"]),
            (("pa-2014-criss-cross-poker", "ante-down", ("ante-across",), False, "chips"),
             ["PA2014 592.7(d)"]),
            (("pa-2014-criss-cross-poker", "five-card-bonus", ("ante-across", "ante-down"), True,
              "chips"), ["PA2014 592.7(e)"]),
        )
    ],
)  # fmt: skip
def test_who_may_place_a_wager(
    rule: str, bet_id: str, requires: tuple[str, ...], medium: str, *, optional: bool
) -> None:
    """Which wagers come first, whether it is an offer, and whether it is a chip or a debit."""
    one = bet(rule, bet_id)
    assert (one.requires, one.optional, one.medium) == (requires, optional, medium)


@pytest.mark.parametrize(
    ("rule", "bet_id", "allowed"),
    [
        pytest.param(rule, bet_id, allowed, marks=pytest.mark.rule(clause))
        for rule, bet_id, allowed, clause in (
            ("pa-crazy-4-poker", "four-card-progressive", (1, 5), "PA 657a.12(d)(5)"),
            ("pa-crazy-4-poker", "five-card-progressive", (1, 5), "PA 657a.12(e)(5)"),
            ("ma-crazy-4-poker", "four-card-progressive", (1, 5), "MA 11(d)(5)"),
            ("ma-crazy-4-poker", "five-card-progressive", (1, 5), "MA 11(e)(5)"),
            ("pa-2011-crazy-4-poker", "progressive", (1, 5), "PA2011 573.12(d)(5)"),
            ("pa-2011-caribbean-stud", "progressive", (1,), "PA2011 555.7(c)"),
            ("pa-2010-let-it-ride", "bonus", (1,), "PA2010 559.8(b)"),
        )
    ],
)
def test_which_denominations_a_wager_has(rule: str, bet_id: str, allowed: tuple[int, ...]) -> None:
    """With envy bonuses only those that have a schedule; $1 where the text says so."""
    wager = bet(rule, bet_id).wager
    assert wager is not None
    assert wager.allowed_micros == tuple(dollars * MICROS_PER_DOLLAR for dollars in allowed)


@pytest.mark.parametrize(
    ("rule", "word"),
    [
        pytest.param(rule, "to", marks=pytest.mark.rule(clause))
        for rule, clause in (
            ("pa-2011-caribbean-stud", "PA2010 555.13(a)"),
            ("pa-2010-let-it-ride", "PA2010 559.14(a)"),
            ("pa-2011-texas-holdem-bonus", "PA2010 563.12(a)"),
        )
    ],
)
def test_odds_are_stated_with_to_and_never_with_for(rule: str, word: str) -> None:
    """Where the chapter forbids "for", no paytable of the game has it."""
    kinds = {
        row.pay.kind for one in rules()[rule].bets for table in one.paytables for row in table.rows
    }
    assert word in kinds
    assert "for" not in kinds


@pytest.mark.rule("PA2010 563.12(d)")
def test_both_having_aces_pays_at_least_1000_to_1() -> None:
    """Only where offered, and only when player and dealer both hold a pair of aces."""
    bonus = bet("pa-2011-texas-holdem-bonus", "bonus")
    both, plain = bonus.paytable("with-both-aces"), bonus.paytable("standard")
    assert both is not None
    assert plain is not None
    assert both.minimum
    assert pays(bonus, both, parse_cards("As Ah Ad Ac")) == 1_000
    assert pays(bonus, both, parse_cards("As Ah Ad Kc")) == 30
    assert pays(bonus, plain, parse_cards("As Ah")) == 30


@pytest.mark.parametrize(
    ("rule", "bet_id", "table"),
    [
        pytest.param(rule, bet_id, table, marks=pytest.mark.rule(clause))
        for rule, bet_id, table, clause in (
            ("pa-2011-caribbean-stud", "bet", "only", "PA2010 555.13(c)"),
            ("pa-2011-caribbean-stud", "progressive", "only", "PA2010 555.13(d)"),
            ("pa-2010-four-card-poker", "ante-bonus", "only", "PA2010 557.12(a)(2)"),
            ("pa-2010-let-it-ride", "bet-1", "only", "PA2010 559.14(b)"),
            ("pa-2010-let-it-ride", "bonus", "only", "PA2010 559.14(d)"),
            ("pa-2010-let-it-ride", "three-card-bonus", "A", "PA2010 559.14(e)"),
            ("pa-2011-texas-holdem-bonus", "bonus", "standard", "PA2010 563.12(c)"),
            ("pa-2011-texas-holdem-bonus", "bonus", "with-both-aces", "PA2010 563.12(c)"),
            ("pa-2010-three-card-poker", "pair-plus", "only", "PA2010 565.12(d)"),
        )
    ],
)
def test_these_paytables_are_minima(rule: str, bet_id: str, table: str) -> None:
    """The operator may pay more than they say; every other paytable is fixed."""
    found = bet(rule, bet_id).paytable(table)
    assert found is not None
    assert found.minimum


def test_no_paytable_in_force_is_a_minimum() -> None:
    """657a and Massachusetts fix every payment."""
    for rule in ("pa-crazy-4-poker", "ma-crazy-4-poker", "pa-2011-crazy-4-poker"):
        assert not any(table.minimum for one in rules()[rule].bets for table in one.paytables)
