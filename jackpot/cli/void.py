"""`jackpot void`: a floorperson undoes a round or a seat, after its collection too."""

import click

from jackpot.cli.meter_view import money
from jackpot.cli.operator_client import OperatorClient, operator_command
from jackpot.cli.operator_view import changes_lines, word
from jackpot.cli.parameters import ID, SEAT

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
    r"""Void a table's round, or one seat of it: wagers go back, awards fall.

    Once an award of the round was validated or paid it is too late. You are
    recorded as the floorperson who did it.

    \b
    Example:
      jackpot void table-1 --reason misdeal
      jackpot void table-1 --round 412 --seat 3 --reason "wrong number of cards"
    """
    number = client.round(table, round_)
    where = f"{table}, round {number}" + (f", seat {seat}" if seat else "")
    client.confirm(f"{where} -> void ({reason}){_at_stake(client, table, number, seat)}")
    about = {"table": table, "round": number, "irregularity": reason}
    if seat:
        response = client.order("VoidTableSeat", seat=seat, **about)
    else:
        response = client.order("VoidTableRound", **about)
    back = money(response.returned_micros)
    done = f"{where} is void: {back} goes back (journal {response.sequence})"
    client.tell(response, done, *changes_lines(response.changes))


def _at_stake(client: OperatorClient, table: str, number: int, seat: int | None) -> str:
    """What whoever is asked should know of the round before it is gone."""
    from jackpot.wire.v1 import table_pb2

    found = client.ask("GetTable", table=table).table.round
    if found.number != number:
        return ""
    wagers = [each for each in found.wagers if seat in (None, each.seat)]
    amount = money(sum(each.amount_micros for each in wagers))
    phase = word(table_pb2.RoundPhase.Name(found.phase), "ROUND_PHASE_")
    lines = ["", f"  the round is {phase}; wagers of {amount} go back"]
    for payout in client.ask("ListPayouts", table=table).payouts:
        if payout.round == number:
            hand = payout.hand.replace("-", " ")
            award = f"{hand} at seat {payout.seat}, {money(payout.amount_micros)}"
            falls = "decided again" if seat and payout.seat != seat else "taken back"
            lines.append(f"  payout {payout.id}, {award}: {falls}")
    return "\n".join(lines)
