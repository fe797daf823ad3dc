"""What `jackpot demo` shows while it plays, and says at the end.

On a terminal, a live picture: meters, what each table does, the last rounds and awards. Elsewhere,
a line for each award, or with `--json` a line of JSON for each round.
"""

import json
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import click
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from jackpot.cli.shared.operator_view import meters_table, money
from jackpot.cli.verify import site_line
from jackpot.core.config import Site
from jackpot.rules.cards import pretty
from jackpot.rules.loader import rules
from jackpot.verify import verify
from jackpot.wire.v1 import meter_pb2
from table_client.table.ports import SideAward
from table_client.table.round.play import RoundResult
from table_client.table.trace import Record, as_json

_KEPT = 12  # awards and rounds remembered; how many are shown depends on the terminal
_HEADINGS = 6  # and other lines besides those of meters, tables, rounds and awards
_LIT, _DARK, _EMPTY = "●", "○", "·"


class TableView:
    """What a table does now."""

    def __init__(self, game: str, seats: int) -> None:
        self.game = game.removesuffix(" Poker")
        self.rounds = 0
        self.lamps = [_EMPTY] * seats
        self.says = ""

    def hear(self, record: Record) -> None:
        """Follow a step."""
        if record.number == 1:
            self.rounds += 1
            self.lamps = [_EMPTY] * len(self.lamps)
        if record.seat and record.step == "wager":
            self._light(record.seat, _DARK)
        if record.seat and record.step == "lamp" and record.amount_micros:
            self._light(record.seat, _LIT)
        cards = f" {pretty(record.cards)}" if record.cards else ""
        self.says = f"{record.says}{cards}"

    def _light(self, seat: int, mark: str) -> None:
        if self.lamps[seat - 1] != _LIT:
            self.lamps[seat - 1] = mark


class Show:
    """Watches the floor, and shows it."""

    def __init__(self, site: Site, seed: str, *, json_: bool = False) -> None:
        self.seed = seed
        self.console = Console()
        self._json = json_
        self._pages = ""
        self._drawn = self.console.is_terminal and not json_
        self._links: dict[str, meter_pb2.LinkMeters] = {}
        titles = {link.id: rules()[link.rule].title.split(",")[0] for link in site.links}
        self._tables = {
            table.id: TableView(titles[table.links[0]], table.seats) for table in site.tables
        }
        self._awards: deque[str] = deque(maxlen=_KEPT)
        self._rounds: deque[str] = deque(maxlen=_KEPT)
        self._counts = dict.fromkeys(("rounds", "voids", "wagers", "payouts"), 0)
        self._wagered_micros = 0
        self._won_micros = 0

    def opened(self, where: str, devices: str, url: str, links: Iterable[str], rigged: str) -> None:
        """Say where things are, and that luck is helped along."""
        signs = [f"{url}/sign/{link}" for link in links]
        self._pages = f"sign {signs[0]}  operators {url}/ops"
        if self._json:
            about = {"controller": where, "devices": devices, "seed": self.seed, "rigged": rigged}
            self._line({"event": "opened", **about, "signs": signs, "operators": f"{url}/ops"})
            return
        self._print(
            f"A controller on {where}, six tables playing with seed {self.seed}.\n"
            f"Shufflers and shoes on {devices}, in their own process.\n"
            f"{rigged or 'The cards are dealt at random.'}\nOpen in a browser:"
        )
        for sign in signs:
            self._print(f"  sign          {sign}")
        self._print(f"  operator page {url}/ops")
        self._print(f"In another terminal: jackpot meters --watch --controller {where}")

    def live(self) -> AbstractContextManager[object]:
        """Draw while this lasts, where there is a terminal."""
        if not self._drawn:
            return nullcontext()
        return Live(
            console=self.console, refresh_per_second=8, transient=True, get_renderable=self._render
        )

    # What happens

    def meters(self, link: meter_pb2.LinkMeters) -> None:
        """Take in newer meters."""
        self._links[link.link] = link

    def heard(self, table: str, record: Record) -> None:
        """Follow a table."""
        self._tables[table].hear(record)

    def awarded(self, table: str, number: int, awards: Sequence[SideAward]) -> None:
        """Tell of awards."""
        for award in awards:
            self._counts["payouts"] += 1
            self._won_micros += award.amount_micros
            hand = award.hand.replace("-", " ")
            line = (
                f"{table} round {number}: seat {award.seat} wins {money(award.amount_micros)}, "
                f"{hand} ({award.kind})"
            )
            self._awards.append(line)
            if not (self._drawn or self._json):
                self._print(line)

    def played(self, table: str, result: RoundResult) -> None:
        """A round is over."""
        linked = [amount for seat in result.seats.values() for amount in seat.linked.values()]
        self._counts["rounds"] += 1
        self._counts["voids"] += bool(result.void)
        self._counts["wagers"] += len(linked)
        self._wagered_micros += sum(linked)
        self._rounds.append(_round_line(table, result))
        if self._json:
            self._line({"event": "round", "table": table, **as_json(result)})

    # The end

    def summary(self, data: Path) -> None:
        """What was played, the meters, and whether the journal is sound."""
        sites = verify(data).sites
        counts = self._counts
        wagered, won = money(self._wagered_micros), money(self._won_micros)
        if self._json:
            heads = {site.site: site.head_hash for site in sites if not site.first_bad}
            sums = {"wagered": wagered, "won": won}
            self._line({"event": "summary", **counts, **sums, "heads": heads})
            return
        self._print(
            f"\n{counts['rounds']:,} rounds, {counts['wagers']:,} wagers for {wagered}, "
            f"{counts['payouts']:,} payouts of {won}"
        )
        self.console.print(meters_table(self._links.values()))
        for site in sites:
            self._print(f"journal {site_line(site)}")

    def _line(self, fields: Mapping[str, object]) -> None:
        click.echo(json.dumps(fields))

    def _print(self, text: str) -> None:
        self.console.print(text, highlight=False, soft_wrap=True)

    def _render(self) -> Group:
        meters, tables = meters_table(self._links.values()), self._tables_table()
        taken = meters.row_count + tables.row_count + _HEADINGS
        lists = max(self.console.height - 1 - taken, 2)
        awards = list(self._awards)[-(lists - lists // 2) :]
        rounds = list(self._rounds)[-(lists // 2) :]
        return Group(
            Text(self._pages, "dim", overflow="ellipsis", no_wrap=True),
            meters,
            Text(""),
            tables,
            *_listed("LAST ROUNDS", rounds),
            *_listed("AWARDS", awards, "bold yellow"),
        )

    def _tables_table(self) -> Table:
        table = Table(box=None, pad_edge=False, header_style="bold", expand=True)
        for heading in ("TABLE", "GAME"):
            table.add_column(heading, no_wrap=True)
        table.add_column("#", justify="right")
        table.add_column("LAMPS", style="yellow", no_wrap=True)
        table.add_column("NOW", no_wrap=True, overflow="ellipsis", ratio=1)
        for name, view in self._tables.items():
            number = str(view.rounds or "")
            table.add_row(name, view.game, number, "".join(view.lamps), view.says)
        return table


def _listed(heading: str, lines: Sequence[str], style: str = "") -> list[Text]:
    rows = [Text(line, style, overflow="ellipsis", no_wrap=True) for line in lines]
    return [Text(heading, "bold"), *rows]


def _round_line(table: str, result: RoundResult) -> str:
    """A round in a line: the dealer's or the common cards, and what the players have of it."""
    number = f"{table} round {result.number}"
    if result.void:
        return f"{number}: void, {result.void.replace('_', ' ').lower()}; all wagers are returned"
    cards = pretty(result.dealer or result.community)
    net_micros = sum(seat.net_micros for seat in result.seats.values())
    whose = "players" if net_micros >= 0 else "house"
    return f"{number}: {cards}, {len(result.seats)} hands, {whose} +{money(abs(net_micros))}"
