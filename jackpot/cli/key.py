"""`jackpot key`: the key that signs exports and receipts."""

from pathlib import Path

import click

from jackpot.cli.failures import one_line
from jackpot.signing import fingerprint, load_public, make_key, public_path


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
@one_line
def init(file: Path) -> None:
    r"""Write a new private key, and its public half beside it as FILE.pub.

    \b
    Example:
      jackpot key init /media/usb/site.key
    """
    name = make_key(file)
    click.echo(f"key {name}")
    click.echo(f"secret, for whoever signs:  {file}")
    click.echo(f"public, for whoever checks: {public_path(file)}")


@key.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@one_line
def show(file: Path) -> None:
    r"""Show the short name of a public key, as exports and slips have it.

    \b
    Example:
      jackpot key show site.key.pub
    """
    click.echo(fingerprint(load_public(file)))
