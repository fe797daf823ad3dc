"""`jackpot report`, `audit`: a gaming day, and who did what, from the journal alone."""

import datetime as dt
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from jackpot.cli.shared.offline import MOMENT, data_option, reading, site_option
from jackpot.cli.shared.parameters import FILE, ID
from jackpot.console import local_time, one_line
from jackpot.sources import clock_micros

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from jackpot.reports.audit import Finding
    from jackpot.reports.daily import DailyReport
    from jackpot.reports.daily_sections import Section


WIDTH = 80
_GAP = 2  # between columns


@click.group()
def report() -> None:
    r"""Report on a gaming day from the journal.

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
    help="The date on which the gaming day began.  [default: the last finished day]",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "csv", "json", "html"]),
    default="text",
    show_default=True,
    help="The format of the report.",
)
@click.option("--json", "json_", is_flag=True, help="Same as --format json.")
@click.option(
    "--out", type=FILE, help="Write the report to this file.  [default: print the report]"
)
@one_line
def daily(
    store: str, site: str, date: dt.datetime | None, form: str, out: Path | None, *, json_: bool
) -> None:
    r"""Report how each meter changed and why, and what is still open.

    The site file sets the time zone, and the time at which a gaming day begins. The
    controller may be running. The report of a finished day never changes. The report of
    an unfinished day says that the day is not over.

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


@report.command()
@data_option
@site_option
@click.option("--since", type=click.DateTime(["%Y-%m-%d"]), help="The first gaming day to list.")
@click.option("--until", type=click.DateTime(["%Y-%m-%d"]), help="The last gaming day to list.")
@click.option("--csv", "csv_", is_flag=True, help="Print CSV, for a spreadsheet.")
@click.option("--json", "json_", is_flag=True, help="Print one JSON object per line.")
@one_line
def readings(
    store: str,
    site: str,
    since: dt.datetime | None,
    until: dt.datetime | None,
    *,
    csv_: bool,
    json_: bool,
) -> None:
    r"""List the meter readings of each gaming day.

    The controller reads the meters each gaming day and writes the readings to the journal.
    Keep the journal for at least five years.

    \b
    Example:
      jackpot report readings --since 2026-03-01 --data /var/lib/jackpot
    """
    import msgspec

    from jackpot.reports.daily_sections import as_csv, reading_section
    from jackpot.reports.walk import all_readings

    days = [moment.date() if moment else None for moment in (since, until)]
    with reading(store, site) as walk:
        found = list(all_readings(walk, *days))
    if json_:
        for each in found:
            click.echo(msgspec.json.encode(each).decode())
        return
    section = reading_section(found, "Meter readings")
    click.echo(as_csv([section]) if csv_ else _as_text([section]), nl=False)


def _drawn(found: "DailyReport", form: str) -> str:
    import msgspec

    from jackpot.reports.daily_sections import as_csv, as_html, sections

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

    from jackpot.reports.daily_sections import Money

    console = Console(width=WIDTH, color_system=None, highlight=False)
    with console.capture() as captured:
        for section in found:
            console.print(f"\n{section.title}", markup=False)
            if not section.rows:
                console.print(f"  {section.nothing}", markup=False)
                continue
            table = Table(box=None, pad_edge=False, show_header=any(section.headings))
            widths = _widths(list(zip(section.headings, *section.rows, strict=True)))
            for heading, cell, width in zip(section.headings, section.rows[0], widths, strict=True):
                number = isinstance(cell, int | Money)
                table.add_column(
                    heading,
                    justify="right" if number else "left",
                    overflow="fold",
                    no_wrap=number,
                    width=width,
                )
            for row in section.rows:
                table.add_row(*map(str, row))
            console.print(table, markup=False)
    lines = (line.rstrip() for line in captured.get().strip("\n").splitlines())
    return "\n".join(lines) + "\n"


def _widths(columns: "Sequence[tuple[object, ...]]") -> "Sequence[int | None]":
    """Column widths that break no word, where the screen has room for that."""
    texts = [[str(cell) for cell in column] for column in columns]
    least = [max(len(word) for text in column for word in text.split() or [""]) for column in texts]
    widths = [max(map(len, column)) for column in texts]
    room = WIDTH - _GAP * (len(widths) - 1)
    if sum(least) > room:
        return [None] * len(widths)
    while sum(widths) > room:
        spare = [width - word for width, word in zip(widths, least, strict=True)]
        widths[spare.index(max(spare))] -= 1
    return widths


@click.command()
@data_option
@site_option
@click.option(
    "--since",
    type=MOMENT,
    help="Show entries from this time on, in the site's time zone, such as 2026-03-01T06:00.",
)
@click.option("--until", type=MOMENT, help="Show entries before this time.")
@click.option(
    "--actor",
    metavar="NAME",
    default="",
    help="Show only entries caused by this person or table, or the word controller.",
)
@click.option("--table", metavar="TABLE", default="", help="Show only entries about this table.")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="KIND",
    help="Show only this kind of entry, such as MeterAdjusted; may be repeated.",
)
@click.option("--limit", type=ID, help="Stop after this many entries.")
@click.option(
    "--json",
    "json_",
    is_flag=True,
    help="Print each entry in full, as one JSON object per line.",
)
@one_line
def audit(
    store: str,
    site: str,
    since: dt.datetime | None,
    until: dt.datetime | None,
    actor: str,
    table: str,
    kinds: tuple[str, ...],
    limit: int | None,
    *,
    json_: bool,
) -> None:
    r"""Show journal entries by time, person, table and kind.

    \b
    Example:
      jackpot audit --data /var/lib/jackpot --kind MeterAdjusted --kind Proposed
      jackpot audit --data /var/lib/jackpot --actor ann --since 2026-03-01
    """
    import msgspec

    from jackpot.reports.audit import Filter
    from jackpot.reports.audit import audit as search
    from jackpot.store.codec import KINDS

    by_name = {kind.lower(): kind for kind in KINDS}
    for kind in kinds:
        if kind.lower() not in by_name:
            raise click.BadParameter(
                f"{kind!r} is not a kind of entry; expected one of: {', '.join(sorted(KINDS))}"
            )
    wanted = Filter(since, until, actor, table, frozenset(by_name[k.lower()] for k in kinds))
    matched = False
    with reading(store, site) as walk:
        for found in islice(search(walk, wanted), limit):
            matched = True
            if json_:
                click.echo(msgspec.json.encode(found).decode())
            else:
                click.echo("\n".join(_lines(found)))
    if not matched and not json_:
        click.echo("no entries match", err=True)


def _lines(found: "Finding") -> list[str]:
    when = local_time(found.time_micros, found.zone)
    head = f"{found.sequence} {when} {found.actor} {found.kind}"
    if not found.about:
        return [head]
    if len(head) + 2 + len(found.about) <= WIDTH:
        return [f"{head}: {found.about}"]
    return [head, *(f"    {line}" for line in _wrapped(found.about))]


def _wrapped(text: str) -> list[str]:
    return click.wrap_text(text, WIDTH - 4).splitlines()
