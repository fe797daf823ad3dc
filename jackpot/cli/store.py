"""`jackpot store`: move journals between stores."""

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from jackpot.cli.offline import site_option
from jackpot.cli.verify import HASH_SHOWN
from jackpot.console import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.progress import TaskID

    from jackpot.store.copying import Progress as OnProgress
    from jackpot.store.opening import Address


@click.group()
def store() -> None:
    r"""Move journals between stores.

    \b
    Example:
      jackpot store copy /var/lib/jackpot postgresql://db1,db2/jackpot
    """


@store.command()
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@site_option
@click.option("--json", "json_", is_flag=True, help="Print what was copied as JSON.")
@one_line
def copy(source: "Address", target: "Address", site: str, *, json_: bool) -> None:
    r"""Copy a journal to another store, and check it on both sides.

    FROM and TO are data directories or postgresql:// addresses. Stop the site's controllers
    first. A copy that was interrupted goes on where it stopped when it is started again; nothing
    that is in TO already is ever changed.

    \b
    Example:
      jackpot store copy /var/lib/jackpot postgresql://db1,db2/jackpot
    """
    import msgspec

    from jackpot.store.copying import copy as copy_journal
    from jackpot.store.copying import verify_equal

    _check(source, site, "FROM", "checking FROM")
    with _bar("copying") as progress:
        copied = copy_journal(source, target, progress, site)
    for each in copied:
        _check(target, each.site, "TO", "checking TO")
    verify_equal(source, target, copied)
    if json_:
        click.echo(json.dumps(msgspec.to_builtins(copied), indent=2))
    else:
        for each in copied:
            click.echo(
                f"{each.site}: {each.entries:,} entries copied, "
                f"both sound at {each.head_sequence:,}, head {each.head_hash[:HASH_SHOWN]}"
            )


def _check(address: "Address", site: str, which: str, what: str) -> None:
    from jackpot.verify import verify

    with _bar(what) as progress:
        report = verify(address, progress, site)
    for found in report.sites:
        if found.first_bad:
            raise click.ClickException(
                f"{which} is not sound: {found.site} at sequence {found.first_bad}: {found.problem}"
            )
    if report.problem:
        raise click.ClickException(f"{which} is damaged: {report.problem}")


@contextmanager
def _bar(what: str) -> "Iterator[OnProgress]":
    """A bar for each site on the terminal's error output; none where nobody looks."""
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda _site, _done, _total: None
        return
    with Progress(console=console, transient=True) as progress:
        tasks: dict[str, TaskID] = {}

        def show(site: str, done: int, total: int) -> None:
            if site not in tasks:
                tasks[site] = progress.add_task(f"{what} {site}", total=total)
            progress.update(tasks[site], completed=done)

        yield show
