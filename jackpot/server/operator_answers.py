"""Turn the core's events and state into messages for staff: the event is the answer."""

from collections.abc import Callable, Mapping
from typing import Any

from jackpot.core import config, ledger, state
from jackpot.core.commands.operator import AdjustMeter, ResetMeter, SetLimit, SetRate, TransferFunds
from jackpot.core.events.operator import (
    FundsTransferred,
    MeterAdjusted,
    ParametersChanged,
    Proposed,
)
from jackpot.core.events.table import TableAttached
from jackpot.engine import Alarm
from jackpot.server.answers import at, changes_messages, payout_message, round_message, voided
from jackpot.server.enums import (
    ALARM_SEVERITIES,
    LINK_STATUSES,
    METER_REASONS,
    POOLS,
    SOURCES,
)
from jackpot.wire.v1 import operator_pb2, table_pb2

_KINDS: Mapping[type, operator_pb2.ChangeKind.ValueType] = {
    AdjustMeter: operator_pb2.CHANGE_KIND_ADJUST_METER,
    ResetMeter: operator_pb2.CHANGE_KIND_RESET_METER,
    TransferFunds: operator_pb2.CHANGE_KIND_TRANSFER_FUNDS,
    SetLimit: operator_pb2.CHANGE_KIND_SET_LIMIT,
    SetRate: operator_pb2.CHANGE_KIND_SET_RATE,
}


def link_message(site: state.State, link: state.LinkState) -> operator_pb2.Link:
    """A link with all its accounts."""
    balance = site.balances
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
        bad_beat=link.config.pot is not None,
        pending_adjustment=link.pending_adjustment,
        boxes=[
            operator_pb2.Box(
                table=table, amount_micros=balance.get(ledger.box(link.config.id, table), 0)
            )
            for table, found in site.tables.items()
            if link.config.pot and link.config.id in found.config.links
        ],
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
        limit_micros=level.limit_micros,
        fixed=level.fixed,
        next=_terms(link.next_config.levels[index]) if link.next_config else None,
    )


def _terms(level: config.Level) -> operator_pb2.Terms:
    return operator_pb2.Terms(
        primary_bps=level.primary_bps,
        reserve_bps=level.reserve_bps,
        limit_micros=level.limit_micros,
    )


def table_message(
    site: state.State, table: state.TableState, heartbeat_micros: int
) -> operator_pb2.Table:
    """A table with its round."""
    config_ = table.config
    return operator_pb2.Table(
        id=config_.id,
        game=config_.game,
        links=config_.links,
        seats=config_.seats,
        epoch=table.epoch,
        last_number=table.last_number,
        rounds=table.rounds,
        round=round_message(table.round),
        open_payouts=sum(payout.table == config_.id for payout in site.payouts.values()),
        heartbeat_time_micros=heartbeat_micros,
    )


def alarm_message(alarm: Alarm) -> operator_pb2.Alarm:
    """An alarm, by its place in the list of all kinds."""
    return operator_pb2.Alarm(
        kind=operator_pb2.AlarmKind.Value(f"ALARM_KIND_{alarm.kind.name}"),
        severity=ALARM_SEVERITIES.to_wire(alarm.kind.severity),
        text=alarm.text,
        time_micros=alarm.time_micros,
    )


def proposal_message(proposal: state.Proposal) -> operator_pb2.Proposal:
    """A proposal with all that its second person must know."""
    change = proposal.change
    message = operator_pb2.Proposal(
        id=proposal.id,
        kind=_KINDS[type(change)],
        link=change.link,
        level=change.level,
        reference=change.reference,
        before=proposal.before,
        after=proposal.after,
        proposer=proposal.proposer,
        department=proposal.department,
        proposed_time_micros=proposal.time_micros,
        expires_time_micros=proposal.expires_micros,
    )
    if isinstance(change, AdjustMeter):
        message.reason = METER_REASONS.to_wire(change.reason)
    if isinstance(change, TransferFunds):
        message.to_link, message.to_level = change.to_link, change.to_level
    return message


def _change_message(
    event: MeterAdjusted | FundsTransferred | ParametersChanged,
) -> operator_pb2.MeterChange | operator_pb2.Transfer | operator_pb2.TermsChange:
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
        case ParametersChanged():
            level = next(level for level in event.config.levels if level.id == event.level)
            return operator_pb2.TermsChange(
                link=event.link, level=event.level, terms=_terms(level), reference=event.reference
            )


def _changed(response: Callable[..., Any]) -> Callable[[int, Any], Any]:
    """An answer that has the change, or the proposal that it became."""

    def answer(sequence: int, event: Any) -> Any:
        if isinstance(event, Proposed):
            return response(sequence=sequence, proposed=proposal_message(event.proposal))
        return response(sequence=sequence, changed=_change_message(event))

    return answer


def _approved(sequence: int, event: Any) -> operator_pb2.ApproveProposalResponse:
    change = _change_message(event)
    match change:
        case operator_pb2.MeterChange():
            return operator_pb2.ApproveProposalResponse(sequence=sequence, meter=change)
        case operator_pb2.Transfer():
            return operator_pb2.ApproveProposalResponse(sequence=sequence, transfer=change)
        case _:
            return operator_pb2.ApproveProposalResponse(sequence=sequence, terms=change)


def _attached(sequence: int, event: TableAttached) -> table_pb2.AttachResponse:
    return table_pb2.AttachResponse(
        sequence=sequence,
        epoch=event.epoch,
        last_number=event.last_number,
        rounds=event.rounds,
        round=round_message(event.round),
    )


# By the name of the RPC.
OPERATOR_ANSWERS: Mapping[str, Callable[[int, Any], Any]] = {
    "Attach": _attached,
    "PutLinkInService": at(operator_pb2.PutLinkInServiceResponse),
    "SuspendLink": at(operator_pb2.SuspendLinkResponse),
    "ResumeLink": at(operator_pb2.ResumeLinkResponse),
    "RetireLink": at(operator_pb2.RetireLinkResponse),
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
        sequence=sequence, changes=changes_messages(event.changes)
    ),
    "VoidTableRound": voided(operator_pb2.VoidTableRoundResponse),
    "VoidTableSeat": voided(operator_pb2.VoidTableSeatResponse),
    "RemoveWager": at(operator_pb2.RemoveWagerResponse),
    "AdjustMeter": _changed(operator_pb2.AdjustMeterResponse),
    "ResetMeter": _changed(operator_pb2.ResetMeterResponse),
    "TransferFunds": _changed(operator_pb2.TransferFundsResponse),
    "SetLimit": _changed(operator_pb2.SetLimitResponse),
    "SetRate": _changed(operator_pb2.SetRateResponse),
    "ApproveProposal": _approved,
    "DeclineProposal": at(operator_pb2.DeclineProposalResponse),
    "BuyIn": lambda sequence, event: operator_pb2.BuyInResponse(
        sequence=sequence, balance_micros=event.balance_micros
    ),
    "CashOut": lambda sequence, event: operator_pb2.CashOutResponse(
        sequence=sequence, balance_micros=event.balance_micros
    ),
    "CountBox": lambda sequence, event: operator_pb2.CountBoxResponse(
        sequence=sequence,
        recorded_micros=event.recorded_micros,
        counted_micros=event.counted_micros,
        alarms=event.alarms,
    ),
    "VerifyBadBeat": lambda sequence, event: operator_pb2.VerifyBadBeatResponse(
        sequence=sequence,
        payouts=[payout_message(payout) for payout in event.payouts],
        losing_hand=event.hand,
        winning_hand=event.winning_hand,
    ),
    "ConfirmDisplay": at(operator_pb2.ConfirmDisplayResponse),
}
