"""`jackpot key`: the key that signs exports and receipts."""

import json
from pathlib import Path

import click

from jackpot.console import one_line

_json = click.option("--json", "json_", is_flag=True, help="Print JSON for machines.")


@click.group()
def key() -> None:
    r"""Make the key that signs exports and receipts, or show one's name.

    Keep it where the database's owner does not have it.

    \b
    Example:
      jackpot key init site.key
    """


@key.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@_json
@one_line
def init(file: Path, *, json_: bool) -> None:
    r"""Write a new private key, and its public half beside it as FILE.pub.

    \b
    Example:
      jackpot key init /media/usb/site.key
    """
    from jackpot.signing import make_key, public_path

    name = make_key(file)
    if json_:
        public = str(public_path(file))
        click.echo(json.dumps({"key": name, "private": str(file), "public": public}))
        return
    click.echo(f"key {name}")
    click.echo(f"private key, to sign with:  {file}")
    click.echo(f"public key, to check with:  {public_path(file)}")


@key.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@_json
@one_line
def show(file: Path, *, json_: bool) -> None:
    r"""Show the short name of a public key, as exports and slips have it.

    \b
    Example:
      jackpot key show site.key.pub
    """
    from jackpot.signing import fingerprint, load_public

    name = fingerprint(load_public(file))
    click.echo(json.dumps({"key": name}) if json_ else name)
