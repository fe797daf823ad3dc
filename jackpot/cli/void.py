"""`jackpot void`, `wager`: a floorperson undoes a round or a seat, or removes a wager."""

from typing import TYPE_CHECKING

import click

from jackpot.cli.shared.operator_client import OperatorClient, operator_command
from jackpot.cli.shared.operator_view import changes_lines, money, word
from jackpot.cli.shared.parameters import ID, SEAT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jackpot.wire.v1 import operator_pb2, payout_pb2, table_pb2


ROUND = click.option(
    "--round",
    "round_",
    type=ID,
    metavar="NO",
    help="The number of the round. [default: the table's latest round]",
)


@click.command()
@click.argument("table")
@click.option(
    "--reason",
    required=True,
    metavar="WHY",
    help="The irregularity, such as misdealt. A word that the game does not list prints the list.",
)
@click.option(
    "--seat", type=SEAT, metavar="NO", help="Void only this seat. [default: void the whole round]"
)
@ROUND
@operator_command(changes=True)
def void(
    client: OperatorClient, table: str, reason: str, seat: int | None, round_: int | None
) -> None:
    r"""Void a round or one seat: return wagers, cancel awards.

    You can't void a round after one of its awards was validated or paid. The
    journal records you as the floorperson.

    \b
    Example:
      jackpot void table-1 --reason misdealt
      jackpot void table-1 --round 412 --seat 3 --reason hand-fouled
    """
    number = client.round(table, round_)
    about_table = client.ask("GetTable", table=table).table
    reason = _listed(about_table, reason, of_seat=bool(seat))
    where = f"{table}, round {number}" + (f", seat {seat}" if seat else "")
    payouts = client.ask("ListPayouts", table=table).payouts
    found = about_table.round
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
    before = {payout.id: payout for payout in payouts}
    done = f"{where} is void: {money(response.returned_micros)} is returned"
    client.done(response, done, *changes_lines(response.changes, before))


def _listed(table: "operator_pb2.Table", reason: str, *, of_seat: bool) -> str:
    """The game's word for what went wrong, however it was typed."""
    listed = table.seat_irregularities if of_seat else table.round_irregularities
    other = table.round_irregularities if of_seat else table.seat_irregularities
    if not listed and not other:
        return reason
    word_ = "_".join(reason.upper().replace("-", " ").replace("_", " ").split())
    if word_ in listed:
        return word_
    what, instead = ("seat", "round") if of_seat else ("round", "seat")
    why = f"voids a {instead}, not a {what}" if word_ in other else "is not on the game's list"
    known = ", ".join(each.lower().replace("_", "-") for each in listed)
    raise click.ClickException(f'"{reason}" {why}; to void a {what}, use one of: {known}')


def at_stake(
    round_: "table_pb2.Round", payouts: "list[payout_pb2.Payout]", seat: int | None
) -> "Iterator[str]":
    """What the person who is asked should know of the round before it is gone."""
    from jackpot.wire.v1 import table_pb2
    from jackpot.wire.voiding import canceled

    amount = money(sum(w.amount_micros for w in round_.wagers if seat in (None, w.seat)))
    phase = word(table_pb2.RoundPhase.Name(round_.phase), "ROUND_PHASE_")
    yield f"  the round is {phase}; wagers of {amount} are returned"
    ended = canceled(round_, payouts, seat or 0)
    for payout in ended:
        hand = payout.hand.replace("-", " ")
        award = f"{hand} at seat {payout.seat}, {money(payout.amount_micros)}"
        yield f"  payout {payout.id}, {award}: canceled"
    if len(ended) < len(payouts):
        yield "  other awards of the round on the same meter may be recalculated"


@click.group()
def wager() -> None:
    r"""Correct the wagers of a round that is locked out.

    \b
    Example:
      jackpot wager remove table-1 --seat 3 --bet five-card-progressive
    """


@wager.command()
@click.argument("table")
@click.option(
    "--seat", type=SEAT, required=True, metavar="NO", help="The seat that made the wager."
)
@click.option("--bet", required=True, metavar="BET", help="The bet that the wager is on.")
@ROUND
@operator_command(changes=True)
def remove(client: OperatorClient, table: str, seat: int, bet: str, round_: int | None) -> None:
    r"""Remove an accepted wager that has no chip, before the collection.

    The journal records you as the floorperson.

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
        raise click.ClickException(f"NO_SUCH_WAGER: {what}: the round has no such wager")
    client.confirm(f"{what}{''.join(f', {money(each)}' for each in amounts)} -> removed")
    placed = table_pb2.PlacedWager(seat=seat, bet=bet)
    response = client.order("RemoveWager", table=table, round=number, wager=placed)
    client.done(response, f"{what} is removed")
