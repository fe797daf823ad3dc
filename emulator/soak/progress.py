"""What a terminal shows while a soak runs."""

import asyncio
from contextlib import AbstractContextManager, nullcontext

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from emulator.soak.fault_counts import fault_counts
from emulator.soak.run import Soak

_LINE_S = 10.0  # where there is no terminal, a line so often


class Progress:
    """Draws a run; without a terminal it prints a line now and then."""

    def __init__(self, soak: Soak, console: Console) -> None:
        self._soak = soak
        self._console = console
        self._last = (0.0, 0, 0)

    def live(self) -> AbstractContextManager[object]:
        """Draw while this lasts."""
        if not self._console.is_terminal:
            return nullcontext()
        return Live(console=self._console, refresh_per_second=4, get_renderable=self._render)

    async def lines(self) -> None:
        """Print a line now and then, until cancelled."""
        while not self._console.is_terminal:
            await asyncio.sleep(_LINE_S)
            self._console.print(self._rates(), highlight=False, soft_wrap=True)

    def _rates(self) -> str:
        soak = self._soak
        now, rounds, wagers = soak.elapsed_s, soak.rounds, soak.tape.wagers
        then, rounds_then, wagers_then = self._last
        self._last = (now, rounds, wagers)
        span = max(now - then, 1e-9)
        latencies = (f"{soak.latencies.quantile_s(q) * 1000:.0f}" for q in (0.5, 0.99, 0.999))
        return (
            f"{now:5.0f} s  {rounds:,} rounds, {(rounds - rounds_then) / span:,.0f}/s  "
            f"{wagers:,} wagers, {(wagers - wagers_then) / span:,.0f}/s  "
            f"p50/99/99.9 {'/'.join(latencies)} ms"
        )

    def _render(self) -> Group:
        soak = self._soak
        meters = Table(box=None, padding=(0, 2, 0, 0))
        for title in ("meter", "", "reserve", "overflow"):
            meters.add_column(title, justify="left" if title == "meter" else "right")
        for name, link in soak.auditor.books.links.items():
            for level, held in link.levels.items():
                amounts = [f"${amount / 1e6:,.2f}" for amount in held.purse()]
                meters.add_row(f"{name}/{level}", *amounts)
        done = fault_counts(soak)
        faults = ", ".join(f"{what} {count:,}" for what, count in sorted(done.items()) if count)
        awards = [Text(f"  {line}", style="yellow") for line in soak.awards.last[-5:]]
        audit = (
            f"audited to sequence {soak.auditor.sequence:,}, all accounts agreed at "
            f"{soak.auditor.agreed:,}; {soak.tape.under_way} commands under way"
        )
        return Group(
            Text(self._rates()),
            Text(audit),
            meters,
            Text(f"faults: {faults or 'none so far'}"),
            *awards,
        )
