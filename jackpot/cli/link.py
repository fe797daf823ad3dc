"""`jackpot link`: the life of links."""

import click

from jackpot.cli.shared.operator_client import OperatorClient, operator_command
from jackpot.cli.shared.operator_view import exact, links_table


@click.group()
def link() -> None:
    r"""List, start, suspend, resume and retire links.

    \b
    Example:
      jackpot link list
      jackpot link suspend five-card
    """


@link.command("list")
@operator_command()
def list_links(client: OperatorClient) -> None:
    r"""List links with meters, reserves, overflow, rates and limits.

    \b
    Example:
      jackpot link list --json
    """
    response = client.ask("ListLinks")
    if client.json:
        client.tell(response)
    else:
        client.console.print(links_table(response.links))


@link.command("service")
@click.argument("name", metavar="LINK")
@operator_command(changes=True)
def put_in_service(client: OperatorClient, name: str) -> None:
    r"""Put a new link in service: seed its meters, accept wagers.

    \b
    Example:
      jackpot link service spare
    """
    seeds = [
        f"{name}/{level.level}: {exact(level.meter_micros)} -> {exact(level.seed_micros)}"
        for level in client.link(name).levels
    ]
    client.confirm("\n".join(seeds) or f"{name} has no meter to seed")
    response = client.order("PutLinkInService", link=name)
    client.done(response, f"{name} is in service")


@link.command()
@click.argument("name", metavar="LINK")
@operator_command(changes=True)
def suspend(client: OperatorClient, name: str) -> None:
    r"""Stop accepting wagers on a link; payouts continue.

    \b
    Example:
      jackpot link suspend five-card
    """
    response = client.order("SuspendLink", link=name)
    client.done(response, f"{name} is suspended")


@link.command()
@click.argument("name", metavar="LINK")
@operator_command(changes=True)
def resume(client: OperatorClient, name: str) -> None:
    r"""Accept wagers again; approved rates and limits take effect.

    \b
    Example:
      jackpot link resume five-card
    """
    response = client.order("ResumeLink", link=name)
    client.done(response, f"{name} is in service")


@link.command()
@click.argument("name", metavar="LINK")
@operator_command(changes=True)
def retire(client: OperatorClient, name: str) -> None:
    r"""Retire a suspended link, and return its seed to the house.

    A link that still holds players' money can't be retired.

    \b
    Example:
      jackpot link retire five-card
    """
    levels = client.link(name).levels
    back = [
        f"{name}/{level.level}: {exact(level.meter_micros)} -> {exact(0)}, back to the house"
        for level in levels
    ]
    client.confirm("\n".join(back) or f"{name} has no meter")
    response = client.order("RetireLink", link=name)
    client.done(response, f"{name} is retired")
