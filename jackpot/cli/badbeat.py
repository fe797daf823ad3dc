"""`jackpot badbeat`: a Bad Beat fund's count, verification and display."""

import click

from jackpot.cli.shared.operator_client import OperatorClient, operator_command
from jackpot.cli.shared.operator_view import exact, payouts_table
from jackpot.cli.shared.parameters import CARDS, CASH, SEAT
from jackpot.core.money import rate_text
from jackpot.rules.cards import pretty


@click.group()
def badbeat() -> None:
    r"""Count a table's box, verify a Bad Beat, confirm the display.

    \b
    Example:
      jackpot badbeat count bad-beat poker-1 212 --cashier Cy
    """


@badbeat.command()
@click.argument("link")
@click.argument("table")
@click.argument("counted_micros", metavar="AMOUNT", type=CASH)
@click.option(
    "--cashier",
    default="",
    metavar="NAME",
    help="Who counted the box. With TLS, this is always you.",
)
@operator_command(changes=True)
def count(
    client: OperatorClient,
    link: str,
    table: str,
    counted_micros: int,
    cashier: str,
) -> None:
    r"""Record how much money was counted in a table's box.

    \b
    Example:
      jackpot badbeat count bad-beat poker-1 212 --cashier Cy
    """
    found, level = client.level(link, None)
    recorded = sum(box.amount_micros for box in found.boxes if box.table == table)
    meter = level.meter_micros
    client.confirm(
        f"box of {table}: the record says {exact(recorded)}, {exact(counted_micros)} was counted\n"
        f"{link}/{level.level}: {exact(meter)} -> {exact(meter + counted_micros)}"
    )
    response = client.order(
        "CountBox",
        link=link,
        table=table,
        counted_micros=counted_micros,
        cashier=cashier,
    )
    alarms = [f"ALARM {alarm}" for alarm in response.alarms]
    client.done(
        response,
        f"{link}: {exact(counted_micros)} from the box of {table} was added to the meter",
        *alarms,
    )


@badbeat.command()
@click.argument("link")
@click.argument("table")
@click.option("--loser", required=True, type=SEAT, help="The seat whose hand lost.")
@click.option("--losing", required=True, type=CARDS, help="The loser's own cards, such as 8s8h.")
@click.option("--winner", required=True, type=SEAT, help="The seat that won.")
@click.option("--winning", required=True, type=CARDS, help="The winner's own cards, such as 9s9h.")
@click.option(
    "--board",
    type=CARDS,
    default="",
    help="The community cards, such as 8d8c9d9c2s. Omit it in Stud.",
)
@click.option(
    "--others", metavar="SEATS", default="", help="Other seats that were dealt in, such as 1,4,5."
)
@click.option(
    "--supervisor",
    default="",
    metavar="NAME",
    help="The shift supervisor. With TLS, this is always you.",
)
@operator_command(changes=True)
def verify(
    client: OperatorClient,
    link: str,
    table: str,
    loser: int,
    losing: tuple[str, ...],
    winner: int,
    winning: tuple[str, ...],
    board: tuple[str, ...],
    others: str,
    supervisor: str,
) -> None:
    r"""Verify the hands of a Bad Beat, and pay out the fund.

    The command checks the cards. The losing hand must rank at least as high as the posted
    qualifying hand, and the winning hand must beat it.

    \b
    Example:
      jackpot badbeat verify bad-beat poker-1 --loser 3 --losing 8s8h \
        --winner 7 --winning 9s9h --board 8d8c9d9c2s \
        --others 1,10 --supervisor "Sam Shift"
    """
    try:
        seats = [
            SEAT.convert(seat.strip(), None, None) for seat in others.split(",") if seat.strip()
        ]
    except click.BadParameter as error:
        raise click.UsageError(
            f"--others {others!r} is not a list of seats; expected one such as 1,4,5"
        ) from error
    found, level = client.level(link, None)
    table_share = f"none; their {rate_text(found.table_bps)} stays in the fund"
    if seats:
        at = ", ".join(map(str, seats))
        table_share = f"seats {at} share {rate_text(found.table_bps)} equally"
    client.confirm(
        f"{link}/{level.level} holds {exact(level.meter_micros)}, to be paid out\n"
        f"  losing hand   {pretty(losing)} at seat {loser}: {rate_text(found.loser_bps)}\n"
        f"  winning hand  {pretty(winning)} at seat {winner}: {rate_text(found.winner_bps)}\n"
        f"  board         {pretty(board) or 'none'}\n"
        f"  others        {table_share}"
    )
    response = client.order(
        "VerifyBadBeat",
        link=link,
        table=table,
        losing_cards=losing,
        winning_cards=winning,
        community_cards=board,
        loser_seat=loser,
        winner_seat=winner,
        other_seats=seats,
        supervisor=supervisor,
    )
    if client.json:
        client.tell(response)
        return
    client.console.print(payouts_table(response.payouts))
    hands = [hand.replace("-", " ") for hand in (response.losing_hand, response.winning_hand)]
    click.echo(f"Seat {loser} lost with {hands[0]} to {hands[1]} at seat {winner}.")
    click.echo(
        f"Journal {response.sequence}. "
        f"Set the display, then run: jackpot badbeat display {link} AMOUNT"
    )


@badbeat.command()
@click.argument("link")
@click.argument("displayed_micros", metavar="AMOUNT", type=CASH)
@operator_command(changes=True)
def display(client: OperatorClient, link: str, displayed_micros: int) -> None:
    r"""Confirm that the display shows the amount in the fund.

    \b
    Example:
      jackpot badbeat display bad-beat 4,512.00
    """
    response = client.order("ConfirmDisplay", link=link, displayed_micros=displayed_micros)
    client.done(response, f"{link}: the display of {exact(displayed_micros)} is confirmed")
