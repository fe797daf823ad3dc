"""Parse messages into the core's requests: what comes out is well formed, or a refusal was raised.

Parsing never looks at state. Whether a seat, bet or link exists is for the core to say.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from google.protobuf.message import Message

from jackpot.core import commands as core
from jackpot.core.money import MAX_MICROS
from jackpot.core.reasons import Refusal
from jackpot.server.caller import Actor
from jackpot.server.enums import FATES, METER_REASONS, POOLS, REJECT_REASONS, SOURCES
from jackpot.server.errors import RefusedError
from jackpot.server.fields import (
    amount,
    cards,
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
from jackpot.server.limits import MAX_BETS, MAX_CHIPS, MAX_COMMANDS, MAX_SEATS, MAX_WAGERS
from jackpot.v1 import operator_pb2, table_pb2


def _open_round(_message: table_pb2.OpenRound) -> core.OpenRound:
    return core.OpenRound()


@lru_cache(maxsize=4_096)  # a table's wagers are the same few, round after round
def _wager(seat_: int, bet: str, amount_micros: int, player: str) -> core.Wager:
    return core.Wager(
        seat(seat_),
        identifier(bet, "bet"),
        amount(amount_micros, "amount_micros"),
        optional_text(player, "player"),
    )


def _place_wagers(message: table_pb2.PlaceWagers) -> core.PlaceWagers:
    wagers = many(message.wagers, "wagers", MAX_WAGERS, 1)
    return core.PlaceWagers(
        tuple([_wager(w.seat, w.bet, w.amount_micros, w.player) for w in wagers])
    )


def _placed(message: table_pb2.PlacedWager) -> core.Placed:
    return core.Placed(seat(message.seat), identifier(message.bet, "bet"))


def _withdraw_wagers(message: table_pb2.WithdrawWagers) -> core.WithdrawWagers:
    wagers = many(message.wagers, "wagers", MAX_WAGERS, 1)
    return core.WithdrawWagers(tuple(_placed(wager) for wager in wagers))


def _lock_out(_message: table_pb2.LockOut) -> core.LockOut:
    return core.LockOut()


def _remove_wager(message: table_pb2.RemoveWager) -> core.RemoveWager:
    floorperson = optional_text(message.floorperson, "floorperson")
    return core.RemoveWager(_placed(message.wager), floorperson)


def _confirm_collection(message: table_pb2.ConfirmCollection) -> core.ConfirmCollection:
    named = sorted(message.chips.items())  # a map has no order, a digest needs one
    return core.ConfirmCollection(
        {
            identifier(bet, "chips"): whole(count, "chips", 0, MAX_CHIPS)
            for bet, count in many(named, "chips", MAX_BETS)
        }
    )


def _settle(message: table_pb2.Settle) -> core.Settle:
    return core.Settle(
        hands=tuple(
            core.SeatHand(seat(hand.seat), cards(hand.cards, "cards"), FATES.from_wire(hand.fate))
            for hand in many(message.hands, "hands", MAX_SEATS)
        ),
        dealer=cards(message.dealer, "dealer"),
        community=cards(message.community, "community"),
    )


def _void_round(message: table_pb2.VoidRound) -> core.VoidRound:
    return core.VoidRound(
        irregularity=text(message.irregularity, "irregularity"),
        floorperson=optional_text(message.floorperson, "floorperson"),
    )


def _void_seat(message: table_pb2.VoidSeat) -> core.VoidSeat:
    return core.VoidSeat(
        seat=seat(message.seat),
        irregularity=text(message.irregularity, "irregularity"),
        floorperson=optional_text(message.floorperson, "floorperson"),
    )


# By the name of the field that carries a command on a Play stream.
_TABLE: Mapping[str, Callable[[Any], core.TableCommand]] = {
    "open_round": _open_round,
    "place_wagers": _place_wagers,
    "withdraw_wagers": _withdraw_wagers,
    "lock_out": _lock_out,
    "remove_wager": _remove_wager,
    "confirm_collection": _confirm_collection,
    "settle": _settle,
    "void_round": _void_round,
    "void_seat": _void_seat,
}


def table_request(kind: str, message: Any) -> core.Request:
    """A unary RPC's command: every request of this family has an id and a command."""
    which: table_pb2.CommandId = message.id
    return core.Request(
        site=identifier(which.site, "site"),
        origin=core.TableOrigin(
            identifier(which.table, "table"),
            number(which.epoch, "epoch"),
            number(which.number, "number"),
        ),
        command=_TABLE[kind](message.command),
    )


def play_requests(
    message: table_pb2.PlayRequest,
) -> Iterator[tuple[table_pb2.PlayCommand, core.Request | Refusal]]:
    """The commands of a Play message, each with its request or why there is none."""
    many(message.commands, "commands", MAX_COMMANDS)
    site = identifier(message.site, "site")
    table = identifier(message.table, "table")
    epoch = number(message.epoch, "epoch")
    for command in message.commands:
        try:
            kind = command.WhichOneof("command")
            if kind is None:
                raise malformed("command", "none that is known here")
            origin = core.TableOrigin(table, epoch, number(command.number, "number"))
            request = core.Request(site, origin, _TABLE[kind](getattr(command, kind)))
        except RefusedError as error:
            yield command, error.refusal
        else:
            yield command, request


def _attach(message: table_pb2.AttachRequest) -> core.AttachTable:
    return core.AttachTable(identifier(message.table, "table"))


def _validate(message: operator_pb2.ValidatePayoutRequest) -> core.ValidatePayout:
    return core.ValidatePayout(
        payout=number(message.payout, "payout"),
        floorperson=optional_text(message.floorperson, "floorperson"),
        source=SOURCES.from_wire(message.source) if message.source else None,
    )


def _pay(message: operator_pb2.PayPayoutRequest) -> core.PayPayout:
    return core.PayPayout(number(message.payout, "payout"), optional_text(message.form, "form"))


def _reject(message: operator_pb2.RejectPayoutRequest) -> core.RejectPayout:
    return core.RejectPayout(
        payout=number(message.payout, "payout"),
        reason=REJECT_REASONS.from_wire(message.reason),
        floorperson=optional_text(message.floorperson, "floorperson"),
    )


def _adjust(message: operator_pb2.AdjustMeterRequest) -> core.AdjustMeter:
    return core.AdjustMeter(
        link=identifier(message.link, "link"),
        level=identifier(message.level, "level"),
        to_micros=whole(message.to_micros, "to_micros", 0, MAX_MICROS),
        reason=METER_REASONS.from_wire(message.reason),
        reference=text(message.reference, "reference"),
    )


def _transfer(message: operator_pb2.TransferFundsRequest) -> core.TransferFunds:
    return core.TransferFunds(
        link=identifier(message.link, "link"),
        level=identifier(message.level, "level"),
        pool=POOLS.from_wire(message.pool),
        to_link=identifier(message.to_link, "to_link"),
        to_level=identifier(message.to_level, "to_level"),
        amount_micros=amount(message.amount_micros, "amount_micros"),
        reference=text(message.reference, "reference"),
    )


# By the type of the message; every one of them has a site and a request_id.
_OPERATOR: Mapping[type[Message], Callable[[Any], core.OperatorCommand]] = {
    table_pb2.AttachRequest: _attach,
    operator_pb2.PutLinkInServiceRequest: lambda m: core.PutInService(identifier(m.link, "link")),
    operator_pb2.SuspendLinkRequest: lambda m: core.SuspendLink(identifier(m.link, "link")),
    operator_pb2.ResumeLinkRequest: lambda m: core.ResumeLink(identifier(m.link, "link")),
    operator_pb2.RetireLinkRequest: lambda m: core.RetireLink(identifier(m.link, "link")),
    operator_pb2.ValidatePayoutRequest: _validate,
    operator_pb2.PayPayoutRequest: _pay,
    operator_pb2.RejectPayoutRequest: _reject,
    operator_pb2.AdjustMeterRequest: _adjust,
    operator_pb2.TransferFundsRequest: _transfer,
}


def operator_request(message: Any, actor: Actor) -> core.Request:
    """An operator's command, or a table's wish to attach."""
    return core.Request(
        site=identifier(message.site, "site"),
        origin=core.OperatorOrigin(actor.principal, request_id(message.request_id)),
        command=_OPERATOR[type(message)](message),
    )
