"""`jackpot proposals`, `approve`, `decline`: the second person."""

from typing import TYPE_CHECKING

import click

from jackpot.cli.changes import find_level
from jackpot.cli.operator_client import OperatorClient, operator_command
from jackpot.cli.operator_view import exact, proposal_lines, terms_text, transfer_text
from jackpot.cli.parameters import ID
from jackpot.core.money import dollars

if TYPE_CHECKING:
    from jackpot.wire.v1 import operator_pb2


@click.command()
@operator_command()
def proposals(client: OperatorClient) -> None:
    r"""List the changes that wait for a second person, oldest first.

    \b
    Example:
      jackpot proposals
    """
    response = client.ask("ListProposals")
    lines = [line for proposal in response.proposals for line in proposal_lines(proposal)]
    if not response.dual_control:
        lines.append("One person is enough here: changes happen at once.")
    client.tell(response, *(lines or ["Nothing waits."]))


def _find(client: OperatorClient, number: int) -> "operator_pb2.Proposal | None":
    waiting = client.ask("ListProposals").proposals
    return next((proposal for proposal in waiting if proposal.id == number), None)


def _now(client: OperatorClient, proposal: "operator_pb2.Proposal") -> list[str]:
    """How the meter that is to change stands by now: wagers since the proposal stay on it."""
    from jackpot.wire.v1 import operator_pb2

    of_terms = (operator_pb2.CHANGE_KIND_SET_LIMIT, operator_pb2.CHANGE_KIND_SET_RATE)
    if proposal.kind in of_terms:
        return []
    link, level = proposal.to_link or proposal.link, proposal.to_level or proposal.level
    return [f"   now     {dollars(find_level(client, link, level)[1].meter_micros)}"]


@click.command()
@click.argument("proposal", type=ID)
@operator_command(changes=True)
def approve(client: OperatorClient, proposal: int) -> None:
    r"""Let a proposed change happen, as somebody of another department.

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
            before, after = exact(change.before_micros), exact(change.after_micros)
            line = f"{change.link}/{change.level}: {before} -> {after}"
        case "transfer":
            line = transfer_text(response.transfer)
        case _:
            change = response.terms
            terms = terms_text(change.terms)
            line = f"{change.link}/{change.level}: {terms}, once resumed"
    client.tell(response, f"{line} (journal {response.sequence})")


@click.command()
@click.argument("proposal", type=ID)
@operator_command(changes=True)
def decline(client: OperatorClient, proposal: int) -> None:
    r"""End a proposal: nothing changes.

    \b
    Example:
      jackpot decline 3
    """
    response = client.order("DeclineProposal", proposal=proposal)
    client.tell(response, f"proposal {proposal} is declined (journal {response.sequence})")
