"""Meters set by hand and money moved: each reason by its own account, and no more than there is."""

import pytest

from jackpot.core.commands.operator import DefineLink, SuspendLink
from jackpot.core.events import Refused
from jackpot.core.events.operator import MeterAdjusted
from jackpot.core.reasons import Reason
from tests.core.floor import (
    DOLLAR,
    five_card_a,
    ok,
    reason,
)
from tests.core.meter_room import adjust, transfer, two_links


@pytest.mark.parametrize(
    ("why", "to", "house", "overflow"),
    [
        ("malfunction", 900_000, "-9000.00", "0.00"),
        ("malfunction", 1_100_000, "-11000.00", "0.00"),
        ("promotion", 1_100_000, "-11000.00", "0.00"),
        ("promotion", 900_000, "-10000.00", "1000.00"),
        ("reset", 900_000, "-10000.00", "1000.00"),
        ("limit", 999_999, "-10000.00", "0.01"),
        ("reset", 0, "-10000.00", "10000.00"),
    ],
)
def test_each_reason_books_against_its_own_account(
    why: str, to: int, house: str, overflow: str
) -> None:
    """The house corrects malfunctions and pays promotions; all else stays the players'."""
    floor = two_links()
    event = ok(adjust(floor, to, why))
    assert isinstance(event, MeterAdjusted)
    assert (event.before_micros, event.after_micros) == (10_000 * DOLLAR, to * 10_000)
    assert (event.reason, event.reference) == (why, "T-1")
    assert floor.state.balances["a/main/meter"] == to * 10_000
    assert (floor.balance("a/house"), floor.balance("a/main/overflow")) == (house, overflow)


@pytest.mark.parametrize("why", ["reset", "limit"])
@pytest.mark.parametrize(("to", "fine"), [(999_999, True), (1_000_000, True), (1_000_001, False)])
def test_a_meter_is_raised_only_by_what_overflow_holds(why: str, to: int, fine: bool) -> None:
    """Players' money comes back to players, and no more than there is."""
    floor = two_links()
    ok(adjust(floor, 900_000))
    answer = adjust(floor, to, why)
    if fine:
        assert (
            floor.balance("a/main/overflow")
            == f"{(1_000_000 - to) // 100}.{(1_000_000 - to) % 100:02d}"
        )
    else:
        assert isinstance(answer, Refused)
        assert answer.reason == Reason.INSUFFICIENT_FUNDS
        assert answer.details == {
            "account": "a/main/overflow",
            "micros": "1000000000",
            "wanted": "1000010000",
        }


def test_an_adjustment_names_a_level_and_changes_something() -> None:
    """An unknown level is refused, as is the amount that the meter shows."""
    floor = two_links()
    assert reason(adjust(floor, 1, level="mega")) == Reason.UNKNOWN_LEVEL
    assert reason(adjust(floor, 1_000_000)) == Reason.METER_UNCHANGED
    ok(floor.operate(SuspendLink("a")))
    ok(adjust(floor, 999_900))
    ok(floor.operate(DefineLink(five_card_a("c"))))
    assert reason(adjust(floor, 1, "malfunction", "c")) == Reason.WRONG_LINK_STATE


@pytest.mark.parametrize("pool", ["overflow", "reserve"])
@pytest.mark.parametrize(("cents", "fine"), [(9_999, True), (10_000, True), (10_001, False)])
def test_a_transfer_takes_what_a_pool_holds_and_no_more(pool: str, cents: int, fine: bool) -> None:
    """From overflow or reserve of one level to another's meter."""
    floor = two_links()
    floor.set_level("a/main", "10100.00", "100.00")
    ok(adjust(floor, 1_000_000))
    answer = transfer(floor, cents, pool)
    other = "reserve" if pool == "overflow" else "overflow"
    assert floor.balance(f"a/main/{other}") == "100.00"
    if fine:
        assert floor.state.balances["b/main/meter"] == 10_000 * DOLLAR + cents * 10_000
        assert floor.state.balances[f"a/main/{pool}"] == (10_000 - cents) * 10_000
    else:
        assert isinstance(answer, Refused)
        assert answer.details == {
            "account": f"a/main/{pool}",
            "micros": "100000000",
            "wanted": "100010000",
        }


def test_a_transfer_needs_both_levels_and_a_target_in_service() -> None:
    """A link that is only defined shows no meter to anybody."""
    floor = two_links()
    ok(floor.operate(DefineLink(five_card_a("c"))))
    ok(adjust(floor, 900_000))
    assert reason(transfer(floor, 1, level="mega")) == Reason.UNKNOWN_LEVEL
    assert reason(transfer(floor, 1, to_level="mega")) == Reason.UNKNOWN_LEVEL
    assert reason(transfer(floor, 1, to_link="c")) == Reason.WRONG_LINK_STATE
    assert reason(transfer(floor, 1, link="c")) == Reason.INSUFFICIENT_FUNDS
    ok(floor.operate(SuspendLink("b")))
    ok(transfer(floor, 1))
    ok(transfer(floor, 1, to_link="a"))
