"""Turn the core's events and state into messages: the event is the answer."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from jackpot.core import commands, config, events, ledger, state
from jackpot.server.enums import HIT_STATUSES, KINDS, LINK_STATUSES, PHASES, SOURCES
from jackpot.v1 import meter_pb2, operator_pb2, payout_pb2, table_pb2

NO_POSITION = -1  # of a Lucky Bonus that was not drawn


def wager_message(wager: commands.Wager) -> table_pb2.Wager:
    """A wager."""
    return table_pb2.Wager(
        seat=wager.seat, bet=wager.bet, amount_micros=wager.amount_micros, player=wager.player
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
                seat=seat, bet=bet, amount_micros=wager.amount_micros, player=wager.player
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


def paytables_message(link: config.Link) -> meter_pb2.LinkPaytables:
    """What a link pays."""
    return meter_pb2.LinkPaytables(
        link=link.id,
        paytables=[
            meter_pb2.Paytable(
                bet=bet.id,
                on_dealer=bet.whose == "dealer",
                lines=[
                    meter_pb2.PayLine(
                        hand=line.hand,
                        level=line.level,
                        share_bps=line.share_bps,
                        pays_for=line.pays_for,
                        amount_micros=line.amount_micros,
                    )
                    for line in bet.paytable
                ],
                envy=[
                    meter_pb2.EnvyLine(hand=line.hand, amount_micros=line.amount_micros)
                    for line in bet.envy
                ],
            )
            for bet in link.bets
        ],
    )


def link_message(site: state.State, link: state.LinkState) -> operator_pb2.Link:
    """A link with all its accounts."""
    config, balance = link.config, site.balances
    return operator_pb2.Link(
        id=config.id,
        title=config.title,
        rule=config.rule,
        wager_micros=config.wager_micros,
        status=LINK_STATUSES.to_wire(link.status),
        levels=[
            operator_pb2.LevelAccounts(
                level=level.id,
                meter_micros=balance.get(ledger.meter(key), 0),
                reserve_micros=balance.get(ledger.reserve(key), 0),
                overflow_micros=balance.get(ledger.overflow(key), 0),
            )
            for level in config.levels
            for key in [ledger.key(config.id, level.id)]
        ],
        house_micros=balance.get(ledger.house(config.id), 0),
        players_micros=balance.get(ledger.players(config.id), 0),
        pending_micros=balance.get(ledger.pending(config.id), 0),
        retained_micros=balance.get(ledger.retained(config.id), 0),
        hit_count=link.hit_count,
    )


def table_message(
    site: state.State, table: state.TableState, heartbeat_micros: int
) -> operator_pb2.Table:
    """A table with its round."""
    config = table.config
    return operator_pb2.Table(
        id=config.id,
        game=config.game,
        links=config.links,
        seats=config.seats,
        epoch=table.epoch,
        last_number=table.last_number,
        rounds=table.rounds,
        round=round_message(table.round),
        open_payouts=sum(payout.table == config.id for payout in site.payouts.values()),
        heartbeat_time_micros=heartbeat_micros,
    )


def _lucky(position: int) -> int | None:
    return None if position == NO_POSITION else position


def _changes(changes: Iterable[events.PayoutChange]) -> list[payout_pb2.PayoutChange]:
    return [
        payout_pb2.PayoutChange(
            payout=change.payout,
            amount_micros=change.amount_micros,
            meter_before_micros=change.meter_before_micros,
            closed=change.closed,
        )
        for change in changes
    ]


def _attached(sequence: int, event: events.TableAttached) -> table_pb2.AttachResponse:
    return table_pb2.AttachResponse(
        sequence=sequence,
        epoch=event.epoch,
        last_number=event.last_number,
        rounds=event.rounds,
        round=round_message(event.round),
    )


def _locked(sequence: int, event: events.RoundLocked) -> table_pb2.LockOutResponse:
    return table_pb2.LockOutResponse(
        sequence=sequence,
        round=event.number,
        wagers=[wager_message(wager) for wager in event.wagers],
        collected=event.collected,
        magic_card=event.magic_card,
        lucky_position=_lucky(event.lucky_position),
    )


def _settled(sequence: int, event: events.RoundSettled) -> table_pb2.SettleResponse:
    return table_pb2.SettleResponse(
        sequence=sequence,
        round=event.number,
        payouts=[payout_message(payout) for payout in event.payouts],
        alarms=event.alarms,
    )


def _voided(
    response: type[table_pb2.VoidRoundResponse] | type[table_pb2.VoidSeatResponse],
) -> Callable[[int, Any], Any]:
    def answer(sequence: int, event: events.RoundVoided | events.SeatVoided) -> Any:
        return response(
            sequence=sequence,
            round=event.number,
            returned_micros=event.returned_micros,
            changes=_changes(event.changes),
        )

    return answer


def _at(response: Callable[..., Any]) -> Callable[[int, Any], Any]:
    """An answer that says no more than where the journal has it."""
    return lambda sequence, _event: response(sequence=sequence)


# By the name of the field that carries the answer on a Play stream.
TABLE_ANSWERS: Mapping[str, Callable[[int, Any], Any]] = {
    "open_round": lambda sequence, event: table_pb2.OpenRoundResponse(
        sequence=sequence, round=event.number
    ),
    "place_wagers": _at(table_pb2.PlaceWagersResponse),
    "withdraw_wagers": _at(table_pb2.WithdrawWagersResponse),
    "lock_out": _locked,
    "remove_wager": _at(table_pb2.RemoveWagerResponse),
    "confirm_collection": _at(table_pb2.ConfirmCollectionResponse),
    "settle": _settled,
    "void_round": _voided(table_pb2.VoidRoundResponse),
    "void_seat": _voided(table_pb2.VoidSeatResponse),
}

# By the name of the RPC.
OPERATOR_ANSWERS: Mapping[str, Callable[[int, Any], Any]] = {
    "Attach": _attached,
    "PutLinkInService": _at(operator_pb2.PutLinkInServiceResponse),
    "SuspendLink": _at(operator_pb2.SuspendLinkResponse),
    "ResumeLink": _at(operator_pb2.ResumeLinkResponse),
    "RetireLink": _at(operator_pb2.RetireLinkResponse),
    "ValidatePayout": lambda sequence, event: operator_pb2.ValidatePayoutResponse(
        sequence=sequence,
        source=SOURCES.to_wire(event.source),
        amount_micros=event.amount_micros,
    ),
    "PayPayout": lambda sequence, event: operator_pb2.PayPayoutResponse(
        sequence=sequence,
        source=SOURCES.to_wire(event.source),
        amount_micros=event.amount_micros,
    ),
    "RejectPayout": lambda sequence, event: operator_pb2.RejectPayoutResponse(
        sequence=sequence, changes=_changes(event.changes)
    ),
    "AdjustMeter": lambda sequence, event: operator_pb2.AdjustMeterResponse(
        sequence=sequence, before_micros=event.before_micros, after_micros=event.after_micros
    ),
    "TransferFunds": lambda sequence, event: operator_pb2.TransferFundsResponse(
        sequence=sequence, amount_micros=event.amount_micros
    ),
}
