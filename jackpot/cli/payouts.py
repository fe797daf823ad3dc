"""`jackpot payouts`, `validate`, `pay`, `reject`: from an award to the player's hand."""

from typing import TYPE_CHECKING

import click

from jackpot.cli.meter_view import money
from jackpot.cli.operator_client import OperatorClient, operator_command
from jackpot.cli.operator_view import changes_lines, payouts_table, word
from jackpot.cli.parameters import ID

if TYPE_CHECKING:
    from jackpot.wire.v1 import payout_pb2


FLOORPERSON = "Who saw hand and lamp; with TLS it is you."
_PAYOUT = click.argument("payout", type=ID)


@click.command()
@click.option("--pending", is_flag=True, help="Only those that a floorperson must validate.")
@click.option("--table", metavar="TABLE", default="", help="Only those of a table.")
@operator_command()
def payouts(client: OperatorClient, table: str, *, pending: bool) -> None:
    r"""List the payouts that are neither paid nor rejected, oldest first.

    \b
    Example:
      jackpot payouts --pending
    """
    from jackpot.wire.v1 import operator_pb2

    response = client.ask("ListPayouts", table=table)
    if pending:
        waiting = [p for p in response.payouts if p.needs_floorperson and not p.floorperson]
        response = operator_pb2.ListPayoutsResponse(sequence=response.sequence, payouts=waiting)
    if client.json:
        client.tell(response)
    elif response.payouts:
        client.console.print(payouts_table(response.payouts))
    else:
        click.echo("Nothing waits.")


@click.command()
@_PAYOUT
@click.option("--floorperson", default="", metavar="NAME", help=FLOORPERSON)
@click.option(
    "--source", type=click.Choice(["cage"]), help="Let the cage pay what the table would."
)
@operator_command(changes=True)
def validate(client: OperatorClient, payout: int, floorperson: str, source: str | None) -> None:
    r"""Confirm an award: the hand was read right and its lamp was lit.

    \b
    Example:
      jackpot validate 41 --floorperson "Ann Floor"
    """
    from jackpot.wire.v1 import payout_pb2

    response = client.order(
        "ValidatePayout",
        payout=payout,
        floorperson=floorperson,
        source=payout_pb2.PAYOUT_SOURCE_CAGE if source else None,
    )
    where = word(payout_pb2.PayoutSource.Name(response.source), "PAYOUT_SOURCE_")
    amount = money(response.amount_micros)
    client.tell(response, f"{payout} is valid: {amount} from the {where}{_at(response.sequence)}")


@click.command()
@_PAYOUT
@click.option("--form", default="", metavar="NO", help="The form's number; the cage needs it.")
@operator_command(changes=True)
def pay(client: OperatorClient, payout: int, form: str) -> None:
    r"""Record that an award was handed over.

    \b
    Example:
      jackpot pay 41 --form W2G-1007
    """
    from jackpot.wire.v1 import payout_pb2

    if found := _find(client, payout):
        client.confirm(f"{_about(found)} pending -> paid{f', form {form}' if form else ''}")
    response = client.order("PayPayout", payout=payout, form=form)
    where = word(payout_pb2.PayoutSource.Name(response.source), "PAYOUT_SOURCE_")
    amount = money(response.amount_micros)
    client.tell(response, f"{payout} is paid: {amount} from the {where}{_at(response.sequence)}")


@click.command()
@_PAYOUT
@click.option(
    "--reason",
    type=click.Choice(["hand-misread", "lamp-dark", "wager-invalid"]),
    required=True,
    help="Why it must not be paid.",
)
@click.option("--floorperson", default="", metavar="NAME", help=FLOORPERSON)
@operator_command(changes=True)
def reject(client: OperatorClient, payout: int, reason: str, floorperson: str) -> None:
    r"""Take an award back; what hung on it is decided again.

    \b
    Example:
      jackpot reject 41 --reason hand-misread --floorperson "Ann Floor"
    """
    from jackpot.wire.v1 import operator_pb2

    if found := _find(client, payout):
        client.confirm(f"{_about(found)} pending -> rejected ({reason})")
    value = f"REJECT_REASON_{reason.replace('-', '_').upper()}"
    response = client.order(
        "RejectPayout",
        payout=payout,
        reason=operator_pb2.RejectReason.Value(value),
        floorperson=floorperson,
    )
    others = [change for change in response.changes if change.payout != payout]
    done = f"{payout} is rejected{_at(response.sequence)}"
    client.tell(response, done, *changes_lines(others))


def _find(client: OperatorClient, payout: int) -> "payout_pb2.Payout | None":
    found = client.ask("ListPayouts").payouts
    return next((one for one in found if one.id == payout), None)


def _about(payout: "payout_pb2.Payout") -> str:
    hand = payout.hand.replace("-", " ")
    at = f"{payout.table} seat {payout.seat}"
    return f"payout {payout.id}, {hand} at {at}: {money(payout.amount_micros)},"


def _at(sequence: int) -> str:
    return f" (journal {sequence})"
