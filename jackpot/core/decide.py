"""Decide what a command does to a site. Pure: the same state and request give the same answer.

Checks run in the order of `Reason`; the first that fails is the refusal. Identity is
`jackpot.core.identity`'s and comes before this.
"""

from collections.abc import Callable
from typing import Any

from jackpot.core import (
    accounts,
    bad_beat,
    changes,
    decks,
    floor,
    floor_calls,
    incarnation,
    links,
    meter_readings,
    payouts,
    placing,
    refiling,
    rounds,
    voids,
)
from jackpot.core.bad_beat import NO_POKER, Poker
from jackpot.core.claims import Names
from jackpot.core.commands import Probe, ReadMeters, Request, SuspendAfterAbsence, TakeSnapshot
from jackpot.core.commands.base import TableOrigin
from jackpot.core.commands.operator import (
    AdjustMeter,
    ApproveFloorCall,
    ApproveProposal,
    AttachTable,
    BeginIncarnation,
    BuyIn,
    CashOut,
    ConfigureSite,
    ConfirmDisplay,
    CountBox,
    DeclineFloorCall,
    DeclineProposal,
    DefineLink,
    DefineTable,
    DescribeLink,
    DescribeTable,
    NoteSoftware,
    PayPayout,
    PutInService,
    RejectPayout,
    RemoveWager,
    ResetMeter,
    ResumeLink,
    RetireLink,
    SetDualControl,
    SetLimit,
    SetRate,
    SuspendLink,
    TransferFunds,
    ValidatePayout,
    VerifyBadBeat,
    VoidTableRound,
    VoidTableSeat,
)
from jackpot.core.commands.table import (
    CallFloor,
    ConfirmCollection,
    ContributePot,
    LockOut,
    Malformed,
    OpenRound,
    PlaceDeck,
    PlaceWagers,
    RemoveDeck,
    Settle,
    VoidRound,
    WithdrawCall,
    WithdrawWagers,
)
from jackpot.core.events import AnyEvent, Probed, SnapshotTaken
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.core.settle import settle
from jackpot.core.state import State, TableState

# What a table asks for, about its own round. Any: each function takes the command it is listed
# under, which the type of a dict can't say.
_AT_TABLE: dict[type, Callable[[State, TableState, Any, Request], AnyEvent | Refusal]] = {
    OpenRound: rounds.open_round,
    PlaceWagers: placing.place_wagers,
    WithdrawWagers: rounds.withdraw_wagers,
    LockOut: rounds.lock_out,
    ConfirmCollection: rounds.confirm_collection,
    VoidRound: voids.void_round,
    CallFloor: floor_calls.call_floor,
    WithdrawCall: floor_calls.withdraw,
    ContributePot: bad_beat.contribute_pot,
    PlaceDeck: decks.place_deck,
    RemoveDeck: decks.remove_deck,
    Malformed: lambda _, __, command, ___: Refusal(command.reason, command.details),
}
_AT_SITE: dict[type, Callable[[State, Any, Request], AnyEvent | Refusal]] = {
    AttachTable: links.attach,
    DefineLink: links.define_link,
    DefineTable: links.define_table,
    DescribeLink: refiling.describe_link,
    DescribeTable: refiling.describe_table,
    PutInService: links.put_in_service,
    SuspendLink: links.suspend,
    SuspendAfterAbsence: links.suspend,
    ReadMeters: meter_readings.read_meters,
    ResumeLink: links.resume,
    RetireLink: links.retire,
    AdjustMeter: changes.change,
    ResetMeter: changes.change,
    TransferFunds: changes.change,
    SetLimit: changes.change,
    SetRate: changes.change,
    SetDualControl: changes.change,
    ApproveProposal: changes.approve,
    DeclineProposal: changes.decline,
    ConfigureSite: changes.configure_site,
    NoteSoftware: changes.note_software,
    BuyIn: accounts.buy_in,
    CashOut: accounts.cash_out,
    CountBox: bad_beat.count_box,
    ConfirmDisplay: bad_beat.confirm_display,
    ValidatePayout: payouts.validate,
    PayPayout: payouts.pay,
    RejectPayout: payouts.reject,
    VoidTableRound: floor.act,
    VoidTableSeat: floor.act,
    RemoveWager: floor.act,
    ApproveFloorCall: floor_calls.approve,
    DeclineFloorCall: floor_calls.decline,
    BeginIncarnation: incarnation.begin,
    TakeSnapshot: lambda _, command, __: SnapshotTaken(command.sequence, command.state_sha256),
    Probe: lambda *_: Probed(),
}


def decide(
    state: State, request: Request, names: Names, poker: Poker = NO_POKER
) -> AnyEvent | Refusal:
    """The event that a command causes, or why it does not."""
    command, origin = request.command, request.origin
    kind = type(command)
    if (at_site := _AT_SITE.get(kind)) is not None:
        return at_site(state, command, request)
    if type(command) is VerifyBadBeat:
        return bad_beat.verify(state, command, request, poker)
    if not isinstance(origin, TableOrigin):
        raise TypeError(f"{kind.__name__} is a table's command, not {origin}'s")
    table = state.tables.get(origin.table)
    if table is None:
        return refuse(Reason.UNKNOWN_TABLE, table=origin.table)
    if type(command) is Settle:
        return settle(state, table, command, request, names)
    return _AT_TABLE[kind](state, table, command, request)
