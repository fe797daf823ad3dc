"""The same wagers come round after round: what is remembered of them is not always true."""

import pytest

from jackpot.core.commands.operator import SuspendLink
from jackpot.core.commands.table import (
    ConfirmCollection,
    LockOut,
    OpenRound,
    Placed,
    PlaceWagers,
    WithdrawWagers,
)
from jackpot.core.events.table import RoundLocked, WagersPlaced
from jackpot.core.reasons import Reason
from jackpot.core.state import Accepted
from tests.core.floor import DOLLAR, Floor, five_card_a, hand_bonus, ok, reason, table
from tests.core.one_table import five, opened, place, round_of

WAGERS = (five(1, "ann"), five(2, "ann"), five(4))


def taken() -> Floor:
    """A table that has taken the wagers, so that it is remembered."""
    floor = opened()
    assert place(floor, *WAGERS) == WagersPlaced("t1", WAGERS)
    return floor


def next_round(floor: Floor) -> None:
    """Play the round to its end, with nothing won, and open another one."""
    ok(floor.play("t1", LockOut()))
    floor.confirm("t1")
    floor.settle("t1")
    ok(floor.play("t1", OpenRound()))


def test_wagers_that_were_taken_are_refused_where_the_round_has_them() -> None:
    """An open round that is not empty looks at every wager again."""
    assert reason(place(taken(), *WAGERS)) == Reason.DUPLICATE_WAGER


def test_wagers_that_were_taken_are_refused_once_their_link_is_suspended() -> None:
    """Also as the first of a round."""
    floor = taken()
    next_round(floor)
    ok(floor.operate(SuspendLink("a")))
    assert reason(place(floor, *WAGERS)) == Reason.LINK_NOT_IN_SERVICE


@pytest.mark.parametrize(
    ("boxes", "links", "why"),
    [(1, ("a", "hb"), Reason.TOO_MANY_BOXES), (2, ("hb",), Reason.UNKNOWN_BET)],
)
def test_wagers_that_one_table_takes_are_refused_by_another(
    boxes: int, links: tuple[str, ...], why: Reason
) -> None:
    """What a table offers and allows is its own."""
    taken()
    floor = Floor().open_up([five_card_a(), hand_bonus()], [table("t1", *links, boxes=boxes)])
    ok(floor.play("t1", OpenRound()))
    assert reason(place(floor, *WAGERS)) == why


def test_wagers_that_were_taken_are_refused_at_another_denomination() -> None:
    """The link's wager is part of what is remembered."""
    taken()
    floor = Floor().open_up([five_card_a(wager=5)], [table("t1", "a")])
    ok(floor.play("t1", OpenRound()))
    assert reason(place(floor, *WAGERS)) == Reason.WRONG_DENOMINATION


def test_a_round_begins_with_all_wagers_whatever_became_of_them_before() -> None:
    """What is withdrawn from one round is missing from no other."""
    floor = taken()
    ok(floor.play("t1", WithdrawWagers((Placed(2, "a-five"),))))
    assert sorted(round_of(floor).wagers) == [1, 4]
    next_round(floor)
    ok(floor.play("t1", PlaceWagers(WAGERS)))
    assert round_of(floor).wagers == {
        1: {"a-five": Accepted(DOLLAR, "ann", "chips")},
        2: {"a-five": Accepted(DOLLAR, "ann", "chips")},
        4: {"a-five": Accepted(DOLLAR, "seat 4", "chips")},
    }
    assert floor.replayed() == floor.state


@pytest.mark.parametrize("how", ["withdrawn", "void"])
def test_tables_with_the_same_wagers_lose_only_their_own(how: str) -> None:
    """Their rounds share what the wagers come to, until one of them loses some."""
    floor = Floor().open_up([five_card_a()], [table("t1", "a"), table("t2", "a")])
    for each in ("t1", "t2"):
        ok(floor.play(each, OpenRound()))
        ok(floor.play(each, PlaceWagers((five(1), five(2)))))
    if how == "withdrawn":
        ok(floor.play("t1", WithdrawWagers((Placed(2, "a-five"),))))
    else:
        ok(floor.void_seat("t1", 2, "CARD_EXPOSED"))
    for each, seats in (("t1", [1]), ("t2", [1, 2])):
        locked = floor.play(each, LockOut())
        assert isinstance(locked, RoundLocked)
        assert [wager.seat for wager in locked.wagers] == seats
        wrong = ConfirmCollection({"a-five": 3 - len(seats)})
        assert reason(floor.play(each, wrong)) == Reason.COLLECTION_MISMATCH
        ok(floor.play(each, ConfirmCollection({"a-five": len(seats)})))
    assert floor.replayed() == floor.state
