"""`jackpot ca`: certificates for controllers, tables, devices, signs and people."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from jackpot.auth.roles import ROLES
from jackpot.cli.shared.parameters import FILE, FOLDER
from jackpot.console import one_line, print_json

if TYPE_CHECKING:
    from jackpot.auth.authority import Authority, Issued, Made


PASSPHRASE, P12_PASSWORD = "JACKPOT_CA_PASSPHRASE", "JACKPOT_P12_PASSWORD"
SERIAL_SHOWN = 12  # hex digits
_folder = click.option(
    "--dir",
    "folder",
    type=FOLDER,
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
    help="How many days the certificate is valid.",
)
_csr = click.option(
    "--csr",
    type=FILE,
    help="Certify the key of this signing request (PEM) instead of making a new key.",
)
_p12 = click.option(
    "--p12",
    is_flag=True,
    help="Also write a PKCS#12 file for a browser. Asks for the file's password "
    f"if {P12_PASSWORD} is not set.",
)
_json = click.option("--json", "json_", is_flag=True, help="Print JSON.")


@click.group()
def ca() -> None:
    r"""Issue and revoke certificates for tables, staff and devices.

    \b
    Example:
      jackpot ca init --name "Liberty Casino"
      jackpot ca server jackpot.example 10.0.0.5
      jackpot ca issue --site liberty table t1
      jackpot ca issue --site liberty operations olga
    """


@ca.command()
@click.option("--name", required=True, help="The authority's name, which its certificates show.")
@click.option(
    "--passphrase",
    "with_passphrase",
    is_flag=True,
    help=f"Encrypt the authority's private key. Asks for the passphrase if {PASSPHRASE} is not "
    f"set.",
)
@_json
@_folder
@one_line
def init(name: str, folder: Path, *, with_passphrase: bool, json_: bool) -> None:
    r"""Create a certificate authority; never overwrites one.

    \b
    Example:
      jackpot ca init --name "Liberty Casino" --passphrase
    """
    from jackpot.auth.authority import CA_CERTIFICATE, Authority

    Authority.create(folder, name, _new_secret(PASSPHRASE) if with_passphrase else "")
    if json_:
        made = {"directory": str(folder), "authority": str(folder / CA_CERTIFICATE)}
        print_json(made)
        return
    click.echo(
        f"created the authority in {folder}; copy {folder / CA_CERTIFICATE} to every machine "
        f"that connects"
    )


@ca.command()
@click.argument("hosts", nargs=-1, required=True)
@_csr
@_days
@_json
@_folder
@one_line
def server(
    hosts: tuple[str, ...], csr: Path | None, days: int, folder: Path, *, json_: bool
) -> None:
    r"""Issue a certificate to a controller.

    HOSTS are the names and IP addresses at which clients reach the controller.

    \b
    Example:
      jackpot ca server jackpot.example 127.0.0.1
    """
    authority = _open(folder)
    _tell_issued(authority, authority.issue_server(hosts, days, csr), p12=False, json_=json_)


@ca.command(epilog=f"Roles: {', '.join(ROLES)}.")
@click.option("--site", required=True, help="The site that the certificate is valid for.")
@click.argument("role", type=click.Choice(ROLES), metavar="ROLE")
@click.argument("name")
@_csr
@_p12
@_days
@_json
@_folder
@one_line
def issue(
    site: str,
    role: str,
    name: str,
    csr: Path | None,
    days: int,
    folder: Path,
    *,
    p12: bool,
    json_: bool,
) -> None:
    r"""Issue a certificate to a person, table or device.

    NAME is the person's name, or the table's id in the site file.

    With --csr, the private key stays where it was made. The command takes only the public
    key from the request. ROLE and NAME come from the command line.

    \b
    Example:
      jackpot ca issue --site liberty floor flo --p12
      jackpot ca issue --site liberty table t1 --csr t1.csr
    """
    from jackpot.auth.holder import parse_holder

    _verify_usage(csr, p12=p12)
    authority = _open(folder)
    made = authority.issue(parse_holder(site, role, name), days, csr)
    _tell_issued(authority, made, p12=p12, json_=json_)


@ca.command()
@click.argument("serial")
@_csr
@_p12
@_days
@_json
@_folder
@one_line
def renew(
    serial: str, csr: Path | None, days: int, folder: Path, *, p12: bool, json_: bool
) -> None:
    r"""Issue a replacement for a certificate, with a new key.

    SERIAL is the first digits of the certificate's serial number; see
    `jackpot ca list`. The old certificate stays valid until it expires, so
    that its holder can switch without interruption. If someone else may have
    the old key, revoke the old certificate.

    \b
    Example:
      jackpot ca renew 4f2a09c1d3e8
    """
    _verify_usage(csr, p12=p12)
    authority = _open(folder)
    made = authority.renew(authority.find(serial), days, csr)
    _tell_issued(authority, made, p12=p12, json_=json_)


@ca.command()
@_json
@_folder
@one_line
def passphrase(folder: Path, *, json_: bool) -> None:
    r"""Set or change the passphrase of the authority's private key.

    \b
    Example:
      jackpot ca passphrase --dir ca
    """
    from jackpot.auth.authority import CA_KEY
    from jackpot.auth.keys import change_passphrase

    key = folder / CA_KEY
    change_passphrase(key, _ask, _new_secret("JACKPOT_CA_NEW_PASSPHRASE"))
    if json_:
        print_json({"key": str(key)})
    else:
        click.echo(f"{key} has the new passphrase")


@ca.command()
@click.argument("serial")
@_json
@_folder
@one_line
def revoke(serial: str, folder: Path, *, json_: bool) -> None:
    r"""Revoke a certificate; its open streams end within seconds.

    SERIAL is the first digits of the certificate's serial number; see
    `jackpot ca list`.

    \b
    Example:
      jackpot ca revoke 4f2a09c1d3e8
    """
    from jackpot.auth.authority import ISSUED

    authority = _open(folder)
    revoked = authority.revoke(authority.find(serial).serial)
    if json_:
        print_json(_row(revoked, folder / ISSUED / revoked.file))
    else:
        click.echo(f"revoked {revoked.holder}")


@ca.command(name="list")
@_json
@_folder
@one_line
def list_(*, json_: bool, folder: Path) -> None:
    r"""List all issued certificates with their status.

    \b
    Example:
      jackpot ca list --json
    """
    from rich.console import Console
    from rich.table import Table

    from jackpot.auth.authority import ISSUED, Authority

    authority = Authority(folder)
    issued = list(authority.issued())
    for path in authority.unreadable():
        click.echo(f"{path} is not a certificate and is not listed; move it elsewhere", err=True)
    if json_:
        rows = [_row(one, folder / ISSUED / one.file) for one in issued]
        print_json(rows)
        return
    table = Table(box=None, pad_edge=False)
    for column in ("HOLDER", "EXPIRES", "STATUS", "SERIAL"):
        table.add_column(column, overflow="fold", no_wrap=column != "HOLDER")
    for one in issued:
        # Twelve digits tell any two apart; all of them would not fit into a line.
        serial = f"{one.serial:x}"[:SERIAL_SHOWN]
        table.add_row(one.holder, f"{one.expires:%Y-%m-%d}", one.status, serial)
    Console().print(table)


def _open(folder: Path) -> "Authority":
    from jackpot.auth.authority import Authority

    return Authority(folder, _ask)


def _ask() -> str:
    """The passphrase of the authority's key, from a script or from a person."""
    return os.environ.get(PASSPHRASE) or _prompt("Passphrase of the authority's key")


def _new_secret(variable: str) -> str:
    """A secret that is being chosen: typed twice, or taken from the environment."""
    return os.environ.get(variable) or _prompt("New passphrase", twice=True)


def _prompt(text: str, *, twice: bool = False) -> str:
    said: str = click.prompt(text, hide_input=True, confirmation_prompt=twice, err=True)
    return said


def _verify_usage(csr: Path | None, *, p12: bool) -> None:
    if csr and p12:
        raise click.UsageError(
            "--p12 and --csr can't be combined: a signing request does not hold the private key"
        )


def _tell_issued(authority: "Authority", made: "Made", *, p12: bool, json_: bool) -> None:
    packed = authority.pack(made, _new_secret(P12_PASSWORD)) if p12 else None
    if not json_:
        click.echo(made.certificate)
        if packed:
            click.echo(packed)
        return
    (found,) = (one for one in authority.issued() if one.file == made.certificate.name)
    row = _row(found, made.certificate) | ({"p12": str(packed)} if packed else {})
    print_json(row)


def _row(one: "Issued", certificate: Path) -> dict[str, Any]:
    key = certificate.with_suffix(".key")
    return {
        "holder": one.holder,
        "serial": f"{one.serial:x}",
        "expires": one.expires.isoformat(),
        "revoked": one.revoked,
        "status": one.status,
        "file": one.file,
        "certificate": str(certificate),
        "key": str(key) if key.exists() else "",
    }
