"""What WatchTable says of a table: all that others may change about it."""

from jackpot.core.floor_calls import latest_call
from jackpot.core.identity import refuse_epoch
from jackpot.core.order import payouts_in_order
from jackpot.core.reasons import Reason, Refusal, refuse
from jackpot.core.rounds import keeps_shut
from jackpot.core.state import Payout, State, TableState
from jackpot.server.codec.fields import LINK_STATUSES, identifier, number
from jackpot.server.codec.messages import call_message, payout_message, round_message
from jackpot.wire.v1 import table_pb2


def parse_table(
    message: table_pb2.HeartbeatRequest | table_pb2.WatchTableRequest,
) -> tuple[str, tuple[str, int]]:
    """The site, the table, and the epoch that speaks for it."""
    site = identifier(message.site, "site")
    return site, (identifier(message.table, "table"), number(message.epoch, "epoch"))


def spoken_for(state: State, asked: tuple[str, int]) -> TableState | Refusal:
    """The table, if the epoch is the one that speaks for it."""
    table, epoch = asked
    found = state.tables.get(table)
    if found is None:
        return refuse(Reason.UNKNOWN_TABLE, table=table)
    return refuse_epoch(state, found, epoch) or found


def watched_table(
    state: State, asked: tuple[str, int], now_micros: int
) -> table_pb2.WatchTableResponse | Refusal:
    """The table as it is."""
    table = spoken_for(state, asked)
    if isinstance(table, Refusal):
        return table
    shut, round_ = keeps_shut(state, table), table.round
    call = latest_call(state, table.config.id, now_micros)
    return table_pb2.WatchTableResponse(
        sequence=state.sequence,
        round=round_message(round_),
        payouts=[
            table_pb2.WatchedPayout(payout=payout_message(payout), state=_state(payout))
            for payout in payouts_in_order(state)
            if round_ and (payout.table, payout.round) == (table.config.id, round_.number)
        ],
        may_open_round=shut is None,
        shut_reason=str(shut.reason) if shut else "",
        shut_metadata=shut.details if shut else {},
        links=[
            table_pb2.WatchedLink(link=link, status=LINK_STATUSES.to_wire(state.links[link].status))
            for link in table.config.links
        ],
        call=call_message(call) if call else None,
    )


def _state(payout: Payout) -> table_pb2.WatchedPayoutState.ValueType:
    if payout.needs_floorperson and not payout.floorperson:
        return table_pb2.WATCHED_PAYOUT_STATE_PENDING
    return table_pb2.WATCHED_PAYOUT_STATE_PAYABLE
