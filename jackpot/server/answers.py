"""Turn the core's events and state into messages for tables and signs: the event is the answer."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from jackpot.core import config, state
from jackpot.core.commands.table import Wager
from jackpot.core.events.base import PayoutChange
from jackpot.core.events.table import RoundLocked, RoundSettled, RoundVoided, SeatVoided
from jackpot.server.enums import HIT_STATUSES, KINDS, MEDIA, PHASES, SOURCES
from jackpot.wire.v1 import meter_pb2, payout_pb2, table_pb2

NO_POSITION = -1  # of a Lucky Bonus that was not drawn


def wager_message(wager: Wager) -> table_pb2.Wager:
    """A wager."""
    return table_pb2.Wager(
        seat=wager.seat,
        bet=wager.bet,
        amount_micros=wager.amount_micros,
        player=wager.player,
        account=wager.account,
    )


def round_message(round_: state.Round | None) -> table_pb2.Round | None:
    """A round with its wagers by seat."""
    if round_ is None:
        return None
    return table_pb2.Round(
        number=round_.number,
        phase=PHASES.to_wire(round_.phase),
        wagers=[
            table_pb2.Wager(
                seat=seat,
                bet=bet,
                amount_micros=wager.amount_micros,
                player=wager.player,
                account=wager.account,
            )
            for seat, bets in sorted(round_.wagers.items())
            for bet, wager in bets.items()
        ],
        void_seats=round_.void_seats,
        magic_card=round_.magic_card,
        lucky_position=_lucky(round_.lucky_position),
    )


def payout_message(payout: state.Payout) -> payout_pb2.Payout:
    """A payout with all that its slip says."""
    return payout_pb2.Payout(
        id=payout.id,
        table=payout.table,
        round=payout.round,
        link=payout.link,
        level=payout.level,
        bet=payout.bet,
        kind=KINDS.to_wire(payout.kind),
        hand=payout.hand,
        seat=payout.seat,
        player=payout.player,
        cards=payout.cards,
        amount_micros=payout.amount_micros,
        meter_before_micros=payout.meter_before_micros,
        source=SOURCES.to_wire(payout.source),
        needs_floorperson=payout.needs_floorperson,
        holder=payout.holder,
        share_bps=payout.share_bps,
        floorperson=payout.floorperson,
        decided_time_micros=payout.since_micros,
        account=payout.account,
    )


def hit_message(hit: state.Hit) -> meter_pb2.Hit:
    """A hit as a sign shows it."""
    return meter_pb2.Hit(
        payout=hit.payout,
        time_micros=hit.time_micros,
        table=hit.table,
        seat=hit.seat,
        level=hit.level,
        hand=hit.hand,
        amount_micros=hit.amount_micros,
        status=HIT_STATUSES.to_wire(hit.status),
    )


def _pot_lines(pot: config.PotRules) -> tuple[config.PayLine, ...]:
    """Who has which share of a Bad Beat fund, in the form of a paytable."""
    shares = {
        f"{pot.qualifying_hand or 'qualifying-hand'}-or-higher-that-loses": pot.loser_bps,
        "hand-that-beats-it": pot.winner_bps,
        "others-dealt-in-equally": pot.table_bps,
    }
    return tuple(config.PayLine(hand, "main", bps) for hand, bps in shares.items() if bps)


def _pay_line(line: config.PayLine) -> meter_pb2.PayLine:
    return meter_pb2.PayLine(
        hand=line.hand,
        level=line.level,
        share_bps=line.share_bps,
        pays_for=line.pays_for,
        amount_micros=line.amount_micros,
    )


def paytables_message(link: config.Link) -> meter_pb2.LinkPaytables:
    """What a link pays."""
    if link.pot:
        pot = meter_pb2.Paytable(
            bet="bad-beat",
            lines=[_pay_line(line) for line in _pot_lines(link.pot)],
            medium=meter_pb2.BET_MEDIUM_POT,
        )
        return meter_pb2.LinkPaytables(link=link.id, paytables=[pot])
    return meter_pb2.LinkPaytables(
        link=link.id,
        paytables=[
            meter_pb2.Paytable(
                bet=bet.id,
                on_dealer=bet.whose == "dealer",
                medium=MEDIA.to_wire(bet.medium),
                lines=[_pay_line(line) for line in bet.paytable],
                envy=[
                    meter_pb2.EnvyLine(hand=line.hand, amount_micros=line.amount_micros)
                    for line in bet.envy
                ],
            )
            for bet in link.bets
        ],
    )


def _lucky(position: int) -> int | None:
    return None if position == NO_POSITION else position


def changes_messages(changes: Iterable[PayoutChange]) -> list[payout_pb2.PayoutChange]:
    """What became of payouts when something was taken back."""
    return [
        payout_pb2.PayoutChange(
            payout=change.payout,
            amount_micros=change.amount_micros,
            meter_before_micros=change.meter_before_micros,
            closed=change.closed,
            seat=change.seat,
        )
        for change in changes
    ]


def _locked(sequence: int, event: RoundLocked) -> table_pb2.LockOutResponse:
    return table_pb2.LockOutResponse(
        sequence=sequence,
        round=event.number,
        wagers=[wager_message(wager) for wager in event.wagers],
        collected=event.collected,
        magic_card=event.magic_card,
        lucky_position=_lucky(event.lucky_position),
    )


def _settled(sequence: int, event: RoundSettled) -> table_pb2.SettleResponse:
    return table_pb2.SettleResponse(
        sequence=sequence,
        round=event.number,
        payouts=[payout_message(payout) for payout in event.payouts],
        alarms=event.alarms,
    )


def voided(response: Callable[..., Any]) -> Callable[[int, Any], Any]:
    """An answer that says what goes back, and what becomes of awards."""

    def answer(sequence: int, event: RoundVoided | SeatVoided) -> Any:
        return response(
            sequence=sequence,
            round=event.number,
            returned_micros=event.returned_micros,
            changes=changes_messages(event.changes),
        )

    return answer


def at(response: Callable[..., Any]) -> Callable[[int, Any], Any]:
    """An answer that says no more than where the journal has it."""
    return lambda sequence, _event: response(sequence=sequence)


# By the name of the field that carries the answer on a Play stream.
TABLE_ANSWERS: Mapping[str, Callable[[int, Any], Any]] = {
    "open_round": lambda sequence, event: table_pb2.OpenRoundResponse(
        sequence=sequence, round=event.number
    ),
    "place_wagers": at(table_pb2.PlaceWagersResponse),
    "withdraw_wagers": at(table_pb2.WithdrawWagersResponse),
    "lock_out": _locked,
    "confirm_collection": at(table_pb2.ConfirmCollectionResponse),
    "settle": _settled,
    "void_round": voided(table_pb2.VoidRoundResponse),
    "void_seat": voided(table_pb2.VoidSeatResponse),
    "contribute_pot": lambda sequence, event: table_pb2.ContributePotResponse(
        sequence=sequence, link=event.link, amount_micros=event.amount_micros
    ),
    "place_deck": lambda sequence, event: table_pb2.PlaceDeckResponse(
        sequence=sequence, due_time_micros=event.deck.due_micros
    ),
    "remove_deck": at(table_pb2.RemoveDeckResponse),
}
