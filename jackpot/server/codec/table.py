"""The rows of TableService: what tables call, one by one or pipelined in a Play stream."""

from collections.abc import Iterator, Mapping
from functools import lru_cache

from jackpot.core.commands import Request
from jackpot.core.commands.base import TableOrigin
from jackpot.core.commands.operator import Acknowledged, AttachTable
from jackpot.core.commands.table import (
    CallFloor,
    ConfirmCollection,
    ContributePot,
    LockOut,
    OpenRound,
    PlaceDeck,
    PlaceWagers,
    RemoveDeck,
    SeatHand,
    Settle,
    VoidRound,
    Wager,
    WithdrawCall,
    WithdrawWagers,
)
from jackpot.core.events.table import (
    DeckPlaced,
    FloorCalled,
    PotContributed,
    RoundLocked,
    RoundOpened,
    RoundSettled,
    TableAttached,
)
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.core.state import State
from jackpot.engine import JournaledAnswer
from jackpot.server.codec import (
    NumberedCommand,
    Read,
    RequestedCommand,
    Row,
    malformed_command,
    numbered,
)
from jackpot.server.codec.fields import (
    ACTS,
    DEALINGS,
    FATES,
    amount,
    cards,
    each,
    identifier,
    malformed,
    many,
    number,
    optional_text,
    placed,
    seat,
    text,
    timestamp,
    whole,
    within,
)
from jackpot.server.codec.fields import player as named_player
from jackpot.server.codec.messages import (
    call_message,
    fill_draw,
    fill_voided,
    lucky_position,
    payout_message,
    round_message,
    wager_message,
)
from jackpot.server.codec.table_config import table_answer
from jackpot.server.codec.watch import parse_table, spoken_for, watched_table
from jackpot.server.errors import CallRefusedError
from jackpot.wire.limits import (
    MAX_BACK,
    MAX_BETS,
    MAX_CHIPS,
    MAX_COMMANDS,
    MAX_NUMBER,
    MAX_SEATS,
    MAX_USED_S,
    MAX_WAGERS,
)
from jackpot.wire.v1 import table_pb2

_MAX_KNOWN_BYTES = 1_024  # of a message whose meaning is remembered
_FEW_WAGERS = 16  # whose message is remembered


def _attached(sequence: int, event: TableAttached) -> table_pb2.AttachResponse:
    return table_pb2.AttachResponse(
        sequence=sequence,
        epoch=event.epoch,
        last_number=event.last_number,
        rounds=event.rounds,
        round=round_message(event.round, event.result, event.voided),
        call=call_message(event.call) if event.call else None,
        incarnation=event.incarnation,
    )


def _attach(message: table_pb2.AttachRequest) -> AttachTable:
    known = message.acknowledged
    if not message.HasField("acknowledged"):
        return AttachTable(identifier(message.table, "table"))
    last = number(known.last_sequence, "acknowledged.last_sequence")
    return AttachTable(
        identifier(message.table, "table"),
        Acknowledged(
            optional_text(known.incarnation, "acknowledged.incarnation"),
            whole(known.first_sequence, "acknowledged.first_sequence", 1, last),
            last,
            whole(known.round, "acknowledged.round", 0, MAX_NUMBER),
        ),
    )


def _alive(state: State, asked: tuple[str, int]) -> table_pb2.HeartbeatResponse | Refusal:
    found = spoken_for(state, asked)
    if isinstance(found, Refusal):
        return found
    return table_pb2.HeartbeatResponse(
        sequence=state.sequence,
        last_number=found.last_number,
        incarnation=state.incarnation.id,
    )


def _get_round(message: table_pb2.GetRoundRequest) -> tuple[str, tuple[str, int]]:
    site, table = identifier(message.site, "site"), identifier(message.table, "table")
    wanted = number(message.round, "round") if message.HasField("round") else 0
    return site, (table, wanted)


def _round(state: State, asked: tuple[str, int]) -> table_pb2.GetRoundResponse | Refusal:
    table, wanted = asked
    found = state.tables.get(table)
    if found is None:
        return refuse(Reason.UNKNOWN_TABLE, table=table)
    round_ = round_message(found.round, found.result, found.voided)
    if round_ is None:
        return refuse(Reason.NO_ROUND, table=table)
    if wanted not in (0, round_.number):
        return refuse(Reason.WRONG_ROUND, table=table, round=wanted, current=round_.number)
    return table_pb2.GetRoundResponse(sequence=state.sequence, round=round_)


def _get_table(message: table_pb2.TableServiceGetTableRequest) -> tuple[str, str]:
    return identifier(message.site, "site"), identifier(message.table, "table")


@lru_cache(maxsize=4_096)  # a table's wagers are the same few, round after round
def _wager(seat_: int, bet: str, amount_micros: int, player: str, account: str) -> Wager:
    return Wager(
        seat(seat_),
        identifier(bet, "bet"),
        amount(amount_micros, "amount_micros"),
        named_player(player, seat_),
        identifier(account, "account") if account else "",
    )


@lru_cache(maxsize=1_024)
def _known_wagers(raw: bytes) -> PlaceWagers:
    return _read_wagers(table_pb2.PlaceWagers.FromString(raw))


def _read_wagers(message: table_pb2.PlaceWagers) -> PlaceWagers:
    wagers = many(message.wagers, "wagers", MAX_WAGERS, 1)
    return PlaceWagers(
        each(
            wagers,
            "wagers",
            lambda w: _wager(w.seat, w.bet, w.amount_micros, w.player, w.account),
        )
    )


def _place_wagers(message: table_pb2.PlaceWagers) -> PlaceWagers:
    # The same seats play the same bets in most rounds: to look a message up by its bytes costs a
    # fifth of reading it field by field. Large ones are read, or the memory had no bound.
    raw = message.SerializeToString()
    return _known_wagers(raw) if len(raw) <= _MAX_KNOWN_BYTES else _read_wagers(message)


def _withdraw_wagers(message: table_pb2.WithdrawWagers) -> WithdrawWagers:
    wagers = many(message.wagers, "wagers", MAX_WAGERS, 1)
    return WithdrawWagers(each(wagers, "wagers", placed))


def _locked(response: table_pb2.LockOutResponse, event: RoundLocked) -> None:
    response.round = event.number
    few = len(event.wagers) <= _FEW_WAGERS
    response.MergeFromString(_known_standing(event.wagers) if few else _standing(event.wagers))
    response.collected = event.collected
    response.magic_card = event.magic_card
    if (position := lucky_position(event.lucky_position)) is not None:
        response.lucky_position = position
    for drawn in event.draws:
        fill_draw(response.draws.add(), drawn)


def _standing(wagers: tuple[Wager, ...]) -> bytes:
    """The wagers of a lock-out's response."""
    messages = [wager_message(wager.seat, wager.bet, wager) for wager in wagers]
    return table_pb2.LockOutResponse(wagers=messages).SerializeToString()


_known_standing = lru_cache(maxsize=1_024)(_standing)


def _confirm_collection(message: table_pb2.ConfirmCollection) -> ConfirmCollection:
    named = sorted(message.chips.items())  # a map has no order, a digest needs one
    return ConfirmCollection(
        {
            identifier(bet, "chips"): whole(count, f"chips[{bet}]", 0, MAX_CHIPS)
            for bet, count in many(named, "chips", MAX_BETS)
        }
    )


def _hand(message: table_pb2.SeatHand) -> SeatHand:
    player = message.player
    return SeatHand(
        seat(message.seat),
        cards(message.cards, "cards"),
        FATES.from_wire(message.fate),
        named_player(player, message.seat) if player else "",
    )


def _settle(message: table_pb2.Settle) -> Settle:
    hands = many(message.hands, "hands", MAX_SEATS)
    return Settle(
        hands=each(hands, "hands", _hand),
        dealer=cards(message.dealer, "dealer"),
        community=cards(message.community, "community"),
    )


def _settled(response: table_pb2.SettleResponse, event: RoundSettled) -> None:
    response.round = event.number
    if event.payouts:
        response.payouts.extend([payout_message(payout) for payout in event.payouts])
    if event.alarms:
        response.alarms.extend(event.alarms)


def _opened(response: table_pb2.OpenRoundResponse, event: RoundOpened) -> None:
    response.round = event.number


def _contributed(response: table_pb2.ContributePotResponse, event: PotContributed) -> None:
    response.link, response.amount_micros = event.link, event.amount_micros


def _deck_placed(response: table_pb2.PlaceDeckResponse, event: DeckPlaced) -> None:
    if (due := timestamp(event.deck.due_micros)) is not None:
        response.due_time.CopyFrom(due)


def _call_floor(message: table_pb2.CallFloor) -> CallFloor:
    """What a call does not need it must not say: or two could ask for the same in other words."""
    act = ACTS.from_wire(message.act, "act")
    whole, removal = act == "void-round", act == "remove-wager"
    if whole and message.seat:
        raise malformed("seat", "a call to void the whole round names no seat", message.seat)
    if message.bet and not removal:
        raise malformed("bet", "only a call to remove a wager names a bet", message.bet)
    if message.irregularity and removal:
        problem = "only a call for a void names an irregularity"
        raise malformed("irregularity", problem, message.irregularity)
    return CallFloor(
        act=act,
        round=number(message.round, "round"),
        seat=0 if whole else seat(message.seat),
        bet=identifier(message.bet, "bet") if removal else "",
        irregularity="" if removal else text(message.irregularity, "irregularity"),
    )


def _called(response: table_pb2.CallFloorResponse, event: FloorCalled) -> None:
    response.call = event.id
    response.expires_time.FromMicroseconds(event.expires_micros)


def play_requests(message: table_pb2.PlayRequest) -> Iterator[tuple[str, TableOrigin, Request]]:
    """The commands of a Play message: kind, identity and request.

    A number that can't be read is raised when its turn comes: what stands before it goes on.
    """
    commands = many(message.commands, "commands", MAX_COMMANDS)
    site = identifier(message.site, "site")
    table = identifier(message.table, "table")
    epoch = number(message.epoch, "epoch")
    for place, command in enumerate(commands):
        kind = command.WhichOneof("command") or ""
        try:
            origin = TableOrigin(table, epoch, number(command.number, "number"))
        except CallRefusedError as error:
            raise within(error, f"commands[{place}]") from error
        if kind:
            parsed = PLAYED[kind].command(getattr(command, kind))
        else:
            unknown = malformed("command", "not a command that this controller knows").refusal
            parsed = malformed_command(command, unknown)
        yield kind, origin, Request(site, origin, parsed)


def play_result(result: table_pb2.PlayResult, kind: str, done: JournaledAnswer) -> None:
    """Fill in what became of a command of a Play stream."""
    response = getattr(result, kind)
    result.sequence = response.sequence = done.sequence
    PLAYED[kind].fill(response, done.event)


ROWS: Mapping[str, Row] = {
    "Attach": RequestedCommand(_attach, _attached),
    "GetRound": Read(_get_round, _round),
    "GetTable": Read(_get_table, table_answer),
    # Every table beats every few seconds: the store is asked only before one is refused.
    "Heartbeat": Read(parse_table, _alive, fresh=False),
    "OpenRound": numbered(lambda _: OpenRound(), table_pb2.OpenRoundResponse, _opened),
    "PlaceWagers": numbered(_place_wagers, table_pb2.PlaceWagersResponse),
    "WithdrawWagers": numbered(_withdraw_wagers, table_pb2.WithdrawWagersResponse),
    "LockOut": numbered(lambda _: LockOut(), table_pb2.LockOutResponse, _locked),
    "ConfirmCollection": numbered(_confirm_collection, table_pb2.ConfirmCollectionResponse),
    "Settle": numbered(_settle, table_pb2.SettleResponse, _settled),
    "VoidRound": numbered(
        lambda m: VoidRound(text(m.irregularity, "irregularity")),
        table_pb2.VoidRoundResponse,
        fill_voided,
    ),
    "CallFloor": numbered(_call_floor, table_pb2.CallFloorResponse, _called),
    "WithdrawCall": numbered(
        lambda m: WithdrawCall(number(m.call, "call")), table_pb2.WithdrawCallResponse
    ),
    "ContributePot": numbered(
        lambda m: ContributePot(amount(m.pot_micros, "pot_micros")),
        table_pb2.ContributePotResponse,
        _contributed,
    ),
    "PlaceDeck": numbered(
        lambda m: PlaceDeck(
            back=text(m.back, "back", MAX_BACK),
            dealing=DEALINGS.from_wire(m.dealing),
            used_s=whole(m.used_s, "used_s", 0, MAX_USED_S),
        ),
        table_pb2.PlaceDeckResponse,
        _deck_placed,
    ),
    "RemoveDeck": numbered(
        lambda m: RemoveDeck(text(m.back, "back", MAX_BACK)), table_pb2.RemoveDeckResponse
    ),
    "Play": Row(play_requests, play_result),
    "WatchTable": Row(parse_table, watched_table),
}

# The same commands by the fields that carry them and their answers in a Play stream.
PLAYED: Mapping[str, NumberedCommand] = {
    field.name: row
    for field in table_pb2.PlayCommand.DESCRIPTOR.oneofs_by_name["command"].fields
    if field.message_type and isinstance(row := ROWS[field.message_type.name], NumberedCommand)
}
