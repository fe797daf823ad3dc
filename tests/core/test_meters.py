"""A level's money: what wagers add, what awards take, and what it is refilled with."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackpot.core.awards import decide_award
from jackpot.core.commands.table import LockOut, OpenRound
from jackpot.core.config import Bet, Level, Link
from jackpot.core.state import Claim, Pools, Winner
from tests.core.floor import (
    DOLLAR,
    Floor,
    all_bet,
    cents,
    five_card_a,
    hand,
    hand_bonus,
    ok,
    table,
)

LIMIT = 10_001 * DOLLAR


def limited(limit: int = LIMIT, meter: str = "10000.00", **level: Any) -> Floor:
    """A table on a five-card progressive with a limit."""
    floor = Floor().open_up([five_card_a(limit_micros=limit, **level)], [table("t1", "a")])
    floor.set_level("a/main", meter)
    return floor


@pytest.mark.rule("PA 657a.12(e)(3)")
def test_wagers_feed_every_level_and_the_house_keeps_the_rest() -> None:
    """Primary and reserve shares are exact, level by level."""
    levels = (
        Level("mega", 10_000 * DOLLAR, 10_000 * DOLLAR, 900, 100),
        Level("minor", 250 * DOLLAR, 250 * DOLLAR, 3),
    )
    link = Link("m", "m", "test", DOLLAR, levels, (Bet("m-five", "five-card", ()),))
    floor = Floor().open_up([link], [table("t1", "m")])
    floor.bets_in("t1", all_bet("m-five"))
    balances = floor.state.balances
    assert floor.meter("m/mega") == "10000.54"
    assert floor.balance("m/mega/reserve") == "0.06"
    assert balances["m/minor/meter"] == 250 * DOLLAR + 1_800
    assert balances["m/retained"] == 6 * DOLLAR - 540_000 - 60_000 - 1_800
    assert floor.balance("m/players") == "-6.00"


def test_a_round_without_wagers_moves_no_money() -> None:
    """Lock-out collects by itself and posts nothing."""
    floor = limited()
    before = dict(floor.state.balances)
    ok(floor.play("t1", OpenRound()))
    ok(floor.play("t1", LockOut()))
    assert floor.settle("t1").postings == ()
    assert floor.state.balances == before


@pytest.mark.parametrize(
    ("meter", "after", "over"),
    [
        ("9999.73", "10000.99", "0.00"),
        ("9999.74", "10001.00", "0.00"),
        ("9999.75", "10001.00", "0.01"),
        ("10001.00", "10001.00", "1.26"),
        ("10002.00", "10002.00", "1.26"),
    ],
)
def test_what_would_pass_the_limit_goes_to_overflow(meter: str, after: str, over: str) -> None:
    """Six wagers bring 1.26; the limit is 10,001.00."""
    floor = limited(meter=meter)
    floor.bets_in("t1", all_bet("a-five"))
    assert floor.meter("a/main") == after
    assert floor.balance("a/main/overflow") == over


def test_overflow_comes_back_with_the_next_meter() -> None:
    """After a 100% award the new meter is the reseed and as much overflow as has room."""
    floor = limited(meter="10001.00", reseed_micros=10_000 * DOLLAR)
    for _ in range(2):
        floor.bets_in("t1", all_bet("a-five"))
        floor.settle("t1")
    assert floor.balance("a/main/overflow") == "2.52"
    floor.bets_in("t1", all_bet("a-five"))
    event = floor.settle("t1", hand(1, "royal-flush"))
    assert cents(event.payouts[0].amount_micros) == "10001.00"
    assert floor.meter("a/main") == "10001.00"
    assert floor.balance("a/main/overflow") == "2.78"


@pytest.mark.rule("PA 657a.12(e)(4)")
def test_a_tenth_reseeds_nothing_and_may_leave_less_than_the_seed() -> None:
    """The meter drops by the award and the reserve is untouched."""
    floor = Floor().open_up([five_card_a(reserve_bps=500)], [table("t1", "a")])
    floor.set_level("a/main", "10000.00", "33.33")
    house = floor.state.balances["a/house"]
    floor.bets_in("t1", all_bet("a-five"))
    (own,) = (p for p in floor.settle("t1", hand(3, "straight-flush")).payouts if p.share_bps)
    assert cents(own.amount_micros) == "1000.12"
    assert floor.meter("a/main") == "9001.14"
    assert floor.balance("a/main/reserve") == "33.63"
    assert house - floor.state.balances["a/house"] == 5 * 300 * DOLLAR  # envy alone
    assert floor.state.links["a"].last_hit == {}


@pytest.mark.rule("PA 657a.12(f)(4)")
@pytest.mark.parametrize(
    ("meter", "alarm"), [("998.99", True), ("999.86", True), ("999.87", False), ("999.88", False)]
)
def test_a_low_meter_is_paid_as_it_is_with_an_alarm(meter: str, alarm: bool) -> None:
    """Below a tenth of the seed somebody should look; with one wager the bound is 1,000.00."""
    floor = Floor().open_up([hand_bonus()], [table("t1", "hb")])
    floor.set_level("hb/main", meter)
    floor.bets_in("t1", all_bet("hb-player", seats=range(1, 2)))
    event = floor.settle("t1", hand(1, "royal-flush"))
    assert event.payouts[0].amount_micros == floor.state.balances["hb/pending"] > 0
    assert event.alarms == (("LOW_METER hb/main",) if alarm else ())


def test_an_empty_meter_pays_nothing_and_raises_the_alarm() -> None:
    """With a reseed of nought, a second royal of the round finds only what the reserve held."""
    floor = Floor().open_up([hand_bonus()], [table("t1", "hb")])
    floor.set_level("hb/main", "10000.00")
    floor.bets_in("t1", all_bet("hb-player", seats=range(1, 4)))
    event = floor.settle("t1", *(hand(seat, "royal-flush") for seat in (3, 2, 1)))
    assert [cents(p.amount_micros) for p in event.payouts] == ["10000.39", "0.24", "0.00"]
    assert event.alarms == ("LOW_METER hb/main",) * 2
    assert event.paid_full == ("hb/main",)
    assert floor.state.links["hb"].last_hit == {"main": floor.state.sequence}


@pytest.mark.rule("PA 657a.12(e)(4)")
def test_between_linked_tables_the_journal_decides_who_is_first() -> None:
    """The table whose settlement is journaled first wins the meter, the other the next one."""
    floor = Floor().open_up([five_card_a()], [table("t1", "a"), table("t2", "a")])
    floor.set_level("a/main", "50000.00")
    for at in ("t1", "t2"):
        floor.bets_in(at, all_bet("a-five"))
    won = [floor.settle(at, hand(1, "royal-flush")).payouts[0] for at in ("t2", "t1")]
    assert [(p.table, cents(p.amount_micros)) for p in won] == [
        ("t2", "50002.52"),
        ("t1", "10000.00"),
    ]


def pools(meter: int, reserve: int = 0, overflow: int = 0, **settings: int | bool) -> Pools:
    """A level in cents."""
    limit, reseed = int(settings.get("limit", 0)), int(settings.get("reseed", 0))
    return Pools(
        meter * 10_000,
        reserve * 10_000,
        overflow * 10_000,
        reseed * 10_000,
        limit * 10_000,
        fund=bool(settings.get("fund")),
        last_hit=0,
    )


def claim(share_bps: int, winners: int = 1) -> Claim:
    """A claim on a share of a meter."""
    people = tuple(Winner(seat, f"seat {seat}") for seat in range(winners, 0, -1))
    return Claim("share", "a", "a-five", "royal-flush", people, "main", share_bps)


@pytest.mark.parametrize(
    ("before", "meter", "overflow", "house"),
    [
        # (meter, reserve, overflow) -> the new meter, what lies over, what the house gave; cents
        (pools(500, 30, 0, reseed=100), 130, 0, 100),
        (pools(500, 30, 0, reseed=100, fund=True), 100, 0, 70),
        (pools(500, 100, 0, reseed=100, fund=True), 100, 0, 0),
        (pools(500, 101, 0, reseed=100, fund=True), 101, 0, 0),
        (pools(500, 30, 50, reseed=100), 130, 50, 100),
        (pools(500, 30, 50, reseed=100, limit=150), 150, 30, 100),
        (pools(500, 30, 50, reseed=100, limit=180), 180, 0, 100),
        (pools(500, 30, 50, reseed=100, limit=181), 180, 0, 100),
        (pools(500, 30, 0, reseed=100, limit=120), 120, 10, 100),
        (pools(500, 30, 50, reseed=100, limit=150, fund=True), 150, 0, 70),
        (pools(500, 0, 0), 0, 0, 0),
    ],
)
def test_the_meter_after_everything_was_won(
    before: Pools, meter: int, overflow: int, house: int
) -> None:
    """Reseed and reserve, or the greater of them; then overflow as far as there is room."""
    outcome = decide_award(claim(10_000), before)
    after = outcome.pools
    assert after is not None
    assert outcome.amount_micros == 500 * 10_000
    assert (after.meter_micros, after.overflow_micros) == (meter * 10_000, overflow * 10_000)
    assert after.reserve_micros == 0
    assert outcome.effects.house_micros == -house * 10_000


@pytest.mark.parametrize(
    ("share_bps", "winners", "each", "left"),
    [
        (10_000, 1, 1_230_000, 4_567),
        (10_000, 3, 410_000, 4_567),
        (10_000, 4, 300_000, 34_567),
        (1_000, 1, 120_000, 1_114_567),
        (1_000, 2, 60_000, 1_114_567),
        (1_000, 13, 0, 1_234_567),
    ],
)
def test_the_residue_stays_on_the_meter(share_bps: int, winners: int, each: int, left: int) -> None:
    """Shares are whole cents rounded down, of 1.234567 on the meter."""
    before = Pools(1_234_567, 0, 0, 0, 0, fund=False, last_hit=0)
    outcome = decide_award(claim(share_bps, winners), before)
    assert outcome.amount_micros == each
    assert outcome.pools is not None
    assert outcome.pools.meter_micros == left


amounts = st.integers(0, 10**12)


@given(
    st.builds(
        Pools,
        amounts,
        amounts,
        amounts,
        amounts,
        st.sampled_from([0, 10**6, 10**12]),
        fund=st.booleans(),
        last_hit=st.just(0),
    ),
    st.sampled_from([1, 1_000, 3_333, 10_000]),
    st.integers(1, 7),
)
def test_an_award_creates_and_loses_nothing(before: Pools, share_bps: int, winners: int) -> None:
    """What is paid and what is left is what there was and what the house put in."""
    outcome = decide_award(claim(share_bps, winners), before)
    effects, after = outcome.effects, outcome.pools
    assert after is not None
    paid = outcome.amount_micros * winners
    assert outcome.amount_micros % 10_000 == 0
    assert paid <= before.meter_micros * share_bps // 10_000
    assert (
        effects.meter_micros
        + effects.reserve_micros
        + effects.overflow_micros
        + effects.house_micros
    ) == -paid
    assert after.meter_micros - before.meter_micros == effects.meter_micros
    assert after.reserve_micros - before.reserve_micros == effects.reserve_micros
    assert after.overflow_micros - before.overflow_micros == effects.overflow_micros
    assert min(after.meter_micros, after.reserve_micros, after.overflow_micros) >= 0
    assert effects.house_micros <= 0
