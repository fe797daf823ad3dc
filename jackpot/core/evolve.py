"""Bring a site forward by one event. Adds up what the event says; consults no rule or setting."""

from collections.abc import Callable, Iterable
from typing import Any

from msgspec.structs import replace

from jackpot.core import evolve_site
from jackpot.core.commands import OperatorOrigin, TableOrigin
from jackpot.core.events import (
    AccountMoved,
    AnyEvent,
    BadBeatVerified,
    BoxCounted,
    CollectionConfirmed,
    DeckPlaced,
    DeckRemoved,
    DisplayConfirmed,
    FundsTransferred,
    LinkChanged,
    LinkDefined,
    LinkDescribed,
    MeterAdjusted,
    ParametersChanged,
    PayoutChange,
    PayoutPaid,
    PayoutRejected,
    PayoutValidated,
    Postings,
    PotContributed,
    Probed,
    ProposalDeclined,
    Proposed,
    Record,
    Refused,
    RoundLocked,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    SeatVoided,
    SiteConfigured,
    SnapshotTaken,
    TableAttached,
    TableDefined,
    TableDescribed,
    WagerRemoved,
    WagersPlaced,
    WagersWithdrawn,
)
from jackpot.core.identity import request_key
from jackpot.core.invariants import BrokenInvariantError
from jackpot.core.ledger import may_be_negative
from jackpot.core.rounds import owner
from jackpot.core.state import (
    RECENT_HITS,
    RECENT_NUMBERS,
    RECENT_REQUESTS,
    Accepted,
    Answer,
    Hit,
    Payout,
    Posted,
    Round,
    Settlement,
    State,
)


def evolve(state: State, record: Record, sequence: int, time_micros: int) -> None:
    """Apply an entry of the journal, which must be the next one."""
    if sequence != state.sequence + 1:
        raise BrokenInvariantError(f"entry {sequence} does not follow {state.sequence}")
    if time_micros < state.time_micros:
        raise BrokenInvariantError(f"entry {sequence} goes back in time")
    state.sequence, state.time_micros = sequence, time_micros
    event = record.event
    if postings := getattr(event, "postings", ()):
        post(state, postings)
    _EVOLVE[type(event)](state, event)
    match record.origin:
        case TableOrigin(table=table_id, number=number):
            table = state.tables[table_id]
            table.last_number = number
            table.recent[number] = Answer(sequence, record.digest)
            table.recent.pop(number - RECENT_NUMBERS, None)
        case OperatorOrigin() as origin:
            state.requests[request_key(origin)] = Answer(sequence, record.digest)
            if len(state.requests) > RECENT_REQUESTS:
                oldest = next(iter(state.requests))
                del state.requests[oldest]
                state.forgotten_request = max(state.forgotten_request, oldest.split(" ")[0])


def post(state: State, postings: Postings) -> None:
    """Add postings to the balances; they sum to zero and overdraw nobody."""
    if sum(amount for _, amount in postings):
        raise BrokenInvariantError(f"postings of entry {state.sequence} do not sum to zero")
    for account, amount in postings:
        balance = state.balances.get(account, 0) + amount
        if balance < 0 and not may_be_negative(account):
            raise BrokenInvariantError(f"entry {state.sequence} overdraws {account}")
        state.balances[account] = balance


def _round(state: State, table: str) -> Round:
    round_ = state.tables[table].round
    if round_ is None:
        raise BrokenInvariantError(f"entry {state.sequence}: table {table} has no round")
    return round_


def _nothing(_: State, __: AnyEvent) -> None:
    """Some events only say that something happened, or are nothing but their postings."""


def _attached(state: State, event: TableAttached) -> None:
    table = state.tables[event.table]
    table.epoch, table.last_number = event.epoch, 0
    table.recent = {}


def _opened(state: State, event: RoundOpened) -> None:
    table = state.tables[event.table]
    table.rounds, table.round = event.number, Round(event.number)


def _placed(state: State, event: WagersPlaced) -> None:
    round_ = _round(state, event.table)
    for index, wager in enumerate(event.wagers):
        electronic = event.mediums and event.mediums[index] == "electronic"
        accepted = Accepted(
            wager.amount_micros,
            owner(round_, wager),
            "electronic" if electronic else "chips",
            wager.account if electronic else "",  # a chip was never taken off an account
        )
        bets = round_.wagers.get(wager.seat)
        if bets is None:
            round_.wagers[wager.seat] = {wager.bet: accepted}
        else:
            bets[wager.bet] = accepted


def _take_out(round_: Round, seat: int, bet: str) -> None:
    del round_.wagers[seat][bet]
    if not round_.wagers[seat]:
        del round_.wagers[seat]


def _withdrawn(state: State, event: WagersWithdrawn) -> None:
    for placed in event.wagers:
        _take_out(_round(state, event.table), placed.seat, placed.bet)


def _removed(state: State, event: WagerRemoved) -> None:
    _take_out(_round(state, event.table), event.wager.seat, event.wager.bet)


def _locked(state: State, event: RoundLocked) -> None:
    round_ = _round(state, event.table)
    round_.phase = "collected" if event.collected else "locked"
    round_.magic_card, round_.lucky_position = event.magic_card, event.lucky_position
    round_.posted = dict(event.posted)


def _confirmed(state: State, event: CollectionConfirmed) -> None:
    round_ = _round(state, event.table)
    round_.phase = "collected"
    for name, new in event.posted.items():
        old = round_.posted.get(name, Posted(new.sequence))
        round_.posted[name] = Posted(
            min(old.sequence, new.sequence),
            old.meter_micros + new.meter_micros,
            old.reserve_micros + new.reserve_micros,
            old.overflow_micros + new.overflow_micros,
        )


def _settled(state: State, event: RoundSettled) -> None:
    _round(state, event.table).phase = "settled"
    for payout in event.payouts:
        state.payouts[payout.id] = payout
        state.last_payout = payout.id
        if payout.share_bps:
            state.links[payout.link].hit_count += 1
            state.hits.append(hit_of(payout, state.time_micros))
    del state.hits[:-RECENT_HITS]
    for name in event.paid_full:
        link, level = name.split("/")
        state.links[link].last_hit[level] = state.sequence
    if event.settlement:
        _keep_settlement(state, event.settlement)


def _bad_beat(state: State, event: BadBeatVerified) -> None:
    state.bad_beats += 1
    link = state.links[event.link]
    link.pending_adjustment = True
    link.hit_count += 1
    for payout in event.payouts:
        state.payouts[payout.id] = payout
        state.last_payout = payout.id
        state.hits.append(hit_of(payout, state.time_micros))
    del state.hits[:-RECENT_HITS]
    _keep_settlement(state, event.settlement)


def hit_of(payout: Payout, time_micros: int) -> Hit:
    """A percentage award as a sign shows it."""
    return Hit(
        payout.id,
        time_micros,
        payout.table,
        payout.seat,
        payout.link,
        payout.level,
        payout.hand,
        payout.amount_micros,
    )


def _keep_settlement(state: State, settlement: Settlement) -> None:
    """Remember a settlement while any of its payouts is open."""
    name = f"{settlement.table}/{settlement.round}"
    if any(p in state.payouts for award in settlement.awards for p in award.payouts):
        state.settlements[name] = settlement
    else:
        state.settlements.pop(name, None)


def _show_hit(state: State, payout: int, **changes: Any) -> None:
    state.hits = [replace(h, **changes) if h.payout == payout else h for h in state.hits]


def _rework(state: State, changes: Iterable[PayoutChange], last_hit: dict[str, int]) -> None:
    for change in changes:
        if change.closed:
            del state.payouts[change.payout]
            _show_hit(state, change.payout, status="rejected")
            continue
        state.payouts[change.payout] = replace(
            state.payouts[change.payout],
            amount_micros=change.amount_micros,
            meter_before_micros=change.meter_before_micros,
        )
        _show_hit(state, change.payout, amount_micros=change.amount_micros)
    for name, sequence in last_hit.items():
        link, level = name.split("/")
        state.links[link].last_hit[level] = sequence


def _voided(state: State, event: RoundVoided) -> None:
    _rework(state, event.changes, event.last_hit)
    state.settlements.pop(f"{event.table}/{event.number}", None)
    state.tables[event.table].round = None


def _seat_voided(state: State, event: SeatVoided) -> None:
    round_ = _round(state, event.table)
    round_.wagers.pop(event.seat, None)
    round_.void_seats.append(event.seat)
    round_.posted = dict(event.posted)
    _rework(state, event.changes, event.last_hit)
    if event.settlement:
        _keep_settlement(state, event.settlement)


def _touch(state: State, payout: Payout) -> None:
    """Something of a round was validated or paid: it can't be voided any more."""
    round_ = state.tables[payout.table].round
    if round_ and round_.number == payout.round:
        round_.validated = True


def _validated(state: State, event: PayoutValidated) -> None:
    payout = state.payouts[event.payout]
    state.payouts[event.payout] = replace(
        payout, floorperson=event.floorperson, source=event.source
    )
    _show_hit(state, event.payout, status="validated")
    _touch(state, payout)


def _paid(state: State, event: PayoutPaid) -> None:
    payout = state.payouts.pop(event.payout)
    _show_hit(state, event.payout, status="paid")
    _touch(state, payout)
    _keep_settlement(state, state.settlements[f"{payout.table}/{payout.round}"])


def _rejected(state: State, event: PayoutRejected) -> None:
    _rework(state, event.changes, event.last_hit)
    if event.settlement:
        _keep_settlement(state, event.settlement)


# Any: each function takes the event it is listed under, which the type of a dict can't say.
_EVOLVE: dict[type, Callable[[State, Any], None]] = {
    Refused: _nothing,
    TableAttached: _attached,
    RoundOpened: _opened,
    WagersPlaced: _placed,
    WagersWithdrawn: _withdrawn,
    WagerRemoved: _removed,
    RoundLocked: _locked,
    CollectionConfirmed: _confirmed,
    RoundSettled: _settled,
    RoundVoided: _voided,
    SeatVoided: _seat_voided,
    LinkDefined: evolve_site.link_defined,
    TableDefined: evolve_site.table_defined,
    LinkDescribed: evolve_site.link_described,
    TableDescribed: evolve_site.table_described,
    LinkChanged: evolve_site.link_changed,
    PayoutValidated: _validated,
    PayoutPaid: _paid,
    PayoutRejected: _rejected,
    MeterAdjusted: evolve_site.changed,
    FundsTransferred: evolve_site.changed,
    ParametersChanged: evolve_site.changed,
    Proposed: evolve_site.proposed,
    ProposalDeclined: evolve_site.declined,
    SiteConfigured: evolve_site.configured,
    AccountMoved: _nothing,
    PotContributed: _nothing,
    DeckPlaced: evolve_site.deck_placed,
    DeckRemoved: evolve_site.deck_removed,
    BoxCounted: _nothing,
    BadBeatVerified: _bad_beat,
    DisplayConfirmed: evolve_site.display_confirmed,
    SnapshotTaken: _nothing,
    Probed: _nothing,
}
