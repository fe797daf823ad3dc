"""`jackpot audit`: look through the journal."""

from itertools import islice
from typing import TYPE_CHECKING

import click

from jackpot.cli.offline import MOMENT, data_option, reading, site_option
from jackpot.cli.operator_view import clock
from jackpot.cli.parameters import ID
from jackpot.console import one_line

if TYPE_CHECKING:
    from jackpot.reports.audit import Finding


WIDTH = 80


@click.command()
@data_option
@site_option
@click.option("--since", type=MOMENT, default=0, help="From this time on (ISO 8601).")
@click.option("--until", type=MOMENT, default=0, help="Before this time.")
@click.option(
    "--actor",
    metavar="NAME",
    default="",
    help="Entries by this person or table, or by the controller.",
)
@click.option("--table", metavar="TABLE", default="", help="Entries about this table.")
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    metavar="KIND",
    help="Only this kind, such as MeterAdjusted; may be repeated.",
)
@click.option("--limit", type=ID, help="Stop after this many entries.")
@click.option("--json", "json_", is_flag=True, help="Print one JSON object a line, in full.")
@one_line
def audit(
    store: str,
    site: str,
    since: int,
    until: int,
    actor: str,
    table: str,
    kinds: tuple[str, ...],
    limit: int | None,
    *,
    json_: bool,
) -> None:
    r"""Show entries of the journal by time, actor, table and kind.

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
    with reading(store, site) as walk:
        for found in islice(search(walk, wanted), limit):
            if json_:
                click.echo(msgspec.json.encode(found).decode())
            else:
                click.echo("\n".join(_lines(found)))


def _lines(found: "Finding") -> list[str]:
    head = f"{found.sequence} {clock(found.time_micros)} {found.actor} {found.kind}"
    if not found.about:
        return [head]
    if len(head) + 2 + len(found.about) <= WIDTH:
        return [f"{head}: {found.about}"]
    return [head, *(f"    {line}" for line in _wrapped(found.about))]


def _wrapped(text: str) -> list[str]:
    return click.wrap_text(text, WIDTH - 4).splitlines()
