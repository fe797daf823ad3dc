"""Apply events to calls for the floor, and close those that have become impossible.

Part of `evolve`: a call is judged by the state alone, so whatever changes a round, by whichever
event, closes the calls that it makes impossible.
"""

from msgspec.structs import replace

from jackpot.core.events import AnyEvent
from jackpot.core.events.operator import CallDeclined
from jackpot.core.events.table import (
    CallWithdrawn,
    FloorCalled,
    RoundVoided,
    SeatVoided,
    WagerRemoved,
)
from jackpot.core.state import RECENT_CALLS, CallOutcome, FloorCall, State


def called(state: State, event: FloorCalled) -> None:
    """A call is open; one that has expired makes room."""
    _close_expired(state)
    state.last_call = event.id
    state.calls[event.table] = FloorCall(
        event.id,
        event.table,
        event.round,
        event.act,
        state.time_micros,
        event.expires_micros,
        event.seat,
        event.bet,
        event.irregularity,
    )


def withdrawn(state: State, event: CallWithdrawn) -> None:
    """A table took its call back."""
    if call := state.calls.get(event.table):
        _close(state, call, "withdrawn")


def declined(state: State, event: CallDeclined) -> None:
    """A floorperson said no."""
    if call := state.calls.get(event.table):
        _close(state, call, "declined", event.floorperson)


def close_impossible(state: State, event: AnyEvent) -> None:
    """Close what this event has answered or made impossible, and what has waited too long."""
    _close_expired(state)
    for call in [call for call in state.calls.values() if not _possible(state, call)]:
        if not isinstance(event, RoundVoided | SeatVoided | WagerRemoved):
            _close(state, call, "overtaken")
        elif event.call == call.id:
            _close(state, call, "approved", event.floorperson)
        else:
            _close(state, call, "overtaken", event.floorperson)


def _close_expired(state: State) -> None:
    now = state.time_micros
    for call in [call for call in state.calls.values() if call.expires_micros <= now]:
        _close(state, call, "expired", at_micros=call.expires_micros)


def _close(
    state: State, call: FloorCall, outcome: CallOutcome, by: str = "", at_micros: int = 0
) -> None:
    del state.calls[call.table]
    at_micros = at_micros or state.time_micros
    closed = replace(call, outcome=outcome, by=by, closed_micros=at_micros)
    kept = (*state.closed_calls.get(call.table, ()), closed)
    state.closed_calls[call.table] = kept[-RECENT_CALLS:]


def _possible(state: State, call: FloorCall) -> bool:
    """Whether what a call asks for can still be done."""
    round_ = state.tables[call.table].round
    if round_ is None or round_.number != call.round:
        return False
    if call.act == "remove-wager":
        return round_.phase == "locked" and call.bet in round_.wagers.get(call.seat, ())
    return not round_.validated and call.seat not in round_.void_seats
