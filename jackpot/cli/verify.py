"""`jackpot verify`: check a journal, an export of it or a receipt, offline."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jackpot.cli.shared.offline import progress_bars, store_option
from jackpot.cli.shared.parameters import FILE, HEAD
from jackpot.console import one_line, print_json

if TYPE_CHECKING:
    from jackpot.verify import Noted, SiteReport


HASH_SHOWN = 16  # hex digits: enough to compare by eye with a slip or a report


@click.command()
@store_option(required=False)
@click.option(
    "--export",
    "export_file",
    type=FILE,
    help="Check a file that jackpot export wrote, instead of a journal.",
)
@click.option(
    "--receipt",
    "receipt_file",
    type=FILE,
    help="Check a signed slip in JSON, instead of a journal.",
)
@click.option("--key", type=FILE, help="The public key, for an export or a receipt.")
@click.option(
    "--head",
    "heads",
    multiple=True,
    type=HEAD,
    metavar="SITE=SEQUENCE:HASH",
    help="An entry and its hash, as printed on an earlier slip, report or export. The journal "
    "must contain this entry.",
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
    r"""Check that a journal is complete and unaltered.

    Checks the hash chain, the numbering, the snapshots and the money. If something is wrong, names
    the first bad entry and exits with 1.

    With --export or --receipt, checks the file and its signature, without the
    journal. To detect that the latest entries were cut off, add --head.

    \b
    Example:
      jackpot verify --data /var/lib/jackpot
      jackpot verify --data /var/lib/jackpot --head liberty=5120:8cbe93b3f854f4a0
      jackpot verify --export march.jsonl --key site.key.pub
    """
    from jackpot.verify import verify as verify_journal

    if export_file or receipt_file:
        if key is None:
            raise click.UsageError("--key is missing: give the public key (.pub) of the signer")
        if export_file:
            _verify_export(export_file, key, json_=json_)
        if receipt_file:
            _verify_receipt(receipt_file, key, json_=json_)
        return
    if store is None:
        raise click.UsageError("nothing to verify: give --data, --export or --receipt")
    with progress_bars(quiet=json_) as show:
        report = verify_journal(store, show, noted=dict(heads))
    if json_:
        print_json(report)
    else:
        for site in report.sites:
            click.echo(site_line(site))
        if report.problem:
            click.echo(f"NOT SOUND: {report.problem}")
    sys.exit(0 if report.ok else 1)


def _verify_export(file: Path, key: Path, *, json_: bool) -> None:
    from jackpot.reports.export import verify_export
    from jackpot.signing import load_public

    found = verify_export(file, load_public(key))
    if json_:
        print_json(found)
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

    from jackpot.reports.slip import Receipt, as_json, is_genuine
    from jackpot.signing import fingerprint, load_public

    public = load_public(key)
    try:
        raw = file.read_bytes()
        found = msgspec.json.decode(raw, type=Receipt)
    except OSError as error:
        raise click.ClickException(f"can't read {file}: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise click.ClickException(f"{file} is not a receipt: {error}") from error
    problem = ""
    if not is_genuine(found, public):
        problem = "NOT SIGNED with this key, or changed after it was signed"
    elif raw != as_json(found):
        problem = "NOT AS SIGNED: a field was added, repeated or rewritten"
    name = fingerprint(public)  # what the file says of itself is worth nothing until it is checked
    if json_:
        told = {"ok": not problem, "payout": found.slip.payout, "key": "" if problem else name}
        click.echo(json.dumps(told))
    elif problem:
        click.echo(f"{file}: {problem}")
    else:
        slip = found.slip
        click.echo(f"payout {slip.payout} of {slip.site}: genuine, signed by {name}")
    if problem:
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
