"""Rejections while other awards stand: who keeps what, and who bears what is missing."""

import pytest

from jackpot.core.commands.operator import (
    AdjustMeter,
    PayPayout,
    RejectPayout,
    RejectReason,
    TransferFunds,
    ValidatePayout,
)
from jackpot.core.events.base import PayoutChange
from jackpot.core.events.operator import PayoutRejected
from jackpot.core.state import Payout
from tests.core.floor import DOLLAR, Floor, all_bet, cents, five_card_a, hand, ok, table

ENVY_6 = "envy", 6  # an envy bonus to seat 6


def settled(*held: tuple[int, str], meter: str = "12000.00", **level: int) -> Floor:
    """Six bettors, these hands, and a second table on the link."""
    link = five_card_a("a", 1, **level)
    floor = Floor().open_up([link, five_card_a("b")], [table("t1", "a"), table("t2", "a")])
    floor.set_level("a/main", meter)
    floor.bets_in("t1", all_bet("a-five"))
    floor.settle("t1", *(hand(seat, name) for seat, name in held))
    return floor


def shares(floor: Floor) -> list[Payout]:
    """Open percentage awards, in payment order."""
    return [p for p in floor.state.payouts.values() if p.kind == "share"]


def validate(floor: Floor, *payouts: Payout) -> None:
    """The floorperson confirms each."""
    for payout in payouts:
        ok(floor.operate(ValidatePayout(payout.id, "flo")))


def reject(floor: Floor, payout: Payout) -> None:
    """The wager turns out to be none."""
    ok(floor.operate(RejectPayout(payout.id, "wager-invalid", "flo")))


@pytest.mark.parametrize("paid", [False, True])
def test_a_later_award_that_is_firm_keeps_its_amount(paid: bool) -> None:
    """Validated or paid, it is not decided again; the earlier tenth simply goes back."""
    floor = settled((6, "straight-flush"), (4, "straight-flush"))
    first, second = shares(floor)
    validate(floor, first, second)
    if paid:
        ok(floor.operate(PayPayout(second.id, "F-1")))
    meter = floor.state.balances["a/main/meter"]
    reject(floor, first)
    assert floor.state.balances["a/main/meter"] == meter + first.amount_micros
    assert [p.amount_micros for p in shares(floor)] == [second.amount_micros] * (not paid)


@pytest.mark.parametrize("first_hand", ["straight-flush", "royal-flush"])
@pytest.mark.parametrize("between", [(), ((4, "straight-flush"),)])
def test_before_a_firm_jackpot_the_rejected_amount_waits_in_overflow(
    first_hand: str, between: tuple[tuple[int, str], ...]
) -> None:
    """The later winner rightly got the meter of that turn, so the money can't go back there.

    A first jackpot's reseed is the house's again: it was put on a meter that never was.
    """
    floor = settled((6, first_hand), *between, (2, "royal-flush"))
    first, *_, last = awards = shares(floor)
    validate(floor, *awards)
    before = dict(floor.state.balances)
    envy = sum(p.amount_micros for p in floor.state.payouts.values() if (p.kind, p.seat) == ENVY_6)
    reject(floor, first)
    after = floor.state.balances
    reseed = 10_000 * DOLLAR if first_hand == "royal-flush" else 0
    assert after["a/main/overflow"] == first.amount_micros - reseed
    assert after["a/house"] == before["a/house"] + reseed + envy
    assert after["a/main/meter"] == before["a/main/meter"]
    assert floor.state.payouts[last.id].amount_micros == last.amount_micros
    assert floor.state.links["a"].last_hit["main"]


def test_after_a_firm_jackpot_a_later_tenth_goes_back_to_the_meter() -> None:
    """A jackpot before it is no jackpot since."""
    floor = settled((6, "royal-flush"), (2, "straight-flush"))
    jackpot, tenth = shares(floor)
    validate(floor, jackpot, tenth)
    reject(floor, tenth)
    assert floor.meter("a/main") == "10000.00"
    assert "a/main/overflow" not in floor.state.balances


def test_a_firm_jackpot_that_falls_returns_by_the_exact_inverse() -> None:
    """The tenth that was rightly paid after it is the only difference."""
    floor = settled((6, "royal-flush"), (2, "straight-flush"))
    jackpot, tenth = shares(floor)
    validate(floor, jackpot, tenth)
    reject(floor, jackpot)
    assert floor.meter("a/main") == cents(12_001_260_000 - tenth.amount_micros)
    assert floor.state.links["a"].last_hit["main"] == 0


def test_the_last_of_two_jackpots_gives_back_when_the_level_was_hit() -> None:
    """With one jackpot left the level has paid 100%; with none it has not."""
    floor = settled((6, "royal-flush"), (2, "royal-flush"))
    first, second = shares(floor)
    hit = floor.state.sequence
    assert floor.state.links["a"].last_hit == {"main": hit}
    reject(floor, second)
    assert floor.state.links["a"].last_hit == {"main": hit}
    reject(floor, first)
    assert floor.state.links["a"].last_hit == {"main": 0}
    assert floor.meter("a/main") == "12001.26"


def test_a_rejection_says_what_became_of_every_payout_that_it_touched() -> None:
    """The rejected one is closed, with its envy; the later one has a new amount."""
    floor = settled((6, "straight-flush"), (4, "straight-flush"))
    first, second = shares(floor)
    envy = next(p for p in floor.state.payouts.values() if (p.kind, p.seat) == ENVY_6)
    event = ok(floor.operate(RejectPayout(first.id, "lamp-dark", "flo")))
    assert isinstance(event, PayoutRejected)
    assert event.changes == (
        PayoutChange(second.id, 1_200_120_000, 12_001_260_000),
        PayoutChange(first.id, 0, closed=True),
        PayoutChange(envy.id, 0, closed=True),
    )


@pytest.mark.rule("PA 657a.11(e)(2)")
@pytest.mark.rule("PA 657a.11(e)(5)")
@pytest.mark.parametrize(
    ("reason", "envy_to"), [("lamp-dark", []), ("wager-invalid", []), ("hand-misread", [6])]
)
def test_who_made_no_wager_has_no_envy_bonus_either(
    reason: RejectReason, envy_to: list[int]
) -> None:
    """A dark lamp takes the seat's envy for others' hands with it; a misread hand does not."""
    floor = settled((6, "full-house"), (4, "straight-flush"))
    own = next(p for p in floor.state.payouts.values() if (p.kind, p.seat) == ("fixed", 6))
    ok(floor.operate(RejectPayout(own.id, reason, "flo")))
    left = [p.seat for p in floor.state.payouts.values() if (p.kind, p.seat) == ENVY_6]
    assert left == envy_to
    others = {p.seat for p in floor.state.payouts.values() if p.kind == "envy"} - {6}
    assert others == {1, 2, 3, 5}  # whose lamps are lit
    assert floor.replayed() == floor.state


def test_two_tables_jackpots_fall_one_after_the_other() -> None:
    """The earlier table's falls to overflow while the later stands; then the later goes back."""
    floor = settled((6, "royal-flush"))
    hit = floor.state.sequence
    floor.bets_in("t2", all_bet("a-five"))
    floor.settle("t2", hand(1, "royal-flush"))
    first, second = shares(floor)
    reject(floor, first)
    assert floor.balance("a/main/overflow") == "12001.26"
    assert floor.state.links["a"].last_hit["main"] > hit
    reject(floor, second)
    assert floor.state.links["a"].last_hit["main"] == hit
    assert floor.meter("a/main") == "10001.26"


def test_the_later_tables_jackpot_falls_first() -> None:
    """Then nothing was hit since the earlier one, and both go back exactly."""
    floor = settled((6, "royal-flush"))
    floor.bets_in("t2", all_bet("a-five"))
    floor.settle("t2", hand(1, "royal-flush"))
    first, second = shares(floor)
    reject(floor, second)
    reject(floor, first)
    assert floor.meter("a/main") == "12002.52"
    assert floor.state.links["a"].last_hit["main"] == 0


def test_the_house_bears_what_a_meter_can_not_give_back() -> None:
    """A reset took the reseed off the meter; it stays the players', and the house is short."""
    floor = settled((6, "royal-flush"), meter="5.00")
    ok(floor.operate(AdjustMeter("a", "main", 0, "reset", "T-1")))
    house = floor.state.balances["a/house"]
    reject(floor, shares(floor)[0])
    assert floor.meter("a/main") == "0.00"
    assert floor.balance("a/main/overflow") == "10000.00"
    # Its reseed of 10,000.00 comes back, less what the meter lacks beyond the 6.26 of the award.
    assert cents(floor.state.balances["a/house"] - house) == "6.26"


def test_the_house_bears_what_overflow_can_not_give_back() -> None:
    """What the refill put over the limit was given to another link's players since."""
    floor = settled(
        (6, "royal-flush"), meter="10000.00", reserve_bps=500, limit_micros=10_000 * DOLLAR
    )
    assert floor.balance("a/main/overflow") == "1.56"
    ok(floor.operate(TransferFunds("a", "main", "overflow", "b", "main", 1_560_000, "T-2")))
    house = floor.state.balances["a/house"]
    reject(floor, shares(floor)[0])
    assert floor.meter("a/main") == "10000.00"
    assert floor.balance("a/main/reserve") == "0.30"
    assert floor.balance("a/main/overflow") == "0.00"
    # The reseed comes back, less the 0.30 of reserve that the refill had put over the limit.
    assert cents(floor.state.balances["a/house"] - house) == "9999.70"
