"""`jackpot export`, `slip`, `key`: what leaves the journal signed, and the keys that sign it."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jackpot.cli.shared.offline import data_option, reading, site_option
from jackpot.cli.shared.parameters import FILE, ID
from jackpot.console import one_line

if TYPE_CHECKING:
    from jackpot.reports.slip import Receipt


@click.command()
@data_option
@site_option
@click.option(
    "--from", "first", type=ID, default=1, help="Sequence number of the first entry.  [default: 1]"
)
@click.option(
    "--to", "last", type=ID, help="Sequence number of the last entry.  [default: the latest]"
)
@click.option(
    "--key",
    type=FILE,
    envvar="JACKPOT_KEY",
    required=True,
    help="The private key to sign with. To make one: jackpot key init FILE",
)
@click.option("--out", type=FILE, required=True, help="The file to write.")
@click.option("--json", "json_", is_flag=True, help="Print what was written as JSON.")
@one_line
def export(
    store: str, site: str, first: int, last: int | None, key: Path, out: Path, *, json_: bool
) -> None:
    r"""Write a signed copy of the journal as JSON Lines.

    \b
    Example:
      jackpot export --data /var/lib/jackpot --key site.key --out march.jsonl
      jackpot verify --export march.jsonl --key site.key.pub
    """
    import msgspec

    from jackpot.reports.export import write_export
    from jackpot.signing import load_private
    from jackpot.store.private_file import opener

    signer = load_private(key)
    try:
        # The journal first: an earlier export is not written over where there is none.
        with (
            reading(store, site) as walk,
            open(out, "w", encoding="utf-8", newline="\n", opener=opener) as file,
        ):
            done = write_export(walk, file, signer, first, last or 0)
    except OSError as error:
        raise click.ClickException(f"can't write {out}: {error.strerror}") from error
    if json_:
        click.echo(msgspec.json.encode(done).decode())
    else:
        click.echo(f"{done.site}: entries {done.first:,} to {done.last:,}, signed by {done.key}")


@click.command()
@click.argument("payout", type=ID)
@data_option
@site_option
@click.option("--pdf", type=FILE, help="Write a PDF to this file.")
@click.option("--key", type=FILE, envvar="JACKPOT_KEY", help="Sign the slip with this private key.")
@click.option("--json", "json_", is_flag=True, help="Print JSON.")
@one_line
def slip(
    payout: int, store: str, site: str, pdf: Path | None, key: Path | None, *, json_: bool
) -> None:
    r"""Print the slip of a payout, with its journal entries.

    With --key and --json, the slip is a receipt. To check a receipt, use
    `jackpot verify --receipt`.

    \b
    Example:
      jackpot slip 41 --data /var/lib/jackpot --pdf slip-41.pdf
    """
    from jackpot.reports.pdf import as_pdf
    from jackpot.reports.slip import as_json, find_slip, receipt, slip_lines
    from jackpot.signing import load_private

    with reading(store, site) as walk:
        found = find_slip(walk, payout)
    signed: Receipt | None = receipt(found, load_private(key)) if key else None
    lines = slip_lines(found, signed)
    if pdf:
        try:
            pdf.write_bytes(as_pdf(lines, f"Payout {payout}"))
        except OSError as error:
            raise click.ClickException(f"can't write {pdf}: {error.strerror}") from error
    if json_:
        click.echo(as_json(signed or found), nl=False)
    elif pdf:
        click.echo(f"wrote {pdf}")
    else:
        click.echo("\n".join(lines))


_json = click.option("--json", "json_", is_flag=True, help="Print JSON.")


@click.group()
def key() -> None:
    r"""Make or show a key that signs exports and receipts.

    Keep the private key away from anyone who administers the database.

    \b
    Example:
      jackpot key init site.key
    """


@key.command()
@click.argument("file", type=FILE)
@_json
@one_line
def init(file: Path, *, json_: bool) -> None:
    r"""Write a new private key to FILE, and its public key to FILE.pub.

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
@click.argument("file", type=FILE)
@_json
@one_line
def show(file: Path, *, json_: bool) -> None:
    r"""Show the short name of a public key that exports and slips print.

    \b
    Example:
      jackpot key show site.key.pub
    """
    from jackpot.signing import fingerprint, load_public

    name = fingerprint(load_public(file))
    click.echo(json.dumps({"key": name}) if json_ else name)
