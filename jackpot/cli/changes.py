"""`jackpot reset`, `adjust`, `transfer`, `limit`, `rate`: change a meter or what feeds it.

Under dual control these only propose a change; `jackpot approve` puts it into effect.
"""

from typing import TYPE_CHECKING, Any

import click

from jackpot.cli.shared.operator_client import OperatorClient, operator_command
from jackpot.cli.shared.operator_view import exact, proposal_lines, terms_text, transfer_text
from jackpot.cli.shared.parameters import AMOUNT, ID, RATE
from jackpot.console import local_time
from jackpot.core.money import dollars

if TYPE_CHECKING:
    from jackpot.wire.v1 import operator_pb2


_LEVEL = click.argument("level", required=False)
_NOTE = click.option(
    "--note", required=True, metavar="TEXT", help="Your reference: a memo, form or ticket number."
)


def split_name(client: OperatorClient, name: str) -> "tuple[str, str, operator_pb2.LevelAccounts]":
    """LINK/LEVEL, or LINK where it has one level."""
    link, _, level = name.partition("/")
    found = client.level(link, level or None)[1]
    return link, found.level, found


def target(
    client: OperatorClient, link: str, level: str | None, note: str
) -> "tuple[operator_pb2.LevelAccounts, str, dict[str, str]]":
    """A level, its name, and what every order about it says."""
    found = client.level(link, level)[1]
    about = {"link": link, "level": found.level, "reference": note}
    return found, f"{link}/{found.level}", about


def order(client: OperatorClient, rpc: str, done: str = "", **values: Any) -> None:
    """Have a change made, and say that it happened, or that it waits for a second person.

    `done` says what happened; the answer to a transfer says it itself.
    """
    response = client.order(rpc, **values)
    if response.WhichOneof("outcome") == "changed":
        client.done(response, done or transfer_text(response.changed))
        return
    proposal = response.proposed
    until = local_time(proposal.expires_time.ToMicroseconds())
    client.tell(
        response,
        f"proposal {proposal.id}, not yet in effect",
        f"   before  {proposal.before}",
        f"   after   {proposal.after}",
        f"Another department must approve it by {until}:",
        f"   jackpot approve {proposal.id}",
    )


@click.command()
@click.argument("link")
@_LEVEL
@_NOTE
@operator_command(changes=True)
def reset(client: OperatorClient, link: str, level: str | None, note: str) -> None:
    r"""Set a meter to its reseed amount; the rest goes to overflow.

    \b
    Example:
      jackpot reset five-card main --note "memo 7"
    """
    found, name, about = target(client, link, level, note)
    before, after = exact(found.meter_micros), exact(found.reseed_micros)
    aside = exact(max(0, found.meter_micros - found.reseed_micros))
    client.confirm(f"{name}: {before} -> {after}, {aside} to overflow")
    order(client, "ResetMeter", f"{name} is at {after}", **about)


@click.command()
@click.argument("link")
@_LEVEL
@click.option("--to", "to_micros", type=AMOUNT, required=True, help="The meter's new amount.")
@click.option(
    "--reason",
    type=click.Choice(["malfunction", "limit", "promotion"]),
    required=True,
    help="Why the meter changes. The house pays or keeps the difference for a malfunction, and "
    "pays for a promotion that raises the meter. Any other difference goes to overflow or comes "
    "from it.",
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
    found, name, about = target(client, link, level, note)
    client.confirm(f"{name}: {exact(found.meter_micros)} -> {exact(to_micros)} ({reason})")
    about["reason"] = f"METER_REASON_{reason.upper()}"
    done = f"{name} is at {exact(to_micros)}"
    order(client, "AdjustMeter", done, to_micros=to_micros, **about)


@click.command()
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option(
    "--amount",
    "amount_micros",
    type=AMOUNT,
    help="How much to move.  [default: the whole overflow or reserve]",
)
@click.option(
    "--pool",
    type=click.Choice(["overflow", "reserve"]),
    default="overflow",
    show_default=True,
    help="Take the money from the overflow or the reserve of FROM.",
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
    r"""Move money from overflow or reserve to a meter.

    FROM and TO are LINK/LEVEL, or just LINK if it has one level.

    \b
    Example:
      jackpot transfer five-card mega/major --note "memo 8"
    """
    link, level, giving = split_name(client, source)
    to_link, to_level, taking = split_name(client, target)
    held = giving.overflow_micros if pool == "overflow" else giving.reserve_micros
    amount = client.amount(amount_micros, held)
    if not amount:
        raise click.ClickException(
            f"the {pool} of {link}/{level} is empty: there is nothing to transfer"
        )
    before = after = taking.meter_micros
    after += amount if not taking.limit_micros else min(amount, max(0, taking.limit_micros - after))
    # Of its own overflow, what the limit keeps off the meter stays where it is.
    same = (link, level, pool) == (to_link, to_level, "overflow")
    left = held - (after - before if same else amount)
    client.confirm(
        f"{link}/{level} {pool}: {exact(held)} -> {exact(left)}\n"
        f"{to_link}/{to_level}: {exact(before)} -> {exact(after)}"
    )
    order(
        client,
        "TransferFunds",
        link=link,
        level=level,
        pool=f"POOL_{pool.upper()}",
        to_link=to_link,
        to_level=to_level,
        amount_micros=amount,
        reference=note,
    )


@click.command()
@click.argument("link")
@_LEVEL
@click.option(
    "--to", "limit_micros", type=AMOUNT, required=True, help="The new limit; 0 removes it."
)
@_NOTE
@operator_command(changes=True)
def limit(
    client: OperatorClient, link: str, level: str | None, limit_micros: int, note: str
) -> None:
    r"""Change the limit of a level while its link is suspended.

    The new limit applies when the link resumes.

    \b
    Example:
      jackpot limit five-card main --to 50,000 --note "memo 9"
    """
    found, name, about = target(client, link, level, note)
    now = found.next if found.HasField("next") else found
    before = exact(now.limit_micros) if now.limit_micros else "none"
    after = exact(limit_micros) if limit_micros else "none"
    client.confirm(f"limit of {name}: {before} -> {after}")
    done = f"limit of {name} will be {after}"
    order(client, "SetLimit", done, limit_micros=limit_micros, **about)


@click.command()
@click.argument("link")
@_LEVEL
@click.option(
    "--primary",
    type=RATE,
    required=True,
    help="Share of a wager that feeds the meter, such as 21%.",
)
@click.option(
    "--reserve", type=RATE, help="Share of a wager that feeds the reserve.  [default: unchanged]"
)
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
    r"""Change the rates of a level while its link is suspended.

    The new rates apply when the link resumes.

    \b
    Example:
      jackpot rate stud main --primary 72% --note "memo 10"
    """
    from jackpot.wire.v1 import operator_pb2

    found, name, about = target(client, link, level, note)
    now = found.next if found.HasField("next") else found
    after = operator_pb2.Terms(
        primary_bps=primary,
        reserve_bps=now.reserve_bps if reserve is None else reserve,
        limit_micros=now.limit_micros,
    )
    client.confirm(f"rates of {name}: {terms_text(now)} -> {terms_text(after)}")
    rates = {"primary_bps": after.primary_bps, "reserve_bps": after.reserve_bps}
    order(client, "SetRate", f"rates of {name} will be {terms_text(after)}", **rates, **about)


@click.command("dual-control")
@click.argument("setting", type=click.Choice(["on", "off"]))
@_NOTE
@operator_command(changes=True)
def dual_control(client: OperatorClient, setting: str, note: str) -> None:
    r"""Turn dual control on or off.

    While dual control is on, one person proposes a change, and a person from
    another department approves it. Turning dual control off also takes two
    people; editing the site file does not turn it off.

    \b
    Example:
      jackpot dual-control off --note "memo 12"
    """
    wanted = setting == "on"
    people = "a change needs two people" if wanted else "one person can make a change alone"
    client.confirm(f"dual control {setting}: after this, {people}")
    done = f"dual control is {setting}"
    order(client, "SetDualControl", done, dual_control=wanted, reference=note)


@click.command()
@operator_command()
def proposals(client: OperatorClient) -> None:
    r"""List the changes that a second person must approve.

    \b
    Example:
      jackpot proposals
    """
    response = client.ask("ListProposals")
    lines = [line for proposal in response.proposals for line in proposal_lines(proposal)]
    if not response.dual_control:
        lines.append("Dual control is off: one person can make a change. It takes effect at once.")
    client.tell(response, *(lines or ["No open proposals."]))


def _find(client: OperatorClient, number: int) -> "operator_pb2.Proposal | None":
    waiting = client.ask("ListProposals").proposals
    return next((proposal for proposal in waiting if proposal.id == number), None)


def _now(client: OperatorClient, proposal: "operator_pb2.Proposal") -> list[str]:
    """How the meter that is to change stands by now: wagers since the proposal stay on it."""
    from jackpot.wire.v1 import operator_pb2

    of_no_meter = (
        operator_pb2.CHANGE_KIND_SET_LIMIT,
        operator_pb2.CHANGE_KIND_SET_RATE,
        operator_pb2.CHANGE_KIND_SET_DUAL_CONTROL,
    )
    if proposal.kind in of_no_meter:
        return []
    link, level = proposal.to_link or proposal.link, proposal.to_level or proposal.level
    return [f"   now     {dollars(client.level(link, level)[1].meter_micros)}"]


@click.command()
@click.argument("proposal", type=ID)
@operator_command(changes=True)
def approve(client: OperatorClient, proposal: int) -> None:
    r"""Approve another department's proposed change.

    \b
    Example:
      jackpot approve 3
    """
    if found := _find(client, proposal):
        client.confirm("\n".join([*proposal_lines(found), *_now(client, found)]))
    response = client.order("ApproveProposal", proposal=proposal)
    match response.WhichOneof("outcome"):
        case "meter":
            change = response.meter
            moved = f"{exact(change.before_micros)} -> {exact(change.after_micros)}"
            line = f"{change.link}/{change.level}: {moved}"
        case "transfer":
            line = transfer_text(response.transfer)
        case "dual_control":
            line = f"dual control is {'on' if response.dual_control.dual_control else 'off'}"
        case _:
            change = response.terms
            terms = terms_text(change.terms)
            line = f"{change.link}/{change.level}: {terms}, when the link resumes"
    client.done(response, line)


@click.command()
@click.argument("proposal", type=ID)
@operator_command(changes=True)
def decline(client: OperatorClient, proposal: int) -> None:
    r"""Decline a proposed change, so that it never takes effect.

    \b
    Example:
      jackpot decline 3
    """
    response = client.order("DeclineProposal", proposal=proposal)
    client.done(response, f"proposal {proposal} is declined")
