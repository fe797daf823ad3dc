"""`jackpot account`: game accounts for electronic wagers."""

import click

from jackpot.cli.desk import Desk, at_desk
from jackpot.cli.kinds import CASH
from jackpot.cli.operator_view import exact
from jackpot.core.money import floor_to_cent

_NOTE = click.option("--note", required=True, metavar="TEXT", help="The slip's number.")


@click.group()
def account() -> None:
    r"""Put money on a game account, take it off, or look.

    \b
    Example:
      jackpot account show card-17
      jackpot account buy-in card-17 100 --note "slip 12"
    """


@account.command()
@click.argument("name", metavar="ACCOUNT")
@at_desk()
def show(desk: Desk, name: str) -> None:
    r"""Show what an account holds.

    \b
    Example:
      jackpot account show card-17
    """
    response = desk.ask("GetAccount", account=name)
    desk.tell(response, f"{name}: {exact(response.balance_micros)}")


@account.command("buy-in")
@click.argument("name", metavar="ACCOUNT")
@click.argument("amount_micros", metavar="AMOUNT", type=CASH)
@_NOTE
@at_desk(changes=True)
def buy_in(desk: Desk, name: str, amount_micros: int, note: str) -> None:
    r"""Put money on an account.

    \b
    Example:
      jackpot account buy-in card-17 100 --note "slip 12"
    """
    held = desk.ask("GetAccount", account=name).balance_micros
    desk.confirm(f"{name}: {exact(held)} -> {exact(held + amount_micros)}")
    response = desk.order("BuyIn", account=name, amount_micros=amount_micros, reference=note)
    desk.tell(response, f"{name}: {exact(response.balance_micros)} (journal {response.sequence})")


@account.command("cash-out")
@click.argument("name", metavar="ACCOUNT")
@click.argument("amount_micros", metavar="[AMOUNT]", type=CASH, required=False)
@_NOTE
@at_desk(changes=True)
def cash_out(desk: Desk, name: str, amount_micros: int | None, note: str) -> None:
    r"""Take money off an account; all of it where no amount is said.

    \b
    Example:
      jackpot account cash-out card-17 --note "slip 13"
    """
    held = desk.ask("GetAccount", account=name).balance_micros
    amount = desk.amount(amount_micros, floor_to_cent(held))
    if not amount:
        raise click.ClickException(f"there is nothing on {name}")
    desk.confirm(f"{name}: {exact(held)} -> {exact(held - amount)}")
    response = desk.order("CashOut", account=name, amount_micros=amount, reference=note)
    desk.tell(response, f"{name}: {exact(response.balance_micros)} (journal {response.sequence})")
