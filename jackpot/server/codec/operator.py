"""The rows of OperatorService: what staff call."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from jackpot.core import ledger
from jackpot.core.commands import operator as commands
from jackpot.core.events.table import WagerRemoved
from jackpot.core.floor import OF_ANY_SEAT
from jackpot.core.floor_calls import Act, latest_call, open_call
from jackpot.core.money import BPS_PER_WHOLE, MAX_MICROS
from jackpot.core.order import payouts_in_order
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.core.state import State
from jackpot.server.codec import Read, RequestedCommand, Row
from jackpot.server.codec.fields import (
    METER_REASONS,
    POOLS,
    REJECT_REASONS,
    SOURCES,
    amount,
    cards,
    cash,
    given,
    identifier,
    malformed,
    many,
    number,
    optional_text,
    placed,
    seat,
    text,
    whole,
)
from jackpot.server.codec.messages import (
    alarm_message,
    approved,
    call_message,
    changed,
    changes_messages,
    fill_voided,
    journaled,
    link_message,
    payout_message,
    proposal_message,
    table_message,
    voided,
)
from jackpot.wire.limits import MAX_SEATS
from jackpot.wire.v1 import operator_pb2 as pb


def _link(message: Any) -> str:
    return identifier(message.link, "link")


def _level(message: Any) -> dict[str, str]:
    return {"link": _link(message), "level": identifier(message.level, "level")}


def _round(message: Any) -> dict[str, Any]:
    return {
        "table": identifier(message.table, "table"),
        "round": number(message.round, "round"),
    }


def _alteration(message: pb.AdjustMeterRequest) -> commands.MeterReason:
    """Why a meter is altered; to reset one is another right, and ResetMeter's."""
    reason = METER_REASONS.from_wire(message.reason)
    if reason == "reset":
        raise malformed("reason", "to reset a meter, call ResetMeter", reason)
    return reason


def _reference(message: Any) -> str:
    return text(message.reference, "reference")


def _account(message: Any) -> tuple[str, int, str]:
    """The account, the cash and the paper of a buy-in or a cash-out."""
    return (
        identifier(message.account, "account"),
        cash(message.amount_micros, "amount_micros"),
        _reference(message),
    )


def _verify_bad_beat(message: pb.VerifyBadBeatRequest) -> commands.VerifyBadBeat:
    loser = seat(message.loser_seat, "loser_seat")
    winner = seat(message.winner_seat, "winner_seat")
    if winner == loser:
        raise malformed("winner_seat", "the seat is the loser's", winner)
    others = many(message.other_seats, "other_seats", MAX_SEATS)
    for place, other in enumerate(others):
        if [loser, winner, *others].count(other) > 1:
            raise malformed(f"other_seats[{place}]", "a seat is named twice", other)
    return commands.VerifyBadBeat(
        link=identifier(message.link, "link"),
        table=identifier(message.table, "table"),
        losing=cards(message.losing_cards, "losing_cards"),
        winning=cards(message.winning_cards, "winning_cards"),
        community=cards(message.community_cards, "community_cards"),
        loser=loser,
        winner=winner,
        others=tuple(seat(other, f"other_seats[{place}]") for place, other in enumerate(others)),
        supervisor=optional_text(message.supervisor, "supervisor"),
    )


def _site(message: Any) -> tuple[str, None]:
    return identifier(message.site, "site"), None


def _table(message: Any) -> tuple[str, str]:
    table = identifier(message.table, "table")
    return identifier(message.site, "site"), table


def _payouts(state: State, table: str) -> pb.ListPayoutsResponse | Refusal:
    if table and table not in state.tables:
        return refuse(Reason.UNKNOWN_TABLE, table=table)
    return pb.ListPayoutsResponse(
        sequence=state.sequence,
        payouts=[
            payout_message(payout)
            for payout in payouts_in_order(state)
            if table in ("", payout.table)
        ],
    )


def _get_table(state: State, table: str) -> pb.GetTableResponse | Refusal:
    if table not in state.tables:
        return refuse(Reason.UNKNOWN_TABLE, table=table)
    found = table_message(state, state.tables[table])
    irregularities = state.tables[table].config.irregularities
    found.round_irregularities.extend(irregularities.voids_round)
    if irregularities.voids_round:
        found.seat_irregularities.extend((*irregularities.voids_seat, *OF_ANY_SEAT))
    if call := latest_call(state, table, time.time_ns() // 1_000):
        found.call.CopyFrom(call_message(call))
    return pb.GetTableResponse(sequence=state.sequence, table=found)


def _floor_calls(state: State, _: None) -> pb.ListFloorCallsResponse:
    now_micros = time.time_ns() // 1_000
    found = [call for table in state.calls if (call := open_call(state, table, now_micros))]
    found.sort(key=lambda call: call.id)
    return pb.ListFloorCallsResponse(sequence=state.sequence, calls=map(call_message, found))


def _call_approved(sequence: int, event: Act) -> pb.ApproveFloorCallResponse:
    response = pb.ApproveFloorCallResponse(sequence=sequence, table=event.table, round=event.number)
    if not isinstance(event, WagerRemoved):
        fill_voided(response, event)
    return response


def _get_account(message: pb.GetAccountRequest) -> tuple[str, str]:
    account = ledger.game_account(identifier(message.account, "account"))
    return identifier(message.site, "site"), account


def _from_source(response: Callable[..., Any]) -> Callable[[int, Any], Any]:
    """An answer that says what is paid, and from where."""
    return lambda sequence, event: response(
        sequence=sequence, source=SOURCES.to_wire(event.source), amount_micros=event.amount_micros
    )


def _balance(response: Callable[..., Any]) -> Callable[[int, Any], Any]:
    """An answer that says what is in an account now."""
    return lambda sequence, event: response(sequence=sequence, balance_micros=event.balance_micros)


ROWS: Mapping[str, Row] = {
    "ListLinks": Read(
        _site,
        lambda state, _: pb.ListLinksResponse(
            sequence=state.sequence,
            links=[link_message(state, link) for link in state.links.values()],
        ),
    ),
    "PutLinkInService": RequestedCommand(
        lambda m: commands.PutInService(_link(m)), journaled(pb.PutLinkInServiceResponse)
    ),
    "SuspendLink": RequestedCommand(
        lambda m: commands.SuspendLink(_link(m)), journaled(pb.SuspendLinkResponse)
    ),
    "ResumeLink": RequestedCommand(
        lambda m: commands.ResumeLink(_link(m)), journaled(pb.ResumeLinkResponse)
    ),
    "RetireLink": RequestedCommand(
        lambda m: commands.RetireLink(_link(m)), journaled(pb.RetireLinkResponse)
    ),
    "ListPayouts": Read(
        lambda m: _table(m) if m.table else (identifier(m.site, "site"), ""), _payouts
    ),
    "ValidatePayout": RequestedCommand(
        lambda m: commands.ValidatePayout(
            payout=number(m.payout, "payout"),
            floorperson=optional_text(m.floorperson, "floorperson"),
            source=SOURCES.from_wire(m.source) if m.source else None,
        ),
        _from_source(pb.ValidatePayoutResponse),
        in_person="floorperson",
    ),
    "PayPayout": RequestedCommand(
        lambda m: commands.PayPayout(number(m.payout, "payout"), optional_text(m.form, "form")),
        _from_source(pb.PayPayoutResponse),
    ),
    "RejectPayout": RequestedCommand(
        lambda m: commands.RejectPayout(
            payout=number(m.payout, "payout"),
            reason=REJECT_REASONS.from_wire(m.reason),
            floorperson=optional_text(m.floorperson, "floorperson"),
        ),
        lambda sequence, event: pb.RejectPayoutResponse(
            sequence=sequence, changes=changes_messages(event.changes)
        ),
        in_person="floorperson",
    ),
    "VoidTableRound": RequestedCommand(
        lambda m: commands.VoidTableRound(
            **_round(m), irregularity=text(m.irregularity, "irregularity")
        ),
        voided(pb.VoidTableRoundResponse),
    ),
    "VoidTableSeat": RequestedCommand(
        lambda m: commands.VoidTableSeat(
            **_round(m), seat=seat(m.seat), irregularity=text(m.irregularity, "irregularity")
        ),
        voided(pb.VoidTableSeatResponse),
    ),
    "RemoveWager": RequestedCommand(
        lambda m: commands.RemoveWager(**_round(m), wager=placed(m.wager)),
        journaled(pb.RemoveWagerResponse),
    ),
    "ListFloorCalls": Read(_site, _floor_calls),
    "ApproveFloorCall": RequestedCommand(
        lambda m: commands.ApproveFloorCall(number(m.call, "call")), _call_approved
    ),
    "DeclineFloorCall": RequestedCommand(
        lambda m: commands.DeclineFloorCall(number(m.call, "call")),
        journaled(pb.DeclineFloorCallResponse),
    ),
    "AdjustMeter": RequestedCommand(
        lambda m: commands.AdjustMeter(
            **_level(m),
            to_micros=whole(given(m, "to_micros"), "to_micros", 0, MAX_MICROS),
            reason=_alteration(m),
            reference=_reference(m),
        ),
        changed(pb.AdjustMeterResponse),
    ),
    "ResetMeter": RequestedCommand(
        lambda m: commands.ResetMeter(**_level(m), reference=_reference(m)),
        changed(pb.ResetMeterResponse),
    ),
    "TransferFunds": RequestedCommand(
        lambda m: commands.TransferFunds(
            **_level(m),
            pool=POOLS.from_wire(m.pool),
            to_link=identifier(m.to_link, "to_link"),
            to_level=identifier(m.to_level, "to_level"),
            amount_micros=amount(m.amount_micros, "amount_micros"),
            reference=_reference(m),
        ),
        changed(pb.TransferFundsResponse),
    ),
    "SetLimit": RequestedCommand(
        lambda m: commands.SetLimit(
            **_level(m),
            limit_micros=whole(given(m, "limit_micros"), "limit_micros", 0, MAX_MICROS),
            reference=_reference(m),
        ),
        changed(pb.SetLimitResponse),
    ),
    "SetRate": RequestedCommand(
        lambda m: commands.SetRate(
            **_level(m),
            primary_bps=whole(given(m, "primary_bps"), "primary_bps", 0, BPS_PER_WHOLE),
            reserve_bps=whole(given(m, "reserve_bps"), "reserve_bps", 0, BPS_PER_WHOLE),
            reference=_reference(m),
        ),
        changed(pb.SetRateResponse),
    ),
    "SetDualControl": RequestedCommand(
        lambda m: commands.SetDualControl(m.dual_control, _reference(m)),
        changed(pb.SetDualControlResponse),
    ),
    "ListProposals": Read(
        _site,
        lambda state, _: pb.ListProposalsResponse(
            sequence=state.sequence,
            proposals=[proposal_message(found) for found in state.proposals.values()],
            dual_control=state.dual_control,
        ),
    ),
    "ApproveProposal": RequestedCommand(
        lambda m: commands.ApproveProposal(number(m.proposal, "proposal")), approved
    ),
    "DeclineProposal": RequestedCommand(
        lambda m: commands.DeclineProposal(number(m.proposal, "proposal")),
        journaled(pb.DeclineProposalResponse),
    ),
    "GetAccount": Read(
        _get_account,
        lambda state, account: pb.GetAccountResponse(
            sequence=state.sequence, balance_micros=state.balances.get(account, 0)
        ),
    ),
    "BuyIn": RequestedCommand(lambda m: commands.BuyIn(*_account(m)), _balance(pb.BuyInResponse)),
    "CashOut": RequestedCommand(
        lambda m: commands.CashOut(*_account(m)), _balance(pb.CashOutResponse)
    ),
    "CountBox": RequestedCommand(
        lambda m: commands.CountBox(
            link=_link(m),
            table=identifier(m.table, "table"),
            counted_micros=cash(given(m, "counted_micros"), "counted_micros", 0),
            cashier=optional_text(m.cashier, "cashier"),
        ),
        lambda sequence, event: pb.CountBoxResponse(
            sequence=sequence,
            recorded_micros=event.recorded_micros,
            counted_micros=event.counted_micros,
            alarms=event.alarms,
        ),
        in_person="cashier",
    ),
    "VerifyBadBeat": RequestedCommand(
        _verify_bad_beat,
        lambda sequence, event: pb.VerifyBadBeatResponse(
            sequence=sequence,
            payouts=[payout_message(payout) for payout in event.payouts],
            losing_hand=event.hand,
            winning_hand=event.winning_hand,
        ),
        in_person="supervisor",
    ),
    "ConfirmDisplay": RequestedCommand(
        lambda m: commands.ConfirmDisplay(
            link=_link(m),
            displayed_micros=cash(given(m, "displayed_micros"), "displayed_micros", 0),
        ),
        journaled(pb.ConfirmDisplayResponse),
    ),
    "ListTables": Read(
        _site,
        lambda state, _: pb.ListTablesResponse(
            sequence=state.sequence,
            tables=[table_message(state, table) for table in state.tables.values()],
        ),
    ),
    "GetTable": Read(_table, _get_table),
    "ListAlarms": Row(
        lambda m: identifier(m.site, "site"),
        lambda sequence, alarms: pb.ListAlarmsResponse(
            sequence=sequence, alarms=[alarm_message(alarm) for alarm in alarms]
        ),
    ),
}
