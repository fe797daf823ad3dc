"""`jackpot reset`, `adjust`, `transfer`, `limit`, `rate`: change a meter or what feeds it.

Under dual control these only propose a change; `jackpot approve` puts it into effect.
"""

from typing import TYPE_CHECKING, Any

import click

from jackpot.cli.operator_client import OperatorClient, operator_command
from jackpot.cli.operator_view import exact, terms_text, transfer_text
from jackpot.cli.parameters import AMOUNT, RATE
from jackpot.console import local_time

if TYPE_CHECKING:
    from jackpot.wire.v1 import operator_pb2


_LEVEL = click.argument("level", required=False)
_NOTE = click.option(
    "--note", required=True, metavar="TEXT", help="Your reference: a memo, form or ticket number."
)


def find_link(client: OperatorClient, name: str) -> "operator_pb2.Link":
    """A link by name."""
    links: dict[str, operator_pb2.Link] = {link.id: link for link in client.ask("ListLinks").links}
    if name not in links:
        raise click.ClickException(f"there is no link {name!r}; the links are: {', '.join(links)}")
    return links[name]


def find_level(
    client: OperatorClient, link: str, level: str | None
) -> "tuple[operator_pb2.Link, operator_pb2.LevelAccounts]":
    """A level by name, or a link's only one."""
    found = find_link(client, link)
    levels = {one.level: one for one in found.levels}
    if level is None and len(levels) == 1:
        return found, found.levels[0]
    if level is None or level not in levels:
        known = ", ".join(levels) or "none"
        says = "name a level" if level is None else f"there is no level {level!r}"
        raise click.ClickException(f"{says}; the levels of {link} are: {known}")
    return found, levels[level]


def split_name(client: OperatorClient, name: str) -> "tuple[str, str, operator_pb2.LevelAccounts]":
    """LINK/LEVEL, or LINK where it has one level."""
    link, _, level = name.partition("/")
    found = find_level(client, link, level or None)[1]
    return link, found.level, found


def told(client: OperatorClient, response: Any, done: str) -> None:
    """Say that it happened, or that it waits for a second person."""
    if response.WhichOneof("outcome") == "changed":
        client.tell(response, f"{done} (journal {response.sequence})")
        return
    proposal = response.proposed
    client.tell(
        response,
        f"proposal {proposal.id}, not yet in effect",
        f"   before  {proposal.before}",
        f"   after   {proposal.after}",
        f"Another department must approve it by {local_time(proposal.expires_time_micros)}:",
        f"   jackpot approve {proposal.id}",
    )


@click.command()
@click.argument("link")
@_LEVEL
@_NOTE
@operator_command(changes=True)
def reset(client: OperatorClient, link: str, level: str | None, note: str) -> None:
    r"""Reset a meter to its reseed amount; the excess goes to overflow.

    \b
    Example:
      jackpot reset five-card main --note "memo 7"
    """
    found = find_level(client, link, level)[1]
    name = f"{link}/{found.level}"
    before, after = exact(found.meter_micros), exact(found.reseed_micros)
    aside = exact(max(0, found.meter_micros - found.reseed_micros))
    client.confirm(f"{name}: {before} -> {after}, {aside} to overflow")
    response = client.order("ResetMeter", link=link, level=found.level, reference=note)
    told(client, response, f"{name} is at {after}")


@click.command()
@click.argument("link")
@_LEVEL
@click.option("--to", "to_micros", type=AMOUNT, required=True, help="The meter's new amount.")
@click.option(
    "--reason",
    type=click.Choice(["malfunction", "reset", "limit", "promotion"]),
    required=True,
    help="Why; decides whether the house or overflow pays for it.",
)
@_NOTE
@operator_command(changes=True)
def adjust(
    client: OperatorClient, link: str, level: str | None, to_micros: int, reason: str, note: str
) -> None:
    r"""Set a meter to an amount.

    \b
    Example:
      jackpot adjust five-card main --to 12,345.67 --reason malfunction \
        --note "ticket 31"
    """
    from jackpot.wire.v1 import operator_pb2

    found = find_level(client, link, level)[1]
    name = f"{link}/{found.level}"
    client.confirm(f"{name}: {exact(found.meter_micros)} -> {exact(to_micros)} ({reason})")
    response = client.order(
        "AdjustMeter",
        link=link,
        level=found.level,
        to_micros=to_micros,
        reason=operator_pb2.MeterReason.Value(f"METER_REASON_{reason.upper()}"),
        reference=note,
    )
    told(client, response, f"{name} is at {exact(to_micros)}")


@click.command()
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option("--amount", "amount_micros", type=AMOUNT, help="How much.  [default: all of it]")
@click.option(
    "--pool",
    type=click.Choice(["overflow", "reserve"]),
    default="overflow",
    show_default=True,
    help="Which of FROM's funds.",
)
@_NOTE
@operator_command(changes=True)
def transfer(
    client: OperatorClient,
    source: str,
    target: str,
    amount_micros: int | None,
    pool: str,
    note: str,
) -> None:
    r"""Move players' money from a level's overflow or reserve to a meter.

    FROM and TO are LINK/LEVEL, or LINK where it has one level.

    \b
    Example:
      jackpot transfer five-card mega/major --note "memo 8"
    """
    from jackpot.wire.v1 import operator_pb2

    link, level, giving = split_name(client, source)
    to_link, to_level, taking = split_name(client, target)
    held = giving.overflow_micros if pool == "overflow" else giving.reserve_micros
    amount = client.amount(amount_micros, held)
    if not amount:
        raise click.ClickException(f"the {pool} of {link}/{level} is empty")
    before = after = taking.meter_micros
    after += amount if not taking.limit_micros else min(amount, max(0, taking.limit_micros - after))
    # Of its own overflow, what the limit keeps off the meter stays where it is.
    same = (link, level, pool) == (to_link, to_level, "overflow")
    left = held - (after - before if same else amount)
    client.confirm(
        f"{link}/{level} {pool}: {exact(held)} -> {exact(left)}\n"
        f"{to_link}/{to_level}: {exact(before)} -> {exact(after)}"
    )
    response = client.order(
        "TransferFunds",
        link=link,
        level=level,
        pool=operator_pb2.Pool.Value(f"POOL_{pool.upper()}"),
        to_link=to_link,
        to_level=to_level,
        amount_micros=amount,
        reference=note,
    )
    told(client, response, transfer_text(response.changed))


@click.command()
@click.argument("link")
@_LEVEL
@click.option("--to", "limit_micros", type=AMOUNT, required=True, help="The limit; 0 for none.")
@_NOTE
@operator_command(changes=True)
def limit(
    client: OperatorClient, link: str, level: str | None, limit_micros: int, note: str
) -> None:
    r"""Change the limit of a suspended link's level, from when it resumes.

    \b
    Example:
      jackpot limit five-card main --to 50,000 --note "memo 9"
    """
    found = find_level(client, link, level)[1]
    now = found.next if found.HasField("next") else found
    before = exact(now.limit_micros) if now.limit_micros else "none"
    after = exact(limit_micros) if limit_micros else "none"
    client.confirm(f"limit of {link}/{found.level}: {before} -> {after}")
    response = client.order(
        "SetLimit", link=link, level=found.level, limit_micros=limit_micros, reference=note
    )
    told(client, response, f"limit of {link}/{found.level} will be {after}")


@click.command()
@click.argument("link")
@_LEVEL
@click.option("--primary", type=RATE, required=True, help='To the meter, e.g. "21%".')
@click.option("--reserve", type=RATE, help="To the reserve.  [default: unchanged]")
@_NOTE
@operator_command(changes=True)
def rate(
    client: OperatorClient,
    link: str,
    level: str | None,
    primary: int,
    reserve: int | None,
    note: str,
) -> None:
    r"""Change the rates of a suspended link's level, from when it resumes.

    \b
    Example:
      jackpot rate stud main --primary 72% --note "memo 10"
    """
    from jackpot.wire.v1 import operator_pb2

    found = find_level(client, link, level)[1]
    now = operator_pb2.Terms(
        primary_bps=found.primary_bps,
        reserve_bps=found.reserve_bps,
        limit_micros=found.limit_micros,
    )
    if found.HasField("next"):
        now = found.next
    after = operator_pb2.Terms(
        primary_bps=primary,
        reserve_bps=now.reserve_bps if reserve is None else reserve,
        limit_micros=now.limit_micros,
    )
    client.confirm(f"rates of {link}/{found.level}: {terms_text(now)} -> {terms_text(after)}")
    response = client.order(
        "SetRate",
        link=link,
        level=found.level,
        primary_bps=after.primary_bps,
        reserve_bps=after.reserve_bps,
        reference=note,
    )
    told(client, response, f"rates of {link}/{found.level} will be {terms_text(after)}")
