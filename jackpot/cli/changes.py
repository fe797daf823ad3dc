"""`jackpot reset`, `adjust`, `transfer`, `limit`, `rate`: change a meter or what feeds it.

Where the site asks for two people these only propose; `jackpot approve` makes it happen.
"""

from typing import TYPE_CHECKING, Any

import click

from jackpot.cli.desk import Desk, at_desk
from jackpot.cli.kinds import AMOUNT, RATE
from jackpot.cli.operator_view import clock, exact, terms_text, transfer_text

if TYPE_CHECKING:
    from jackpot.wire.v1 import operator_pb2


_LEVEL = click.argument("level", required=False)
_NOTE = click.option(
    "--note", required=True, metavar="TEXT", help="The reference: which memo, form or ticket."
)


def find_link(desk: Desk, name: str) -> "operator_pb2.Link":
    """A link by name."""
    links: dict[str, operator_pb2.Link] = {link.id: link for link in desk.ask("ListLinks").links}
    if name not in links:
        raise click.ClickException(f"there is no link {name!r} (there is: {', '.join(links)})")
    return links[name]


def find_level(
    desk: Desk, link: str, level: str | None
) -> "tuple[operator_pb2.Link, operator_pb2.LevelAccounts]":
    """A level by name, or a link's only one."""
    found = find_link(desk, link)
    levels = {one.level: one for one in found.levels}
    if level is None and len(levels) == 1:
        return found, found.levels[0]
    if level is None or level not in levels:
        known = ", ".join(levels) or "none"
        says = "say which level of" if level is None else f"there is no level {level!r} of"
        raise click.ClickException(f"{says} {link} (it has: {known})")
    return found, levels[level]


def split_name(desk: Desk, name: str) -> "tuple[str, str, operator_pb2.LevelAccounts]":
    """LINK/LEVEL, or LINK where it has one level."""
    link, _, level = name.partition("/")
    found = find_level(desk, link, level or None)[1]
    return link, found.level, found


def told(desk: Desk, response: Any, done: str) -> None:
    """Say that it happened, or that it waits for a second person."""
    if response.WhichOneof("outcome") == "changed":
        desk.tell(response, f"{done} (journal {response.sequence})")
        return
    proposal = response.proposed
    desk.tell(
        response,
        f"proposed as {proposal.id}",
        f"   before  {proposal.before}",
        f"   after   {proposal.after}",
        f"Until {clock(proposal.expires_time_micros)} another department may say: "
        f"jackpot approve {proposal.id}",
    )


@click.command()
@click.argument("link")
@_LEVEL
@_NOTE
@at_desk(changes=True)
def reset(desk: Desk, link: str, level: str | None, note: str) -> None:
    r"""Set a meter back to its reseed; what is above waits in overflow.

    \b
    Example:
      jackpot reset five-card main --note "memo 7"
    """
    found = find_level(desk, link, level)[1]
    name = f"{link}/{found.level}"
    before, after = exact(found.meter_micros), exact(found.reseed_micros)
    aside = exact(max(0, found.meter_micros - found.reseed_micros))
    desk.confirm(f"{name}: {before} -> {after}, {aside} to overflow")
    response = desk.order("ResetMeter", link=link, level=found.level, reference=note)
    told(desk, response, f"{name} is at {after}")


@click.command()
@click.argument("link")
@_LEVEL
@click.option("--to", "to_micros", type=AMOUNT, required=True, help="What the meter shall show.")
@click.option(
    "--reason",
    type=click.Choice(["malfunction", "reset", "limit", "promotion"]),
    required=True,
    help="Why; it decides whether house or overflow bears it.",
)
@_NOTE
@at_desk(changes=True)
def adjust(
    desk: Desk, link: str, level: str | None, to_micros: int, reason: str, note: str
) -> None:
    r"""Set a meter to an amount.

    \b
    Example:
      jackpot adjust five-card main --to 12,345.67 --reason malfunction \
        --note "ticket 31"
    """
    from jackpot.wire.v1 import operator_pb2

    found = find_level(desk, link, level)[1]
    name = f"{link}/{found.level}"
    desk.confirm(f"{name}: {exact(found.meter_micros)} -> {exact(to_micros)} ({reason})")
    response = desk.order(
        "AdjustMeter",
        link=link,
        level=found.level,
        to_micros=to_micros,
        reason=operator_pb2.MeterReason.Value(f"METER_REASON_{reason.upper()}"),
        reference=note,
    )
    told(desk, response, f"{name} is at {exact(to_micros)}")


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
@at_desk(changes=True)
def transfer(
    desk: Desk, source: str, target: str, amount_micros: int | None, pool: str, note: str
) -> None:
    r"""Move players' money from a level's overflow or reserve to a meter.

    FROM and TO are LINK/LEVEL, or LINK where it has one level.

    \b
    Example:
      jackpot transfer five-card mega/major --note "memo 8"
    """
    from jackpot.wire.v1 import operator_pb2

    link, level, giving = split_name(desk, source)
    to_link, to_level, taking = split_name(desk, target)
    held = giving.overflow_micros if pool == "overflow" else giving.reserve_micros
    amount = desk.amount(amount_micros, held)
    if not amount:
        raise click.ClickException(f"there is nothing in the {pool} of {link}/{level}")
    before = after = taking.meter_micros
    after += amount if not taking.limit_micros else min(amount, max(0, taking.limit_micros - after))
    # Of its own overflow, what the limit keeps off the meter stays where it is.
    same = (link, level, pool) == (to_link, to_level, "overflow")
    left = held - (after - before if same else amount)
    desk.confirm(
        f"{link}/{level} {pool}: {exact(held)} -> {exact(left)}\n"
        f"{to_link}/{to_level}: {exact(before)} -> {exact(after)}"
    )
    response = desk.order(
        "TransferFunds",
        link=link,
        level=level,
        pool=operator_pb2.Pool.Value(f"POOL_{pool.upper()}"),
        to_link=to_link,
        to_level=to_level,
        amount_micros=amount,
        reference=note,
    )
    told(desk, response, transfer_text(response.changed))


@click.command()
@click.argument("link")
@_LEVEL
@click.option("--to", "limit_micros", type=AMOUNT, required=True, help="The limit; 0 for none.")
@_NOTE
@at_desk(changes=True)
def limit(desk: Desk, link: str, level: str | None, limit_micros: int, note: str) -> None:
    r"""Give a level of a suspended link another limit, from when it resumes.

    \b
    Example:
      jackpot limit five-card main --to 50,000 --note "memo 9"
    """
    found = find_level(desk, link, level)[1]
    now = found.next if found.HasField("next") else found
    before = exact(now.limit_micros) if now.limit_micros else "none"
    after = exact(limit_micros) if limit_micros else "none"
    desk.confirm(f"limit of {link}/{found.level}: {before} -> {after}")
    response = desk.order(
        "SetLimit", link=link, level=found.level, limit_micros=limit_micros, reference=note
    )
    told(desk, response, f"limit of {link}/{found.level} will be {after}")


@click.command()
@click.argument("link")
@_LEVEL
@click.option("--primary", type=RATE, required=True, help='To the meter, e.g. "21%".')
@click.option("--reserve", type=RATE, help="To the reserve.  [default: as it is]")
@_NOTE
@at_desk(changes=True)
def rate(
    desk: Desk, link: str, level: str | None, primary: int, reserve: int | None, note: str
) -> None:
    r"""Give a level of a suspended link other rates, from when it resumes.

    \b
    Example:
      jackpot rate stud main --primary 72% --note "memo 10"
    """
    from jackpot.wire.v1 import operator_pb2

    found = find_level(desk, link, level)[1]
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
    desk.confirm(f"rates of {link}/{found.level}: {terms_text(now)} -> {terms_text(after)}")
    response = desk.order(
        "SetRate",
        link=link,
        level=found.level,
        primary_bps=after.primary_bps,
        reserve_bps=after.reserve_bps,
        reference=note,
    )
    told(desk, response, f"rates of {link}/{found.level} will be {terms_text(after)}")
