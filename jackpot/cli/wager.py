"""`jackpot wager`: a floorperson removes a wager that has no chip."""

import click

from jackpot.cli.desk import Desk, at_desk
from jackpot.cli.kinds import SEAT
from jackpot.cli.meter_view import money
from jackpot.cli.void import ROUND
from jackpot.wire.v1 import table_pb2


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
@at_desk(changes=True)
def remove(desk: Desk, table: str, seat: int, bet: str, round_: int | None) -> None:
    r"""Remove an accepted wager that has no chip, before the collection.

    You are recorded as the floorperson who did it.

    \b
    Example:
      jackpot wager remove table-1 --seat 3 --bet five-card-progressive
    """
    number = desk.round(table, round_)
    what = f"{table}, round {number}, seat {seat}: {bet}"
    found = desk.ask("GetTable", table=table).table.round
    amounts = [w.amount_micros for w in found.wagers if (w.seat, w.bet) == (seat, bet)]
    if not amounts and found.number == number and not desk.repeats:
        raise click.ClickException(f"NO_SUCH_WAGER: {what}: there is no such wager to remove")
    desk.confirm(f"{what}{''.join(f', {money(each)}' for each in amounts)} -> removed")
    placed = table_pb2.PlacedWager(seat=seat, bet=bet)
    response = desk.order("RemoveWager", table=table, round=number, wager=placed)
    desk.tell(response, f"{what} is removed (journal {response.sequence})")
