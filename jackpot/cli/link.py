"""`jackpot link`: the life of links."""

import click

from jackpot.cli.changes import find_link
from jackpot.cli.desk import Desk, at_desk
from jackpot.cli.operator_view import exact, links_table


@click.group()
def link() -> None:
    r"""List links, and put them in service, suspend, resume or retire them.

    \b
    Example:
      jackpot link list
      jackpot link suspend five-card
    """


@link.command("list")
@at_desk()
def list_links(desk: Desk) -> None:
    r"""List every link with its meters, reserves, overflow and terms.

    \b
    Example:
      jackpot link list --json
    """
    response = desk.ask("ListLinks")
    if desk.json:
        desk.tell(response)
    else:
        desk.console.print(links_table(response.links))


@link.command("service")
@click.argument("name", metavar="LINK")
@at_desk(changes=True)
def put_in_service(desk: Desk, name: str) -> None:
    r"""Seed a link's meters from the house, once, and take wagers.

    \b
    Example:
      jackpot link service spare
    """
    seeds = [
        f"{name}/{level.level}: {exact(level.meter_micros)} -> {exact(level.seed_micros)}"
        for level in find_link(desk, name).levels
    ]
    desk.confirm("\n".join(seeds) or f"{name} has no meter to seed")
    response = desk.order("PutLinkInService", link=name)
    desk.tell(response, f"{name} is in service (journal {response.sequence})")


@link.command()
@click.argument("name", metavar="LINK")
@at_desk(changes=True)
def suspend(desk: Desk, name: str) -> None:
    r"""Take no more wagers on a link; payouts go on.

    \b
    Example:
      jackpot link suspend five-card
    """
    response = desk.order("SuspendLink", link=name)
    desk.tell(response, f"{name} is suspended (journal {response.sequence})")


@link.command()
@click.argument("name", metavar="LINK")
@at_desk(changes=True)
def resume(desk: Desk, name: str) -> None:
    r"""Take wagers again, by the terms that were approved meanwhile.

    \b
    Example:
      jackpot link resume five-card
    """
    response = desk.order("ResumeLink", link=name)
    desk.tell(response, f"{name} is in service (journal {response.sequence})")


@link.command()
@click.argument("name", metavar="LINK")
@at_desk(changes=True)
def retire(desk: Desk, name: str) -> None:
    r"""End a suspended link that holds no players' money; the house takes its seed back.

    \b
    Example:
      jackpot link retire five-card
    """
    levels = find_link(desk, name).levels
    back = [
        f"{name}/{level.level}: {exact(level.meter_micros)} -> {exact(0)}, back to the house"
        for level in levels
    ]
    desk.confirm("\n".join(back) or f"{name} has no meter")
    response = desk.order("RetireLink", link=name)
    desk.tell(response, f"{name} is retired (journal {response.sequence})")
