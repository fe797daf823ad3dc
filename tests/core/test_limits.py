"""No way onto a meter leads past its limit: what has no room waits in overflow."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jackpot.core.commands.operator import RejectPayout
from jackpot.core.commands.table import Wager
from jackpot.core.events.operator import MeterAdjusted
from jackpot.core.ledger import Book
from jackpot.core.reasons import Reason
from tests.core.floor import DOLLAR, Floor, hand, ok, reason
from tests.core.meter_room import adjust, transfer, two_links

LIMIT = 10_100 * DOLLAR


def limited() -> Floor:
    """A link whose meter, at 10,000, may come to 10,100."""
    return two_links(limit_micros=LIMIT)


@pytest.mark.parametrize(
    ("to", "meter", "overflow"),
    [
        (1_009_999, "10099.99", "0.00"),
        (1_010_000, "10100.00", "0.00"),
        (1_010_001, "10100.00", "0.01"),
        (1_050_000, "10100.00", "400.00"),
    ],
)
def test_an_adjustment_stops_at_the_limit(to: int, meter: str, overflow: str) -> None:
    """What the house gives beyond it is the players', and waits."""
    floor = limited()
    event = ok(adjust(floor, to, "malfunction"))
    assert isinstance(event, MeterAdjusted)
    assert event.after_micros == floor.state.balances["a/main/meter"]
    assert (floor.meter("a/main"), floor.balance("a/main/overflow")) == (meter, overflow)


def test_an_adjustment_that_the_limit_undoes_is_none() -> None:
    """At the limit nothing more can be put on."""
    floor = limited()
    ok(adjust(floor, 1_010_000, "malfunction"))
    assert reason(adjust(floor, 1_010_001, "malfunction")) == Reason.METER_UNCHANGED


@pytest.mark.parametrize(
    ("cents", "meter", "overflow"),
    [(9_999, "10099.99", "0.00"), (10_000, "10100.00", "0.00"), (10_001, "10100.00", "0.01")],
)
def test_a_transfer_stops_at_the_limit(cents: int, meter: str, overflow: str) -> None:
    """From another link's overflow to this meter, and past its limit to this overflow."""
    floor = limited()
    ok(adjust(floor, 500_000, link="b"))
    ok(transfer(floor, cents, link="b", to_link="a"))
    assert (floor.meter("a/main"), floor.balance("a/main/overflow")) == (meter, overflow)


def test_what_the_limit_sends_back_at_once_is_not_transferred() -> None:
    """A full meter takes nothing of its own overflow."""
    floor = limited()
    ok(adjust(floor, 1_050_000, "malfunction"))
    assert reason(transfer(floor, 1, to_link="a")) == Reason.METER_UNCHANGED


def test_a_rejected_award_comes_back_up_to_the_limit() -> None:
    """The meter has been fed since: what was won and not paid goes where there is room."""
    floor = limited()
    floor.set_level("a/main", "10100.00")
    floor.bets_in("t1", [Wager(1, "a-five", DOLLAR)])  # 0.21, all to overflow
    floor.settle("t1", hand(1, "straight-flush"))
    assert floor.meter("a/main") == "9090.00"
    ok(adjust(floor, 1_009_500, "malfunction"))
    ok(floor.operate(RejectPayout(1, "lamp-dark", "flo")))
    assert (floor.meter("a/main"), floor.balance("a/main/overflow")) == ("10100.00", "1005.21")
    assert floor.replayed() == floor.state


def test_a_meter_that_stood_above_a_limit_may_come_back_to_it() -> None:
    """Journals of 0.1.0 have limits below the meter: a rejection leaves no trace there either."""
    floor = limited()
    floor.set_level("a/main", "12000.00")
    floor.bets_in("t1", [Wager(1, "a-five", DOLLAR)])
    floor.settle("t1", hand(1, "straight-flush"))
    assert floor.meter("a/main") == "10800.00"
    ok(floor.operate(RejectPayout(1, "lamp-dark", "flo")))
    assert floor.meter("a/main") == "12000.00"


@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_credit_never_passes_the_limit(meter: int, amount: int, limit: int) -> None:
    """All of it arrives; on the meter only as far as there is room."""
    book = Book({"x/y/meter": meter})
    over = book.credit_meter(amount, "x/house", "x/y", limit)
    after = book.balance("x/y/meter")
    assert after + book.balance("x/y/overflow") == meter + amount
    assert over == book.balance("x/y/overflow")
    assert not limit or after <= max(limit, meter)
    assert limit or over == 0
