"""The engine of this process as a source: its meters, its state, a record of its commits."""

import time
from collections.abc import Callable, Mapping

from msgspec.structs import replace

from jackpot.core import ledger
from jackpot.core.reasons import Refusal
from jackpot.core.state import State
from jackpot.display import alarms, looks, words
from jackpot.display.record import MICROS_PER_S, Record
from jackpot.display.source import MICROS_PER_MS, SILENT_MS, for_list, hit_view, sign_card
from jackpot.display.tail import Tail
from jackpot.display.views import (
    HistoryView,
    HitView,
    LinkView,
    Overview,
    PanelView,
    PayoutView,
    Proposal,
    Range,
    SignCard,
    TableView,
)
from jackpot.engine import Engine
from jackpot.store.journal import Archive

Heartbeats = Mapping[tuple[str, str], int]  # (site, table) -> time in micros
_Seen = tuple[
    int,
    tuple[LinkView, ...],
    tuple[TableView, ...],
    tuple[PayoutView, ...],
    tuple[Proposal, ...],
    tuple[HitView, ...],
]


class EngineSource:
    """One site of an engine."""

    def __init__(
        self,
        engine: Engine,
        site: str,
        heartbeats: Heartbeats,
        open_reader: Callable[[], Archive] | None = None,
    ) -> None:
        """Without a reader of the journal the record begins now."""
        self.site = site
        self.meters = engine.meters
        self.engine = engine
        self._heartbeats = heartbeats
        self._tail = Tail(engine, site, open_reader)
        self._cards: dict[str, SignCard] = {}

    def start(self) -> None:
        """Begin to record."""
        self._tail.start()

    async def stop(self) -> None:
        """Record no more."""
        await self._tail.stop()

    @property
    def serving(self) -> bool:
        """Whether commands of the site are taken."""
        return self.engine.healthy and self.site not in self.engine.halted

    @property
    def record(self) -> Record | None:
        """Past rounds and meters, once they have been read."""
        return self._tail.record

    async def card(self, link: str) -> SignCard | None:
        """What of a link stays; another title comes with the next frame."""
        if link not in self._cards:

            def look(state: State) -> SignCard | None:
                found = state.links.get(link)
                return sign_card(found.config) if found else None

            found = await self.engine.read(self.site, look)
            if found is None or isinstance(found, Refusal):
                return None
            self._cards[link] = found
        return self._cards[link]

    async def tables(self) -> tuple[str, ...]:
        """The ids of all tables."""
        found = await self.engine.read(self.site, lambda state: tuple(state.tables))
        return () if isinstance(found, Refusal) else found

    async def panel(self, table: str) -> PanelView | None:
        """A table, with what the record has of it."""
        found = await self.engine.read(self.site, lambda state: looks.panel(state, table))
        if found is None or isinstance(found, Refusal):
            return None
        heard_ms = self._heard_ms(table)
        past = self.record.tables.get(table) if self.record else None
        counts = found.counts
        if past and past.chips is not None and found.phase in ("collected", "settled"):
            chips = past.chips
            counts = tuple(
                c if c.electronic else replace(c, confirmed=chips.get(c.bet, 0)) for c in counts
            )
        return replace(
            found,
            attached=found.attached and _fresh(heard_ms),
            heard_ms=heard_ms,
            counts=counts,
            rounds=tuple(past.rounds) if past else (),
        )

    async def overview(self) -> Overview | None:
        """The whole site."""
        found = await self.engine.read(self.site, _look)
        seen: _Seen = (0, (), (), (), (), ()) if isinstance(found, Refusal) else found
        sequence, links, listed, payouts, proposals, hits = seen
        tables = self._tables(listed)
        now_ms = _now_ms()
        record = self.record
        return Overview(
            site=self.site,
            sequence=sequence,
            now_ms=now_ms,
            serving=self.serving,
            links=links,
            tables=tables,
            payouts=payouts,
            proposals=proposals,
            alarms=(
                *alarms.of_controller(
                    self.engine.halted.get(self.site), now_ms, serving=self.serving
                ),
                *alarms.of_floor(tables, payouts, now_ms),
                *alarms.of_record(record),
            ),
            hits=hits,
            record_since_ms=record.since_micros // MICROS_PER_MS if record else 0,
        )

    def history(self, link: str, level: str, range_: Range) -> HistoryView | None:
        """A meter over time."""
        record = self.record
        found = record.levels.get(ledger.key(link, level)) if record else None
        if record is None or found is None:
            return None
        pairs = found.over(range_, _now_ms() // 1_000)
        return HistoryView(
            link=link,
            level=level,
            range=range_,
            times_s=tuple(time_s for time_s, _ in pairs),
            amounts=tuple(words.money(value) for _, value in pairs),
            since_s=record.since_micros // MICROS_PER_S,
        )

    def _heard_ms(self, table: str) -> int:
        """When the table was last heard: a heartbeat, or a command that was committed."""
        past = self.record.tables.get(table) if self.record else None
        committed_micros = past.heard_micros if past else 0
        return max(self._heartbeats.get((self.site, table), 0), committed_micros) // MICROS_PER_MS

    def _tables(self, found: tuple[TableView, ...]) -> tuple[TableView, ...]:
        past = self.record.tables if self.record else {}
        total_micros = sum(table.contributed_micros for table in past.values())
        views = []
        for table in found:
            heard_ms = self._heard_ms(table.table)
            micros = past[table.table].contributed_micros if table.table in past else 0
            views.append(
                replace(
                    table,
                    attached=table.attached and _fresh(heard_ms),
                    heard_ms=heard_ms,
                    contributed=words.money(micros) if self.record else "",
                    contributed_bp=micros * 10_000 // total_micros if total_micros else 0,
                )
            )
        return tuple(views)


def _look(state: State) -> _Seen:
    hits = tuple(hit_view(hit) for hit in for_list(state.hits))
    return (
        state.sequence,
        looks.links(state),
        looks.tables(state),
        looks.payouts(state),
        looks.proposals(state),
        hits,
    )


def _fresh(heard_ms: int) -> bool:
    return heard_ms > _now_ms() - SILENT_MS


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
