"""`jackpot account`: game accounts for electronic wagers."""

import click

from jackpot.cli.shared.operator_client import OperatorClient, operator_command
from jackpot.cli.shared.operator_view import exact
from jackpot.cli.shared.parameters import CASH
from jackpot.core.money import floor_to_cent

_NOTE = click.option(
    "--note", required=True, metavar="TEXT", help="The number of the buy-in or cash-out slip."
)


@click.group()
def account() -> None:
    r"""Add money to a game account, cash it out, or show its balance.

    \b
    Example:
      jackpot account show card-17
      jackpot account buy-in card-17 100 --note "slip 12"
    """


@account.command()
@click.argument("name", metavar="ACCOUNT")
@operator_command()
def show(client: OperatorClient, name: str) -> None:
    r"""Show the balance of a game account.

    \b
    Example:
      jackpot account show card-17
    """
    response = client.ask("GetAccount", account=name)
    client.tell(response, f"{name}: {exact(response.balance_micros)}")


@account.command("buy-in")
@click.argument("name", metavar="ACCOUNT")
@click.argument("amount_micros", metavar="AMOUNT", type=CASH)
@_NOTE
@operator_command(changes=True)
def buy_in(client: OperatorClient, name: str, amount_micros: int, note: str) -> None:
    r"""Add money to a game account.

    \b
    Example:
      jackpot account buy-in card-17 100 --note "slip 12"
    """
    held = client.ask("GetAccount", account=name).balance_micros
    client.confirm(f"{name}: {exact(held)} -> {exact(held + amount_micros)}")
    response = client.order("BuyIn", account=name, amount_micros=amount_micros, reference=note)
    client.done(response, f"{name}: {exact(response.balance_micros)}")


@account.command("cash-out")
@click.argument("name", metavar="ACCOUNT")
@click.argument("amount_micros", metavar="[AMOUNT]", type=CASH, required=False)
@_NOTE
@operator_command(changes=True)
def cash_out(client: OperatorClient, name: str, amount_micros: int | None, note: str) -> None:
    r"""Cash out a game account: AMOUNT, or the whole balance.

    \b
    Example:
      jackpot account cash-out card-17 --note "slip 13"
    """
    held = client.ask("GetAccount", account=name).balance_micros
    amount = client.amount(amount_micros, floor_to_cent(held))
    if not amount:
        raise click.ClickException(f"account {name} is empty; there is nothing to cash out")
    client.confirm(f"{name}: {exact(held)} -> {exact(held - amount)}")
    response = client.order("CashOut", account=name, amount_micros=amount, reference=note)
    client.done(response, f"{name}: {exact(response.balance_micros)}")
