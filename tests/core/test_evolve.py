"""Evolve takes only what can follow, and an event survives being stored."""

from typing import TYPE_CHECKING, Any, NoReturn, get_args

import msgspec
import pytest

from jackpot.core.commands.base import ControllerOrigin, OperatorOrigin
from jackpot.core.commands.operator import PayPayout, ValidatePayout
from jackpot.core.commands.table import Placed, Wager
from jackpot.core.events import AnyEvent, Probed, Record, Refused
from jackpot.core.events.operator import FundsTransferred
from jackpot.core.events.table import (
    RoundLocked,
    RoundSettled,
    WagerRemoved,
    WagersPlaced,
    WagersWithdrawn,
)
from jackpot.core.evolve import evolve, post
from jackpot.core.invariants import BrokenInvariantError, check, check_open
from jackpot.core.reasons import Reason
from jackpot.core.state import RECENT_HITS, State
from tests.core.floor import DOLLAR, Floor, all_bet, five_card_a, hand, hand_bonus, ok, table
from tests.golden.make_journal import play

if TYPE_CHECKING:
    from jackpot.core.events.base import Postings

PROBE = Record(ControllerOrigin(), Probed())


def stored(value: Any) -> Any:
    """A value as a restart would read it."""
    return msgspec.json.decode(msgspec.json.encode(value), type=type(value))


@pytest.mark.parametrize(("sequence", "fine"), [(0, False), (1, False), (2, True), (3, False)])
def test_entries_follow_one_another_without_gaps(sequence: int, fine: bool) -> None:
    """Neither the same number again nor one left out."""
    state = State("test")
    evolve(state, PROBE, 1, 5)
    if fine:
        evolve(state, PROBE, sequence, 5)
        assert state.sequence == sequence
    else:
        with pytest.raises(BrokenInvariantError, match=f"entry {sequence} does not follow 1"):
            evolve(state, PROBE, sequence, 5)


@pytest.mark.parametrize(("time", "fine"), [(4, False), (5, True), (6, True)])
def test_time_never_goes_back(time: int, fine: bool) -> None:
    """The same moment may come twice, an earlier one may not."""
    state = State("test")
    evolve(state, PROBE, 1, 5)
    if fine:
        evolve(state, PROBE, 2, time)
        assert state.time_micros == time
    else:
        with pytest.raises(BrokenInvariantError, match="goes back in time"):
            evolve(state, PROBE, 2, time)


def moved(*postings: tuple[str, int]) -> Record:
    """An entry that moves money and does nothing else."""
    event = FundsTransferred("a", "main", "overflow", "b", "main", 1, "T", postings)
    return Record(OperatorOrigin("ops", "1"), event, "digest")


@pytest.mark.parametrize("amount", [-1, 1])
def test_postings_sum_to_zero(amount: int) -> None:
    """A micro too many or too few is no posting."""
    record = moved(("a/house", -100), ("a/main/meter", 100 + amount))
    with pytest.raises(BrokenInvariantError, match="do not sum to zero"):
        evolve(State("test"), record, 1, 0)


@pytest.mark.parametrize(
    "account", ["a/main/meter", "a/main/reserve", "a/main/overflow", "a/pending", "a/retained"]
)
def test_no_account_but_house_and_players_is_overdrawn(account: str) -> None:
    """Down to nothing, and not a micro further."""
    state = State("test")
    evolve(state, moved(("a/house", -100), (account, 100)), 1, 0)
    evolve(state, moved(("a/players", 100), (account, -100)), 2, 0)
    assert state.balances == {"a/house": -100, account: 0, "a/players": 100}
    with pytest.raises(BrokenInvariantError, match=f"entry 2 overdraws {account}"):
        post(state, (("a/house", 1), (account, -1)))


@pytest.mark.parametrize(
    "event",
    [
        WagersPlaced("t1", ()),
        WagersWithdrawn("t1", (Placed(1, "a-five"),)),
        WagerRemoved("t1", Placed(1, "a-five"), "flo"),
        RoundLocked("t1", 1, (), collected=True),
        RoundSettled("t1", 1, (), (), ()),
    ],
    ids=lambda event: type(event).__name__,
)
def test_what_happens_in_a_round_needs_a_round(event: AnyEvent) -> None:
    """A journal that says otherwise is not sound."""
    floor = Floor().open_up([five_card_a()], [table("t1", "a")])
    with pytest.raises(BrokenInvariantError, match="table t1 has no round"):
        floor.commit(Record(ControllerOrigin(), event))


def test_every_kind_of_event_survives_its_stored_form() -> None:
    """What a row says is what happened, to the last field."""
    records = [record for record, _ in play().journal]
    assert {type(record.event) for record in records} == set(get_args(AnyEvent))
    for record in records:
        assert stored(record) == record


def test_a_state_survives_its_snapshot() -> None:
    """A restart from a snapshot goes on as if there had been none."""
    state = play().state
    assert stored(state) == state


def test_only_the_latest_hits_are_kept() -> None:
    """A sign shows the recent ones; the journal has all."""
    floor = Floor().open_up([five_card_a()], [table("t1", "a")])
    for _ in range(5):
        floor.bets_in("t1", all_bet("a-five"))
        floor.settle("t1", *(hand(seat, "straight-flush") for seat in range(1, 7)))
        ok(floor.void_round("t1", "MISDEAL"))
    assert len(floor.state.hits) == RECENT_HITS == 25
    assert {hit.status for hit in floor.state.hits} == {"rejected"}


def test_a_hit_that_is_not_yet_paid_is_never_dropped() -> None:
    """However many newer ones come, it is among the hits until it is paid; then it may go."""
    floor = Floor().open_up([five_card_a()], [table("t1", "a"), table("t2", "a")])
    floor.bets_in("t2", [Wager(1, "a-five", DOLLAR)])
    (due,) = floor.settle("t2", hand(1, "royal-flush")).payouts

    def five_rounds() -> None:
        for _ in range(5):
            floor.bets_in("t1", all_bet("a-five"))
            floor.settle("t1", *(hand(seat, "straight-flush") for seat in range(1, 7)))
            ok(floor.void_round("t1", "MISDEAL"))

    for status in ("pending", "validated"):
        five_rounds()
        assert floor.state.hits[0].payout == due.id
        assert floor.state.hits[0].status == status
        assert len(floor.state.hits) == RECENT_HITS
        if status == "pending":
            ok(floor.operate(ValidatePayout(due.id, "flo")))
    ok(floor.operate(PayPayout(due.id, "F-1")))
    five_rounds()
    assert due.id not in {hit.payout for hit in floor.state.hits}
    assert floor.replayed() == floor.state


def broken(**changes: object) -> State:
    """A sound state with something changed."""
    floor = Floor().open_up([five_card_a(), hand_bonus()], [table("t1", "a", "hb")])
    floor.bets_in("t1", all_bet("a-five"))
    floor.settle("t1", hand(3, "full-house"))
    for account, change in changes.items():
        assert isinstance(change, int)
        floor.state.balances[account.replace("_", "/")] += change
    return floor.state


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"a_main_meter": 1}, r"the site's accounts add up to \$0.000001, not to \$0"),
        ({"a_main_meter": -1}, r"the site's accounts add up to \$-0.000001, not to \$0"),
        (
            {"a_main_meter": -20_000 * DOLLAR, "a_house": 20_000 * DOLLAR},
            r"account a/main/meter holds \$-9,998.74, which is less than \$0",
        ),
        (
            {"a_pending": 1, "a_house": -1},
            r"link a has \$50.000001 pending, but its open payouts are \$50.00",
        ),
        (
            {"a_pending": -1, "a_house": 1},
            r"link a has \$49.999999 pending, but its open payouts are \$50.00",
        ),
    ],
)
def test_a_state_that_can_not_be_right_is_found(changes: dict[str, int], words: str) -> None:
    """A micro astray, an overdrawn meter, or money due that nobody is owed."""
    check(broken())
    with pytest.raises(BrokenInvariantError, match=words):
        check(broken(**changes))


def test_a_refusal_changes_nothing_but_what_is_remembered() -> None:
    """Only the sequence, the time and the answer's place."""
    floor = Floor().open_up([five_card_a()], [table("t1", "a")])
    before = stored(floor.state)
    origin = OperatorOrigin("ops", "90000000")
    floor.commit(Record(origin, Refused("SuspendLink", Reason.UNKNOWN_LINK), "digest"))
    after = stored(floor.state)
    before.requests_by["ops"].recent["90000000"] = after.requests_by["ops"].recent["90000000"]
    before.sequence, before.time_micros = after.sequence, after.time_micros
    assert before == after


def test_postings_are_kept_by_account() -> None:
    """Each account's balance is what was posted to it, over all entries."""
    state = State("test")
    first: Postings = (("a/house", -5), ("a/main/meter", 5))
    post(state, first)
    post(state, (*first, ("a/main/meter", -2), ("a/house", 2)))
    assert state.balances == {"a/house": -8, "a/main/meter": 8}


class Unwalked(dict[str, int]):
    """Balances that nobody may walk through."""

    def _walk(self) -> NoReturn:
        raise AssertionError("every account was walked through")

    __iter__ = items = values = keys = _walk  # whichever way


def test_a_batch_is_checked_without_a_walk_through_all_accounts() -> None:
    """Half a million game accounts cost a batch nothing; what is due is compared all the same."""
    state = broken()
    state.balances = Unwalked(state.balances)
    check_open(state)
    with pytest.raises(AssertionError, match="walked"):
        check(state)
    state.balances["a/pending"] += 1
    with pytest.raises(BrokenInvariantError, match="pending, but its open payouts are"):
        check_open(state)
