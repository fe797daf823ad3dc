"""Apply one event to a site's state. Adds what the event says; uses no rule or setting."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from jackpot.core import evolve_awards, evolve_floor_calls, evolve_site, incarnation
from jackpot.core.commands.base import OperatorOrigin, TableOrigin
from jackpot.core.commands.table import Placed, Wager
from jackpot.core.config import Medium
from jackpot.core.events import AnyEvent, Probed, Record, Refused, SnapshotTaken
from jackpot.core.events.base import Postings
from jackpot.core.events.operator import (
    AccountMoved,
    BadBeatVerified,
    BoxCounted,
    CallDeclined,
    DisplayConfirmed,
    DualControlSet,
    FundsTransferred,
    IncarnationBegun,
    LinkChanged,
    LinkDefined,
    LinkDescribed,
    MeterAdjusted,
    MetersRead,
    ParametersChanged,
    PayoutPaid,
    PayoutRejected,
    PayoutValidated,
    ProposalDeclined,
    Proposed,
    SiteConfigured,
    TableDefined,
    TableDescribed,
)
from jackpot.core.events.table import (
    CallWithdrawn,
    CollectionConfirmed,
    DeckPlaced,
    DeckRemoved,
    FloorCalled,
    PotContributed,
    RoundLocked,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    SeatVoided,
    TableAttached,
    WagerRemoved,
    WagersPlaced,
    WagersWithdrawn,
)
from jackpot.core.evolve_awards import round_of
from jackpot.core.intake import take_in
from jackpot.core.invariants import BrokenInvariantError
from jackpot.core.ledger import may_be_negative
from jackpot.core.request_memory import remember
from jackpot.core.rounds import owner
from jackpot.core.stakes import AtSeats, Stakes, make_stakes, put_stakes
from jackpot.core.state import (
    RECENT_NUMBERS,
    Accepted,
    Answer,
    Posted,
    Round,
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
    if state.calls:
        evolve_floor_calls.close_impossible(state, event)
    origin = record.origin
    if type(origin) is TableOrigin:
        table, number = state.tables[origin.table], origin.number
        table.last_number = number
        table.recent[number] = Answer(sequence, record.digest)
        table.recent.pop(number - RECENT_NUMBERS, None)
    elif isinstance(origin, OperatorOrigin):
        remember(state, origin, event, Answer(sequence, record.digest))


def post(state: State, postings: Postings) -> None:
    """Add postings to the balances; they sum to zero and overdraw nobody."""
    balances, total = state.balances, 0
    for account, amount in postings:
        total += amount
        balance = balances.get(account, 0) + amount
        if balance < 0 and not may_be_negative(account):
            raise BrokenInvariantError(f"entry {state.sequence} overdraws {account}")
        balances[account] = balance
    if total:
        raise BrokenInvariantError(f"postings of entry {state.sequence} do not sum to zero")


def _nothing(_: State, __: AnyEvent) -> None:
    """Some events only say that something happened, or are nothing but their postings."""


def _attached(state: State, event: TableAttached) -> None:
    table = state.tables[event.table]
    table.epoch, table.last_number = event.epoch, 0
    table.recent = {}


def _opened(state: State, event: RoundOpened) -> None:
    table = state.tables[event.table]
    table.rounds, table.round = event.number, Round(event.number)
    table.result = table.voided = None


_CHIPS: Medium = "chips"  # what an event without mediums is about
_FEW_WAGERS = 16  # of which it is remembered what they come to


def _placed(state: State, event: WagersPlaced) -> None:
    round_ = round_of(state, event.table)
    if not round_.wagers and len(event.wagers) <= _FEW_WAGERS:
        put_stakes(round_, _first_of_a_round(event.wagers, event.mediums))
    else:
        round_.wagers = _lit(round_.wagers, event.wagers, event.mediums)


@lru_cache(maxsize=1_024)  # the same few wagers come round after round
def _first_of_a_round(wagers: tuple[Wager, ...], mediums: tuple[Medium, ...]) -> Stakes:
    """What wagers come to in an empty round."""
    return make_stakes(_lit({}, wagers, mediums))


def _lit(before: AtSeats, wagers: tuple[Wager, ...], mediums: tuple[Medium, ...]) -> AtSeats:
    """The wagers of a round with some more."""
    lit = {seat: bets.copy() for seat, bets in before.items()}
    for index, wager in enumerate(wagers):
        medium, at_seat = mediums[index] if mediums else _CHIPS, lit.setdefault(wager.seat, {})
        # A chip was never taken off an account.
        account = wager.account if medium == "electronic" else ""
        player = owner(wager, at_seat)
        at_seat[wager.bet] = Accepted(wager.amount_micros, player, medium, account)
    return lit


def _without(before: AtSeats, taken: tuple[Placed, ...]) -> AtSeats:
    """The wagers of a round but for some."""
    left = {seat: bets.copy() for seat, bets in before.items()}
    for placed in taken:
        del left[placed.seat][placed.bet]
    return {seat: bets for seat, bets in left.items() if bets}


def _withdrawn(state: State, event: WagersWithdrawn) -> None:
    round_ = round_of(state, event.table)
    round_.wagers = _without(round_.wagers, event.wagers)


def _removed(state: State, event: WagerRemoved) -> None:
    round_ = round_of(state, event.table)
    round_.wagers = _without(round_.wagers, (event.wager,))


def _locked(state: State, event: RoundLocked) -> None:
    round_ = round_of(state, event.table)
    round_.phase = "collected" if event.collected else "locked"
    round_.magic_card, round_.lucky_position = event.magic_card, event.lucky_position
    round_.draws = event.draws
    round_.posted = dict(event.posted)
    if event.posted:
        take_in(state, event.posted)


def _confirmed(state: State, event: CollectionConfirmed) -> None:
    round_ = round_of(state, event.table)
    round_.phase = "collected"
    take_in(state, event.posted)
    for name, new in event.posted.items():
        old = round_.posted.get(name)
        round_.posted[name] = (
            new
            if old is None
            else Posted(
                min(old.sequence, new.sequence),
                old.meter_micros + new.meter_micros,
                old.reserve_micros + new.reserve_micros,
                old.overflow_micros + new.overflow_micros,
                old.wagers + new.wagers,
            )
        )


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
    RoundSettled: evolve_awards.settled,
    RoundVoided: evolve_awards.voided,
    SeatVoided: evolve_awards.seat_voided,
    FloorCalled: evolve_floor_calls.called,
    CallWithdrawn: evolve_floor_calls.withdrawn,
    CallDeclined: evolve_floor_calls.declined,
    LinkDefined: evolve_site.link_defined,
    TableDefined: evolve_site.table_defined,
    LinkDescribed: evolve_site.link_described,
    TableDescribed: evolve_site.table_described,
    LinkChanged: evolve_site.link_changed,
    PayoutValidated: evolve_awards.validated,
    PayoutPaid: evolve_awards.paid,
    PayoutRejected: evolve_awards.rejected,
    MeterAdjusted: evolve_site.changed,
    FundsTransferred: evolve_site.changed,
    ParametersChanged: evolve_site.changed,
    Proposed: evolve_site.proposed,
    ProposalDeclined: evolve_site.declined,
    SiteConfigured: evolve_site.configured,
    DualControlSet: evolve_site.dual_control_set,
    AccountMoved: _nothing,
    PotContributed: _nothing,
    DeckPlaced: evolve_site.deck_placed,
    DeckRemoved: evolve_site.deck_removed,
    BoxCounted: evolve_site.box_counted,
    BadBeatVerified: evolve_awards.bad_beat,
    MetersRead: evolve_site.meters_read,
    DisplayConfirmed: evolve_site.display_confirmed,
    IncarnationBegun: incarnation.begun,
    SnapshotTaken: _nothing,
    Probed: _nothing,
}
