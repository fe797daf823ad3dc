"""`jackpot slip`: a payout's slip, as text, PDF or JSON, signed where a key is given."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from jackpot.cli.offline import data_option, reading, site_option
from jackpot.cli.parameters import ID
from jackpot.console import one_line

if TYPE_CHECKING:
    from jackpot.reports.slip import Receipt


@click.command()
@click.argument("payout", type=ID)
@data_option
@site_option
@click.option("--pdf", type=click.Path(path_type=Path, dir_okay=False), help="Write a PDF here.")
@click.option(
    "--key",
    type=click.Path(path_type=Path, dir_okay=False),
    envvar="JACKPOT_KEY",
    help="Sign it with this key.",
)
@click.option("--json", "json_", is_flag=True, help="Print JSON for machines.")
@one_line
def slip(
    payout: int, store: str, site: str, pdf: Path | None, key: Path | None, *, json_: bool
) -> None:
    r"""Print the slip of a payout, with the journal entries that it rests on.

    A signed slip in JSON is a receipt, which `jackpot verify --receipt` checks.

    \b
    Example:
      jackpot slip 41 --data /var/lib/jackpot --pdf slip-41.pdf
    """
    import msgspec

    from jackpot.reports.pdf import as_pdf
    from jackpot.reports.slip import find_slip, receipt, slip_lines
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
        raw = msgspec.json.encode(signed or found)
        click.echo(msgspec.json.format(raw, indent=2).decode())
    elif pdf:
        click.echo(f"wrote {pdf}")
    else:
        click.echo("\n".join(lines))
