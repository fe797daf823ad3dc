"""`jackpot proposals`, `approve`, `decline`: the second person."""

from typing import TYPE_CHECKING

import click

from jackpot.cli.changes import find_level
from jackpot.cli.desk import Desk, at_desk
from jackpot.cli.kinds import ID
from jackpot.cli.operator_view import exact, proposal_lines, terms_text, transfer_text
from jackpot.core.money import dollars

if TYPE_CHECKING:
    from jackpot.wire.v1 import operator_pb2


@click.command()
@at_desk()
def proposals(desk: Desk) -> None:
    r"""List the changes that wait for a second person, oldest first.

    \b
    Example:
      jackpot proposals
    """
    response = desk.ask("ListProposals")
    lines = [line for proposal in response.proposals for line in proposal_lines(proposal)]
    if not response.dual_control:
        lines.append("One person is enough here: changes happen at once.")
    desk.tell(response, *(lines or ["Nothing waits."]))


def _find(desk: Desk, number: int) -> "operator_pb2.Proposal | None":
    waiting = desk.ask("ListProposals").proposals
    return next((proposal for proposal in waiting if proposal.id == number), None)


def _now(desk: Desk, proposal: "operator_pb2.Proposal") -> list[str]:
    """How the meter that is to change stands by now: wagers since the proposal stay on it."""
    from jackpot.wire.v1 import operator_pb2

    of_terms = (operator_pb2.CHANGE_KIND_SET_LIMIT, operator_pb2.CHANGE_KIND_SET_RATE)
    if proposal.kind in of_terms:
        return []
    link, level = proposal.to_link or proposal.link, proposal.to_level or proposal.level
    return [f"   now     {dollars(find_level(desk, link, level)[1].meter_micros)}"]


@click.command()
@click.argument("proposal", type=ID)
@at_desk(changes=True)
def approve(desk: Desk, proposal: int) -> None:
    r"""Let a proposed change happen, as somebody of another department.

    \b
    Example:
      jackpot approve 3
    """
    if found := _find(desk, proposal):
        desk.confirm("\n".join([*proposal_lines(found), *_now(desk, found)]))
    response = desk.order("ApproveProposal", proposal=proposal)
    match response.WhichOneof("outcome"):
        case "meter":
            change = response.meter
            before, after = exact(change.before_micros), exact(change.after_micros)
            line = f"{change.link}/{change.level}: {before} -> {after}"
        case "transfer":
            line = transfer_text(response.transfer)
        case _:
            change = response.terms
            terms = terms_text(change.terms)
            line = f"{change.link}/{change.level}: {terms}, once resumed"
    desk.tell(response, f"{line} (journal {response.sequence})")


@click.command()
@click.argument("proposal", type=ID)
@at_desk(changes=True)
def decline(desk: Desk, proposal: int) -> None:
    r"""End a proposal: nothing changes.

    \b
    Example:
      jackpot decline 3
    """
    response = desk.order("DeclineProposal", proposal=proposal)
    desk.tell(response, f"proposal {proposal} is declined (journal {response.sequence})")
