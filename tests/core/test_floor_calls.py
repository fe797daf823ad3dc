"""Calls for the floor: a table asks, a floorperson answers, and only the answer has an effect."""

from collections.abc import Callable

import pytest

from jackpot.core.commands import AnyCommand
from jackpot.core.commands.operator import (
    ApproveFloorCall,
    AttachTable,
    DeclineFloorCall,
    PayPayout,
    ValidatePayout,
)
from jackpot.core.commands.table import (
    CallFloor,
    LockOut,
    OpenRound,
    PlaceWagers,
    VoidRound,
    WithdrawCall,
)
from jackpot.core.events import Refused
from jackpot.core.events.operator import CallDeclined
from jackpot.core.events.table import (
    CallWithdrawn,
    FloorCalled,
    RoundVoided,
    SeatVoided,
    TableAttached,
    WagerRemoved,
)
from jackpot.core.floor_calls import CALL_LIFE_MICROS, latest_call
from jackpot.core.reasons import Reason
from jackpot.core.state import RECENT_CALLS, FloorCall
from tests.core.floor import Floor, all_bet, five_card_a, hand, ok, reason, table

ROUND = CallFloor("void-round", 1, irregularity="MISDEAL")
SEAT = CallFloor("void-seat", 1, 2, irregularity="WRONG_CARD_COUNT")
WAGER = CallFloor("remove-wager", 1, 2, "a-five")


def at(phase: str) -> Floor:
    """A table whose round has come this far, with a royal flush where it is settled."""
    floor = Floor().open_up([five_card_a()], [table("t1", "a"), table("t2", "a")])
    if phase == "locked":
        ok(floor.play("t1", OpenRound()))
        ok(floor.play("t1", PlaceWagers(tuple(all_bet("a-five")))))
        ok(floor.play("t1", LockOut()))
        return floor
    floor.bets_in("t1", all_bet("a-five"))
    if phase == "settled":
        floor.settle("t1", hand(6, "royal-flush"))
    return floor


def called(phase: str, command: CallFloor) -> Floor:
    """The same with an open call."""
    floor = at(phase)
    assert isinstance(ok(floor.play("t1", command)), FloorCalled)
    return floor


def last(floor: Floor) -> FloorCall:
    """The table's call with what became of it."""
    found = latest_call(floor.state, "t1", floor.clock)
    assert found is not None
    return found


def test_a_call_changes_nothing_but_that_it_is_open() -> None:
    """Awards and money stay, and the journal has all that was asked for."""
    floor = at("settled")
    before = dict(floor.state.balances), dict(floor.state.payouts), floor.state.tables["t1"].round
    event = ok(floor.play("t1", ROUND))
    expires = floor.clock + CALL_LIFE_MICROS
    assert event == FloorCalled(1, "t1", 1, "void-round", 0, "", "MISDEAL", expires)
    state = floor.state
    assert (state.balances, state.payouts, state.tables["t1"].round) == before
    assert state.calls["t1"].id == state.last_call == 1


@pytest.mark.parametrize(
    ("phase", "command", "kind"),
    [
        ("settled", ROUND, RoundVoided),
        ("collected", SEAT, SeatVoided),
        ("locked", WAGER, WagerRemoved),
    ],
)
def test_an_approval_is_the_act_itself(
    phase: str, command: CallFloor, kind: type[RoundVoided | SeatVoided | WagerRemoved]
) -> None:
    """One event, with the call and the person, and the same as a floorperson's own act."""
    floor, other = called(phase, command), at(phase)
    event = ok(floor.operate(ApproveFloorCall(1), "floor:flo"))
    assert isinstance(event, RoundVoided | SeatVoided | WagerRemoved)
    assert isinstance(event, kind)
    assert (event.call, event.floorperson) == (1, "floor:flo")
    assert (last(floor).outcome, last(floor).by) == ("approved", "floor:flo")
    own: dict[str, Callable[[], object]] = {
        "void-round": lambda: other.void_round("t1", "MISDEAL"),
        "void-seat": lambda: other.void_seat("t1", 2, "WRONG_CARD_COUNT"),
        "remove-wager": lambda: other.remove("t1", 2, "a-five"),
    }
    own[command.act]()
    assert floor.state.balances == other.state.balances
    assert floor.state.payouts == other.state.payouts
    assert floor.state.tables["t1"].round == other.state.tables["t1"].round


def test_a_decline_and_a_withdrawal_have_events() -> None:
    """And nothing else changes; another call may follow."""
    floor = called("collected", ROUND)
    balances = dict(floor.state.balances)
    assert ok(floor.operate(DeclineFloorCall(1), "floor:flo")) == CallDeclined(1, "t1", "floor:flo")
    assert (last(floor).outcome, last(floor).by) == ("declined", "floor:flo")
    ok(floor.play("t1", ROUND))
    assert ok(floor.play("t1", WithdrawCall(2))) == CallWithdrawn(2, "t1")
    assert last(floor).outcome == "withdrawn"
    assert floor.state.balances == balances
    assert not floor.state.calls


@pytest.mark.parametrize("second", [ApproveFloorCall(1), DeclineFloorCall(1)])
@pytest.mark.parametrize("first", [ApproveFloorCall(1), DeclineFloorCall(1)])
def test_the_first_answer_wins(first: AnyCommand, second: AnyCommand) -> None:
    """The second person is told who was first, and when."""
    floor = called("settled", ROUND)
    ok(floor.operate(first, "floor:flo"))
    when = floor.clock
    refused = floor.operate(second, "floor:eve")
    assert isinstance(refused, Refused)
    assert refused.reason is Reason.CALL_CLOSED
    outcome = "approved" if isinstance(first, ApproveFloorCall) else "declined"
    assert refused.details == {
        "call": "1",
        "outcome": outcome,
        "by": "floor:flo",
        "closed_micros": str(when),
    }


def test_a_table_has_one_open_call_and_withdraws_only_its_own() -> None:
    """Another table's call is as good as none."""
    floor = called("collected", ROUND)
    refused = floor.play("t1", SEAT)
    assert isinstance(refused, Refused)
    assert (refused.reason, refused.details) == (Reason.CALL_OPEN, {"call": "1"})
    assert reason(floor.play("t2", WithdrawCall(1))) is Reason.UNKNOWN_CALL
    assert reason(floor.operate(ApproveFloorCall(2))) is Reason.UNKNOWN_CALL
    assert "t1" in floor.state.calls


def test_a_call_survives_a_new_attachment_which_shows_it() -> None:
    """It belongs to the table and its round."""
    floor = called("collected", ROUND)
    event = ok(floor.operate(AttachTable("t1")))
    assert isinstance(event, TableAttached)
    assert event.call == floor.state.calls["t1"]
    ok(floor.operate(ApproveFloorCall(1), "flo"))
    again = ok(floor.operate(AttachTable("t1")))
    assert isinstance(again, TableAttached)
    assert again.call is None


@pytest.mark.parametrize(
    ("phase", "command", "why"),
    [
        ("collected", CallFloor("void-seat", 1, 9, irregularity="X"), Reason.UNKNOWN_SEAT),
        ("locked", CallFloor("remove-wager", 1, 1, "x"), Reason.UNKNOWN_BET),
        ("locked", CallFloor("remove-wager", 1, 9, "a-five"), Reason.NO_SUCH_WAGER),
        ("collected", CallFloor("void-round", 2, irregularity="X"), Reason.WRONG_ROUND),
        ("collected", WAGER, Reason.ALREADY_COLLECTED),
    ],
)
def test_what_could_not_be_done_is_not_asked_for(
    phase: str, command: CallFloor, why: Reason
) -> None:
    """A call is refused like the act."""
    assert reason(at(phase).play("t1", command)) is why


def _collect(floor: Floor) -> None:
    floor.confirm("t1")


def _validate(floor: Floor) -> None:
    ok(floor.operate(ValidatePayout(1, "flo")))


def _own_void(floor: Floor) -> None:
    ok(floor.void_round("t1", "MISDEAL"))


def _next_round(floor: Floor) -> None:
    for payout in list(floor.state.payouts):
        floor.operate(ValidatePayout(payout, "flo"))
        floor.operate(PayPayout(payout, "F"))
    ok(floor.play("t1", OpenRound()))


@pytest.mark.parametrize(
    ("phase", "command", "happens"),
    [
        ("locked", WAGER, _collect),
        ("settled", ROUND, _validate),
        ("settled", SEAT, _validate),
        ("collected", SEAT, _own_void),
        ("settled", ROUND, _next_round),
    ],
)
def test_what_makes_a_call_impossible_closes_it(
    phase: str, command: CallFloor, happens: Callable[[Floor], None]
) -> None:
    """It blocked nothing, and nobody can approve it any more; a replay sees the same."""
    floor = called(phase, command)
    happens(floor)
    assert last(floor).outcome == "overtaken"
    assert reason(floor.operate(ApproveFloorCall(1))) is Reason.CALL_CLOSED
    assert floor.replayed().closed_calls == floor.state.closed_calls


def test_a_tables_own_void_closes_its_call() -> None:
    """A table may void alone before the collection, whatever it has called for."""
    floor = called("locked", ROUND)
    ok(floor.play("t1", VoidRound("MISDEAL")))
    assert (last(floor).outcome, last(floor).by) == ("overtaken", "")


def test_a_call_expires() -> None:
    """After half an hour nobody approves it; the next call takes its place."""
    floor = called("collected", ROUND)
    floor.clock += CALL_LIFE_MICROS
    for command in (ApproveFloorCall(1), DeclineFloorCall(1)):
        refused = floor.operate(command)
        assert isinstance(refused, Refused)
        assert (refused.reason, refused.details["outcome"]) == (Reason.CALL_CLOSED, "expired")
    assert last(floor).outcome == "expired"
    ok(floor.play("t1", ROUND))
    ok(floor.operate(ApproveFloorCall(2), "flo"))


def test_other_tables_answers_stay_known_however_much_one_table_calls() -> None:
    """What is remembered of closed calls is each table's own, and bounded."""
    floor = called("collected", ROUND)
    ok(floor.operate(DeclineFloorCall(1), "flo"))
    floor.bets_in("t2", all_bet("a-five"))
    for number in range(2, 20):
        ok(floor.play("t2", ROUND))
        ok(floor.play("t2", WithdrawCall(number)))
    assert len(floor.state.closed_calls["t2"]) == RECENT_CALLS
    refused = floor.operate(ApproveFloorCall(1))
    assert isinstance(refused, Refused)
    assert refused.details["by"] == "flo"
    assert reason(floor.operate(ApproveFloorCall(2))) is Reason.CALL_CLOSED
