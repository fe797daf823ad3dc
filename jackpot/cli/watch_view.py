"""The operator page as a terminal shows it: 80 columns, the urgent on top."""

from collections.abc import Iterable

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from jackpot.display.views.values import (
    Alarm,
    CallView,
    HitView,
    LinkView,
    Overview,
    PayoutView,
    Proposal,
    TableView,
)

ALARMS_SHOWN = 5  # and all critical ones
PAYOUTS_SHOWN = 8
CALLS_SHOWN = 5
PROPOSALS_SHOWN = 4
HITS_SHOWN = 5
TABLES_SHOWN = 12  # on a screen of unknown height
TABLES_AT_LEAST = 3
_PHASES = {"idle": "no round", "locked": "locked out", "collected": "counted"}
_UNITS = (("d", 86_400), ("h", 3_600), ("min", 60))


def page(overview: Overview | None, lost: str = "", height: int = 0) -> RenderableType:
    """Everything, or that there is nothing yet; tables get what is left of a screen's height."""
    above: list[RenderableType] = []
    below: list[RenderableType] = []
    if lost:
        above.append(Text(lost, style="bold white on red"))
    if overview is None:
        return Group(*above)
    now_ms = overview.now_ms
    above += [
        _head(overview),
        *_alarms(overview.alarms),
        Text(),
        *(Text(_call(call), style="bold yellow") for call in overview.calls[:CALLS_SHOWN]),
        *_more(len(overview.calls) - CALLS_SHOWN, "calls"),
        *_payouts(overview.payouts, now_ms),
        *_proposals(overview.proposals, now_ms),
        Text(),
        _links(overview.links),
        Text(),
    ]
    below += [Text(), _hits(overview.hits[:HITS_SHOWN], now_ms)]
    taken = sum(map(_lines, above + below)) + 2  # the tables' own heading, and "more"
    shown = max(height - taken, TABLES_AT_LEAST) if height else TABLES_SHOWN
    tables = _tables(overview.tables[:shown], now_ms)
    return Group(*above, tables, *_more(len(overview.tables) - shown, "tables"), *below)


def _lines(part: RenderableType) -> int:
    return part.row_count + 1 if isinstance(part, Table) else 1


def _head(overview: Overview) -> Text:
    state = ("serving", "bold green") if overview.serving else ("NOT SERVING", "bold red")
    return Text.assemble(
        (overview.site, "bold"), "  ", state, f"  journal entry {overview.sequence:,}"
    )


def _alarms(alarms: tuple[Alarm, ...]) -> list[Text]:
    """Every critical alarm, and as many warnings as there is room for."""
    critical = sum(alarm.severity == "critical" for alarm in alarms)
    shown = max(critical, ALARMS_SHOWN)
    urgent_first = sorted(alarms, key=lambda alarm: alarm.severity != "critical")
    return [
        *(Text(f"! {each.kind}: {each.text}", style="bold red") for each in urgent_first[:shown]),
        *_more(len(alarms) - shown, "alarms"),
    ]


def _grid(*heads: str, right: Iterable[str] = ()) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", expand=False)
    for head in heads:
        table.add_column(head, justify="right" if head in right else "left", no_wrap=True)
    return table


def _links(links: Iterable[LinkView]) -> Table:
    right = ("METER", "RESERVE", "OVERFLOW", "HITS")
    table = _grid("LINK", "LEVEL", "METER", "RESERVE", "OVERFLOW", "HITS", "STATUS", right=right)
    for link in links:
        first, last = link.link, (str(link.hit_count), link.status.replace("-", " "))
        for level in link.levels:
            meter = Text(f"${level.meter}", style="bold yellow")
            money = (f"${level.reserve}", f"${level.overflow}")
            table.add_row(first, level.level, meter, *money, *last)
            first, last = "", ("", "")
        if not link.levels:  # it pays fixed amounts only
            table.add_row(first, "no meter", "", "", "", *last)
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
            f"{_age(found.heard_ms, now_ms)} ago" if found.heard_ms else "never",
        )
    return table


def _payouts(payouts: tuple[PayoutView, ...], now_ms: int) -> list[RenderableType]:
    if not payouts:
        return [Text("no payouts due", style="dim")]
    right = ("PAYOUT", "AMOUNT", "AGE")
    table = _grid("PAYOUT", "WHERE", "HAND", "AMOUNT", "STATE", "AGE", right=right)
    for due in payouts[:PAYOUTS_SHOWN]:
        table.add_row(
            str(due.payout),
            f"{due.table} seat {due.seat}",
            due.hand,
            f"${due.amount}",
            Text(due.state, style="bold red" if due.state == "pending" else "green"),
            _age(due.since_ms, now_ms),
        )
    return [table, *_more(len(payouts) - PAYOUTS_SHOWN, "payouts")]


def _call(call: CallView) -> str:
    seat = f", seat {call.seat}" if call.seat else ""
    where = f"{call.table}, round {call.round}{seat}"
    return f"call {call.id}: {where}: {call.act} ({call.why}); jackpot floor approve {call.id}"


def _proposals(proposals: tuple[Proposal, ...], now_ms: int) -> list[RenderableType]:
    """Nothing at all where nothing waits: it seldom does."""
    if not proposals:
        return []
    table = _grid("PROPOSAL", "LEVEL", "CHANGE", "BY", "AGE", right=("PROPOSAL", "AGE"))
    for found in proposals[:PROPOSALS_SHOWN]:
        table.add_row(
            str(found.id),
            f"{found.link}/{found.level}",
            f"{found.before} → {found.after}",
            found.by,
            _age(found.since_ms, now_ms),
        )
    return [Text(), table, *_more(len(proposals) - PROPOSALS_SHOWN, "proposals")]


def _hits(hits: tuple[HitView, ...], now_ms: int) -> RenderableType:
    if not hits:
        return Text("no hits yet", style="dim")
    right = ("AMOUNT", "AGO")
    table = _grid("HIT", "WHERE", "LEVEL", "AMOUNT", "STATE", "AGO", right=right)
    for hit in hits:
        table.add_row(
            hit.hand,
            f"{hit.table} seat {hit.seat}",
            f"{hit.link}/{hit.level}",
            f"${hit.amount}",
            Text(hit.status, style="bold red" if hit.status == "pending" else ""),
            _age(hit.time_ms, now_ms),
        )
    return table


def _more(count: int, what: str) -> list[Text]:
    return [Text(f"and {count:,} {what} more", style="dim")] if count > 0 else []


def _age(from_ms: int, now_ms: int) -> str:
    seconds = max((now_ms - from_ms) // 1_000, 0)
    for unit, length in _UNITS:
        if seconds >= length:
            return f"{seconds // length} {unit}"
    return f"{seconds} s"
