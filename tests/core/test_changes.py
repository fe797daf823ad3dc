"""Meters change by hand only for a reason, with a reference, and by two people."""

from typing import Any

import pytest

from jackpot.core.changes import MAX_PROPOSALS, PROPOSAL_LIFE_MICROS
from jackpot.core.commands.operator import (
    AdjustMeter,
    ApproveProposal,
    Change,
    ConfigureSite,
    DeclineProposal,
    PayPayout,
    ResetMeter,
    ResumeLink,
    SetLimit,
    SetRate,
    SuspendLink,
    TransferFunds,
    ValidatePayout,
)
from jackpot.core.events import AnyEvent
from jackpot.core.events.operator import (
    FundsTransferred,
    MeterAdjusted,
    ParametersChanged,
    Proposed,
)
from jackpot.core.reasons import Reason, Refusal
from tests.core.floor import DOLLAR, Floor, all_bet, five_card_a, hand, ok, reason, table


def floor_of(*, dual: bool = True, **level: Any) -> Floor:
    """One link at $12,345.67 with a table."""
    floor = Floor().open_up([five_card_a(**level), five_card_a("b")], [table("t1", "a")])
    floor.set_level("a/main", "12345.67")
    ok(floor.operate(ConfigureSite(dual)))
    return floor


def propose(floor: Floor, change: Change, who: str = "olga") -> int:
    """A proposal by someone of operations."""
    event = ok(floor.operate(change, who, "operations"))
    assert isinstance(event, Proposed)
    return event.proposal.id


def approve(
    floor: Floor, proposal: int, who: str = "anna", department: str = "accounting"
) -> AnyEvent | Refusal:
    """An approval by someone of accounting."""
    return floor.operate(ApproveProposal(proposal), who, department)


ADJUST = AdjustMeter("a", "main", 12_000 * DOLLAR, "malfunction", "ticket 7")


def test_a_proposal_moves_nothing_and_shows_before_and_after() -> None:
    """Until a second person approves, only the proposal exists."""
    floor = floor_of()
    event = ok(floor.operate(ADJUST, "olga", "operations"))
    assert isinstance(event, Proposed)
    assert (event.proposal.before, event.proposal.after) == ("12,345.67", "12,000.00")
    assert floor.meter("a/main") == "12345.67"


def test_a_second_person_of_another_department_makes_it_happen() -> None:
    """The event names both people; the house bears a malfunction's correction."""
    floor = floor_of()
    house = floor.state.balances["a/house"]
    event = ok(approve(floor, propose(floor, ADJUST)))
    assert isinstance(event, MeterAdjusted)
    assert event.approval is not None
    assert (event.approval.proposer, event.approval.approver) == ("olga", "anna")
    assert floor.meter("a/main") == "12000.00"
    assert floor.state.balances["a/house"] - house == 345_670_000
    assert not floor.state.proposals


@pytest.mark.parametrize(
    ("who", "department", "expected"),
    [
        ("olga", "accounting", Reason.SECOND_PERSON_REQUIRED),
        ("otto", "operations", Reason.OTHER_DEPARTMENT_REQUIRED),
    ],
)
def test_who_may_not_approve(who: str, department: str, expected: Reason) -> None:
    """Neither the proposer under any hat, nor a colleague."""
    floor = floor_of()
    assert reason(approve(floor, propose(floor, ADJUST), who, department)) == expected
    assert floor.meter("a/main") == "12345.67"


@pytest.mark.parametrize(("after", "expired"), [(-1, False), (0, True), (1, True)])
def test_a_proposal_expires(after: int, expired: bool) -> None:
    """A day after it was made, a proposal can no longer be approved."""
    floor = floor_of()
    proposal = propose(floor, ADJUST)
    made = floor.state.proposals[proposal].time_micros
    floor.clock = made + PROPOSAL_LIFE_MICROS + after - 1
    answer = approve(floor, proposal)
    assert (isinstance(answer, MeterAdjusted)) is not expired
    if expired:
        assert reason(answer) == Reason.PROPOSAL_EXPIRED


def test_wagers_since_a_proposal_stay_on_the_meter() -> None:
    """Two people looked at a difference: that is what the house bears, whatever came in since."""
    floor = floor_of()
    up = AdjustMeter("a", "main", 12_346_170_000, "malfunction", "ticket 8")  # fifty cents more
    proposal = propose(floor, up)
    floor.bets_in("t1", all_bet("a-five"))
    house = floor.state.balances["a/house"]
    ok(approve(floor, proposal))
    assert house - floor.state.balances["a/house"] == 500_000
    assert floor.state.balances["a/main/meter"] == 12_345_670_000 + 6 * 210_000 + 500_000


def test_an_award_of_the_other_link_overtakes_a_transfer() -> None:
    """Both meters that a transfer shows must still be what they were."""
    floor = Floor().open_up([five_card_a(), five_card_a("b")], [table("t1", "a"), table("t2", "b")])
    floor.set_level("a/main", "12345.67")
    ok(floor.operate(ResetMeter("a", "main", "x")))
    ok(floor.operate(ConfigureSite(dual_control=True)))
    transfer = TransferFunds("a", "main", "overflow", "b", "main", 1_000_000, "board 1")
    proposal = propose(floor, transfer)
    floor.bets_in("t2", all_bet("b-five"))
    floor.settle("t2", hand(1, "straight-flush"))
    assert reason(approve(floor, proposal)) == Reason.PROPOSAL_OVERTAKEN


def test_an_award_since_overtakes_a_proposal() -> None:
    """The meter that was looked at is not the meter any more."""
    floor = floor_of()
    proposal = propose(floor, ADJUST)
    floor.bets_in("t1", all_bet("a-five"))
    floor.settle("t1", hand(2, "straight-flush"))
    assert reason(approve(floor, proposal)) == Reason.PROPOSAL_OVERTAKEN


RAISE = AdjustMeter("a", "main", 14_345_670_000, "malfunction", "ticket 9")


@pytest.mark.parametrize("first", [RAISE, ResetMeter("a", "main", "memo 1")])
@pytest.mark.parametrize("second", [RAISE, ResetMeter("a", "main", "memo 2")])
def test_a_change_since_overtakes_a_proposal(first: Change, second: Change) -> None:
    """Proposed twice it is made once; the second was about a meter that is no more."""
    floor = floor_of()
    proposals = propose(floor, first), propose(floor, second)
    ok(approve(floor, proposals[0]))
    meter = floor.meter("a/main")
    assert reason(approve(floor, proposals[1])) == Reason.PROPOSAL_OVERTAKEN
    assert floor.meter("a/main") == meter
    if second is RAISE and first is not RAISE:
        ok(approve(floor, propose(floor, second)))
        assert floor.meter("a/main") == "14345.67"


def test_money_from_elsewhere_overtakes_and_another_meter_does_not() -> None:
    """A transfer changes both of its meters' levels; a proposal about a third one stands."""
    floor = floor_of(dual=False)
    ok(floor.operate(ResetMeter("a", "main", "x")))
    ok(floor.operate(ConfigureSite(dual_control=True)))
    transfer = propose(floor, TransferFunds("a", "main", "overflow", "b", "main", DOLLAR, "board"))
    of_b = propose(floor, AdjustMeter("b", "main", 12_000 * DOLLAR, "malfunction", "ticket 1"))
    of_a = propose(floor, AdjustMeter("a", "main", 12_000 * DOLLAR, "malfunction", "ticket 2"))
    ok(approve(floor, of_b))
    assert reason(approve(floor, transfer)) == Reason.PROPOSAL_OVERTAKEN
    ok(approve(floor, of_a))


def test_another_limit_overtakes_a_proposal() -> None:
    """It would share the money out in another way than was looked at."""
    floor = floor_of()
    proposal = propose(floor, RAISE)
    ok(floor.operate(SuspendLink("a")))
    ok(approve(floor, propose(floor, SetLimit("a", "main", 13_000 * DOLLAR, "x"))))
    ok(floor.operate(ResumeLink("a")))
    assert reason(approve(floor, proposal)) == Reason.PROPOSAL_OVERTAKEN


def test_a_transfer_tells_what_has_moved() -> None:
    """Of a level's own overflow the limit lets only so much back on its meter."""
    floor = floor_of(dual=False, limit_micros=12_346 * DOLLAR)
    ok(floor.operate(AdjustMeter("a", "main", 12_300 * DOLLAR, "limit", "x")))
    ok(floor.operate(AdjustMeter("a", "main", 12_340 * DOLLAR, "promotion", "x")))
    event = ok(floor.operate(TransferFunds("a", "main", "overflow", "a", "main", 45_670_000, "x")))
    assert isinstance(event, FundsTransferred)
    assert event.amount_micros == 6 * DOLLAR
    assert floor.state.balances["a/main/overflow"] == 39_670_000


def test_a_proposal_is_decided_once() -> None:
    """Approved or declined, it is closed; one that never was is unknown."""
    floor = floor_of()
    proposal = propose(floor, ADJUST)
    ok(floor.operate(DeclineProposal(proposal)))
    assert reason(approve(floor, proposal)) == Reason.PROPOSAL_CLOSED
    second = propose(floor, ADJUST)
    ok(approve(floor, second))
    assert reason(approve(floor, second)) == Reason.PROPOSAL_CLOSED
    assert reason(approve(floor, second + 1)) == Reason.UNKNOWN_PROPOSAL


def test_without_dual_control_it_happens_at_once_and_says_so() -> None:
    """A test lab's change names one person and no proposal."""
    floor = floor_of(dual=False)
    event = ok(floor.operate(ADJUST, "lab"))
    assert isinstance(event, MeterAdjusted)
    assert event.approval is not None
    assert (event.approval.proposal, event.approval.approver) == (0, "")
    assert floor.meter("a/main") == "12000.00"


def test_a_reset_parks_players_money_and_a_transfer_gives_it_to_players() -> None:
    """What is above the reseed is parked, then goes to another meter; the house gains nothing."""
    floor = floor_of(dual=False)
    house = floor.state.balances["a/house"]
    ok(floor.operate(ResetMeter("a", "main", "closing")))
    assert floor.meter("a/main") == "10000.00"
    assert floor.balance("a/main/overflow") == "2345.67"
    for amount, refused in ((2_345_670_001, True), (2_345_670_000, False)):
        answer = floor.operate(
            TransferFunds("a", "main", "overflow", "b", "main", amount, "board 12")
        )
        assert isinstance(answer, FundsTransferred) is not refused
    assert floor.meter("b/main") == "12345.67"
    assert floor.state.balances["a/house"] == house


def test_what_a_regulation_fixes_can_not_be_proposed() -> None:
    """A rate that a clause fixes is refused with that clause."""
    floor = floor_of(fixed="PA 657a.12(e)(3)")
    ok(floor.operate(SuspendLink("a")))
    answer = floor.operate(SetRate("a", "main", 2_000, 0, "x"), "olga", "operations")
    assert reason(answer) == Reason.FIXED_BY_REGULATION


@pytest.mark.rule("PA2010 555.13(e)")
@pytest.mark.parametrize(("bps", "refused"), [(6_999, True), (7_000, False), (7_001, False)])
def test_a_rate_has_a_minimum(bps: int, refused: bool) -> None:
    """Caribbean Stud's rate may not fall below 70%."""
    floor = floor_of(dual=False, minimum_bps=7_000)
    ok(floor.operate(SuspendLink("a")))
    answer = floor.operate(SetRate("a", "main", bps, 0, "x"))
    assert isinstance(answer, ParametersChanged) is not refused
    if refused:
        assert reason(answer) == Reason.BELOW_MINIMUM


def test_parameters_change_on_a_suspended_link_when_it_resumes() -> None:
    """Changes add up while the link is suspended, and are in force from its resumption."""
    floor = floor_of(dual=False)
    limit = SetLimit("a", "main", 12_346 * DOLLAR, "x")
    assert reason(floor.operate(limit)) == Reason.WRONG_LINK_STATE
    ok(floor.operate(SuspendLink("a")))
    ok(floor.operate(limit))
    ok(floor.operate(SetRate("a", "main", 1_000, 500, "x")))
    assert floor.state.links["a"].config.levels[0].primary_bps == 2_100
    ok(floor.operate(ResumeLink("a")))
    floor.bets_in("t1", all_bet("a-five"))
    assert floor.meter("a/main") == "12346.00"
    assert floor.balance("a/main/overflow") == "0.27"
    assert floor.balance("a/main/reserve") == "0.30"


@pytest.mark.parametrize(("later_micros", "fine"), [(-1, False), (0, True)])
def test_proposals_that_expired_make_room(later_micros: int, fine: bool) -> None:
    """So many may wait at once; one that nobody can approve any more is not waiting."""
    floor = floor_of()
    first = propose(floor, ADJUST)
    expires = floor.state.proposals[first].expires_micros
    for _ in range(MAX_PROPOSALS - 1):
        propose(floor, ADJUST)
    floor.clock = expires + later_micros - 1  # the next command comes a micro later
    answer = floor.operate(ADJUST, "olga", "operations")
    assert (first in floor.state.proposals) != fine
    if fine:
        ok(answer)
    else:
        assert reason(answer) == Reason.TOO_MANY


def test_two_certificates_of_one_person_are_one_person() -> None:
    """Who proposed as operations can't approve as accounting, but a namesake's colleague can."""
    floor = floor_of()
    proposal = propose(floor, ADJUST, "operations:olga")
    assert reason(approve(floor, proposal, "accounting:olga")) == Reason.SECOND_PERSON_REQUIRED
    ok(approve(floor, proposal, "accounting:anna"))


@pytest.mark.parametrize(
    ("cents", "refused"), [(0, False), (1, True), (1_000_000, True), (1_000_001, False)]
)
@pytest.mark.rule("PA 657a.12(e)(3)")
def test_a_limit_is_none_or_above_the_seed(cents: int, refused: bool) -> None:
    """A meter that starts at its limit would never progress."""
    floor = floor_of(dual=False)
    floor.set_level("a/main", "10000.00")
    ok(floor.operate(SuspendLink("a")))
    answer = floor.operate(SetLimit("a", "main", cents * 10_000, "memo"))
    if refused:
        assert reason(answer) == Reason.BELOW_MINIMUM
    else:
        ok(answer)


@pytest.mark.parametrize(
    ("cents", "refused"), [(1_199_999, True), (1_200_000, False), (1_200_001, False)]
)
@pytest.mark.rule("PA 657a.12(e)(3)")
def test_a_limit_is_not_below_the_standing_meter(cents: int, refused: bool) -> None:
    """What the sign already shows is not above a limit."""
    floor = floor_of(dual=False)
    floor.set_level("a/main", "12000.00")
    ok(floor.operate(SuspendLink("a")))
    answer = floor.operate(SetLimit("a", "main", cents * 10_000, "memo"))
    if refused:
        assert reason(answer) == Reason.BELOW_MINIMUM
    else:
        ok(answer)


@pytest.mark.parametrize(
    ("reserve_bps", "refused"), [(2_999, False), (3_000, False), (3_001, True)]
)
def test_rates_never_pass_the_whole_wager(reserve_bps: int, refused: bool) -> None:
    """More than 100% would take from the house what nobody wagered."""
    floor = floor_of(dual=False)
    ok(floor.operate(SuspendLink("a")))
    answer = floor.operate(SetRate("a", "main", 7_000, reserve_bps, "memo"))
    if refused:
        assert reason(answer) == Reason.ABOVE_MAXIMUM
        return
    ok(answer)
    ok(floor.operate(ResumeLink("a")))
    floor.bets_in("t1", all_bet("a-five"))


@pytest.mark.parametrize(
    ("department", "refused"), [("accounting", False), ("", False), ("table games", True)]
)
@pytest.mark.rule("PA 657a.11(e)(3)")
def test_the_cage_pays_percentages(department: str, refused: bool) -> None:
    """A percentage is never paid by the floor, whoever validated it; other awards may be."""
    floor = floor_of()
    floor.bets_in("t1", all_bet("a-five"))
    settled = floor.settle("t1", hand(6, "straight-flush"), hand(5, "full-house"))
    share = next(payout for payout in settled.payouts if payout.share_bps)
    fixed = next(payout for payout in settled.payouts if payout.kind == "fixed")
    for payout in settled.payouts:
        if payout.kind != "envy":
            ok(floor.operate(ValidatePayout(payout.id, "flo")))
    ok(floor.operate(PayPayout(fixed.id), "flo", department))
    answer = floor.operate(PayPayout(share.id, "F-1"), "flo", department)
    if refused:
        assert reason(answer) == Reason.NOT_ALLOWED
    else:
        ok(answer)
