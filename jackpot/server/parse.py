"""Parse a table's messages into requests. What comes out has an identity, or a refusal was raised.

A command that is not well formed comes out as `Malformed`: the engine journals its refusal, so that
it uses its number. Without site, table, epoch and number there is nothing to journal it under, and
the call ends. Parsing never looks at state. Whether a seat, bet or link exists is for the core to
say.
"""

import logging
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Any

from google.protobuf.message import Message

from jackpot.core.commands import Request
from jackpot.core.commands.base import TableOrigin
from jackpot.core.commands.table import (
    ConfirmCollection,
    ContributePot,
    LockOut,
    Malformed,
    OpenRound,
    Placed,
    PlaceDeck,
    PlaceWagers,
    RemoveDeck,
    SeatHand,
    Settle,
    TableCommand,
    VoidRound,
    VoidSeat,
    Wager,
    WithdrawWagers,
)
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.engine.batch import FAILED
from jackpot.server.enums import DEALINGS, FATES
from jackpot.server.errors import CallRefusedError
from jackpot.server.fields import (
    amount,
    cards,
    identifier,
    malformed,
    many,
    number,
    optional_text,
    seat,
    text,
    whole,
)
from jackpot.wire.limits import (
    MAX_BACK,
    MAX_BETS,
    MAX_CHIPS,
    MAX_COMMANDS,
    MAX_SEATS,
    MAX_USED_S,
    MAX_WAGERS,
)
from jackpot.wire.v1 import table_pb2

_MAX_KNOWN_BYTES = 1_024  # of a message whose meaning is remembered
_MAX_DETAIL = 128  # characters of each thing that the journal keeps of a malformed command
_log = logging.getLogger(__name__)


def _open_round(_message: table_pb2.OpenRound) -> OpenRound:
    return OpenRound()


@lru_cache(maxsize=4_096)  # a table's wagers are the same few, round after round
def _wager(seat_: int, bet: str, amount_micros: int, player: str, account: str) -> Wager:
    return Wager(
        seat(seat_),
        identifier(bet, "bet"),
        amount(amount_micros, "amount_micros"),
        optional_text(player, "player"),
        identifier(account, "account") if account else "",
    )


@lru_cache(maxsize=1_024)
def _known_wagers(raw: bytes) -> PlaceWagers:
    return _read_wagers(table_pb2.PlaceWagers.FromString(raw))


def _read_wagers(message: table_pb2.PlaceWagers) -> PlaceWagers:
    wagers = many(message.wagers, "wagers", MAX_WAGERS, 1)
    return PlaceWagers(
        tuple([_wager(w.seat, w.bet, w.amount_micros, w.player, w.account) for w in wagers])
    )


def _place_wagers(message: table_pb2.PlaceWagers) -> PlaceWagers:
    # The same seats play the same bets in most rounds: to look a message up by its bytes costs a
    # fifth of reading it field by field. Large ones are read, or the memory had no bound.
    raw = message.SerializeToString()
    return _known_wagers(raw) if len(raw) <= _MAX_KNOWN_BYTES else _read_wagers(message)


def _placed(message: table_pb2.PlacedWager) -> Placed:
    return Placed(seat(message.seat), identifier(message.bet, "bet"))


def _withdraw_wagers(message: table_pb2.WithdrawWagers) -> WithdrawWagers:
    wagers = many(message.wagers, "wagers", MAX_WAGERS, 1)
    return WithdrawWagers(tuple(_placed(wager) for wager in wagers))


def _lock_out(_message: table_pb2.LockOut) -> LockOut:
    return LockOut()


def _confirm_collection(message: table_pb2.ConfirmCollection) -> ConfirmCollection:
    named = sorted(message.chips.items())  # a map has no order, a digest needs one
    return ConfirmCollection(
        {
            identifier(bet, "chips"): whole(count, "chips", 0, MAX_CHIPS)
            for bet, count in many(named, "chips", MAX_BETS)
        }
    )


def _settle(message: table_pb2.Settle) -> Settle:
    return Settle(
        hands=tuple(
            SeatHand(
                seat(hand.seat),
                cards(hand.cards, "cards"),
                FATES.from_wire(hand.fate),
                optional_text(hand.player, "player"),
            )
            for hand in many(message.hands, "hands", MAX_SEATS)
        ),
        dealer=cards(message.dealer, "dealer"),
        community=cards(message.community, "community"),
    )


def _void_round(message: table_pb2.VoidRound) -> VoidRound:
    return VoidRound(text(message.irregularity, "irregularity"))


def _void_seat(message: table_pb2.VoidSeat) -> VoidSeat:
    return VoidSeat(seat(message.seat), text(message.irregularity, "irregularity"))


def _contribute_pot(message: table_pb2.ContributePot) -> ContributePot:
    return ContributePot(amount(message.pot_micros, "pot_micros"))


def _place_deck(message: table_pb2.PlaceDeck) -> PlaceDeck:
    return PlaceDeck(
        back=text(message.back, "back", MAX_BACK),
        dealing=DEALINGS.from_wire(message.dealing),
        used_s=whole(message.used_s, "used_s", 0, MAX_USED_S),
    )


def _remove_deck(message: table_pb2.RemoveDeck) -> RemoveDeck:
    return RemoveDeck(text(message.back, "back", MAX_BACK))


# By the name of the field that carries a command on a Play stream.
_TABLE: Mapping[str, Callable[[Any], TableCommand]] = {
    "open_round": _open_round,
    "place_wagers": _place_wagers,
    "withdraw_wagers": _withdraw_wagers,
    "lock_out": _lock_out,
    "confirm_collection": _confirm_collection,
    "settle": _settle,
    "void_round": _void_round,
    "void_seat": _void_seat,
    "contribute_pot": _contribute_pot,
    "place_deck": _place_deck,
    "remove_deck": _remove_deck,
}


def _parse(kind: str, message: Message) -> TableCommand:
    try:
        return _TABLE[kind](message)
    except CallRefusedError as error:
        return _malformed(message, error.refusal)
    except Exception:  # noqa: BLE001 - a number that stays unused would stop the table
        _log.exception("a %s could not be read", message.DESCRIPTOR.name)
        return _malformed(message, refuse(Reason.MALFORMED, problem=FAILED))


def _malformed(message: Message, refusal: Refusal) -> Malformed:
    """A command of which only a digest and the reason are kept, to know it when it comes again."""
    content = sha256(message.SerializeToString(deterministic=True)).hexdigest()
    details = {key: value[:_MAX_DETAIL] for key, value in refusal.details.items()}
    return Malformed(message.DESCRIPTOR.name, content, refusal.reason, details)


def table_request(kind: str, message: Any) -> Request:
    """A unary RPC's command: every request of this family has an id and a command."""
    which: table_pb2.CommandId = message.id
    return Request(
        site=identifier(which.site, "site"),
        origin=TableOrigin(
            identifier(which.table, "table"),
            number(which.epoch, "epoch"),
            number(which.number, "number"),
        ),
        command=_parse(kind, message.command),
    )


def play_requests(message: table_pb2.PlayRequest) -> Iterator[tuple[str, TableOrigin, Request]]:
    """The commands of a Play message: kind, identity and request.

    A number that can't be read is raised when its turn comes: what stands before it goes on.
    """
    many(message.commands, "commands", MAX_COMMANDS)
    site = identifier(message.site, "site")
    table = identifier(message.table, "table")
    epoch = number(message.epoch, "epoch")
    for command in message.commands:
        kind = command.WhichOneof("command") or ""
        origin = TableOrigin(table, epoch, number(command.number, "number"))
        if kind:
            parsed = _parse(kind, getattr(command, kind))
        else:
            parsed = _malformed(command, malformed("command", "none that is known here").refusal)
        yield kind, origin, Request(site, origin, parsed)
