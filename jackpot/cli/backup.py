"""`jackpot backup`: a copy of a journal while its controller runs."""

import json
from pathlib import Path

import click

from jackpot.cli.offline import data_option
from jackpot.cli.verify import site_line
from jackpot.console import one_line


@click.command()
@click.argument("target", type=click.Path(path_type=Path, file_okay=False))
@data_option
@click.option("--json", "json_", is_flag=True, help="Print the copy's findings as JSON.")
@one_line
def backup(target: Path, store: str, *, json_: bool) -> None:
    r"""Copy a journal that is in use to a new directory, and check the copy.

    \b
    Example:
      jackpot backup /backup/2026-03-01 --data /var/lib/jackpot
    """
    import msgspec

    from jackpot.store.opening import is_postgres
    from jackpot.store.sqlite import FILE_NAME, SqliteJournal
    from jackpot.verify import verify

    if is_postgres(store):
        raise click.ClickException("PostgreSQL has its own backup: pg_basebackup, or pg_dump")
    file = target / FILE_NAME
    if file.exists():
        raise click.ClickException(f"there is a journal in {target}; nothing was copied")
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
        click.echo(json.dumps(msgspec.to_builtins(report), indent=2))
    else:
        for site in report.sites:
            click.echo(f"{target}: {site_line(site)}")
    if not report.ok:
        raise click.ClickException(f"the copy in {target} is not sound; keep the one before it")
