"""`jackpot void`: a floorperson undoes a round or a seat, after its collection too."""

from typing import TYPE_CHECKING

import click

from jackpot.cli.meter_view import money
from jackpot.cli.operator_client import OperatorClient, operator_command
from jackpot.cli.operator_view import changes_lines, word
from jackpot.cli.parameters import ID, SEAT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jackpot.wire.v1 import payout_pb2, table_pb2

ROUND = click.option(
    "--round", "round_", type=ID, metavar="NO", help="Which round. [default: the table's last]"
)


@click.command()
@click.argument("table")
@click.option("--reason", required=True, metavar="WHY", help="The irregularity, for the journal.")
@click.option("--seat", type=SEAT, metavar="NO", help="Only this seat. [default: the round]")
@ROUND
@operator_command(changes=True)
def void(
    client: OperatorClient, table: str, reason: str, seat: int | None, round_: int | None
) -> None:
    r"""Void a table's round, or one seat of it: wagers go back, awards are canceled.

    Once an award of the round was validated or paid it is too late. You are
    recorded as the floorperson who did it.

    \b
    Example:
      jackpot void table-1 --reason misdeal
      jackpot void table-1 --round 412 --seat 3 --reason "wrong number of cards"
    """
    number = client.round(table, round_)
    where = f"{table}, round {number}" + (f", seat {seat}" if seat else "")
    payouts = client.ask("ListPayouts", table=table).payouts
    found = client.ask("GetTable", table=table).table.round
    if found.number == number:
        due = [payout for payout in payouts if payout.round == number]
        stake = "\n".join(at_stake(found, due, seat))
        client.confirm(f"{where} -> void ({reason})\n{stake}")
    else:  # the controller refuses it, or did it before
        client.confirm(f"{where} -> void ({reason})")
    about = {"table": table, "round": number, "irregularity": reason}
    if seat:
        response = client.order("VoidTableSeat", seat=seat, **about)
    else:
        response = client.order("VoidTableRound", **about)
    back = money(response.returned_micros)
    done = f"{where} is void: {back} goes back (journal {response.sequence})"
    before = {payout.id: payout for payout in payouts}
    client.tell(response, done, *changes_lines(response.changes, before))


def at_stake(
    round_: "table_pb2.Round", payouts: "list[payout_pb2.Payout]", seat: int | None
) -> "Iterator[str]":
    """What the person who is asked should know of the round before it is gone."""
    from jackpot.wire.v1 import table_pb2

    amount = money(sum(w.amount_micros for w in round_.wagers if seat in (None, w.seat)))
    phase = word(table_pb2.RoundPhase.Name(round_.phase), "ROUND_PHASE_")
    yield f"  the round is {phase}; wagers of {amount} go back"
    canceled = [p for p in payouts if not seat or _is_canceled(round_, p, seat)]
    for payout in canceled:
        hand = payout.hand.replace("-", " ")
        award = f"{hand} at seat {payout.seat}, {money(payout.amount_micros)}"
        yield f"  payout {payout.id}, {award}: canceled"
    if len(canceled) < len(payouts):
        yield "  other awards of the round on the same meter may be recalculated"


def _is_canceled(round_: "table_pb2.Round", payout: "payout_pb2.Payout", seat: int) -> bool:
    """Whether a payout ends with a seat: for the seat's hand, or due to the seat alone."""
    from jackpot.wire.v1 import payout_pb2

    if seat in (payout.holder, payout.seat) and payout.holder:
        return True
    # A player's share of the dealer's hand moves to another box that they have bet in.
    moves = payout.kind == payout_pb2.PAYOUT_KIND_SHARE and any(
        w.seat not in (seat, *round_.void_seats)
        and (w.bet, w.player) == (payout.bet, payout.player)
        for w in round_.wagers
    )
    return payout.seat == seat and not moves
