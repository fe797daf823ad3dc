"""What a void takes with it, as far as messages say: for whoever asks a person to confirm one."""

from collections.abc import Iterable

from jackpot.wire.v1 import payout_pb2, table_pb2


def canceled(
    round_: table_pb2.Round, payouts: Iterable[payout_pb2.Payout], seat: int = 0
) -> list[payout_pb2.Payout]:
    """The round's payouts that end with it, or with one seat of it."""
    return [payout for payout in payouts if not seat or _ends_with(round_, payout, seat)]


def _ends_with(round_: table_pb2.Round, payout: payout_pb2.Payout, seat: int) -> bool:
    """Whether a payout ends with a seat: for the seat's hand, or due to the seat alone."""
    if seat in (payout.holder, payout.seat) and payout.holder:
        return True
    # A player's share of the dealer's hand moves to another box that they have bet in.
    moves = payout.kind == payout_pb2.PAYOUT_KIND_SHARE and any(
        w.seat not in (seat, *round_.void_seats)
        and (w.bet, w.player) == (payout.bet, payout.player)
        for w in round_.wagers
    )
    return payout.seat == seat and not moves
