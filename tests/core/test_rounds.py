"""A round from its opening to lock-out: who may bet what and when."""

import pytest

from jackpot.core.commands.operator import AttachTable, SuspendLink
from jackpot.core.commands.table import (
    LockOut,
    OpenRound,
    Placed,
    PlaceWagers,
    Wager,
    WithdrawWagers,
)
from jackpot.core.events import Refused
from jackpot.core.events.table import RoundLocked, RoundOpened, TableAttached
from jackpot.core.reasons import Reason
from tests.core.floor import (
    DOLLAR,
    Floor,
    five_card_a,
    hand,
    ok,
    reason,
    table,
)
from tests.core.one_table import details, five, opened, place, round_of


def test_rounds_are_numbered_from_one() -> None:
    """Each round that opens has the next number, also after one that was void."""
    floor = opened()
    ok(floor.play("t1", LockOut()))
    floor.settle("t1")
    assert floor.play("t1", OpenRound()) == RoundOpened("t1", 2)


def test_a_round_must_end_before_the_next_opens() -> None:
    """Only a settled round makes room."""
    floor = opened()
    for command in (None, LockOut()):
        if command:
            ok(floor.play("t1", command))
        answer = floor.play("t1", OpenRound())
        assert reason(answer) == Reason.ROUND_OPEN
        assert details(answer) == {"table": "t1", "round": "1"}


@pytest.mark.parametrize(
    "command",
    [PlaceWagers((five(1),)), WithdrawWagers((Placed(1, "a-five"),)), LockOut()],
    ids=lambda command: type(command).__name__,
)
def test_no_wager_moves_without_a_round(command: PlaceWagers | WithdrawWagers | LockOut) -> None:
    """Before the first round there is nothing to bet on."""
    floor = Floor().open_up([five_card_a()], [table("t1", "a")])
    assert reason(floor.play("t1", command)) == Reason.NO_ROUND


@pytest.mark.rule("PA 657a.7(c)")
@pytest.mark.rule("PA 657a.8(b)")
@pytest.mark.rule("MA 6(c)")
@pytest.mark.rule("PA2011 555.7(b)")
@pytest.mark.parametrize(
    "command",
    [PlaceWagers((five(2),)), WithdrawWagers((Placed(1, "a-five"),)), LockOut()],
    ids=lambda command: type(command).__name__,
)
@pytest.mark.parametrize("steps", [1, 2, 3])
def test_no_wager_is_made_or_withdrawn_after_no_more_bets(
    command: PlaceWagers | WithdrawWagers | LockOut, steps: int
) -> None:
    """From lock-out to the next round every change is late, whatever a client's clock says."""
    floor = opened()
    ok(place(floor, five(1)))
    ok(floor.play("t1", LockOut()))
    if steps > 1:
        floor.confirm("t1")
    if steps > 2:
        floor.settle("t1")
    answer = floor.play("t1", command)
    assert reason(answer) == Reason.LOCKED_OUT
    assert details(answer) == {"table": "t1", "round": "1"}


@pytest.mark.rule("PA 657a.7(d)(4)")
def test_accepted_wagers_light_their_lamps() -> None:
    """Who placed what is in the round, and in the answer to the lock-out."""
    floor = opened()
    ok(place(floor, five(6, "ann"), Wager(6, "hb-dealer", DOLLAR)))
    event = ok(floor.play("t1", LockOut()))
    assert isinstance(event, RoundLocked)
    assert event.wagers == (five(6, "ann"), Wager(6, "hb-dealer", DOLLAR, "ann"))


def test_a_client_that_attaches_again_can_relight_its_lamps() -> None:
    """The attachment tells of the round as it stands, and does not change with it."""
    floor = opened()
    ok(place(floor, five(3), five(4)))
    event = ok(floor.operate(AttachTable("t1")))
    ok(floor.play("t1", WithdrawWagers((Placed(3, "a-five"),))))
    assert isinstance(event, TableAttached)
    assert event.round is not None
    assert sorted(event.round.wagers) == [3, 4]
    assert sorted(round_of(floor).wagers) == [4]


@pytest.mark.parametrize(
    ("wagers", "why"),
    [
        ((Wager(1, "queens-up", DOLLAR),), Reason.UNKNOWN_BET),
        ((five(0),), Reason.UNKNOWN_SEAT),
        ((five(7),), Reason.UNKNOWN_SEAT),
        ((five(1, amount=DOLLAR - 10_000),), Reason.WRONG_DENOMINATION),
        ((five(1, amount=DOLLAR + 10_000),), Reason.WRONG_DENOMINATION),
        ((five(2), five(2)), Reason.DUPLICATE_WAGER),
        ((five(4),), Reason.DUPLICATE_WAGER),
    ],
)
def test_a_batch_with_one_bad_wager_is_refused_whole(
    wagers: tuple[Wager, ...], why: Reason
) -> None:
    """All wagers of a command are accepted or none."""
    floor = opened()
    ok(place(floor, five(4)))
    assert reason(place(floor, five(5), *wagers)) == why
    assert list(round_of(floor).wagers) == [4]


@pytest.mark.parametrize("seat", [1, 6])
def test_the_first_and_the_last_seat_may_bet(seat: int) -> None:
    """Seats are numbered from one to the table's last."""
    floor = opened()
    ok(place(floor, five(seat)))
    assert list(round_of(floor).wagers) == [seat]


def test_a_wrong_amount_says_what_the_link_takes() -> None:
    """A link has one denomination."""
    answer = place(opened(), five(1, amount=5 * DOLLAR))
    assert details(answer) == {
        "amount_micros": "5000000",
        "takes_micros": "1000000",
        "seat": "1",
        "bet": "a-five",
    }


def test_a_suspended_link_takes_no_wagers_but_the_other_does() -> None:
    """Each link of a table is in service by itself, and its rounds go on."""
    floor = opened()
    ok(floor.operate(SuspendLink("a")))
    assert reason(place(floor, five(1))) == Reason.LINK_NOT_IN_SERVICE
    ok(place(floor, Wager(1, "hb-player", DOLLAR)))


def test_a_seat_can_bet_on_several_things() -> None:
    """One wager a seat and bet, not one a seat."""
    floor = opened()
    ok(place(floor, five(1)))
    ok(place(floor, Wager(1, "hb-player", DOLLAR), Wager(1, "hb-dealer", DOLLAR)))
    assert list(round_of(floor).wagers[1]) == ["a-five", "hb-player", "hb-dealer"]


def test_a_wager_on_a_void_seat_is_refused() -> None:
    """A seat that is out of the round stays out."""
    floor = opened()
    ok(floor.void_seat("t1", 2, "MISDEAL"))
    assert reason(place(floor, five(2))) == Reason.SEAT_NOT_IN_ROUND


@pytest.mark.parametrize(
    "wagers",
    [
        (Placed(2, "a-five"),),
        (Placed(1, "hb-player"),),
        (Placed(1, "a-five"), Placed(1, "a-five")),
        (Placed(1, "none"),),
    ],
)
def test_only_a_standing_wager_can_be_withdrawn(wagers: tuple[Placed, ...]) -> None:
    """All wagers of the command are given back or none."""
    floor = opened()
    ok(place(floor, five(1)))
    assert reason(floor.play("t1", WithdrawWagers(wagers))) == Reason.NO_SUCH_WAGER
    assert list(round_of(floor).wagers) == [1]


@pytest.mark.rule("PA 657a.11(e)(4)")
@pytest.mark.rule("PA 657a.11(f)(3)")
@pytest.mark.parametrize(
    ("held", "why"),
    [
        ("straight-flush", Reason.DOCUMENTATION_OPEN),
        ("four-of-a-kind", None),
        ("nothing", None),
    ],
)
def test_the_next_round_waits_for_documentation(held: str, why: Reason | None) -> None:
    """Cards stay on the table while the cage has to pay, at this table only."""
    floor = Floor().open_up([five_card_a()], [table("t1", "a"), table("t2", "a")])
    floor.bets_in("t1", [five(1)])
    floor.settle("t1", hand(1, held))
    answer = floor.play("t1", OpenRound())
    assert (answer.reason if isinstance(answer, Refused) else None) == why
    ok(floor.play("t2", OpenRound()))
