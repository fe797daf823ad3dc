"""`jackpot wager`: a floorperson removes a wager that has no chip."""

import click

from jackpot.cli.meter_view import money
from jackpot.cli.operator_client import OperatorClient, operator_command
from jackpot.cli.parameters import SEAT
from jackpot.cli.void import ROUND


@click.group()
def wager() -> None:
    r"""Correct the wagers of a round that is locked out.

    \b
    Example:
      jackpot wager remove table-1 --seat 3 --bet five-card-progressive
    """


@wager.command()
@click.argument("table")
@click.option("--seat", type=SEAT, required=True, metavar="NO", help="Whose wager.")
@click.option("--bet", required=True, metavar="BET", help="On which bet.")
@ROUND
@operator_command(changes=True)
def remove(client: OperatorClient, table: str, seat: int, bet: str, round_: int | None) -> None:
    r"""Remove an accepted wager that has no chip, before the collection.

    You are recorded as the floorperson who did it.

    \b
    Example:
      jackpot wager remove table-1 --seat 3 --bet five-card-progressive
    """
    from jackpot.wire.v1 import table_pb2

    number = client.round(table, round_)
    what = f"{table}, round {number}, seat {seat}: {bet}"
    found = client.ask("GetTable", table=table).table.round
    amounts = [w.amount_micros for w in found.wagers if (w.seat, w.bet) == (seat, bet)]
    if not amounts and found.number == number and not client.repeats:
        raise click.ClickException(f"NO_SUCH_WAGER: {what}: there is no such wager to remove")
    client.confirm(f"{what}{''.join(f', {money(each)}' for each in amounts)} -> removed")
    placed = table_pb2.PlacedWager(seat=seat, bet=bet)
    response = client.order("RemoveWager", table=table, round=number, wager=placed)
    client.tell(response, f"{what} is removed (journal {response.sequence})")
