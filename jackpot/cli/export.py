"""`jackpot export`: a range of the journal for those who have no database, signed."""

from pathlib import Path

import click

from jackpot.cli.offline import data_option, reading, site_option
from jackpot.cli.parameters import ID
from jackpot.console import one_line


@click.command()
@data_option
@site_option
@click.option("--from", "first", type=ID, default=1, help="First sequence.")
@click.option("--to", "last", type=ID, help="Last sequence.  [default: the head]")
@click.option(
    "--key",
    type=click.Path(path_type=Path, dir_okay=False),
    envvar="JACKPOT_KEY",
    required=True,
    help="The private key to sign with; see jackpot key init.",
)
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), required=True, help="The file."
)
@click.option("--json", "json_", is_flag=True, help="Print what was written as JSON.")
@one_line
def export(
    store: str, site: str, first: int, last: int | None, key: Path, out: Path, *, json_: bool
) -> None:
    r"""Write entries as JSON Lines with their hashes and a signature over the head.

    \b
    Example:
      jackpot export --data /var/lib/jackpot --key site.key --out march.jsonl
      jackpot verify --export march.jsonl --key site.key.pub
    """
    import msgspec

    from jackpot.reports.export import write_export
    from jackpot.signing import load_private

    signer = load_private(key)
    try:
        # The journal first: an earlier export is not written over where there is none.
        with reading(store, site) as walk, out.open("w", encoding="utf-8", newline="\n") as file:
            done = write_export(walk, file, signer, first, last or 0)
    except OSError as error:
        raise click.ClickException(f"can't write {out}: {error.strerror}") from error
    if json_:
        click.echo(msgspec.json.encode(done).decode())
    else:
        click.echo(f"{done.site}: entries {done.first:,} to {done.last:,}, signed by {done.key}")
