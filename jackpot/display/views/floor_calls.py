"""A table's call for the floor in words, for the floorperson who stands at its screen."""

from collections.abc import Iterator, Sequence

from jackpot.display.views import values, words
from jackpot.rules.irregularities import SENTENCES
from jackpot.server.codec import fields
from jackpot.wire.v1 import operator_pb2, payout_pb2, table_pb2
from jackpot.wire.voiding import canceled

NO_CHIP = "The lamp is lit, but the dealer finds no chip."


def panel_call(
    table: operator_pb2.Table, payouts: Sequence[payout_pb2.Payout]
) -> values.PanelCall | None:
    """The latest call of a table's last round."""
    call = table.call
    if not call.id or call.round != (table.round.number or table.rounds):
        return None
    open_ = call.outcome == table_pb2.CALL_OUTCOME_UNSPECIFIED
    return values.PanelCall(
        call.id,
        call.round,
        _asks(call),
        _why(call),
        tuple(_stake(call, table.round, payouts)) if open_ else (),
        call.called_time.ToMilliseconds(),
        call.expires_time.ToMilliseconds(),
        "" if open_ else fields.CALL_OUTCOMES.from_wire(call.outcome),
        call.by,
        call.closed_time.ToMilliseconds(),
    )


def _asks(call: table_pb2.FloorCall) -> str:
    match call.act:
        case table_pb2.FLOOR_ACT_VOID_ROUND:
            return f"Void all hands of round {call.round}"
        case table_pb2.FLOOR_ACT_VOID_SEAT:
            return f"Void seat {call.seat} in round {call.round}"
        case _:
            return f"Remove seat {call.seat}'s wager on {words.bet_name(call.bet)}"


def _why(call: table_pb2.FloorCall) -> str:
    if not (why := call.irregularity):
        return NO_CHIP
    return SENTENCES.get(why) or f"{words.spaced(why.replace('_', '-').lower())}."


def _stake(
    call: table_pb2.FloorCall, round_: table_pb2.Round, payouts: Sequence[payout_pb2.Payout]
) -> Iterator[str]:
    """What approving a call does to money."""
    wagers = [w for w in round_.wagers if call.seat in (0, w.seat) and call.bet in ("", w.bet)]
    amount = words.money(sum(wager.amount_micros for wager in wagers))
    if call.act == table_pb2.FLOOR_ACT_REMOVE_WAGER:
        yield f"The wager of ${amount} is treated as never made."
        return
    yield f"Wagers of ${amount} go back to the player{'' if call.seat else 's'}."
    due = [each for each in payouts if each.round == call.round]
    ended = canceled(round_, due, call.seat)
    for each in ended:
        envy = each.kind == payout_pb2.PAYOUT_KIND_ENVY
        award = f"the envy bonus for a {each.hand}" if envy else words.spaced(each.hand).lower()
        amount = words.money(each.amount_micros)
        yield f"Canceled: {award.replace('-', ' ')} at seat {each.seat}, ${amount}."
    if len(ended) < len(due):
        yield "Other awards of the round may change."
