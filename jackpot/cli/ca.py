"""`jackpot ca`: certificates for controllers, tables, devices, signs and people."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jackpot.auth.roles import ROLES
from jackpot.console import one_line

if TYPE_CHECKING:
    from jackpot.auth.authority import Authority, Issued


SERIAL_SHOWN = 12  # hex digits
_folder = click.option(
    "--dir",
    "folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("ca"),
    show_default=True,
    envvar="JACKPOT_CA_DIR",
    help="The authority's folder; keep it off the gaming floor.",
)
_days = click.option(
    "--days",
    type=click.IntRange(1, 3650),
    default=397,
    show_default=True,
    help="How long it lasts.",
)
_json = click.option("--json", "json_", is_flag=True, help="Print JSON.")


@click.group()
def ca() -> None:
    r"""Make and revoke the certificates that say who is who.

    \b
    Example:
      jackpot ca init --name "Liberty Casino"
      jackpot ca server jackpot.example 10.0.0.5
      jackpot ca issue --site liberty table t1
      jackpot ca issue --site liberty operations olga
    """


@ca.command()
@click.option("--name", required=True, help="What the authority is called.")
@_json
@_folder
@one_line
def init(name: str, folder: Path, *, json_: bool) -> None:
    r"""Make an authority; one that exists is never overwritten.

    \b
    Example:
      jackpot ca init --name "Liberty Casino"
    """
    from jackpot.auth.authority import CA_CERTIFICATE, Authority

    Authority.create(folder, name)
    if json_:
        made = {"directory": str(folder), "authority": str(folder / CA_CERTIFICATE)}
        click.echo(json.dumps(made, indent=2))
        return
    click.echo(f"authority in {folder}; give {folder / CA_CERTIFICATE} to everyone")


@ca.command()
@click.argument("hosts", nargs=-1, required=True)
@_days
@_json
@_folder
@one_line
def server(hosts: tuple[str, ...], days: int, folder: Path, *, json_: bool) -> None:
    r"""Issue a controller's certificate for the HOSTS under which it is reached.

    \b
    Example:
      jackpot ca server jackpot.example 127.0.0.1
    """
    from jackpot.auth.authority import Authority

    authority = Authority(folder)
    certificate, _key = authority.issue_server(hosts, days)
    _tell_issued(authority, certificate, json_=json_)


@ca.command()
@click.option("--site", required=True, help="The site that it is good for.")
@click.argument("role", type=click.Choice(ROLES))
@click.argument("name")
@_days
@_json
@_folder
@one_line
def issue(site: str, role: str, name: str, days: int, folder: Path, *, json_: bool) -> None:
    r"""Issue a certificate for a ROLE and a NAME; a table's name is the table's id.

    \b
    Example:
      jackpot ca issue --site liberty floor flo
    """
    from jackpot.auth.authority import Authority
    from jackpot.auth.names import parse_holder

    authority = Authority(folder)
    certificate, _key = authority.issue(parse_holder(site, role, name), days)
    _tell_issued(authority, certificate, json_=json_)


@ca.command()
@click.argument("serial")
@_json
@_folder
@one_line
def revoke(serial: str, folder: Path, *, json_: bool) -> None:
    r"""Revoke a certificate by its SERIAL; its open streams end within seconds.

    The beginning of a serial is enough, as `jackpot ca list` shows it.

    \b
    Example:
      jackpot ca revoke 4f2a09c1d3e8
    """
    from jackpot.auth.authority import ISSUED, Authority

    authority = Authority(folder)
    revoked = authority.revoke(authority.find(serial).serial)
    if json_:
        click.echo(json.dumps(_row(revoked, folder / ISSUED / revoked.file), indent=2))
    else:
        click.echo(f"revoked {revoked.holder}")


@ca.command(name="list")
@_json
@_folder
@one_line
def list_(*, json_: bool, folder: Path) -> None:
    r"""List what was issued.

    \b
    Example:
      jackpot ca list --json
    """
    from rich.console import Console
    from rich.table import Table

    from jackpot.auth.authority import ISSUED, Authority

    issued = list(Authority(folder).issued())
    if json_:
        rows = [_row(one, folder / ISSUED / one.file) for one in issued]
        click.echo(json.dumps(rows, indent=2))
        return
    table = Table(box=None, pad_edge=False)
    for column in ("HOLDER", "EXPIRES", "STATUS", "SERIAL"):
        table.add_column(column, overflow="fold", no_wrap=column != "HOLDER")
    for one in issued:
        status = "revoked" if one.revoked else "good"
        # Twelve digits tell any two apart; all of them would not fit into a line.
        serial = f"{one.serial:x}"[:SERIAL_SHOWN]
        table.add_row(one.holder, f"{one.expires:%Y-%m-%d}", status, serial)
    Console().print(table)


def _tell_issued(authority: "Authority", certificate: Path, *, json_: bool) -> None:
    if not json_:
        click.echo(certificate)
        return
    (found,) = (one for one in authority.issued() if one.file == certificate.name)
    click.echo(json.dumps(_row(found, certificate), indent=2))


def _row(one: "Issued", certificate: Path) -> dict[str, Any]:
    return {
        "holder": one.holder,
        "serial": f"{one.serial:x}",
        "expires": one.expires.isoformat(),
        "revoked": one.revoked,
        "file": one.file,
        "certificate": str(certificate),
        "key": str(certificate.with_suffix(".key")),
    }
