"""Raise the alarms of conditions that last: what waits too long, and what signs can't show."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence

from jackpot.core import ledger
from jackpot.core.links import players_money
from jackpot.core.money import dollars, floor_to_cent
from jackpot.core.order import payouts_in_order
from jackpot.core.reasons import Refusal
from jackpot.core.state import State
from jackpot.engine import Alarm, AlarmKind, Engine
from jackpot.engine.alarms import alarm
from jackpot.engine.meter_board import frame_of
from jackpot.sources import clock_micros

LATE_MICROS = 15 * 60_000_000  # a payout that waits longer keeps its table shut too long
SILENT_MICROS = 60_000_000  # a table in the middle of a round that says nothing
MINUTE_MICROS = 60_000_000
HOUR_MICROS = 60 * MINUTE_MICROS
DAY_MICROS = 24 * HOUR_MICROS
FUNDS_MICROS = 30 * DAY_MICROS  # by then the money of a link that is played no more has moved
LOOK_S = 5.0
Heartbeats = Mapping[tuple[str, str], int]  # (site, table) -> time in micros


class StandingAlarms:
    """Keeps the engine's alarms about conditions that last up to date."""

    def __init__(self, engine: Engine, sites: Sequence[str], heartbeats: Heartbeats) -> None:
        self._engine = engine
        self._sites = sites
        self._heartbeats = heartbeats

    async def run(self) -> None:
        """Look every few seconds, also while nobody watches a page."""
        while True:
            for site in self._sites:
                await self.look(site)
            await asyncio.sleep(LOOK_S)

    async def look(self, site: str) -> int | Refusal:
        """Raise a site's alarms of this moment; the sequence at which they were found."""

        def question(state: State) -> tuple[int, list[Alarm]]:
            alarms = (self._silent(state), _late(state), _frozen(state), _out_of_service(state))
            return state.sequence, [each for found in alarms for each in found]

        found = await self._engine.read(site, question, fresh=False)
        if isinstance(found, Refusal):
            return found
        sequence, alarms = found
        self._engine.alarms.stand(f"floor of {site}", alarms)
        return sequence

    def _silent(self, state: State) -> Iterator[Alarm]:
        now_micros = clock_micros()
        for id_, table in state.tables.items():
            round_ = table.round
            if round_ is None or round_.phase not in ("open", "locked", "collected"):
                continue
            heard_micros = self._heartbeats.get((state.site, id_), 0)
            since_micros = max(heard_micros, self._engine.alarms.since_micros)
            if now_micros - since_micros > SILENT_MICROS:
                minutes = (now_micros - since_micros) // MINUTE_MICROS
                yield alarm(
                    AlarmKind.TABLE_SILENT,
                    since_micros,
                    state.site,
                    id_,
                    table=id_,
                    heard=f"for {minutes} min" if heard_micros else "since the controller started",
                    round=round_.number,
                    phase=round_.phase,
                )


def _late(state: State) -> Iterator[Alarm]:
    now_micros = clock_micros()
    for payout in payouts_in_order(state):
        if now_micros - payout.since_micros > LATE_MICROS:
            yield alarm(
                AlarmKind.PAYOUT_LATE,
                payout.since_micros,
                state.site,
                payout.id,
                payout=payout.id,
                table=payout.table,
                state="validated" if payout.floorperson else "pending",
                minutes=(now_micros - payout.since_micros) // MINUTE_MICROS,
            )


def _frozen(state: State) -> Iterator[Alarm]:
    """Meters that no sign can show any more; they count on."""
    for link in state.links.values():
        for level in frame_of(state, link).levels:
            if level.frozen_micros:
                yield alarm(
                    AlarmKind.DISPLAY_FROZEN,
                    site=state.site,
                    about=ledger.key(link.config.id, level.level),
                    largest=dollars(level.frozen_micros),
                    meter=dollars(floor_to_cent(level.meter_micros)),
                )


def _out_of_service(state: State) -> Iterator[Alarm]:
    """Links that somebody has to resume, or whose players' money has to go to another one."""
    now_micros = clock_micros()
    for id_, link in state.links.items():
        if link.away_micros and link.status == "suspended":
            yield alarm(
                AlarmKind.CONTROLLER_AWAY,
                link.out_micros,
                state.site,
                id_,
                hours=link.away_micros // HOUR_MICROS,
            )
        out_micros = now_micros - link.out_micros
        if not link.out_micros or out_micros <= FUNDS_MICROS:
            continue
        if held_micros := sum(micros for _, _, micros in players_money(state, link)):
            yield alarm(
                AlarmKind.FUNDS_WAITING,
                link.out_micros + FUNDS_MICROS,
                state.site,
                id_,
                days=out_micros // DAY_MICROS,
                held=dollars(floor_to_cent(held_micros)),
            )
