"""Play a whole game at a table, card by card, with shuffler and shoe, on the transcript."""

import asyncio
import random
from collections.abc import Iterator, Mapping

from emulator.devices.local import LocalDevices
from emulator.soak.audit.terms import BetTerms, TableTerms
from emulator.soak.clients import RecordingClient
from emulator.soak.options import Chances, Options
from emulator.soak.report.hits import Hits
from emulator.soak.tables.staff import Floor
from jackpot.core.config import BaseTerms
from table_client.client import OVER
from table_client.table.assembly import station_config
from table_client.table.devices.device_deck import DeviceDeck
from table_client.table.devices.device_faults import Fault as DeviceFault
from table_client.table.devices.model import Method
from table_client.table.floor import Calls
from table_client.table.games.catalogue import GAMES
from table_client.table.players import Habits, SimulatedPlayer
from table_client.table.progressive import LinkedProgressive
from table_client.table.round.play import RoundResult, Table

RIGGED_PPM = 40_000  # of players' hands: with six of them, in about every fourth round


class GameTable:
    """One table, with its devices and its players."""

    def __init__(
        self,
        client: RecordingClient,
        terms: TableTerms,
        base: BaseTerms | None,
        floor: Floor,
        options: Options,
        chances: Chances,
        hits: Hits,
    ) -> None:
        seed, rigged = options.seed, options.rigged
        self.client = client
        self.terms = terms
        self.rounds = 0
        self.voids = 0
        self._floor = floor
        self._calls = Calls(client, floor)
        self._hits = hits
        self._fair = not rigged  # which hands were made to win is not known here
        self._pause_s = options.pause_s(1)
        self._draw = random.Random(f"{seed}/{terms.id}/whole")  # noqa: S311 - as a replay needs
        self._device_fault_ppm = chances.device_fault_ppm
        game = GAMES[terms.rule]
        progressive = LinkedProgressive(client, floor)
        method = self._draw.choice([Method.AUTOMATED_SHOE, Method.MANUAL_SHOE])
        if rigged:  # only an automated shoe can be
            method = Method.AUTOMATED_SHOE
        config = station_config(game, method, f"{seed}/{terms.id}", RIGGED_PPM if rigged else 0)
        self._devices = LocalDevices(terms.id, config)
        self._table = Table(
            game, DeviceDeck(self._devices, config), progressive, base, boxes=terms.boxes
        )
        habits = Habits(late=chances.late_percent)
        self._players = {
            seat: SimulatedPlayer(f"{terms.id} guest {seat}", seed, habits)
            for seat in range(1, terms.seats + 1)
        }

    @property
    def faults(self) -> Mapping[DeviceFault, int]:
        """What its devices and cards did wrong, and how often."""
        return self._devices.faults_happened

    async def begin(self) -> None:
        """Attach; a round that was left is ended by the floor."""
        answer = await self.client.attach()
        if answer.round.phase not in OVER:
            await self._calls.void_left(answer.round, "TABLE_RESTARTED")
        if rate_ppm := self._device_fault_ppm:
            await self._devices.set_fault_rates(dict.fromkeys(DeviceFault, rate_ppm))

    async def play(self) -> None:
        """One round, from the shuffle to the discard rack."""
        self.rounds += 1
        if self._pause_s:
            await asyncio.sleep(self._pause_s * self._draw.uniform(0.5, 1.5))
        await self._floor.clear_table(self.terms.id, self._draw)
        result = await self._table.play_round(self._players)
        self.voids += bool(result.void)
        if self._fair and not result.void:
            self._hits.note_round(self.terms, rows_paid(self.terms, result))


_BY_HAND = ("share", "fixed")


def rows_paid(terms: TableTerms, result: RoundResult) -> Iterator[tuple[BetTerms, str]]:
    """Each bet that a hand was settled on, with the row that was paid, "" for none.

    Who folds holds nothing that pays. Bets on the dealer's hand are counted at the other tables.
    """
    for seat in result.seats.values():
        if seat.void or seat.fate in ("abandoned", "forfeited"):
            continue
        for name in seat.linked:
            bet = terms.bet(name)
            if bet is None or bet.on_dealer:
                continue
            rows = [a.hand for a in seat.awards if a.bet == name and a.kind in _BY_HAND]
            yield bet, rows[0] if rows else ""
