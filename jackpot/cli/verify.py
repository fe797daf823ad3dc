"""`jackpot verify`: check a journal, an export of it or a receipt, offline."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jackpot.cli.parameters import HEAD
from jackpot.console import one_line

if TYPE_CHECKING:
    from jackpot.verify import Noted, Report, SiteReport


HASH_SHOWN = 16  # hex digits: enough to compare by eye with a slip or a report


@click.command()
@click.option(
    "--store",
    "--data",
    "store",
    metavar="ADDRESS",
    envvar="JACKPOT_DATA",
    help="The controller's data directory, or postgresql://…",
)
@click.option(
    "--export",
    "export_file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A file of jackpot export, instead of a journal.",
)
@click.option(
    "--receipt",
    "receipt_file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A signed slip in JSON, instead of a journal.",
)
@click.option(
    "--key",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The public key, for an export or a receipt.",
)
@click.option(
    "--head",
    "heads",
    multiple=True,
    type=HEAD,
    metavar="SITE=SEQUENCE:HASH",
    help="An earlier head, from a slip, a report or an export, that must be in the chain.",
)
@click.option("--json", "json_", is_flag=True, help="Print the findings as JSON.")
@one_line
def verify(
    store: str | None,
    export_file: Path | None,
    receipt_file: Path | None,
    key: Path | None,
    heads: "tuple[tuple[str, Noted], ...]",
    *,
    json_: bool,
) -> None:
    r"""Check chain, numbering, snapshots and conservation; exit 1 with the first bad entry.

    An export or a receipt is checked by its signature too, and needs no
    journal. A chain can't show that its tail was cut off: --head can.

    \b
    Example:
      jackpot verify --data /var/lib/jackpot
      jackpot verify --data /var/lib/jackpot --head liberty=5120:8cbe93b3f854f4a0
      jackpot verify --export march.jsonl --key site.key.pub
    """
    import msgspec

    if export_file or receipt_file:
        if key is None:
            raise click.UsageError("--key is missing: give the public key of the signer")
        if export_file:
            _verify_export(export_file, key, json_=json_)
        if receipt_file:
            _verify_receipt(receipt_file, key, json_=json_)
        return
    if store is None:
        raise click.UsageError("nothing to verify: give --data, --export or --receipt")
    report = _verify(store, dict(heads), quiet=json_)
    if json_:
        click.echo(json.dumps(msgspec.to_builtins(report), indent=2))
    else:
        for site in report.sites:
            click.echo(site_line(site))
        if report.problem:
            click.echo(f"NOT SOUND: {report.problem}")
    sys.exit(0 if report.ok else 1)


def _verify_export(file: Path, key: Path, *, json_: bool) -> None:
    import msgspec

    from jackpot.reports.export import verify_export
    from jackpot.signing import load_public

    found = verify_export(file, load_public(key))
    if json_:
        click.echo(json.dumps(msgspec.to_builtins(found), indent=2))
    elif found.ok:
        click.echo(
            f"{found.site}: sound, entries {found.first:,} to {found.last:,}, "
            f"head {found.hash[:HASH_SHOWN]}"
        )
        click.echo(f"signed by {found.key}")
    else:
        where = f"{found.site}, sequence {found.first}: " if found.first else ""
        click.echo(f"{file}: NOT SOUND: {where}{found.problem}")
    if not found.ok:
        sys.exit(1)


def _verify_receipt(file: Path, key: Path, *, json_: bool) -> None:
    import msgspec

    from jackpot.reports.slip import Receipt, is_genuine
    from jackpot.signing import load_public

    try:
        found = msgspec.json.decode(file.read_bytes(), type=Receipt)
    except OSError as error:
        raise click.ClickException(f"can't read {file}: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise click.ClickException(f"{file} is not a receipt: {error}") from error
    genuine = is_genuine(found, load_public(key))
    if json_:
        click.echo(json.dumps({"ok": genuine, "payout": found.slip.payout, "key": found.key}))
    else:
        verdict = f"genuine, signed by {found.key}" if genuine else "NOT what this key signed"
        click.echo(f"payout {found.slip.payout} of {found.slip.site}: {verdict}")
    if not genuine:
        sys.exit(1)


def site_line(site: "SiteReport") -> str:
    """What was found of a site, in one line."""
    if site.first_bad:
        return f"{site.site}: NOT SOUND at sequence {site.first_bad}: {site.problem}"
    snapshots = "1 snapshot" if site.snapshots == 1 else f"{site.snapshots} snapshots"
    return (
        f"{site.site}: sound, {site.entries:,} entries, {snapshots}, "
        f"head {site.head_hash[:HASH_SHOWN]}"
    )


def _verify(store: str, noted: "dict[str, Noted]", *, quiet: bool) -> "Report":
    from rich.console import Console
    from rich.progress import Progress

    from jackpot.verify import verify as verify_journal

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        return verify_journal(store, noted=noted)
    with Progress(console=console, transient=True) as progress:
        tasks = {}

        def show(site: str, done: int, total: int) -> None:
            if site not in tasks:
                tasks[site] = progress.add_task(site, total=total)
            progress.update(tasks[site], completed=done)

        return verify_journal(store, show, noted=noted)
