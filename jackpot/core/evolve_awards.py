"""Apply events to payouts and hits: what a settlement adds, and what is undone.

Part of `evolve`: adds up what the event says and consults no rule or setting.
"""

from collections.abc import Iterable
from typing import Any, Literal

from msgspec.structs import replace

from jackpot.core import ledger
from jackpot.core.claims import is_full
from jackpot.core.events.base import PayoutChange
from jackpot.core.events.operator import (
    BadBeatVerified,
    PayoutPaid,
    PayoutRejected,
    PayoutValidated,
)
from jackpot.core.events.table import RoundSettled, RoundVoided, SeatVoided
from jackpot.core.intake import give_back
from jackpot.core.invariants import BrokenInvariantError
from jackpot.core.state import (
    RECENT_HITS,
    Award,
    Hit,
    Payout,
    PayoutStatus,
    Result,
    Round,
    RoundPayout,
    Settlement,
    State,
    VoidedRound,
    is_open,
)


def round_of(state: State, table: str) -> Round:
    """The round that an event is about."""
    round_ = state.tables[table].round
    if round_ is None:
        raise BrokenInvariantError(f"entry {state.sequence}: table {table} has no round")
    return round_


def settled(state: State, event: RoundSettled) -> None:
    """The round's awards are due."""
    round_of(state, event.table).phase = "settled"
    state.tables[event.table].result = Result(
        event.hands,
        event.dealer,
        event.community,
        event.alarms,
        {payout.id: RoundPayout(payout) for payout in event.payouts},
    )
    for payout in event.payouts:
        state.put_payout(payout)
        state.last_payout = payout.id
        if payout.share_bps:
            state.links[payout.link].hit_count += 1
            state.hits.append(hit_of(payout, state.time_micros))
    _forget_hits(state)
    for name in event.paid_full:
        link, level = name.split("/")
        state.links[link].last_hit[level] = state.sequence
    if event.settlement:
        _keep_settlement(state, event.settlement)
        _note_funding(state, event.settlement)
        _note_borne(state, (), event.settlement.awards, {})


def _note_borne(
    state: State, was: Iterable[Award], now: Iterable[Award], back_to: dict[str, int]
) -> None:
    """Follow what awards short of 100% took off each meter since the house last put money on it.

    `was` and `now` are a settlement's awards before and after; `back_to` has the amounts at its
    first turn for levels whose 100% fell. Another round's 100% since then began anew.
    """
    before, after = _borne_by(was), _borne_by(now)
    for name in before.keys() | after.keys():
        link, level = name.split("/")
        borne = state.links[link].borne
        others = borne.get(level, 0) - before.get(name, (0, False))[0]
        taken, begins_anew = after.get(name, (0, False))
        if name in back_to:
            others += back_to[name]
        elif begins_anew and not before.get(name, (0, False))[1]:
            others = 0
        borne[level] = others + taken


def _borne_by(awards: Iterable[Award]) -> dict[str, tuple[int, bool]]:
    """By level: what awards took off the meter behind the last 100%, and whether there was one."""
    found: dict[str, tuple[int, bool]] = {}
    for award in (award for award in awards if award.claim.level):
        name = ledger.key(award.claim.link, award.claim.level)
        taken, begins_anew = found.get(name, (0, False))
        if is_full(award.claim):
            found[name] = 0, True
        else:
            found[name] = taken - award.effects.meter_micros, begins_anew
    return found


def _note_funding(state: State, settlement: Settlement) -> None:
    """Remember what the house has put on a meter since its last 100%, of this settlement if so."""
    for award in settlement.awards:
        link, level = state.links[award.claim.link], award.claim.level
        if is_full(award.claim) and link.last_hit.get(level) == settlement.sequence:
            link.funded[level] = -award.effects.house_micros


def bad_beat(state: State, event: BadBeatVerified) -> None:
    """A Bad Beat is due."""
    state.bad_beats += 1
    link = state.links[event.link]
    link.pending_adjustment = True
    link.hit_count += 1
    for payout in event.payouts:
        state.put_payout(payout)
        state.last_payout = payout.id
        state.hits.append(hit_of(payout, state.time_micros))
    _forget_hits(state)
    _keep_settlement(state, event.settlement)


def _forget_hits(state: State) -> None:
    """Drop the oldest hits that are paid or rejected; one that is still due stays on its sign."""
    over = len(state.hits) - RECENT_HITS
    if over > 0:
        closed = [hit.payout for hit in state.hits if not is_open(hit)][:over]
        state.hits = [hit for hit in state.hits if hit.payout not in closed]


def show_due(state: State) -> None:
    """Put back the hits of open payouts that an older program dropped from the signs."""
    shown = {hit.payout for hit in state.hits}
    for payout in state.payouts.values():
        if payout.id not in shown and (payout.share_bps or payout.kind == "bad-beat"):
            status: Literal["pending", "validated"] = (
                "validated" if payout.floorperson else "pending"
            )
            state.hits.append(replace(hit_of(payout, payout.since_micros), status=status))
    state.hits.sort(key=lambda hit: hit.payout)
    _forget_hits(state)


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


def _note(state: State, payout: Payout, status: PayoutStatus, form: str = "") -> None:
    """Keep what became of a payout with its round, while that is its table's last."""
    result = state.tables[payout.table].result
    if result and payout.id in result.payouts:
        result.payouts[payout.id] = RoundPayout(payout, status, form)


def change_payout(payout: Payout, change: PayoutChange) -> Payout:
    """An open payout as a change leaves it; whoever follows payouts applies changes by this."""
    return replace(
        payout,
        seat=change.seat or payout.seat,
        amount_micros=change.amount_micros,
        meter_before_micros=change.meter_before_micros,
    )


def _rework(
    state: State,
    key: str,
    changes: Iterable[PayoutChange],
    last_hit: dict[str, int],
    settlement: Settlement | None = None,
) -> None:
    """What became of the settlement under this key, whose place another one takes, or none."""
    was = state.settlements.get(key)
    before = was.before if was and last_hit else {}
    for change in changes:
        if change.closed:
            _note(state, state.close_payout(change.payout), "rejected")
            _show_hit(state, change.payout, status="rejected")
            continue
        payout = change_payout(state.payouts[change.payout], change)
        state.put_payout(payout)
        _note(state, payout, "validated" if payout.floorperson else "pending")
        _show_hit(state, payout.id, seat=payout.seat, amount_micros=payout.amount_micros)
    for name, sequence in last_hit.items():
        link, level = name.split("/")
        state.links[link].last_hit[level] = sequence
        state.links[link].funded[level] = before[name].funded_micros
    if was:
        back_to = {name: before[name].borne_micros for name in last_hit}
        then, now = (
            [award for award in awards if not _begun_anew_since(state, award, was.sequence)]
            for awards in (was.awards, settlement.awards if settlement else ())
        )
        _note_borne(state, then, now, back_to)
    if settlement:
        _keep_settlement(state, settlement)
        _note_funding(state, settlement)


def _begun_anew_since(state: State, award: Award, sequence: int) -> bool:
    """Whether another round has won 100% of an award's level since its settlement."""
    return state.links[award.claim.link].last_hit.get(award.claim.level, 0) > sequence


def voided(state: State, event: RoundVoided) -> None:
    """A round came to nothing."""
    key = f"{event.table}/{event.number}"
    _rework(state, key, event.changes, event.last_hit)
    state.settlements.pop(key, None)
    table = state.tables[event.table]
    give_back(state, round_of(state, event.table).posted, {})
    table.voided = VoidedRound(round_of(state, event.table), event.irregularity, event.floorperson)
    table.round, table.late_voids = None, event.late_voids or table.late_voids


def seat_voided(state: State, event: SeatVoided) -> None:
    """A seat's part came to nothing."""
    round_ = round_of(state, event.table)
    round_.wagers = {seat: bets for seat, bets in round_.wagers.items() if seat != event.seat}
    round_.void_seats.append(event.seat)
    give_back(state, round_.posted, event.posted)
    round_.posted = dict(event.posted)
    table = state.tables[event.table]
    table.late_voids = event.late_voids or table.late_voids
    key = f"{event.table}/{event.number}"
    _rework(state, key, event.changes, event.last_hit, event.settlement)


def _touch(state: State, payout: Payout) -> None:
    """Something of a round was validated or paid: it can't be voided any more."""
    round_ = state.tables[payout.table].round
    if round_ and round_.number == payout.round:
        round_.validated = True


def validated(state: State, event: PayoutValidated) -> None:
    """An award was confirmed."""
    payout = replace(
        state.payouts[event.payout], floorperson=event.floorperson, source=event.source
    )
    state.put_payout(payout)
    _note(state, payout, "validated")
    _show_hit(state, event.payout, status="validated")
    _touch(state, payout)


def paid(state: State, event: PayoutPaid) -> None:
    """An award is closed."""
    payout = state.close_payout(event.payout)
    _note(state, payout, "paid", event.form)
    _show_hit(state, event.payout, status="paid")
    _touch(state, payout)
    _keep_settlement(state, state.settlements[f"{payout.table}/{payout.round}"])


def rejected(state: State, event: PayoutRejected) -> None:
    """An award came to nothing, and perhaps others with it."""
    payout = state.payouts[event.payout]
    key = f"{payout.table}/{payout.round}"
    _rework(state, key, event.changes, event.last_hit, event.settlement)
