"""`jackpot verify`: check a journal offline, from its first entry to its last."""

import json
import sys

import click
import msgspec
from rich.console import Console
from rich.progress import Progress

from jackpot.cli.failures import one_line
from jackpot.verify import Report, SiteReport
from jackpot.verify import verify as verify_journal

HASH_SHOWN = 16  # hex digits: enough to compare by eye with a slip or a report


@click.command()
@click.option(
    "--store",
    "--data",
    "store",
    metavar="ADDRESS",
    required=True,
    help="The controller's data directory, or postgresql://…",
)
@click.option("--json", "json_", is_flag=True, help="Print the findings as JSON.")
@one_line
def verify(store: str, *, json_: bool) -> None:
    r"""Check chain, numbering, snapshots and conservation; exit 1 with the first bad entry.

    \b
    Example:
      jackpot verify --data /var/lib/jackpot
    """
    report = _verify(store, quiet=json_)
    if json_:
        click.echo(json.dumps(msgspec.to_builtins(report), indent=2))
    else:
        for site in report.sites:
            click.echo(site_line(site))
        if report.problem:
            click.echo(f"the store is damaged: {report.problem}")
    sys.exit(0 if report.ok else 1)


def site_line(site: SiteReport) -> str:
    """What was found of a site, in one line."""
    if site.first_bad:
        return f"{site.site}: NOT SOUND at sequence {site.first_bad}: {site.problem}"
    return (
        f"{site.site}: sound, {site.entries:,} entries, {site.snapshots} snapshots, "
        f"head {site.head_hash[:HASH_SHOWN]}"
    )


def _verify(store: str, *, quiet: bool) -> Report:
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        return verify_journal(store)
    with Progress(console=console, transient=True) as progress:
        tasks = {}

        def show(site: str, done: int, total: int) -> None:
            if site not in tasks:
                tasks[site] = progress.add_task(site, total=total)
            progress.update(tasks[site], completed=done)

        return verify_journal(store, show)
