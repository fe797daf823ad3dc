"""`jackpot pin`: the PIN by which a floorperson acts at a table's page."""

from functools import partial
from typing import Any

import click

from jackpot.cli.shared.connection import Connection, connected
from jackpot.cli.shared.operator_view import as_json
from jackpot.console import local_time, one_line, print_json

TIMEOUT_S = 10.0  # a PIN is hashed on purpose slowly
_JSON = click.option("--json", "json_", is_flag=True, help="Print JSON.")
_SITE = click.option("--site", metavar="SITE", default="", help="Your certificate's site.")


@click.group()
def pin() -> None:
    r"""Set, clear or list PINs for the controller's table pages.

    A floorperson types a PIN on a table's page to answer the table's call. A
    PIN ends when the certificate that set it expires or is revoked. Type your
    PIN only into the controller's own pages.

    \b
    Example:
      jackpot pin set --cert floor-flo.pem --ca ca.pem
    """


@pin.command("set")
@_SITE
@_JSON
@one_line
@connected
def set_pin(connection: Connection, site: str, *, json_: bool) -> None:
    r"""Set your PIN: 6 to 12 digits, typed twice.

    \b
    Example:
      jackpot pin set --cert floor-flo.pem --ca ca.pem
    """
    said = click.prompt("PIN", hide_input=True, confirmation_prompt=True, err=True)
    answer = _call(connection, "SetPin", site=site, pin=said)
    _tell(answer, f"{answer.holder.principal}: the PIN is set", json_=json_)


@pin.command()
@click.argument("principal", metavar="[ROLE:NAME]", default="")
@_SITE
@_JSON
@one_line
@connected
def clear(connection: Connection, principal: str, site: str, *, json_: bool) -> None:
    r"""Clear your PIN; the role operations can clear anyone's.

    \b
    Example:
      jackpot pin clear floor:flo --cert operations-olga.pem --ca ca.pem
    """
    answer = _call(connection, "ClearPin", site=site, principal=principal)
    what = "the PIN is cleared" if answer.cleared else "there is no PIN to clear"
    _tell(answer, f"{principal}: {what}" if principal else what, json_=json_)


@pin.command("list")
@_SITE
@_JSON
@one_line
@connected
def list_pins(connection: Connection, site: str, *, json_: bool) -> None:
    r"""List who has a PIN.

    \b
    Example:
      jackpot pin list --cert operations-olga.pem --ca ca.pem
    """
    answer = _call(connection, "ListPins", site=site)
    lines = [
        f"{each.principal}  set {local_time(each.set_time.ToMicroseconds())}"
        + ("  ended with its certificate" if each.ended else "")
        for each in answer.holders
    ]
    _tell(answer, *(lines or ["Nobody has a PIN."]), json_=json_)


def _call(connection: Connection, rpc: str, **values: Any) -> Any:
    from jackpot.wire.paging import all_pages
    from jackpot.wire.v1 import pin_pb2, pin_pb2_grpc

    request = getattr(pin_pb2, f"{rpc}Request")(**values)
    with connection.open() as channel:
        call = getattr(pin_pb2_grpc.PinServiceStub(channel), rpc)
        return all_pages(partial(call, timeout=TIMEOUT_S), request)


def _tell(answer: Any, *lines: str, json_: bool) -> None:
    if json_:
        print_json(as_json(answer))
        return
    for line in lines:
        click.echo(line)
