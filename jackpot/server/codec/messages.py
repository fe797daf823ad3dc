"""Turn values of the core, such as a round, a payout or a link, into messages of the same name."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, get_args

from jackpot.core import config, ledger, state
from jackpot.core.commands.operator import AdjustMeter, Change, SetDualControl, TransferFunds
from jackpot.core.commands.table import SeatHand, Wager
from jackpot.core.events.base import PayoutChange
from jackpot.core.events.operator import (
    DualControlSet,
    FundsTransferred,
    MeterAdjusted,
    ParametersChanged,
    Proposed,
)
from jackpot.engine import Alarm
from jackpot.rules.hand_titles import hand_title
from jackpot.server.codec.fields import (
    ACTS,
    ALARM_SEVERITIES,
    CALL_OUTCOMES,
    FATES,
    KINDS,
    LINK_STATUSES,
    METER_REASONS,
    PAYOUT_STATUSES,
    PHASES,
    POOLS,
    ROLES,
    SOURCES,
    enum_value,
    timestamp,
)
from jackpot.wire.v1 import alarm_pb2, operator_pb2, payout_pb2, table_pb2

_CHANGE_KINDS: Mapping[type, operator_pb2.ChangeKind.ValueType] = {
    change: enum_value(operator_pb2.ChangeKind, change.__name__) for change in get_args(Change)
}


def fill_draw(message: table_pb2.Draw, drawn: state.Draw) -> table_pb2.Draw:
    """Say what a link drew. A message that was made apart would be copied into its response."""
    message.link = drawn.link
    message.entropy = bytes.fromhex(drawn.entropy)
    if drawn.magic_card:
        message.magic_card = drawn.magic_card
    if drawn.lucky_position != state.NO_POSITION:
        message.lucky_position = drawn.lucky_position
    return message


def lucky_position(position: int) -> int | None:
    """Where the Lucky Bonus is, if it was drawn."""
    return None if position == state.NO_POSITION else position


def wager_message(seat: int, bet: str, wager: Wager | state.Accepted) -> table_pb2.Wager:
    """A wager."""
    return table_pb2.Wager(
        seat=seat,
        bet=bet,
        amount_micros=wager.amount_micros,
        player=wager.player,
        account=wager.account,
    )


def round_message(
    round_: state.Round | None,
    result: state.Result | None = None,
    voided: state.VoidedRound | None = None,
) -> table_pb2.Round | None:
    """A table's round, or its last one, whole: wagers by seat, hands, payouts in payment order."""
    round_ = round_ or (voided.round if voided else None)
    if round_ is None:
        return None
    message = table_pb2.Round(
        number=round_.number,
        phase=table_pb2.ROUND_PHASE_VOIDED if voided else PHASES.to_wire(round_.phase),
        wagers=[
            wager_message(seat, bet, wager)
            for seat, bets in sorted(round_.wagers.items())
            for bet, wager in bets.items()
        ],
        void_seats=round_.void_seats,
        magic_card=round_.magic_card,
        lucky_position=lucky_position(round_.lucky_position),
        draws=[fill_draw(table_pb2.Draw(), drawn) for drawn in round_.draws],
    )
    if voided:
        message.irregularity, message.voided_by = voided.irregularity, voided.floorperson
    if result:
        message.hands.extend(map(hand_message, result.hands))
        message.dealer.extend(result.dealer)
        message.community.extend(result.community)
        message.alarms.extend(result.alarms)
        message.payouts.extend(
            payout_message(each.payout, each.status, each.form) for each in result.payouts.values()
        )
    return message


def call_message(call: state.FloorCall) -> table_pb2.FloorCall:
    """A call for the floor, with what became of it."""
    return table_pb2.FloorCall(
        id=call.id,
        table=call.table,
        round=call.round,
        act=ACTS.to_wire(call.act),
        seat=call.seat,
        bet=call.bet,
        irregularity=call.irregularity,
        called_time=timestamp(call.time_micros),
        expires_time=timestamp(call.expires_micros),
        outcome=CALL_OUTCOMES.to_wire(call.outcome)
        if call.outcome
        else table_pb2.CALL_OUTCOME_UNSPECIFIED,
        by=call.by,
        closed_time=timestamp(call.closed_micros),
    )


def hand_message(hand: SeatHand) -> table_pb2.SeatHand:
    """A hand as a settlement was told it."""
    return table_pb2.SeatHand(
        seat=hand.seat, cards=hand.cards, fate=FATES.to_wire(hand.fate), player=hand.player
    )


def payout_message(
    payout: state.Payout, status: state.PayoutStatus | None = None, form: str = ""
) -> payout_pb2.Payout:
    """A payout with all that its slip says; without a status, an open one."""
    if status is None:
        status = "validated" if payout.floorperson else "pending"
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
        decided_time=timestamp(payout.since_micros),
        account=payout.account,
        role=ROLES.to_wire(payout.role) if payout.role else payout_pb2.BAD_BEAT_ROLE_UNSPECIFIED,
        status=PAYOUT_STATUSES.to_wire(status),
        form=form,
        hand_title=hand_title(payout.hand),
    )


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


def link_message(site: state.State, link: state.LinkState) -> operator_pb2.Link:
    """A link with all its accounts."""
    balance, pot = site.balances, link.config.pot
    return operator_pb2.Link(
        id=link.config.id,
        title=link.config.title,
        rule=link.config.rule,
        wager_micros=link.config.wager_micros,
        status=LINK_STATUSES.to_wire(link.status),
        levels=[_level_message(balance, link, index) for index in range(len(link.config.levels))],
        house_micros=balance.get(ledger.house(link.config.id), 0),
        players_micros=balance.get(ledger.players(link.config.id), 0),
        pending_micros=balance.get(ledger.pending(link.config.id), 0),
        retained_micros=balance.get(ledger.retained(link.config.id), 0),
        hit_count=link.hit_count,
        bad_beat=pot is not None,
        pending_adjustment=link.pending_adjustment,
        boxes=[
            operator_pb2.Box(
                table=table, amount_micros=balance.get(ledger.box(link.config.id, table), 0)
            )
            for table, found in site.tables.items()
            if pot and link.config.id in found.config.links
        ],
        loser_bps=pot.loser_bps if pot else 0,
        winner_bps=pot.winner_bps if pot else 0,
        table_bps=pot.table_bps if pot else 0,
    )


def _level_message(
    balance: Mapping[str, int], link: state.LinkState, index: int
) -> operator_pb2.LevelAccounts:
    level = link.config.levels[index]
    key = ledger.key(link.config.id, level.id)
    return operator_pb2.LevelAccounts(
        level=level.id,
        meter_micros=balance.get(ledger.meter(key), 0),
        reserve_micros=balance.get(ledger.reserve(key), 0),
        overflow_micros=balance.get(ledger.overflow(key), 0),
        seed_micros=level.seed_micros,
        reseed_micros=level.reseed_micros,
        primary_bps=level.primary_bps,
        reserve_bps=level.reserve_bps,
        limit_micros=level.limit_micros or None,
        fixed=level.fixed,
        next=_terms(link.next_config.levels[index]) if link.next_config else None,
        wagers=link.intake[level.id].wagers if level.id in link.intake else 0,
    )


def _terms(level: config.Level) -> operator_pb2.Terms:
    return operator_pb2.Terms(
        primary_bps=level.primary_bps,
        reserve_bps=level.reserve_bps,
        limit_micros=level.limit_micros or None,
    )


def table_message(site: state.State, table: state.TableState) -> operator_pb2.Table:
    """A table with its round; when it was last heard from is not in the state."""
    config_ = table.config
    return operator_pb2.Table(
        id=config_.id,
        game=config_.game,
        links=config_.links,
        seats=config_.seats,
        epoch=table.epoch,
        last_number=table.last_number,
        rounds=table.rounds,
        round=round_message(table.round, table.result if table.round else None),
        open_payouts=sum(payout.table == config_.id for payout in site.payouts.values()),
    )


def alarm_message(alarm: Alarm) -> alarm_pb2.Alarm:
    """An alarm, by its place in the list of all kinds."""
    return alarm_pb2.Alarm(
        kind=alarm_pb2.AlarmKind.Value(f"ALARM_KIND_{alarm.kind.name}"),
        severity=ALARM_SEVERITIES.to_wire(alarm.kind.severity),
        text=alarm.text,
        time=timestamp(alarm.time_micros),
    )


def proposal_message(proposal: state.Proposal) -> operator_pb2.Proposal:
    """A proposal with all that its second person must know."""
    change = proposal.change
    message = operator_pb2.Proposal(
        id=proposal.id,
        kind=_CHANGE_KINDS[type(change)],
        reference=change.reference,
        before=proposal.before,
        after=proposal.after,
        proposer=proposal.proposer,
        department=proposal.department,
        proposed_time=timestamp(proposal.time_micros),
        expires_time=timestamp(proposal.expires_micros),
    )
    if not isinstance(change, SetDualControl):
        message.link, message.level = change.link, change.level
    if isinstance(change, AdjustMeter):
        message.reason = METER_REASONS.to_wire(change.reason)
    if isinstance(change, TransferFunds):
        message.to_link, message.to_level = change.to_link, change.to_level
    return message


def _change_message(
    event: MeterAdjusted | FundsTransferred | ParametersChanged | DualControlSet,
) -> (
    operator_pb2.MeterChange
    | operator_pb2.Transfer
    | operator_pb2.TermsChange
    | operator_pb2.DualControlChange
):
    """What a change did."""
    match event:
        case MeterAdjusted():
            return operator_pb2.MeterChange(
                link=event.link,
                level=event.level,
                before_micros=event.before_micros,
                after_micros=event.after_micros,
                reason=METER_REASONS.to_wire(event.reason),
                reference=event.reference,
            )
        case FundsTransferred():
            return operator_pb2.Transfer(
                link=event.link,
                level=event.level,
                pool=POOLS.to_wire(event.pool),
                to_link=event.to_link,
                to_level=event.to_level,
                amount_micros=event.amount_micros,
                reference=event.reference,
            )
        case DualControlSet():
            return operator_pb2.DualControlChange(
                dual_control=event.dual_control, reference=event.reference
            )
        case ParametersChanged():
            level = next(level for level in event.config.levels if level.id == event.level)
            return operator_pb2.TermsChange(
                link=event.link, level=event.level, terms=_terms(level), reference=event.reference
            )


def filled(
    response: Callable[..., Any], fill: Callable[[Any, Any], None]
) -> Callable[[int, Any], Any]:
    """An answer that is a response with its sequence, and what `fill` adds from the event."""

    def answer(sequence: int, event: Any) -> Any:
        message = response(sequence=sequence)
        fill(message, event)
        return message

    return answer


def journaled(response: Callable[..., Any]) -> Callable[[int, Any], Any]:
    """An answer that says no more than where the journal has it."""
    return lambda sequence, _event: response(sequence=sequence)


def fill_voided(response: Any, event: Any) -> None:
    """What goes back, and what becomes of awards."""
    response.round = event.number
    response.returned_micros = event.returned_micros
    response.changes.extend(changes_messages(event.changes))


def voided(response: Callable[..., Any]) -> Callable[[int, Any], Any]:
    """An answer that says what goes back, and what becomes of awards."""
    return filled(response, fill_voided)


def changed(response: Callable[..., Any]) -> Callable[[int, Any], Any]:
    """An answer that has the change, or the proposal that it became."""

    def answer(sequence: int, event: Any) -> Any:
        if isinstance(event, Proposed):
            return response(sequence=sequence, proposed=proposal_message(event.proposal))
        return response(sequence=sequence, changed=_change_message(event))

    return answer


def approved(sequence: int, event: Any) -> operator_pb2.ApproveProposalResponse:
    """The answer to an approval: the change that it made."""
    change = _change_message(event)
    match change:
        case operator_pb2.MeterChange():
            return operator_pb2.ApproveProposalResponse(sequence=sequence, meter=change)
        case operator_pb2.Transfer():
            return operator_pb2.ApproveProposalResponse(sequence=sequence, transfer=change)
        case operator_pb2.DualControlChange():
            return operator_pb2.ApproveProposalResponse(sequence=sequence, dual_control=change)
        case _:
            return operator_pb2.ApproveProposalResponse(sequence=sequence, terms=change)
