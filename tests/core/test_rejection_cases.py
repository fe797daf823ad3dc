"""A rejection to the cent: who is decided again, who keeps what, and what waits in overflow."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackpot.core.commands.operator import PayPayout, RejectPayout, ValidatePayout
from jackpot.core.commands.table import Wager
from jackpot.core.config import Bet, Level, Link, PayLine
from jackpot.core.order import payouts_in_order
from jackpot.core.state import Payout
from tests.core.floor import DOLLAR, Floor, cents, hand, ok, table
from tests.core.test_never_there import Deal, deals, played

TENTH, ROYAL, SHARED, FIXED = "straight-flush", "royal-flush", "five-aces", "four-of-a-kind"


def link(**level: Any) -> Link:
    """A meter that a hand can win whole, divided, in part, or as a fixed amount."""
    bet = Bet(
        "x-bet",
        "five-card",
        (
            PayLine(SHARED, "main", 10_000, shared=True),
            PayLine(ROYAL, "main", 10_000),
            PayLine(TENTH, "main", 1_000),
            PayLine(FIXED, amount_micros=500 * DOLLAR, from_meter="main"),
        ),
    )
    settings = {"seed_micros": 10_000 * DOLLAR, "reseed_micros": 10_000 * DOLLAR}
    return Link("x", "x", "test", DOLLAR, (Level("main", **(settings | level)),), (bet,))


def settled(
    meter: str, *held: tuple[int, str], reserve: str = "0", level: dict[str, Any] | None = None
) -> Floor:
    """A round on a meter that wagers do not feed."""
    floor = Floor().open_up([link(primary_bps=0, **(level or {}))], [table("t1", "x", boxes=1)])
    floor.set_level("x/main", meter, reserve)
    floor.bets_in("t1", [Wager(seat, "x-bet", DOLLAR) for seat, _ in held])
    floor.settle("t1", *(hand(seat, name) for seat, name in held))
    return floor


def at(floor: Floor, seat: int) -> Payout:
    """The open payout of a seat."""
    return next(p for p in floor.state.payouts.values() if p.seat == seat)


def validate(floor: Floor, *seats: int) -> None:
    """A floorperson confirms the awards of these seats."""
    for seat in seats:
        ok(floor.operate(ValidatePayout(at(floor, seat).id, "flo")))


def pay(floor: Floor, *seats: int) -> None:
    """Validate and pay the awards of these seats."""
    for seat in seats:
        validate(floor, seat)
        ok(floor.operate(PayPayout(at(floor, seat).id, "F-1")))


def reject(floor: Floor, seat: int) -> None:
    """The wager of a seat turns out to be none."""
    ok(floor.operate(RejectPayout(at(floor, seat).id, "wager-invalid", "flo")))


def due(floor: Floor) -> dict[int, str]:
    """What is open, by seat."""
    return {p.seat: cents(p.amount_micros) for p in floor.state.payouts.values()}


def level(floor: Floor) -> tuple[str, str, str]:
    """Meter, reserve and overflow."""
    names = ("meter", "reserve", "overflow")
    meter, reserve, overflow = (floor.balance(f"x/main/{name}") for name in names)
    return meter, reserve, overflow


def case_a() -> Floor:
    """Two tenths and then the whole meter."""
    floor = settled("20000.63", (6, TENTH), (4, TENTH), (2, ROYAL))
    assert due(floor) == {6: "2000.06", 4: "1800.05", 2: "16200.52"}
    return floor


@pytest.mark.rule("PA 657a.11(e)(3)")
def test_an_open_jackpot_behind_a_validated_award_is_decided_again() -> None:
    """The rejected tenth goes to the jackpot that nobody has confirmed yet."""
    floor = case_a()
    validate(floor, 6, 4)
    reject(floor, 6)
    assert due(floor) == {4: "1800.05", 2: "18200.58"}
    assert at(floor, 2).meter_before_micros == 18_200_580_000
    assert level(floor) == ("10000.00", "0.00", "0.00")


def test_with_nobody_validated_all_later_awards_are_decided_again() -> None:
    """As if the first hand had never been held."""
    floor = case_a()
    reject(floor, 6)
    assert due(floor) == {4: "2000.06", 2: "18000.57"}
    assert level(floor) == ("10000.00", "0.00", "0.00")


def case_b() -> Floor:
    """A tenth, the meter divided by two, and a tenth of the next meter."""
    held = (6, TENTH), (5, SHARED), (3, SHARED), (2, TENTH)
    floor = settled("20000.63", *held, reserve="150.25")
    assert due(floor) == {6: "2000.06", 5: "9000.28", 3: "9000.28", 2: "1015.02"}
    # No half cent is paid: what the division leaves stays on the meter.
    assert level(floor) == ("9135.24", "0.00", "0.00")
    return floor


def test_before_a_validated_jackpot_the_rejected_amount_waits_in_overflow() -> None:
    """All amounts stay, also the open ones: the next meter is made as it was."""
    floor = case_b()
    validate(floor, 6, 5)
    reject(floor, 6)
    assert due(floor) == {5: "9000.28", 3: "9000.28", 2: "1015.02"}
    assert level(floor) == ("9135.24", "0.00", "2000.06")


def test_overflow_returns_when_the_jackpot_falls_too() -> None:
    """Nothing of it was due, so it is all on the meter again, with the reserve."""
    floor = case_b()
    validate(floor, 6, 5)
    reject(floor, 6)
    reject(floor, 5)
    assert due(floor) == {3: "20000.63", 2: "1015.02"}
    reject(floor, 3)
    assert due(floor) == {2: "2000.06"}
    assert level(floor) == ("18000.57", "150.25", "0.00")


def test_before_an_open_jackpot_its_winners_divide_again() -> None:
    """The whole of the meter, and the residue of a cent on the next one."""
    floor = case_b()
    reject(floor, 6)
    assert due(floor) == {5: "10000.31", 3: "10000.31", 2: "1015.02"}
    assert level(floor) == ("9135.24", "0.00", "0.00")


def test_a_rejected_share_beside_a_validated_one_returns_to_the_meter() -> None:
    """It is there for the tenth that follows."""
    floor = case_b()
    validate(floor, 6, 3)
    reject(floor, 5)
    assert due(floor) == {6: "2000.06", 3: "9000.28", 2: "1915.05"}
    assert level(floor) == ("17235.49", "0.00", "0.00")


@pytest.mark.parametrize("paid", [False, True])
def test_a_fixed_award_is_borne_anew(paid: bool) -> None:
    """The meter bears 300.00 of the 500.00 instead of 270.00, the house 200.00 and not 230.00."""
    floor = settled("300.00", (6, TENTH), (4, FIXED), (2, ROYAL))
    assert due(floor) == {6: "30.00", 4: "500.00", 2: "0.00"}
    validate(floor, 6)
    (pay if paid else validate)(floor, 4)
    house = floor.state.balances["x/house"]
    reject(floor, 6)
    assert due(floor) == {2: "0.00"} if paid else {4: "500.00", 2: "0.00"}
    assert level(floor) == ("10000.00", "0.00", "0.00")
    assert cents(floor.state.balances["x/house"] - house) == "30.00"
    award = next(a for a in floor.state.settlements["t1/1"].awards if a.claim.kind == "fixed")
    assert cents(-award.effects.meter_micros) == "300.00"
    assert cents(-award.effects.house_micros) == "200.00"


def test_a_validated_jackpot_keeps_its_turn_when_it_loses_its_first_winner() -> None:
    """What came after it still does, in this rejection and in the next."""
    floor = settled("20000.00", (6, SHARED), (4, TENTH), (3, TENTH), (1, SHARED))
    assert due(floor) == {6: "10000.00", 1: "10000.00", 4: "1000.00", 3: "900.00"}
    validate(floor, 1)
    reject(floor, 6)
    assert due(floor) == {1: "10000.00", 4: "2000.00", 3: "1800.00"}
    assert [p.seat for p in payouts_in_order(floor.state)] == [1, 4, 3]
    reject(floor, 4)
    assert due(floor) == {1: "10000.00", 3: "2000.00"}
    assert level(floor) == ("18000.00", "0.00", "0.00")


def test_a_paid_jackpot_remembers_the_meter_that_it_saw() -> None:
    """Two tenths before it fall one after the other; both wait in overflow."""
    floor = settled("20000.00", (6, TENTH), (5, TENTH), (3, ROYAL), (2, TENTH))
    validate(floor, 6, 5)
    pay(floor, 3)
    reject(floor, 6)
    assert level(floor) == ("9000.00", "0.00", "2000.00")
    reject(floor, 5)
    assert due(floor) == {2: "1000.00"}
    assert level(floor) == ("9000.00", "0.00", "3800.00")


def test_what_was_put_aside_is_not_given_twice_when_the_other_jackpot_is_undone() -> None:
    """The level stays as it is for this round: no award grows, and the house pays nothing more."""
    floor = Floor().open_up(
        [link(primary_bps=0)], [table("t1", "x", boxes=1), table("t2", "x", boxes=1)]
    )
    floor.set_level("x/main", "20000")
    held = (6, TENTH), (4, TENTH), (2, ROYAL)
    floor.bets_in("t1", [Wager(seat, "x-bet", DOLLAR) for seat, _ in held])
    floor.settle("t1", *(hand(seat, name) for seat, name in held))
    floor.bets_in("t2", [Wager(1, "x-bet", DOLLAR)])
    floor.settle("t2", hand(1, ROYAL))
    reject(floor, 6)
    ok(floor.void_round("t2", "MISDEAL"))
    house_micros = floor.state.balances["x/house"]
    reject(floor, 4)
    assert cents(at(floor, 2).amount_micros) == "16200.00"
    assert cents(floor.state.balances["x/main/overflow"]) == "3800.00"
    assert cents(floor.state.balances["x/main/meter"]) == "10000.00"
    assert floor.state.balances["x/house"] == house_micros
    assert floor.replayed() == floor.state


def test_a_returned_share_stops_at_the_limit() -> None:
    """What has no room on the meter is overflow at once, so the next tenth is of the limit."""
    held = (5, SHARED), (3, SHARED), (2, TENTH)
    floor = settled("12000.00", *held, level={"limit_micros": 15_000 * DOLLAR})
    validate(floor, 3)
    reject(floor, 5)
    assert due(floor) == {3: "6000.00", 2: "1500.00"}
    assert level(floor) == ("13500.00", "0.00", "1000.00")


@given(deals, st.data())
def test_after_any_rejections_what_is_open_is_due_at_the_meter_of_its_turn(
    deal: Deal, data: st.DataObject
) -> None:
    """Validated amounts never change, nothing is lost, and the rest is still paid down the list."""
    floor = played(deal, set())
    firm: dict[int, int] = {}
    for payout in payouts_in_order(floor.state)[: data.draw(st.integers(0, 8))]:
        if payout.needs_floorperson:
            ok(floor.operate(ValidatePayout(payout.id, "flo")))
            firm[payout.id] = payout.amount_micros
    for _ in range(data.draw(st.integers(1, 3))):
        if not floor.state.payouts:
            break
        victim = data.draw(st.sampled_from(sorted(floor.state.payouts)))
        ok(floor.operate(RejectPayout(victim, "wager-invalid", "flo")))
        for payout in floor.state.payouts.values():
            assert payout.amount_micros == firm.get(payout.id, payout.amount_micros)
    if not firm:
        limited = bool(deal.limit)
        assert limited or not any(
            amount for name, amount in floor.state.balances.items() if name.endswith("/overflow")
        )
    for payout in payouts_in_order(floor.state):
        if payout.needs_floorperson and not floor.state.payouts[payout.id].floorperson:
            ok(floor.operate(ValidatePayout(payout.id, "flo")))
        ok(floor.operate(PayPayout(payout.id, "F-1")))
