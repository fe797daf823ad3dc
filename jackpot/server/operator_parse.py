"""Parse operators' messages into requests: what comes out is well formed, or a refusal was raised.

Parsing never looks at state. Whether a link, payout or proposal exists is for the core to say.
"""

from collections.abc import Callable, Mapping
from typing import Any

from google.protobuf.message import Message
from msgspec.structs import replace

from jackpot.auth.gate import Actor
from jackpot.auth.roles import keeps_cage
from jackpot.core.commands import Request
from jackpot.core.commands.base import OperatorOrigin
from jackpot.core.commands.operator import (
    AdjustMeter,
    ApproveProposal,
    AttachTable,
    BuyIn,
    CashOut,
    ConfirmDisplay,
    CountBox,
    DeclineProposal,
    OperatorCommand,
    PayPayout,
    PutInService,
    RejectPayout,
    RemoveWager,
    ResetMeter,
    ResumeLink,
    RetireLink,
    SetLimit,
    SetRate,
    SuspendLink,
    TransferFunds,
    ValidatePayout,
    VerifyBadBeat,
    VoidTableRound,
    VoidTableSeat,
)
from jackpot.core.commands.table import Placed
from jackpot.core.money import BPS_PER_WHOLE, MAX_MICROS
from jackpot.server.enums import METER_REASONS, POOLS, REJECT_REASONS, SOURCES
from jackpot.server.fields import (
    amount,
    cards,
    cash,
    identifier,
    malformed,
    many,
    number,
    optional_text,
    request_id,
    seat,
    text,
    whole,
)
from jackpot.wire.limits import MAX_SEATS
from jackpot.wire.v1 import operator_pb2, table_pb2


def _attach(message: table_pb2.AttachRequest) -> AttachTable:
    return AttachTable(identifier(message.table, "table"))


def _validate(message: operator_pb2.ValidatePayoutRequest) -> ValidatePayout:
    return ValidatePayout(
        payout=number(message.payout, "payout"),
        floorperson=optional_text(message.floorperson, "floorperson"),
        source=SOURCES.from_wire(message.source) if message.source else None,
    )


def _pay(message: operator_pb2.PayPayoutRequest) -> PayPayout:
    return PayPayout(number(message.payout, "payout"), optional_text(message.form, "form"))


def _reject(message: operator_pb2.RejectPayoutRequest) -> RejectPayout:
    return RejectPayout(
        payout=number(message.payout, "payout"),
        reason=REJECT_REASONS.from_wire(message.reason),
        floorperson=optional_text(message.floorperson, "floorperson"),
    )


def _void_round(message: operator_pb2.VoidTableRoundRequest) -> VoidTableRound:
    return VoidTableRound(
        table=identifier(message.table, "table"),
        round=number(message.round, "round"),
        irregularity=text(message.irregularity, "irregularity"),
    )


def _void_seat(message: operator_pb2.VoidTableSeatRequest) -> VoidTableSeat:
    return VoidTableSeat(
        table=identifier(message.table, "table"),
        round=number(message.round, "round"),
        seat=seat(message.seat),
        irregularity=text(message.irregularity, "irregularity"),
    )


def _remove_wager(message: operator_pb2.RemoveWagerRequest) -> RemoveWager:
    return RemoveWager(
        table=identifier(message.table, "table"),
        round=number(message.round, "round"),
        wager=Placed(seat(message.wager.seat), identifier(message.wager.bet, "bet")),
    )


def _adjust(message: operator_pb2.AdjustMeterRequest) -> AdjustMeter:
    return AdjustMeter(
        link=identifier(message.link, "link"),
        level=identifier(message.level, "level"),
        to_micros=whole(message.to_micros, "to_micros", 0, MAX_MICROS),
        reason=METER_REASONS.from_wire(message.reason),
        reference=text(message.reference, "reference"),
    )


def _transfer(message: operator_pb2.TransferFundsRequest) -> TransferFunds:
    return TransferFunds(
        link=identifier(message.link, "link"),
        level=identifier(message.level, "level"),
        pool=POOLS.from_wire(message.pool),
        to_link=identifier(message.to_link, "to_link"),
        to_level=identifier(message.to_level, "to_level"),
        amount_micros=amount(message.amount_micros, "amount_micros"),
        reference=text(message.reference, "reference"),
    )


def _reset(message: operator_pb2.ResetMeterRequest) -> ResetMeter:
    return ResetMeter(
        link=identifier(message.link, "link"),
        level=identifier(message.level, "level"),
        reference=text(message.reference, "reference"),
    )


def _limit(message: operator_pb2.SetLimitRequest) -> SetLimit:
    return SetLimit(
        link=identifier(message.link, "link"),
        level=identifier(message.level, "level"),
        limit_micros=whole(message.limit_micros, "limit_micros", 0, MAX_MICROS),
        reference=text(message.reference, "reference"),
    )


def _rate(message: operator_pb2.SetRateRequest) -> SetRate:
    return SetRate(
        link=identifier(message.link, "link"),
        level=identifier(message.level, "level"),
        primary_bps=whole(message.primary_bps, "primary_bps", 0, BPS_PER_WHOLE),
        reserve_bps=whole(message.reserve_bps, "reserve_bps", 0, BPS_PER_WHOLE),
        reference=text(message.reference, "reference"),
    )


def _buy_in(message: operator_pb2.BuyInRequest) -> BuyIn:
    return BuyIn(
        identifier(message.account, "account"),
        cash(message.amount_micros, "amount_micros"),
        text(message.reference, "reference"),
    )


def _cash_out(message: operator_pb2.CashOutRequest) -> CashOut:
    return CashOut(
        identifier(message.account, "account"),
        cash(message.amount_micros, "amount_micros"),
        text(message.reference, "reference"),
    )


def _count_box(message: operator_pb2.CountBoxRequest) -> CountBox:
    return CountBox(
        link=identifier(message.link, "link"),
        table=identifier(message.table, "table"),
        counted_micros=cash(message.counted_micros, "counted_micros", 0),
        cashier=optional_text(message.cashier, "cashier"),
        floorperson=optional_text(message.floorperson, "floorperson"),
    )


def _verify_bad_beat(message: operator_pb2.VerifyBadBeatRequest) -> VerifyBadBeat:
    seats = (message.loser_seat, message.winner_seat, *message.other_seats)
    if len(set(seats)) < len(seats):
        raise malformed("other_seats", "a seat is named twice")
    return VerifyBadBeat(
        link=identifier(message.link, "link"),
        table=identifier(message.table, "table"),
        losing=cards(message.losing_cards, "losing_cards"),
        winning=cards(message.winning_cards, "winning_cards"),
        community=cards(message.community_cards, "community_cards"),
        loser=seat(message.loser_seat),
        winner=seat(message.winner_seat),
        others=tuple(map(seat, many(message.other_seats, "other_seats", MAX_SEATS))),
        supervisor=optional_text(message.supervisor, "supervisor"),
    )


def _confirm_display(message: operator_pb2.ConfirmDisplayRequest) -> ConfirmDisplay:
    return ConfirmDisplay(
        link=identifier(message.link, "link"),
        displayed_micros=cash(message.displayed_micros, "displayed_micros", 0),
        floorperson=optional_text(message.floorperson, "floorperson"),
    )


# By the type of the message; every one of them has a site and a request_id.
_OPERATOR: Mapping[type[Message], Callable[[Any], OperatorCommand]] = {
    table_pb2.AttachRequest: _attach,
    operator_pb2.PutLinkInServiceRequest: lambda m: PutInService(identifier(m.link, "link")),
    operator_pb2.SuspendLinkRequest: lambda m: SuspendLink(identifier(m.link, "link")),
    operator_pb2.ResumeLinkRequest: lambda m: ResumeLink(identifier(m.link, "link")),
    operator_pb2.RetireLinkRequest: lambda m: RetireLink(identifier(m.link, "link")),
    operator_pb2.ValidatePayoutRequest: _validate,
    operator_pb2.PayPayoutRequest: _pay,
    operator_pb2.RejectPayoutRequest: _reject,
    operator_pb2.VoidTableRoundRequest: _void_round,
    operator_pb2.VoidTableSeatRequest: _void_seat,
    operator_pb2.RemoveWagerRequest: _remove_wager,
    operator_pb2.AdjustMeterRequest: _adjust,
    operator_pb2.ResetMeterRequest: _reset,
    operator_pb2.TransferFundsRequest: _transfer,
    operator_pb2.SetLimitRequest: _limit,
    operator_pb2.SetRateRequest: _rate,
    operator_pb2.ApproveProposalRequest: lambda m: ApproveProposal(number(m.proposal, "proposal")),
    operator_pb2.DeclineProposalRequest: lambda m: DeclineProposal(number(m.proposal, "proposal")),
    operator_pb2.BuyInRequest: _buy_in,
    operator_pb2.CashOutRequest: _cash_out,
    operator_pb2.CountBoxRequest: _count_box,
    operator_pb2.VerifyBadBeatRequest: _verify_bad_beat,
    operator_pb2.ConfirmDisplayRequest: _confirm_display,
}


# Who did these is who is calling: a certificate leaves no choice of name.
_IN_PERSON: Mapping[type, str] = {
    ValidatePayout: "floorperson",
    RejectPayout: "floorperson",
    CountBox: "cashier",
    VerifyBadBeat: "supervisor",
}


def operator_request(message: Any, actor: Actor) -> Request:
    """An operator's command, or a table's wish to attach."""
    identity = request_id(message.request_id)
    command = _OPERATOR[type(message)](message)
    if actor.role is not None and (name := _IN_PERSON.get(type(command))):
        command = replace(command, **{name: actor.principal})
    return Request(
        site=identifier(message.site, "site"),
        origin=OperatorOrigin(actor.principal, identity, actor.department),
        command=command,
        keeps_cage=keeps_cage(actor.department),
    )
