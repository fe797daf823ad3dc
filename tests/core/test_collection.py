"""The dealer's count: chips must be what was accepted, and only then feed the meters."""

import pytest
from msgspec.structs import replace

from jackpot.core.commands.operator import RemoveWager
from jackpot.core.commands.table import (
    ConfirmCollection,
    LockOut,
    Placed,
    Wager,
    WithdrawWagers,
)
from jackpot.core.events.table import CollectionConfirmed, RoundLocked, WagerRemoved
from jackpot.core.reasons import Reason
from tests.core.floor import (
    DOLLAR,
    Floor,
    all_bet,
    five_card_a,
    ok,
    reason,
    table,
)
from tests.core.one_table import details, five, opened, place, round_of


def test_withdrawn_wagers_count_for_nothing() -> None:
    """The seat may bet again, and only what stands is collected."""
    floor = opened()
    ok(place(floor, five(1), five(2), Wager(2, "hb-player", DOLLAR)))
    ok(floor.play("t1", WithdrawWagers((Placed(1, "a-five"), Placed(2, "a-five")))))
    assert {seat: list(bets) for seat, bets in round_of(floor).wagers.items()} == {2: ["hb-player"]}
    ok(place(floor, five(1)))
    ok(floor.play("t1", LockOut()))
    ok(floor.play("t1", ConfirmCollection({"a-five": 1})))
    assert floor.meter("a/main") == "10000.21"


@pytest.mark.rule("PA 657a.8(b)")
@pytest.mark.rule("MA 7(b)")
@pytest.mark.rule("PA2010 555.8(b)")
@pytest.mark.parametrize("counted", [5, 7])
def test_a_count_that_is_not_what_was_accepted_names_both_numbers(counted: int) -> None:
    """A chip too few or too many stops the round, and nothing is posted."""
    floor = opened()
    ok(place(floor, *all_bet("a-five")))
    ok(floor.play("t1", LockOut()))
    answer = floor.play("t1", ConfirmCollection({"a-five": counted}))
    assert reason(answer) == Reason.COLLECTION_MISMATCH
    assert details(answer) == {"bet": "a-five", "accepted": "6", "counted": str(counted)}
    assert floor.meter("a/main") == "10000.00"
    ok(floor.play("t1", ConfirmCollection({"a-five": 6})))
    assert floor.meter("a/main") == "10001.26"


def test_a_bet_that_is_not_counted_counts_none() -> None:
    """Silence about accepted chips is a mismatch too, as is a count for an unknown bet."""
    floor = opened()
    ok(place(floor, five(1)))
    ok(floor.play("t1", LockOut()))
    answer = floor.play("t1", ConfirmCollection({}))
    assert details(answer) == {"bet": "a-five", "accepted": "1", "counted": "0"}
    assert reason(floor.play("t1", ConfirmCollection({"none": 1}))) == Reason.UNKNOWN_BET
    # An electronic wager has no chip, so a count of one is one too many.
    wrong = floor.play("t1", ConfirmCollection({"a-five": 1, "hb-player": 1}))
    assert details(wrong)["bet"] == "hb-player"


def test_a_collection_is_confirmed_once_and_after_lock_out() -> None:
    """Before lock-out it is too early, afterwards it is done."""
    floor = opened()
    ok(place(floor, five(1)))
    count = ConfirmCollection({"a-five": 1})
    assert reason(floor.play("t1", count)) == Reason.NOT_LOCKED_OUT
    ok(floor.play("t1", LockOut()))
    ok(floor.play("t1", count))
    assert reason(floor.play("t1", count)) == Reason.ALREADY_COLLECTED
    floor.settle("t1")
    assert reason(floor.play("t1", count)) == Reason.ALREADY_COLLECTED


def test_a_floorperson_removes_a_wager_that_has_no_chip() -> None:
    """The count fits then, and the wager feeds no meter."""
    floor = opened()
    ok(place(floor, five(1), five(2), Wager(2, "hb-player", DOLLAR)))
    assert reason(floor.remove("t1", 2, "a-five")) == Reason.NOT_LOCKED_OUT
    ok(floor.play("t1", LockOut()))
    other = RemoveWager("t1", 2, Placed(2, "a-five"))
    assert reason(floor.operate(other)) == Reason.WRONG_ROUND
    removed = WagerRemoved("t1", Placed(2, "a-five"), "flo", 1, DOLLAR)
    assert ok(floor.remove("t1", 2, "a-five")) == removed
    assert reason(floor.remove("t1", 2, "a-five")) == Reason.NO_SUCH_WAGER
    assert reason(floor.remove("t1", 2, "hb-player")) == Reason.NO_SUCH_WAGER
    ok(floor.play("t1", ConfirmCollection({"a-five": 1})))
    assert floor.meter("a/main") == "10000.21"
    assert reason(floor.remove("t1", 2, "a-five")) == Reason.ALREADY_COLLECTED


def test_electronic_wagers_are_posted_at_lock_out_without_a_count() -> None:
    """With no chip wager there is nothing to confirm, and Settle may follow."""
    floor = opened()
    ok(place(floor, Wager(1, "hb-player", DOLLAR), Wager(1, "hb-dealer", DOLLAR)))
    event = ok(floor.play("t1", LockOut()))
    assert isinstance(event, RoundLocked)
    assert event.collected
    assert floor.meter("hb/main") == "10000.26"
    assert floor.balance("hb/main/reserve") == "0.16"
    assert floor.balance("hb/retained") == "1.58"
    assert floor.balance("hb/players") == "-2.00"
    assert reason(floor.play("t1", ConfirmCollection({}))) == Reason.ALREADY_COLLECTED
    floor.settle("t1")


def test_chips_are_counted_though_some_wagers_are_electronic() -> None:
    """Each medium is posted at its own step, and only chips are counted."""
    floor = opened()
    ok(place(floor, five(1), Wager(1, "hb-player", DOLLAR)))
    event = ok(floor.play("t1", LockOut()))
    assert isinstance(event, RoundLocked)
    assert not event.collected
    assert (floor.meter("hb/main"), floor.meter("a/main")) == ("10000.13", "10000.00")
    event_2 = ok(floor.play("t1", ConfirmCollection({"a-five": 1})))
    assert isinstance(event_2, CollectionConfirmed)
    assert (floor.meter("hb/main"), floor.meter("a/main")) == ("10000.13", "10000.21")
    assert sorted(round_of(floor).posted) == ["a/main", "hb/main"]


@pytest.mark.parametrize("limit", [0, 10_000 * DOLLAR])
def test_a_link_of_both_mediums_adds_up_what_each_step_posted(limit: int) -> None:
    """A void takes back the sum of lock-out and collection, and not a micro more or less."""
    link = five_card_a(reserve_bps=500, limit_micros=limit)
    wired = replace(link.bets[0], id="a-wired", medium="electronic")
    floor = Floor().open_up([replace(link, bets=(*link.bets, wired))], [table("t1", "a")])
    before = {account: micros for account, micros in floor.state.balances.items() if micros}
    floor.bets_in("t1", [*all_bet("a-five"), *all_bet("a-wired", seats=range(1, 3))])
    posted = round_of(floor).posted["a/main"]
    assert posted.meter_micros + posted.overflow_micros == 8 * 210_000
    assert posted.reserve_micros == 8 * 50_000
    assert (posted.overflow_micros > 0) == bool(limit)
    ok(floor.void_seat("t1", 1, "MISDEAL"))
    assert round_of(floor).posted["a/main"].reserve_micros == 6 * 50_000
    ok(floor.void_round("t1", "MISDEAL"))
    assert {account: micros for account, micros in floor.state.balances.items() if micros} == before
