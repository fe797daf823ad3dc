"""Returns against figures worked out by hand, and the long run against a simulation."""

import random
from fractions import Fraction

import pytest

from jackpot.core.money import MICROS_PER_DOLLAR
from jackpot.odds.counting import tally
from jackpot.odds.offer import (
    Choices,
    Envy,
    Line,
    Meter,
    OddsError,
    Offer,
    make_offer,
)
from jackpot.odds.returns import Report, report, return_at
from jackpot.rules.chances import is_counted
from jackpot.rules.compile_link import LevelChoice
from jackpot.rules.loader import rules

HANDS = 2_598_960
LONG = {"six-card-bonus", "middle"}  # bets whose count of every hand takes seconds


def has_long_counts(rule: str) -> bool:
    """Whether the odds of a whole rule take seconds."""
    return any(rules()[rule].bet(bet) for bet in LONG)


COUNTED = [
    pytest.param(
        *(rule.id, bet.id, table.id),
        marks=[pytest.mark.exhaustive] if bet.id in LONG else [],
    )
    for rule in rules().values()
    for bet in rule.bets
    if is_counted(bet)
    for table in bet.paytables
]


def odds(rule_id: str, bet_id: str, paytable_id: str, choices: Choices | None = None) -> Report:
    """The odds of one wager by its ids."""
    rule = rules()[rule_id]
    bet = rule.bet(bet_id)
    assert bet is not None
    paytable = bet.paytable(paytable_id)
    assert paytable is not None
    return report(make_offer(rule, bet, paytable, choices or Choices()))


def dollars(amount: int) -> int:
    """Dollars in micros."""
    return amount * MICROS_PER_DOLLAR


FIXED_FIVE_CARD = 3_744 * 50 + 5_108 * 40 + 10_200 * 30


@pytest.mark.rule("PA 657a.12(e)(1)")
@pytest.mark.rule("PA 657a.12(e)(3)")
@pytest.mark.parametrize(
    ("paytable", "fixed", "at_seed", "rates", "reseeds"),
    [
        ("A", 624 * 300 + 54_912 * 9, 40_000 + 36_000, 21, 4 * 10_000),
        ("B", 624 * 300 + 54_912 * 9, 40_000 + 36_000, 21, 4 * 10_000 + 36 * 1_000),
        ("C", 54_912 * 10, 40_000 + 36_000 + 156_000, 19, 40_000 + 36_000 + 156_000),
        ("D", 54_912 * 9, 40_000 + 36_000 + 156_000, 21, 40_000 + 36_000 + 156_000),
    ],
)
@pytest.mark.parametrize("wager", [1, 5])
def test_five_card_progressive_returns(
    paytable: str, fixed: int, at_seed: int, rates: int, reseeds: int, wager: int
) -> None:
    """Fixed, at seed and long run are the hand-counted fractions, the same at $1 and $5."""
    choices = Choices(wager_micros=dollars(wager))
    found = odds("pa-crazy-4-poker", "five-card-progressive", paytable, choices)
    expected = Fraction(FIXED_FIVE_CARD + fixed, HANDS)
    assert found.fixed_return == expected
    assert found.return_at_seed == expected + Fraction(at_seed, HANDS)
    assert found.long_run_return == expected + Fraction(rates, 100) + Fraction(reseeds, HANDS)
    assert found.warnings == ()


@pytest.mark.rule("PA 657a.12(d)(1)")
@pytest.mark.rule("PA 657a.12(d)(3)")
def test_four_card_progressive_returns() -> None:
    """The reserve of paytable B comes back to the players like the primary rate."""
    fixed = 576 * 300 + 2_072 * 100
    table_a = odds("pa-crazy-4-poker", "four-card-progressive", "A")
    table_b = odds("pa-crazy-4-poker", "four-card-progressive", "B")
    assert table_a.fixed_return == Fraction(fixed + 58_656 * 9, HANDS)
    assert table_b.fixed_return == Fraction(fixed + 58_656 * 15, HANDS)
    assert table_a.long_run_return == table_a.fixed_return + Fraction(29, 100) + Fraction(
        48 * 5_000, HANDS
    )
    assert table_b.long_run_return == table_b.fixed_return + Fraction(30, 100) + Fraction(
        48 * 1_000, HANDS
    )
    (level,) = table_b.levels
    assert level.wagers_between_hits == 54_145
    assert level.rounds_between_hits == Fraction(54_145, 6)
    assert level.mean_award == 1_000 + Fraction(30, 100) * 54_145


@pytest.mark.rule("PA 657a.12(f)(1)")
@pytest.mark.rule("PA 657a.12(f)(4)")
def test_hand_bonus_is_reseeded_by_its_players_alone() -> None:
    """With a reseed of nothing the long run is the fixed awards and the two rates."""
    found = odds("pa-crazy-4-poker", "five-card-hand-bonus", "only")
    fixed = Fraction(624 * 500 + 3_744 * 100 + 5_108 * 50, HANDS)
    assert found.fixed_return == fixed
    assert found.return_at_seed == fixed + Fraction(4 * 10_000 + 36 * 1_000, HANDS)
    assert found.long_run_return == fixed + Fraction(21, 100)


@pytest.mark.rule("PA 657a.12(f)(2)")
def test_a_jackpot_on_the_dealers_hand_is_divided() -> None:
    """With six on the dealer's hand each meets a sixth of the meter, which grows six times."""
    mine = odds("pa-crazy-4-poker", "five-card-hand-bonus", "only")
    theirs = odds("pa-crazy-4-poker", "five-card-hand-bonus", "only", Choices(whose="dealer"))
    assert theirs.fixed_return == mine.fixed_return
    assert theirs.long_run_return == mine.long_run_return
    assert theirs.levels[0].return_per_dollar == mine.levels[0].return_per_dollar / 6
    assert mine.levels[0].mean_award is not None
    assert theirs.levels[0].mean_award == 6 * mine.levels[0].mean_award
    assert theirs.levels[0].rounds_between_hits == 649_740
    alone = Choices(whose="dealer", seats=1)
    single = odds("pa-crazy-4-poker", "five-card-hand-bonus", "only", alone)
    assert single.return_at_seed == mine.return_at_seed


@pytest.mark.rule("PA 657a.12(f)(3)")
def test_magic_card_and_lucky_bonus_add_by_their_share_of_rounds() -> None:
    """A Magic Card in every round returns 192%; both are added as often as they are offered."""
    choices = Choices(magic_share_bps=1_000, lucky_share_bps=5_000)
    found = odds("pa-crazy-4-poker", "five-card-hand-bonus", "only", choices)
    magic, lucky = found.offer.extras
    assert magic.return_when_offered == Fraction(100, 52)
    assert lucky.return_when_offered == Fraction(5, 7)
    assert found.extras_return == Fraction(10, 52) + Fraction(5, 14)
    assert found.long_run_return is not None
    assert found.long_run_total == found.long_run_return + found.extras_return
    assert found.long_run_total > 1
    assert "more than 100%" in found.warnings[0]


@pytest.mark.rule("PA 657a.12(e)(5)")
@pytest.mark.rule("PA 657a.12(d)(5)(i)")
@pytest.mark.rule("PA 657a.12(d)(5)(ii)")
@pytest.mark.parametrize("wager", [1, 5])
@pytest.mark.parametrize(
    ("bet", "paytable", "each"),
    [
        ("five-card-progressive", "A", 4 * 1_000 + 36 * 300),
        ("four-card-progressive", "A", 48 * 100 + 576 * 10 + 2_072 * 5),
        ("four-card-progressive", "B", 48 * 100 + 576 * 25),
    ],
)
def test_envy_adds_with_every_other_player(bet: str, paytable: str, each: int, wager: int) -> None:
    """Envy's share grows with the other players' hands and is nothing for one alone."""
    choices = Choices(wager_micros=dollars(wager))
    found = odds("pa-crazy-4-poker", bet, paytable, choices)
    assert found.envy_by_seats == tuple(others * Fraction(each, HANDS) for others in range(6))
    assert found.long_run_return is not None
    assert found.long_run_total == found.long_run_return + found.envy_by_seats[5]


@pytest.mark.rule("PA2010 555.13(d)")
@pytest.mark.rule("PA2010 555.13(e)")
def test_caribbean_stud_fixed_awards_come_out_of_the_meter() -> None:
    """From the meter 70% is all that comes back beyond reseeds; from the house it is added to."""
    levels = {"main": LevelChoice(seed_micros=dollars(10_000), reseed_micros=dollars(5_000))}
    found = odds("pa-2011-caribbean-stud", "progressive", "only", Choices(levels=levels))
    fixed = Fraction(624 * 500 + 3_744 * 100 + 5_108 * 50, HANDS)
    reseeds = Fraction(4 * 5_000, HANDS)
    assert found.fixed_return == fixed
    assert found.long_run_return == Fraction(70, 100) + reseeds
    from_house = Choices(levels=levels, fixed_awards_from="house")
    other = odds("pa-2011-caribbean-stud", "progressive", "only", from_house)
    assert other.long_run_return == Fraction(70, 100) + reseeds + fixed
    assert "more than 100%" in other.warnings[0]
    assert found.warnings == ()


def test_a_meter_that_fixed_awards_eat_up_is_warned_of() -> None:
    """Where fixed awards take more than the rate brings there is no long run to tell."""
    levels = {"main": LevelChoice(seed_micros=0, reseed_micros=0)}
    pays = {"flush": "$500"}
    found = odds("pa-2011-caribbean-stud", "progressive", "only", Choices(levels=levels, pays=pays))
    assert found.long_run_return is None
    assert found.warnings == ("the fixed awards take more from the main meter than its rate adds",)


@pytest.mark.rule("PA2010 555.13(d)")
def test_a_straight_flush_may_pay_an_amount_instead() -> None:
    """The other payment that the law allows changes the fixed return."""
    share = odds("pa-2011-caribbean-stud", "progressive", "only")
    pays = {"straight-flush": "$5,000"}
    amount = odds("pa-2011-caribbean-stud", "progressive", "only", Choices(pays=pays))
    assert amount.fixed_return == share.fixed_return + Fraction(36 * 5_000, HANDS)


@pytest.mark.rule("MA 11(d)(3)")
def test_massachusetts_long_run_needs_the_operators_rate() -> None:
    """What the law leaves open is unknown until it is chosen, and minima stand until then."""
    found = odds("ma-crazy-4-poker", "four-card-progressive", "A")
    assert found.return_at_seed == found.fixed_return + Fraction(48 * 5_000, HANDS)
    assert found.long_run_return is None
    assert found.long_run_variance is None
    levels = {"main": LevelChoice(primary_bps=2_500)}
    chosen = odds("ma-crazy-4-poker", "four-card-progressive", "A", Choices(levels=levels))
    assert chosen.return_at_seed is not None
    assert chosen.long_run_return == chosen.return_at_seed + Fraction(1, 4)


@pytest.mark.parametrize(
    ("rule", "bet", "paytable", "choices", "complaint"),
    [
        (
            *("ma-crazy-4-poker", "four-card-progressive", "A"),
            Choices(levels={"main": LevelChoice(seed_micros=dollars(5_000) - 10_000)}),
            r"seed of main is below the minimum allowed \(MA 11",
        ),
        (
            *("pa-crazy-4-poker", "four-card-progressive", "A"),
            Choices(levels={"main": LevelChoice(primary_bps=2_901)}),
            r"primary rate of main is fixed \(PA 657a.12\(d\)\(3\)\)",
        ),
        (
            *("pa-2011-caribbean-stud", "progressive", "only"),
            Choices(levels={"main": LevelChoice(primary_bps=6_999)}),
            "below the minimum allowed",
        ),
        (
            *("pa-crazy-4-poker", "five-card-progressive", "A"),
            Choices(wager_micros=dollars(2)),
            r"takes a wager of \$1 or \$5",
        ),
        (*("pa-crazy-4-poker", "five-card-progressive", "A"), Choices(seats=7), "1 to 6 seats"),
        (*("pa-crazy-4-poker", "five-card-progressive", "A"), Choices(seats=0), "1 to 6 seats"),
        (
            *("pa-crazy-4-poker", "five-card-progressive", "A"),
            Choices(whose="dealer"),
            "not offered on the dealer's hand",
        ),
        (
            *("pa-crazy-4-poker", "five-card-progressive", "A"),
            Choices(pays={"pair": "1 to 1"}),
            "has no row 'pair'",
        ),
        (*("pa-crazy-4-poker", "ante", "only"), Choices(), "not paid by the player's hand alone"),
    ],
)
def test_a_choice_that_cannot_be_is_refused(
    rule: str, bet: str, paytable: str, choices: Choices, complaint: str
) -> None:
    """A choice that the law or the table doesn't leave is refused in one sentence."""
    with pytest.raises(OddsError, match=complaint):
        odds(rule, bet, paytable, choices)


@pytest.mark.parametrize(("rule", "bet", "paytable"), COUNTED)
def test_every_wager_balances(rule: str, bet: str, paytable: str) -> None:
    """No row counts a hand twice, and at the break-even meter exactly the wager comes back."""
    found = odds(rule, bet, paytable)
    assert 0 < sum(chance.count for chance in found.chances) <= found.total
    # The Middle Bet alone gives back more than it takes; the antes that it requires pay for that.
    assert (0 < found.fixed_return < 1) is (bet != "middle")
    assert bool(found.warnings) is (bet == "middle")
    if found.return_at_seed is None:
        return
    assert found.variance_at_seed is not None
    assert found.variance_at_seed > 0
    for level in found.levels:
        assert level.break_even is not None
        assert return_at(found, {level.meter.id: level.break_even}) == 1


@pytest.mark.parametrize(
    ("rule", "bet", "paytable", "house_edge"),
    [
        # House edges that are published for these paytables.
        ("pa-2010-four-card-poker", "aces-up", "V", "3.89"),
        ("pa-2010-let-it-ride", "three-card-bonus", "A", "2.32"),
    ],
)
def test_published_house_edges_are_met(rule: str, bet: str, paytable: str, house_edge: str) -> None:
    """Well-known side bets have their well-known edges."""
    found = odds(rule, bet, paytable)
    assert f"{float(100 - 100 * found.fixed_return):.2f}" == house_edge


@pytest.mark.rule("PA2010 565.12(e)")
def test_an_ante_bonus_comes_on_top_of_the_ante() -> None:
    """A bonus on the Ante counts what it pays, not the Ante that is settled by itself."""
    found = odds("pa-2010-three-card-poker", "ante-bonus", "standard")
    assert found.fixed_return == Fraction(720 * 1 + 52 * 4 + 48 * 5, 22_100)


@pytest.mark.rule("PA2014 592.12(a)")
def test_a_push_gives_the_wager_back() -> None:
    """A push returns the wager and no more."""
    found = odds("pa-2014-criss-cross-poker", "ante-across", "only")
    higher = 4 + 36 + 624 + 3_744 + 5_108 + 10_200 + 54_912 + 123_552 + 4 * 84_480
    assert found.fixed_return == Fraction(2 * higher + 5 * 84_480, HANDS)


def quick_offer(*, borne: bool) -> Offer:
    """An offer whose hits come often enough to simulate: a pair wins all, a flush a tenth."""
    return Offer(
        rule="",
        bet="",
        paytable="",
        title="",
        clause="",
        ranking="three-card",
        dealt=3,
        higher_of_two=False,
        wager=Fraction(2),
        seats=1,
        whose="player",
        minimum=False,
        lines=(
            Line("straight", "$1", dollars=Fraction(1), from_meter="main" if borne else ""),
            Line("flush", "10% of main", share=Fraction(1, 10), level="main"),
            Line("pair", "100% of main", share=Fraction(1), level="main"),
        ),
        meters=(Meter("main", Fraction(9), Fraction(7), Fraction(3, 5), Fraction(1, 5)),),
        envy=(Envy("pair", Fraction(1)),),
        extras=(),
    )


@pytest.mark.parametrize("borne", [False, True])
def test_the_long_run_is_what_a_simulation_finds(borne: bool) -> None:
    """Meter, reserve and awards played out a million times meet the exact mean and variance."""
    offer = quick_offer(borne=borne)
    found = report(offer)
    hands = tally("three-card", 3)
    straight, flush, pair = (
        count / hands.total for count in hands.row_counts(["straight", "flush", "pair"])
    )
    draw = random.Random(20)
    meter, reserve, wagers = 9.0, 0.0, 1_000_000
    paid = squares = hits = won = 0.0
    for _ in range(wagers):
        meter, reserve, award = meter + 0.6, reserve + 0.2, 0.0
        chance = draw.random()
        if chance < pair:
            award, won, hits = meter, won + meter, hits + 1
            meter, reserve = 7 + reserve, 0.0
        elif chance < pair + flush:
            award = meter / 10
            meter -= award
        elif chance < pair + flush + straight:
            award = 1.0
            meter -= 1.0 if borne else 0.0
        paid += award / 2
        squares += (award / 2) ** 2
    assert found.long_run_return is not None
    assert found.long_run_variance is not None
    assert found.levels[0].mean_award is not None
    assert paid / wagers == pytest.approx(float(found.long_run_return), rel=0.01)
    assert won / hits == pytest.approx(float(found.levels[0].mean_award), rel=0.01)
    variance = squares / wagers - (paid / wagers) ** 2
    assert variance == pytest.approx(float(found.long_run_variance), rel=0.02)


def test_the_variance_of_a_simple_meter_is_exact() -> None:
    """With 100% awards only, the meter is reseed and geometric growth, whose moments are known."""
    found = odds("pa-crazy-4-poker", "four-card-progressive", "B")
    p, primary, reserve = Fraction(1, 54_145), Fraction(25, 100), Fraction(5, 100)
    mean = 1_000 + (primary + reserve) / p
    spread = (primary**2 + reserve**2) * (1 - p) / p**2
    assert found.levels[0].mean_square == mean**2 + spread
