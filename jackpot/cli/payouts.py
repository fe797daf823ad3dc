"""`jackpot payouts`, `validate`, `pay`, `reject`: from an award to the player's hand."""

from typing import TYPE_CHECKING, Any

import click

from jackpot.cli.shared.operator_client import OperatorClient, operator_command
from jackpot.cli.shared.operator_view import changes_lines, money, payouts_table, word
from jackpot.cli.shared.parameters import ID

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jackpot.wire.v1 import payout_pb2


FLOORPERSON = "Who checked the hand and the lamp. With TLS, this is always you."
_PAYOUT = click.argument("payout", type=ID)


@click.command()
@click.option(
    "--pending", is_flag=True, help="List only payouts that a floorperson must still validate."
)
@click.option("--table", metavar="TABLE", default="", help="List only payouts at this table.")
@operator_command()
def payouts(client: OperatorClient, table: str, *, pending: bool) -> None:
    r"""List the open payouts, in the order they must be paid.

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
        click.echo("No open payouts.")


@click.command()
@_PAYOUT
@click.option("--floorperson", default="", metavar="NAME", help=FLOORPERSON)
@click.option(
    "--source", type=click.Choice(["cage"]), help="Pay at the cage, even if the table could pay."
)
@operator_command(changes=True)
def validate(client: OperatorClient, payout: int, floorperson: str, source: str | None) -> None:
    r"""Confirm that a hand was read correctly and its lamp was lit.

    After that, the round can't be voided.

    \b
    Example:
      jackpot validate 41 --floorperson "Ann Floor"
    """
    from jackpot.wire.v1 import payout_pb2

    if found := _open(client).get(payout):
        client.confirm(f"{_about(found)} -> validated{', paid at the cage' if source else ''}")
    response = client.order(
        "ValidatePayout",
        payout=payout,
        floorperson=floorperson,
        source=payout_pb2.PAYOUT_SOURCE_CAGE if source else None,
    )
    client.done(response, f"payout {payout} is validated: {_paid_from(response)}")


@click.command()
@_PAYOUT
@click.option(
    "--form",
    default="",
    metavar="NO",
    help="The number of the form, such as W2G-1007. Required for payouts at the cage.",
)
@operator_command(changes=True)
def pay(client: OperatorClient, payout: int, form: str) -> None:
    r"""Record that an award was paid to the player.

    \b
    Example:
      jackpot pay 41 --form W2G-1007
    """
    if found := _open(client).get(payout):
        client.confirm(f"{_about(found)} -> paid{f', form {form}' if form else ''}")
    response = client.order("PayPayout", payout=payout, form=form)
    client.done(response, f"payout {payout} is paid: {_paid_from(response)}")


@click.command()
@_PAYOUT
@click.option(
    "--reason",
    type=click.Choice(["hand-misread", "lamp-dark", "wager-invalid"]),
    required=True,
    help="Why the award must not be paid.",
)
@click.option("--floorperson", default="", metavar="NAME", help=FLOORPERSON)
@operator_command(changes=True)
def reject(client: OperatorClient, payout: int, reason: str, floorperson: str) -> None:
    r"""Reject an award, and recalculate the awards after it.

    If the hand was misread, this also cancels all awards that depend on it, such as envy bonuses.

    \b
    Example:
      jackpot reject 41 --reason hand-misread --floorperson "Ann Floor"
    """
    from jackpot.wire.v1 import operator_pb2

    before = _open(client)
    if found := before.get(payout):
        fall = _fall_with(found, before.values()) if reason == "hand-misread" else []
        named = f"payout{'s' if len(fall) > 1 else ''} {', '.join(map(str, fall))}"
        also = f"\n  also canceled with it: {named}" if fall else ""
        client.confirm(f"{_about(found)} -> rejected ({reason}){also}")
    value = f"REJECT_REASON_{reason.replace('-', '_').upper()}"
    response = client.order(
        "RejectPayout",
        payout=payout,
        reason=operator_pb2.RejectReason.Value(value),
        floorperson=floorperson,
    )
    others = [change for change in response.changes if change.payout != payout]
    client.done(response, f"payout {payout} is rejected", *changes_lines(others, before))


def _open(client: OperatorClient) -> "dict[int, payout_pb2.Payout]":
    return {payout.id: payout for payout in client.ask("ListPayouts").payouts}


def _fall_with(payout: "payout_pb2.Payout", others: "Iterable[payout_pb2.Payout]") -> list[int]:
    """The other open payouts that depend on the same reading of a hand."""
    from jackpot.wire.v1 import payout_pb2

    # These do not depend on what a hand is called.
    unread = (payout_pb2.PAYOUT_KIND_MAGIC, payout_pb2.PAYOUT_KIND_LUCKY)

    def reading(one: payout_pb2.Payout) -> tuple[object, ...]:
        return one.kind not in unread, one.table, one.round, one.link, one.holder

    if payout.kind in unread:
        return []
    return [one.id for one in others if one.id != payout.id and reading(one) == reading(payout)]


def _about(payout: "payout_pb2.Payout") -> str:
    hand = payout.hand.replace("-", " ")
    at = f"{payout.table} seat {payout.seat}"
    status = "validated" if payout.floorperson else "pending"
    return f"payout {payout.id}, {hand} at {at}: {money(payout.amount_micros)}, {status}"


def _paid_from(response: Any) -> str:
    from jackpot.wire.v1 import payout_pb2

    where = word(payout_pb2.PayoutSource.Name(response.source), "PAYOUT_SOURCE_")
    return f"{money(response.amount_micros)} from the {where}"
