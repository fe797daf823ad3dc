"""The operator page as a terminal shows it: 80 columns, the urgent on top."""

from collections.abc import Iterable

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from jackpot.display.views import LinkView, Overview, PayoutView, TableView

HITS_SHOWN = 5
TABLES_SHOWN = 12  # on a screen of unknown height
_OTHER_LINES = 22  # of a screen that are not tables
_PHASES = {"idle": "no round", "locked": "locked out", "collected": "counted"}


def page(overview: Overview | None, lost: str = "", height: int = 0) -> RenderableType:
    """Everything, or that there is nothing yet."""
    parts: list[RenderableType] = []
    if lost:
        parts.append(Text(lost, style="bold white on red"))
    if overview is not None:
        shown = max(height - _OTHER_LINES, 3) if height else TABLES_SHOWN
        parts += [
            _head(overview),
            *(Text(f"! {alarm.text}", style="bold red") for alarm in overview.alarms[:5]),
            Text(),
            _links(overview.links),
            Text(),
            _tables(overview.tables[:shown], overview.now_ms),
            *_more(len(overview.tables) - shown, "tables"),
            Text(),
            _payouts(overview.payouts, overview.now_ms),
            Text(),
            _hits(overview),
        ]
    return Group(*parts)


def _head(overview: Overview) -> Text:
    state = ("serving", "bold green") if overview.serving else ("NOT SERVING", "bold red")
    return Text.assemble(
        (overview.site, "bold"), "  ", state, f"  journal at {overview.sequence:,}"
    )


def _grid(*heads: str, right: Iterable[str] = ()) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", expand=False)
    for head in heads:
        table.add_column(head, justify="right" if head in right else "left", no_wrap=True)
    return table


def _links(links: Iterable[LinkView]) -> Table:
    table = _grid("LINK", "LEVEL", "METER", "RESERVE", "STATUS", right=("METER", "RESERVE"))
    for link in links:
        title, status = link.title, link.status
        for level in link.levels:
            meter = Text(f"${level.meter}", style="bold yellow")
            table.add_row(title, level.name, meter, f"${level.reserve}", status)
            title = status = ""
    return table


def _tables(tables: Iterable[TableView], now_ms: int) -> Table:
    right = ("ROUND", "WAGERS", "HEARD")
    table = _grid("TABLE", "LINKS", "STATE", "ROUND", "WAGERS", "HEARD", right=right)
    for found in tables:
        state = _PHASES.get(found.phase, found.phase) if found.attached else "not attached"
        table.add_row(
            found.table,
            ", ".join(found.links),
            state,
            f"{found.round:,}",
            str(found.accepted),
            _age(found.heard_ms, now_ms),
        )
    return table


def _payouts(payouts: tuple[PayoutView, ...], now_ms: int) -> RenderableType:
    if not payouts:
        return Text("no payouts due", style="dim")
    table = _grid("PAYOUT", "WHERE", "HAND", "AMOUNT", "STATE", "AGE", right=("AMOUNT", "AGE"))
    for due in payouts[:8]:
        table.add_row(
            str(due.payout),
            f"{due.table} seat {due.seat}",
            due.hand,
            f"${due.amount}",
            Text(due.state, style="bold red" if due.state == "pending" else "green"),
            _age(due.since_ms, now_ms),
        )
    return Group(table, *_more(len(payouts) - 8, "payouts"))


def _hits(overview: Overview) -> RenderableType:
    if not overview.hits:
        return Text("no hits yet", style="dim")
    table = _grid("HIT", "WHERE", "LEVEL", "AMOUNT", "STATE", "AGO", right=("AMOUNT", "AGO"))
    for hit in overview.hits[:HITS_SHOWN]:
        table.add_row(
            hit.hand,
            f"{hit.table} seat {hit.seat}",
            hit.level_name,
            f"${hit.amount}",
            hit.status,
            _age(hit.time_ms, overview.now_ms),
        )
    return table


def _more(count: int, what: str) -> list[Text]:
    return [Text(f"and {count:,} {what} more", style="dim")] if count > 0 else []


def _age(from_ms: int, now_ms: int) -> str:
    if not from_ms:
        return "never"
    seconds = max((now_ms - from_ms) // 1_000, 0)
    for unit, length in (("d", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"
