"""`jackpot report`: a gaming day, from the journal alone."""

import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jackpot.cli.offline import data_option, reading, site_option
from jackpot.console import one_line
from jackpot.sources import clock_micros

if TYPE_CHECKING:
    from collections.abc import Iterable

    from jackpot.reports.daily import DailyReport
    from jackpot.reports.sections import Section


WIDTH = 80


@click.group()
def report() -> None:
    r"""Report on a gaming day, from the journal alone.

    \b
    Example:
      jackpot report daily --date 2026-03-01 --data /var/lib/jackpot
    """


@report.command()
@data_option
@site_option
@click.option(
    "--date",
    type=click.DateTime(["%Y-%m-%d"]),
    help="The day on which it began.  [default: the last that is over]",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "csv", "json", "html"]),
    default="text",
    show_default=True,
    help="How to draw it.",
)
@click.option("--json", "json_", is_flag=True, help="The same as --format json.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write it to a file.  [default: print it]",
)
@one_line
def daily(
    store: str, site: str, date: dt.datetime | None, form: str, out: Path | None, *, json_: bool
) -> None:
    r"""What every meter did on a gaming day and why, and what is still open.

    The day's beginning and time zone are those of the site file. The controller
    may run or not; the report of a day that has ended never changes, and that of
    another says so.

    \b
    Example:
      jackpot report daily --date 2026-03-01 --data /var/lib/jackpot
      jackpot report daily --data /var/lib/jackpot --format html --out day.html
    """
    from jackpot.reports.daily import daily_report, day_before

    now_micros = clock_micros()
    with reading(store, site) as walk:
        day = date.date() if date else day_before(walk, now_micros)
        found = daily_report(walk, day, now_micros)
    text = _drawn(found, "json" if json_ else form)
    if out:
        try:
            out.write_text(text, "utf-8")
        except OSError as error:
            raise click.ClickException(f"can't write {out}: {error.strerror}") from error
        click.echo(f"wrote {out}")
    else:
        click.echo(text, nl=False)


def _drawn(found: "DailyReport", form: str) -> str:
    import msgspec

    from jackpot.reports.formats import as_csv, as_html
    from jackpot.reports.sections import sections

    match form:
        case "json":
            return msgspec.json.format(msgspec.json.encode(found), indent=2).decode() + "\n"
        case "csv":
            return as_csv(sections(found))
        case "html":
            return as_html(sections(found))
        case _:
            return _as_text(sections(found))


def _as_text(found: "Iterable[Section]") -> str:
    from rich.console import Console
    from rich.table import Table

    from jackpot.reports.sections import Money

    console = Console(width=WIDTH, color_system=None, highlight=False)
    with console.capture() as captured:
        for section in found:
            console.print(f"\n{section.title}", markup=False)
            if not section.rows:
                console.print(f"  {section.nothing}", markup=False)
                continue
            table = Table(box=None, pad_edge=False, show_header=any(section.headings))
            for heading, cell in zip(section.headings, section.rows[0], strict=True):
                number = isinstance(cell, int | Money)
                table.add_column(
                    heading, justify="right" if number else "left", overflow="fold", no_wrap=number
                )
            for row in section.rows:
                table.add_row(*map(str, row))
            console.print(table, markup=False)
    lines = (line.rstrip() for line in captured.get().strip("\n").splitlines())
    return "\n".join(lines) + "\n"
