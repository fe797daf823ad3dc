"""Show on a terminal how far a soak has come."""

import asyncio
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from emulator.output import dollars
from emulator.soak.report.data import felt_counts
from emulator.soak.run import Soak

_LINE_S = 10.0  # where there is no terminal, a line so often
_PICTURE_S = 0.25
_THOUSANDS_FROM = 10_000
_MILLION = 1_000_000


def short(number: float) -> str:
    """A number in at most six characters, below a thousand millions: 9,999, 289k, 2.0M."""
    if number < _THOUSANDS_FROM:
        return f"{int(number):,}"
    if number < _MILLION:
        return f"{int(number / 1000)}k"
    return f"{number / _MILLION:.1f}M"


def rates_line(
    now_s: float,
    rounds: int,
    rounds_per_s: float,
    wagers: int,
    wagers_per_s: float,
    latencies_s: Iterable[float],
) -> str:
    """How far a run has come, in 80 columns even after hours."""
    latencies = "/".join(f"{seconds * 1000:.0f}" for seconds in latencies_s)
    return (
        f"{now_s:5.0f} s  {short(rounds)} rounds {short(rounds_per_s)}/s  "
        f"{short(wagers)} wagers {short(wagers_per_s)}/s  p50/99/99.9 {latencies} ms"
    )


class Progress:
    """Draws a run; without a terminal it prints a line now and then."""

    def __init__(self, soak: Soak, console: Console) -> None:
        self._soak = soak
        self._console = console
        self._last = (0.0, 0, 0)
        # Drawn in the loop: a thread of its own would read what the tables are changing.
        self._live = Live(console=console, auto_refresh=False, get_renderable=self._render)

    def live(self) -> AbstractContextManager[object]:
        """Draw while this lasts."""
        return self._live if self._console.is_terminal else nullcontext()

    async def go_on(self) -> None:
        """Draw it anew, or print a line now and then, until cancelled."""
        while self._console.is_terminal:
            await asyncio.sleep(_PICTURE_S)
            self._live.refresh()
        while True:
            await asyncio.sleep(_LINE_S)
            self._console.print(self._rates(), highlight=False, soft_wrap=True)

    def _rates(self) -> str:
        soak = self._soak
        now, rounds, wagers = soak.elapsed_s, soak.rounds, soak.transcript.wagers
        then, rounds_then, wagers_then = self._last
        if now < then:  # the clock began anew when the tables did
            then, rounds_then, wagers_then = 0.0, 0, 0
        self._last = (now, rounds, wagers)
        span = max(now - then, 1e-9)
        return rates_line(
            now,
            rounds,
            (rounds - rounds_then) / span,
            wagers,
            (wagers - wagers_then) / span,
            (soak.latencies.quantile_s(share) for share in (0.5, 0.99, 0.999)),
        )

    def _render(self) -> Group:
        soak = self._soak
        meters = Table(box=None, padding=(0, 2, 0, 0))
        for title in ("meter", "", "reserve", "overflow"):
            meters.add_column(title, justify="left" if title == "meter" else "right")
        for name, link in soak.auditor.books.links.items():
            for level, held in link.levels.items():
                amounts = [dollars(amount) for amount in held.purse()]
                meters.add_row(f"{name}/{level}", *amounts)
        done = felt_counts(soak)
        faults = ", ".join(f"{what} {count:,}" for what, count in sorted(done.items()) if count)
        awards = [Text(f"  {line}", style="yellow") for line in soak.awards.last[-5:]]
        audit = (
            f"audited to sequence {soak.auditor.sequence:,}, all accounts agreed at "
            f"{soak.auditor.agreed:,}; {soak.transcript.under_way} commands under way"
        )
        return Group(
            Text(self._rates()),
            Text(audit),
            meters,
            Text(f"faults: {faults or 'none so far'}"),
            *awards,
        )
