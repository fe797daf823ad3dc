"""Where pages get their truth from: the engine of this process, or a controller elsewhere."""

from collections.abc import Iterable
from typing import Protocol

from jackpot.core.config import Link, PayLine
from jackpot.core.state import Hit, is_open
from jackpot.display import words
from jackpot.display.views import (
    Amount,
    HistoryView,
    HitView,
    LevelCard,
    Overview,
    PanelView,
    Range,
    Row,
    SignCard,
    SignFrame,
)
from jackpot.engine import MeterBoard, MeterFrame
from jackpot.server.codec.meter import pot_lines

MICROS_PER_MS = 1_000
SILENT_MS = 30_000  # a table that was not heard for longer is not attached


class Source(Protocol):
    """One site, as far as people may look at it."""

    site: str
    meters: MeterBoard

    @property
    def serving(self) -> bool:
        """Whether what the meters show is what the controller holds."""

    async def card(self, link: str) -> SignCard | None:
        """What of a link does not change."""

    async def panel(self, table: str) -> PanelView | None:
        """A table."""

    async def overview(self) -> Overview | None:
        """The whole site; None while the controller can't be asked."""

    async def tables(self) -> tuple[str, ...]:
        """The ids of all tables."""

    def history(self, link: str, level: str, range_: Range) -> HistoryView | None:
        """A meter over time."""


def sign_frame(frame: MeterFrame) -> SignFrame:
    """What a sign is told of a link."""
    return SignFrame(
        title=frame.title,
        sequence=frame.sequence,
        time_ms=frame.time_micros // MICROS_PER_MS,
        status=frame.status,
        hit_count=frame.hit_count,
        levels=tuple(Amount(lv.level, words.money(lv.meter_micros)) for lv in frame.levels),
        hits=tuple(hit_view(hit) for hit in for_sign(frame.hits)),
        pending_adjustment=frame.pending_adjustment,
    )


def for_sign(hits: Iterable[Hit]) -> list[Hit]:
    """Hits as a sign has room for them: not yet paid first, the largest first."""
    return sorted(hits, key=lambda hit: (not is_open(hit), -hit.amount_micros, -hit.payout))


def for_list(hits: Iterable[Hit]) -> list[Hit]:
    """Hits in the order of a list: not yet paid first, the largest first; then the newest first."""
    found = sorted(hits, key=lambda hit: (hit.time_micros, hit.payout), reverse=True)
    return sorted(found, key=lambda hit: (not is_open(hit), -is_open(hit) * hit.amount_micros))


def hit_view(hit: Hit) -> HitView:
    """A hit as people read it."""
    return HitView(
        payout=hit.payout,
        time_ms=hit.time_micros // MICROS_PER_MS,
        link=hit.link,
        table=hit.table,
        seat=hit.seat,
        level=hit.level,
        level_name=words.level_name(hit.level),
        hand=words.spaced(hit.hand),
        amount=words.money(hit.amount_micros),
        status=hit.status,
    )


def sign_card(link: Link) -> SignCard:
    """What a sign shows of a link besides its meters."""
    # All bets of a link have one paytable.
    lines = pot_lines(link.pot) if link.pot else link.bets[0].paytable
    envy = () if link.pot else link.bets[0].envy
    whose = {bet.whose for bet in link.bets}

    def row(line: PayLine) -> Row:
        fixed_micros = words.fixed_micros(line, link.wager_micros)
        amount = words.money(fixed_micros) if fixed_micros else ""
        return Row(words.spaced(line.hand), words.pays(line), amount, line.level)

    return SignCard(
        link=link.id,
        title=link.title,
        wager=words.money(link.wager_micros),
        on=words.POT
        if link.pot
        else words.on_whom(player="player" in whose, dealer="dealer" in whose),
        levels=tuple(
            LevelCard(
                level.id,
                words.level_name(level.id),
                tuple(row(line) for line in lines if line.level == level.id),
            )
            for level in link.levels
        ),
        rows=tuple(row(line) for line in lines),
        envy=tuple(
            Row(words.spaced(line.hand), f"${words.money(line.amount_micros)}") for line in envy
        ),
    )
