"""What `jackpot demo` shows while it plays, and says at the end."""

from collections import deque
from collections.abc import Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from jackpot.cli.demo_tables import Tally
from jackpot.cli.meter_view import hit_line, meters_table, money
from jackpot.cli.verify import site_line
from jackpot.v1 import meter_pb2, payout_pb2
from jackpot.verify import verify

AWARDS_SHOWN = 8


class Show:
    """What the terminal shows, and says at the end."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.tally = Tally()
        self.console = Console()
        self._links: dict[str, meter_pb2.LinkMeters] = {}
        self._awards: deque[str] = deque(maxlen=AWARDS_SHOWN)
        self._hits: dict[str, int] = {}
        self._drawn = self.console.is_terminal

    def opened(self, where: str, url: str, links: Iterable[str]) -> None:
        """Say where things are."""
        signs = "".join(f"\n  sign          {url}/sign/{link}" for link in links)
        self.console.print(
            f"A controller on {where}, tables playing with seed {self.seed}.\n"
            f"Open in a browser:{signs}\n"
            f"  operator page {url}/ops\n"
            f"Elsewhere: jackpot meters --watch --controller {where}",
            highlight=False,
        )

    def live(self) -> AbstractContextManager[object]:
        """Draw while this lasts; where there is no terminal, awards are printed line by line."""
        if not self._drawn:
            return nullcontext()
        return Live(console=self.console, refresh_per_second=10, get_renderable=self._render)

    def frame(self, response: meter_pb2.WatchMetersResponse) -> None:
        """Take in newer meters."""
        for link in response.links:
            new = link.hit_count - self._hits.get(link.link, link.hit_count)
            for hit in link.recent_hits[-new:] if new else ():
                self._say(hit_line(link, hit))
            self._hits[link.link] = link.hit_count
            self._links[link.link] = link

    def award(self, payout: payout_pb2.Payout) -> None:
        """Tell of an award."""
        kind = payout_pb2.PayoutKind.Name(payout.kind).removeprefix("PAYOUT_KIND_").lower()
        self._say(
            f"{payout.table} round {payout.round}: {payout.hand} ({kind}) "
            f"wins seat {payout.seat} {money(payout.amount_micros)}"
        )

    def summary(self, data: Path) -> None:
        """The end: what was played, the meters, and whether the journal is sound."""
        tally = self.tally
        self.console.print(
            f"\n{tally.rounds:,} rounds, {tally.wagers:,} wagers for "
            f"{money(tally.wagered_micros)}, {tally.payouts:,} payouts of "
            f"{money(tally.paid_micros)}",
            highlight=False,
        )
        self.console.print(meters_table(self._links.values()))
        for site in verify(data).sites:
            self.console.print(f"journal {site_line(site)}", highlight=False)

    def _say(self, line: str) -> None:
        self._awards.append(line)
        if not self._drawn:
            self.console.print(line, highlight=False, soft_wrap=True)

    def _render(self) -> Group:
        tally = self.tally
        return Group(
            Text(""),
            meters_table(self._links.values()),
            Text(f"\n{tally.rounds:,} rounds, {tally.wagers:,} wagers\n", style="dim"),
            *(Text(line, overflow="ellipsis", no_wrap=True) for line in self._awards),
        )
