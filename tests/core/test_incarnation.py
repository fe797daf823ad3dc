"""A restored backup goes on as another incarnation: nothing that was given is given again."""

import itertools

import pytest

from jackpot.core.commands.base import TableOrigin
from jackpot.core.commands.operator import (
    Acknowledged,
    AdjustMeter,
    ApproveFloorCall,
    ApproveProposal,
    AttachTable,
    BeginIncarnation,
    ConfigureSite,
    PayPayout,
)
from jackpot.core.commands.table import CallFloor, OpenRound, Wager
from jackpot.core.events.operator import IncarnationBegun, Proposed
from jackpot.core.events.table import (
    FloorCalled,
    LostRange,
    RoundSettled,
    RoundVoided,
    TableAttached,
)
from jackpot.core.identity import digest
from jackpot.core.reasons import Reason
from tests.core.floor import DOLLAR, Floor, five_card_a, hand, ok, reason, table

NOW_MICROS = 1_800_000_000_000_000


def restore(floor: Floor, id_: str = "b", *, ordinal_above: int = 0) -> IncarnationBegun:
    """Go on from where the journal ends."""
    floor.clock = max(floor.clock, NOW_MICROS)
    event = ok(floor.operate(BeginIncarnation(id_, "ab12", "disk failed", "ann", ordinal_above)))
    assert isinstance(event, IncarnationBegun)
    return event


def attach(floor: Floor, known: Acknowledged | None = None, at: str = "t1") -> TableAttached:
    """A table that says what it had been told."""
    event = ok(floor.operate(AttachTable(at, known)))
    assert isinstance(event, TableAttached)
    return event


@pytest.fixture
def floor() -> Floor:
    """Two tables on a link."""
    return Floor().open_up([five_card_a()], [table("t1", "a"), table("t2", "a")])


def test_nobody_is_attached_any_more(floor: Floor) -> None:
    """Whoever spoke for a table, also with an epoch that was lost, is told to attach again."""
    restore(floor)
    for epoch in (1, 2, 50):
        answer = floor.handle(TableOrigin("t1", epoch, 1), OpenRound())
        assert reason(answer) == Reason.OTHER_INCARNATION
    event = attach(floor)
    assert event.incarnation == "b"
    assert event.epoch == floor.state.incarnation.epochs_above + 1 > NOW_MICROS // 1_000
    ok(floor.play("t1", OpenRound()))
    assert reason(floor.handle(TableOrigin("t2", event.epoch, 1), OpenRound())) == (
        Reason.NOT_ATTACHED
    )


def test_a_second_restore_of_the_same_backup_gives_other_epochs(floor: Floor) -> None:
    """The first restore was lost with its epochs; time tells the two apart."""
    other = Floor()
    other.requests = itertools.count(100)
    for record, time_micros in floor.journal:
        other.clock = time_micros
        other.commit(record)
    restore(floor)
    first = attach(floor).epoch
    other.clock = floor.clock + 1_000_000
    again = restore(other, "c", ordinal_above=2)
    assert again.ordinal == 3
    assert attach(other).epoch > first
    assert reason(other.handle(TableOrigin("t1", first, 1), OpenRound())) == (
        Reason.OTHER_INCARNATION
    )


def test_payouts_jump_past_those_that_are_lost(floor: Floor) -> None:
    """The next one is in the next million; one between is nobody's, and not one that was paid."""
    event = restore(floor)
    assert event.payouts_above == 1_000_000
    attach(floor)
    floor.bets_in("t1", [Wager(2, "a-five", DOLLAR)])
    settled = floor.settle("t1", hand(2, "straight-flush"))
    assert isinstance(settled, RoundSettled)
    assert [payout.id for payout in settled.payouts] == [1_000_001]
    assert reason(floor.operate(PayPayout(7))) == Reason.UNKNOWN_PAYOUT


def test_proposals_jump_too(floor: Floor) -> None:
    """A lost proposal can't be approved as if it were another one."""
    ok(floor.operate(ConfigureSite(dual_control=True)))
    restore(floor)
    change = AdjustMeter("a", "main", 20_000 * DOLLAR, "malfunction", "T-1")
    proposed = floor.operate(change, "ann", "slots")
    assert isinstance(proposed, Proposed)
    assert proposed.proposal.id == 1_000_001
    assert reason(floor.operate(ApproveProposal(1), "bob", "accounting")) == (
        Reason.UNKNOWN_PROPOSAL
    )


def test_calls_for_the_floor_jump_too(floor: Floor) -> None:
    """An answer to a lost call that is still on its way does nothing to another one."""
    restore(floor)
    attach(floor)
    ok(floor.play("t1", OpenRound()))
    called = floor.play("t1", CallFloor("void-round", 1, irregularity="MISDEAL"))
    assert isinstance(called, FloorCalled)
    assert called.id == 1_000_001
    assert reason(floor.operate(ApproveFloorCall(1))) == Reason.UNKNOWN_CALL
    assert isinstance(floor.operate(ApproveFloorCall(called.id)), RoundVoided)


@pytest.mark.parametrize(
    ("last", "lost"), [(-1, None), (0, None), (1, LostRange("", 7, 7, 4)), (9, (7, 15))]
)
def test_a_table_that_had_more_is_noted(
    floor: Floor, last: int, lost: LostRange | tuple[int, int] | None
) -> None:
    """What it was told after the backup, with its round, is journaled and raises an alarm."""
    common = floor.state.sequence
    assert common == 6
    restore(floor)
    event = attach(floor, Acknowledged("", 2, common + last, 4))
    if isinstance(lost, tuple):
        lost = LostRange("", *lost, 4)
    assert event.lost == lost
    assert event.alarms == (("TABLE_ROLLED_BACK",) if lost else ())
    assert attach(floor, Acknowledged("b", event.epoch, floor.state.sequence)).lost is None


def test_what_two_restores_lost_is_noted(floor: Floor) -> None:
    """A table that slept through both knows more than the older of the two backups."""
    restore(floor, "b")
    restore(floor, "c")
    assert attach(floor, Acknowledged("", 2, 9)).lost == LostRange("", 7, 9, 0)
    assert attach(floor, Acknowledged("b", 7, 9), "t2").lost == LostRange("b", 8, 9, 0)
    assert attach(floor, Acknowledged("gone", 7, 9), "t2").lost == LostRange("gone", 8, 9, 0)


def test_a_rollback_that_nobody_accepted_shows_at_the_next_attachment(floor: Floor) -> None:
    """An answer from beyond the journal's end can't be, unless entries were taken away."""
    end = floor.state.sequence
    assert attach(floor, Acknowledged("", 1, end + 3, 2)).lost == LostRange("", end + 1, end + 3, 2)


def test_an_attachment_is_known_by_what_it_was_known_by_before() -> None:
    """A request that an older program has answered is recognized."""
    assert digest(AttachTable("t1")) == "c5abd69e837b31c188581dc6"
