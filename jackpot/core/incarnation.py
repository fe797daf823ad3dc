"""Go on from a restored backup: a new incarnation of the journal.

What followed the backup is lost, and nobody knows all of it. So nothing that may have been given
there is given again. Epochs jump to the present time in milliseconds, past any that a table can
have had; payouts, proposals and calls for the floor jump to the next million.
"""

from jackpot.core.commands import Request
from jackpot.core.commands.operator import Acknowledged, BeginIncarnation
from jackpot.core.events.operator import IncarnationBegun
from jackpot.core.events.table import LostRange
from jackpot.core.meter_readings import last_there_micros
from jackpot.core.state import MAX_INCARNATIONS, Incarnation, State

RESTORED, TABLE_ROLLED_BACK = "RESTORED", "TABLE_ROLLED_BACK"  # alarms
_MICROS_PER_MS = 1_000
_IDS = 1_000_000  # payouts, proposals and calls of one incarnation


def begin(state: State, command: BeginIncarnation, request: Request) -> IncarnationBegun:
    """Begin one behind the last entry that there is."""
    ordinal = max(state.incarnation.ordinal, command.ordinal_above) + 1
    epochs = [table.epoch for table in state.tables.values()]
    return IncarnationBegun(
        id=command.id,
        ordinal=ordinal,
        common_sequence=state.sequence,
        common_hash=command.common_hash,
        reason=command.reason,
        by=command.by,
        epochs_above=max(
            request.time_micros // _MICROS_PER_MS, state.incarnation.epochs_above, *epochs, 0
        ),
        payouts_above=_next_ids(state.last_payout, ordinal),
        proposals_above=_next_ids(state.last_proposal, ordinal),
        alarms=(RESTORED,),
        calls_above=_next_ids(state.last_call, ordinal),
        last_micros=max(last_there_micros(state), command.last_micros),
    )


def _next_ids(last: int, ordinal: int) -> int:
    return max(last // _IDS + 1, ordinal - 1) * _IDS


def begun(state: State, event: IncarnationBegun) -> None:
    """Apply that one was begun: nobody speaks for any table."""
    incarnation = Incarnation(
        event.id,
        event.ordinal,
        event.common_sequence,
        state.time_micros,
        event.epochs_above,
        (state.last_payout, event.payouts_above),
        (state.last_proposal, event.proposals_above),
        (state.last_call, max(state.last_call, event.calls_above)),
        event.last_micros,
    )
    state.restored = (*state.incarnations, incarnation)[-MAX_INCARNATIONS:]
    state.last_payout, state.last_proposal = event.payouts_above, event.proposals_above
    state.last_call = incarnation.lost_calls[1]  # journals of before let them go on
    for table in state.tables.values():
        table.epoch, table.last_number, table.recent = event.epochs_above, 0, {}


def lost_payout(state: State, payout: int) -> bool:
    """Whether an id was perhaps given in a lost history, and never in this one."""
    return any(_within(each.lost_payouts, payout) for each in state.incarnations)


def lost_proposal(state: State, proposal: int) -> bool:
    """The same of a proposal."""
    return any(_within(each.lost_proposals, proposal) for each in state.incarnations)


def lost_call(state: State, call: int) -> bool:
    """The same of a table's call for the floor."""
    return any(_within(each.lost_calls, call) for each in state.incarnations)


def _within(lost: tuple[int, int], id_: int) -> bool:
    return lost[0] < id_ <= lost[1]


def lost_range(state: State, known: Acknowledged | None) -> LostRange | None:
    """What of a table's acknowledged answers this history does not have.

    An answer beyond the last entry shows that the journal was rolled back though nobody said so.
    """
    if known is None:
        return None
    common = _common_sequence(state, known.incarnation)
    if known.last <= common:
        return None
    return LostRange(known.incarnation, max(known.first, common + 1), known.last, known.round)


def _common_sequence(state: State, incarnation: str) -> int:
    """The last entry that this history shares with another one."""
    ids = ["", *(each.id for each in state.incarnations)]
    if incarnation in ids:
        since = state.incarnations[ids.index(incarnation) :]
        return min((each.common_sequence for each in since), default=state.sequence)
    # One that is not known here was itself lost, with all that the last restore has undone.
    return state.incarnation.common_sequence
