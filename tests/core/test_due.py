"""What the open payouts come to is known without going through them, and never wrong."""

from typing import NoReturn

import pytest

from jackpot.core.commands import Request
from jackpot.core.commands.base import TableOrigin
from jackpot.core.commands.operator import PayPayout, ValidatePayout
from jackpot.core.commands.table import OpenRound
from jackpot.core.decide import decide
from jackpot.core.due import Due
from jackpot.core.events.table import RoundOpened
from jackpot.core.invariants import BrokenInvariantError, check, check_open
from jackpot.core.reasons import Reason
from jackpot.core.state import Payout
from tests.core.floor import (
    DOLLAR,
    Floor,
    all_bet,
    five_card_a,
    hand,
    ok,
    reason,
    table,
    tagged_names,
)
from tests.golden.whole_rounds import House


class Unwalked(dict[int, Payout]):
    """Payouts that nobody may walk through."""

    def _walk(self) -> NoReturn:
        raise AssertionError("every payout was walked through")

    __iter__ = items = values = keys = _walk  # whichever way


def settled(name: str) -> Floor:
    """A table with a round whose seat 3 holds a hand of this name."""
    floor = Floor().open_up([five_card_a()], [table("t1", "a")])
    floor.bets_in("t1", all_bet("a-five"))
    floor.confirm("t1")
    floor.settle("t1", *(hand(s, name if s == 3 else "nothing") for s in range(1, 7)))
    return floor


@pytest.mark.parametrize("seed", [657, 12])
def test_the_sums_are_those_of_the_payouts(seed: int) -> None:
    """Whatever is won, validated, moved to the cage, rejected, paid or voided."""
    state = House(seed, trouble=0.5).play(40).replica.state
    assert state.last_payout > len(state.payouts)
    assert state.due.same(Due(state.payouts.values()))


def test_nobody_goes_through_the_payouts_to_open_a_round_or_to_check_a_batch() -> None:
    """A thousand payouts that are not yet paid cost the next round nothing."""
    floor = settled("full-house")
    floor.state.payouts = Unwalked(floor.state.payouts)
    check_open(floor.state)
    request = Request("test", TableOrigin("t1", 1, 99), OpenRound())
    assert isinstance(decide(floor.state, request, tagged_names), RoundOpened)
    with pytest.raises(AssertionError, match="walked"):
        check(floor.state)


def test_a_payout_that_is_moved_to_the_cage_holds_its_table_until_it_is_paid() -> None:
    """As one does that the cage pays from the beginning."""
    floor = settled("full-house")
    ok(floor.operate(ValidatePayout(1, "flo", "cage")))
    assert reason(floor.play("t1", OpenRound())) == Reason.DOCUMENTATION_OPEN
    ok(floor.operate(PayPayout(1, "F-1")))
    ok(floor.play("t1", OpenRound()))


def test_sums_that_are_not_those_of_the_payouts_are_found() -> None:
    """A whole check adds the payouts up again."""
    floor = settled("full-house")
    check(floor.state)
    floor.state.due.micros["a"] += DOLLAR
    with pytest.raises(BrokenInvariantError, match="do not add up"):
        check(floor.state)
