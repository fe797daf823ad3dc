"""`jackpot floor`: see what tables call the floor for, and answer."""

import time
from typing import TYPE_CHECKING

import click

from jackpot.cli.shared.operator_client import OperatorClient, operator_command
from jackpot.cli.shared.operator_view import changes_lines, money, word
from jackpot.cli.shared.parameters import ID
from jackpot.cli.void import at_stake
from jackpot.console import local_time

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jackpot.wire.v1 import table_pb2

LOOK_S = 1.0


@click.group()
def floor() -> None:
    r"""Answer tables that call for a floorperson.

    A table calls when it needs a round or a seat voided, or a wager removed.
    Nothing is voided or removed until you approve the call. The journal
    records you as the floorperson.

    \b
    Example:
      jackpot floor list
      jackpot floor approve 12
    """


@floor.command("list")
@operator_command()
def list_calls(client: OperatorClient) -> None:
    r"""List the open calls, oldest first.

    \b
    Example:
      jackpot floor list --json
    """
    response = client.ask("ListFloorCalls")
    client.tell(response, *(_lines(response.calls) or ["No open calls."]))


@floor.command()
@click.argument("call", type=ID)
@operator_command(changes=True)
def approve(client: OperatorClient, call: int) -> None:
    r"""Approve a call: void the round or seat, or remove the wager.

    \b
    Example:
      jackpot floor approve 12
    """
    before = {}
    if found := _find(client, call):
        payouts = client.ask("ListPayouts", table=found.table).payouts
        before = {payout.id: payout for payout in payouts}
        client.confirm("\n".join([*call_lines(found), *_stake(client, found)]))
    response = client.order("ApproveFloorCall", call=call)
    done = f"call {call} is approved: {response.table}, round {response.round}"
    returned = (
        f", {money(response.returned_micros)} is returned" if response.returned_micros else ""
    )
    client.done(response, f"{done}{returned}", *changes_lines(response.changes, before))


@floor.command()
@click.argument("call", type=ID)
@operator_command(changes=True)
def decline(client: OperatorClient, call: int) -> None:
    r"""Decline a call, so that nothing is voided or removed.

    \b
    Example:
      jackpot floor decline 12
    """
    response = client.order("DeclineFloorCall", call=call)
    client.done(response, f"call {call} is declined")


@floor.command()
@operator_command()
def watch(client: OperatorClient) -> None:
    r"""Print new calls as they arrive, until you press Ctrl-C.

    \b
    Example:
      jackpot floor watch
    """
    from jackpot.wire.v1 import operator_pb2

    seen = 0
    while True:
        response = client.ask("ListFloorCalls")
        new = [call for call in response.calls if call.id > seen]
        if new:
            seen = new[-1].id
            shown = operator_pb2.ListFloorCallsResponse(sequence=response.sequence, calls=new)
            client.tell(shown, *_lines(new))
        time.sleep(LOOK_S)


def call_lines(call: "table_pb2.FloorCall") -> list[str]:
    """A call with all that a floorperson must know."""
    from jackpot.wire.v1 import table_pb2

    act = word(table_pb2.FloorAct.Name(call.act), "FLOOR_ACT_")
    seat = f", seat {call.seat}" if call.seat else ""
    why = call.irregularity or f"{call.bet} has no chip"
    return [
        f"{call.id}  {call.table}, round {call.round}{seat}: {act}",
        f"   why     {why}",
        f"   called  {local_time(call.called_time.ToMicroseconds())}",
        f"   until   {local_time(call.expires_time.ToMicroseconds())}",
    ]


def _lines(calls: "Iterable[table_pb2.FloorCall]") -> list[str]:
    return [line for call in calls for line in call_lines(call)]


def _find(client: OperatorClient, number: int) -> "table_pb2.FloorCall | None":
    calls = client.ask("ListFloorCalls").calls
    return next((call for call in calls if call.id == number), None)


def _stake(client: OperatorClient, call: "table_pb2.FloorCall") -> list[str]:
    """What the person who is asked should know before it is gone."""
    from jackpot.wire.v1 import table_pb2

    if call.act == table_pb2.FLOOR_ACT_REMOVE_WAGER:
        return []
    round_ = client.ask("GetTable", table=call.table).table.round
    due = [p for p in client.ask("ListPayouts", table=call.table).payouts if p.round == call.round]
    return list(at_stake(round_, due, call.seat or None))
