"""`jackpot store`, `backup`: copy journals, to another store or while a controller runs."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from jackpot.cli.shared.offline import data_option, progress_bars, site_option
from jackpot.cli.shared.parameters import FOLDER
from jackpot.cli.verify import HASH_SHOWN, site_line
from jackpot.console import one_line, print_json

if TYPE_CHECKING:
    from jackpot.store.opening import Address


@click.command()
@click.argument("target", type=FOLDER)
@data_option
@click.option("--json", "json_", is_flag=True, help="Print the result as JSON.")
@one_line
def backup(target: Path, store: str, *, json_: bool) -> None:
    r"""Back up a journal, even one in use, and check the copy.

    TARGET is a new or empty folder.

    \b
    Example:
      jackpot backup /backup/2026-03-01 --data /var/lib/jackpot
    """
    from jackpot.store.opening import is_postgres
    from jackpot.store.sqlite import FILE_NAME, SqliteJournal
    from jackpot.verify import verify

    if is_postgres(store):
        raise click.ClickException(
            "jackpot backup copies SQLite only; for PostgreSQL use pg_basebackup or pg_dump"
        )
    file = target / FILE_NAME
    if file.exists():
        raise click.ClickException(
            f"{target} already has a journal; nothing was copied. Give an empty or new folder"
        )
    journal = SqliteJournal.open_to_read(Path(store))
    try:
        target.mkdir(parents=True, exist_ok=True)
        journal.backup(file)
    except OSError as error:
        raise click.ClickException(f"can't write {target}: {error.strerror}") from error
    finally:
        journal.close()
    report = verify(target)
    if json_:
        print_json(report)
    else:
        for site in report.sites:
            click.echo(f"{target}: {site_line(site)}")
    if not report.ok:
        raise click.ClickException(f"the copy in {target} is not sound; keep your previous backup")


@click.group()
def store() -> None:
    r"""Copy journals between SQLite and PostgreSQL.

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
    r"""Copy a journal to another store, and check both copies.

    FROM and TO are data directories or postgresql:// addresses. Stop the site's controllers
    first. If the command is interrupted, run it again: it continues where it stopped. It
    never changes entries that are already in TO.

    \b
    Example:
      jackpot store copy /var/lib/jackpot postgresql://db1,db2/jackpot
    """
    from jackpot.store.copying import copy as copy_journal
    from jackpot.store.copying import verify_equal

    _check(source, site, "FROM", "checking FROM")
    with progress_bars("copying") as progress:
        copied = copy_journal(source, target, progress, site)
    for each in copied:
        _check(target, each.site, "TO", "checking TO")
    verify_equal(source, target, copied)
    if json_:
        print_json(copied)
    else:
        for each in copied:
            click.echo(
                f"{each.site}: {each.entries:,} entries copied; "
                f"both journals are sound up to entry {each.head_sequence:,}, head "
                f"{each.head_hash[:HASH_SHOWN]}"
            )


def _check(address: "Address", site: str, which: str, what: str) -> None:
    from jackpot.verify import verify

    with progress_bars(what) as progress:
        report = verify(address, progress, site)
    for found in report.sites:
        if found.first_bad:
            raise click.ClickException(
                f"{which} is not sound: {found.site} at sequence {found.first_bad}: {found.problem}"
            )
    if report.problem:
        raise click.ClickException(f"{which} is damaged: {report.problem}")
