"""Who plays which box: one person a box, so many boxes a person, side by side."""

import pytest
from msgspec.structs import replace

from jackpot.core.commands.operator import BuyIn
from jackpot.core.commands.table import LockOut, Wager
from jackpot.core.events import Refused
from jackpot.core.events.table import RoundLocked
from jackpot.core.reasons import Reason
from tests.core.floor import (
    DOLLAR,
    hand,
    ok,
    reason,
)
from tests.core.one_table import details, five, opened, place, round_of


@pytest.mark.rule("PA 657a.7(e)")
@pytest.mark.parametrize(
    ("boxes", "seats", "fine"),
    [
        (1, [3], True),
        (1, [3, 4], False),
        (2, [3, 4], True),
        (2, [4, 3], True),
        (2, [3, 5], False),
        (2, [3, 4, 5], False),
        (3, [3, 5, 4], True),
        (3, [2, 3, 5], False),
    ],
)
@pytest.mark.parametrize("at_once", [True, False])
def test_one_person_plays_so_many_boxes_side_by_side(
    boxes: int, seats: list[int], fine: bool, at_once: bool
) -> None:
    """Neither more than the table allows nor with a gap between them."""
    floor = opened(boxes)
    wagers = [five(seat, "ann") for seat in seats]
    if at_once:
        answers = [place(floor, *wagers)]
    else:
        answers = [place(floor, wager) for wager in (sorted(wagers, key=lambda w: w.seat))]
    assert (not any(isinstance(answer, Refused) for answer in answers)) == fine
    if not fine:
        assert reason(answers[-1]) == Reason.TOO_MANY_BOXES


@pytest.mark.rule("MA 6(e)")
@pytest.mark.rule("PA2011 555.7(f)")
def test_where_one_box_is_allowed_a_second_is_refused() -> None:
    """The refusal says whose box and how many are allowed."""
    floor = opened(boxes=1)
    ok(place(floor, five(3, "ann")))
    answer = place(floor, five(4, "ann"))
    assert reason(answer) == Reason.TOO_MANY_BOXES
    assert details(answer) == {"seat": "4", "player": "ann", "allowed": "1"}
    ok(place(floor, Wager(3, "hb-player", DOLLAR, "ann"), five(4, "bob")))


@pytest.mark.parametrize(
    "wagers",
    [
        [[five(3)], [Wager(3, "hb-player", DOLLAR, "ann")]],
        [[five(3), Wager(3, "hb-player", DOLLAR, "ann")]],
        [[five(3, "bob")], [Wager(3, "hb-player", DOLLAR, "ann")]],
        [[five(3, "bob"), Wager(3, "hb-player", DOLLAR, "ann")]],
    ],
)
def test_a_box_has_one_person(wagers: list[list[Wager]]) -> None:
    """Somebody else's box can't be played, in the same command or in another."""
    floor = opened()
    for batch in wagers[:-1]:
        ok(place(floor, *batch))
    assert reason(place(floor, *wagers[-1])) == Reason.TOO_MANY_BOXES


def test_a_wager_without_a_name_belongs_to_whoever_has_the_seat() -> None:
    """The seat itself is the player until somebody is named."""
    floor = opened()
    ok(place(floor, five(3, "ann"), Wager(3, "hb-player", DOLLAR), five(5)))
    ok(place(floor, Wager(3, "hb-dealer", DOLLAR), Wager(5, "hb-dealer", DOLLAR)))
    players = {s: {w.player for w in bets.values()} for s, bets in round_of(floor).wagers.items()}
    assert players == {3: {"ann"}, 5: {"seat 5"}}


@pytest.mark.rule("PA 657a.11(e)(5)")
@pytest.mark.parametrize(("player", "envied"), [("ann", False), ("bob", True), ("", True)])
def test_no_envy_for_ones_own_hand_in_a_box_without_a_wager(player: str, envied: bool) -> None:
    """Where no wager says who plays a box, whoever settles the round does."""
    floor = opened()
    ok(place(floor, five(3, "ann")))
    ok(floor.play("t1", LockOut()))
    floor.confirm("t1")
    royal = replace(hand(4, "royal-flush"), player=player)
    event = floor.settle("t1", royal)
    assert [p.kind for p in event.payouts] == (["envy"] if envied else [])


def test_a_wager_says_better_than_a_hand_who_plays_a_box() -> None:
    """Nobody loses an envy bonus because a table names somebody else at the end."""
    floor = opened()
    ok(place(floor, five(3, "ann"), five(4, "bob")))
    ok(floor.play("t1", LockOut()))
    floor.confirm("t1")
    event = floor.settle("t1", replace(hand(4, "straight-flush"), player="ann"))
    assert [(p.kind, p.player) for p in event.payouts] == [("share", "bob"), ("envy", "ann")]


def test_a_lock_out_lists_the_accounts_of_its_wagers() -> None:
    """A table that reads its wagers back finds each as it placed it."""
    floor = opened()
    ok(floor.operate(BuyIn("acc-1", 5 * DOLLAR, "C-1")))
    wager = Wager(3, "hb-player", DOLLAR, "ann", "acc-1")
    ok(place(floor, wager))
    event = ok(floor.play("t1", LockOut()))
    assert isinstance(event, RoundLocked)
    assert event.wagers == (wager,)
