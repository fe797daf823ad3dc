"""Play a whole game at a table, card by card, with shuffler and shoe, on the transcript."""

import asyncio
import random
from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from emulator.devices.local import LocalDevices
from emulator.soak.audit.terms import BetTerms, TableTerms
from emulator.soak.clients import RecordingClient
from emulator.soak.options import Chances
from emulator.soak.report.hits import Hits
from emulator.soak.tables.staff import Floor
from jackpot.core.config import Link
from jackpot.wire.v1 import table_pb2 as pb
from table_client.table.devices.deck import DeviceDeck
from table_client.table.devices.faults import Fault as DeviceFault
from table_client.table.devices.model import Method, StationConfig
from table_client.table.floor_calls import Calls
from table_client.table.games.catalogue import GAMES
from table_client.table.games.settings import Settings
from table_client.table.players import Habits, SimulatedPlayer
from table_client.table.ports import SideAward
from table_client.table.progressive import LinkedProgressive
from table_client.table.round.play import RoundResult, Table

RIGGED_PPM = 40_000  # of players' hands: with six of them, in about every fourth round


class GameTable:
    """One table, with its devices and its players."""

    def __init__(
        self,
        client: RecordingClient,
        terms: TableTerms,
        links: Sequence[Link],
        floor: Floor,
        seed: str,
        chances: Chances,
        hits: Hits,
        *,
        rigged: bool,
        pause_s: float,
    ) -> None:
        self.client = client
        self.terms = terms
        self.rounds = 0
        self.voids = 0
        self._floor = floor
        self._calls = Calls(client, _AtHand(floor))
        self._hits = hits
        self._fair = not rigged  # which hands were made to win is not known here
        self._pause_s = pause_s
        self._draw = random.Random(f"{seed}/{terms.id}/whole")  # noqa: S311 - as a replay needs
        self._device_fault_ppm = chances.device_fault_ppm
        game = GAMES[terms.rule]
        progressive = LinkedProgressive(client, links, _AtHand(floor))
        settings = Settings(boxes=terms.boxes)
        method = self._draw.choice([Method.AUTOMATED_SHOE, Method.MANUAL_SHOE])
        config = StationConfig(method=method, seed=f"{seed}/{terms.id}")
        if rigged:  # only an automated shoe can be
            config = replace(config, method=Method.AUTOMATED_SHOE, rigged_ppm=RIGGED_PPM)
        self._devices = LocalDevices(terms.id, config)
        self._table = Table(game, DeviceDeck(self._devices, config), progressive, settings)
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
        if answer.HasField("round") and answer.round.phase != pb.ROUND_PHASE_SETTLED:
            await self._calls.void_left(answer.round, "left")
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


class _AtHand:
    """The site's floor, as a table calls it."""

    def __init__(self, floor: Floor) -> None:
        self._floor = floor

    async def pay(self, award: SideAward) -> None:
        """Validate and pay at once."""
        await self._floor.pay(award.payout)

    async def void_round(self, table: str, round_: int, irregularity: str) -> None:
        """Void a table's round."""
        await self._floor.void_round(table, round_, irregularity)

    async def void_seat(self, table: str, round_: int, seat: int, irregularity: str) -> None:
        """Void one seat of a table's round."""
        await self._floor.void_seat(table, round_, seat, irregularity)

    async def remove_wager(self, table: str, round_: int, seat: int, bet: str) -> None:
        """Remove a wager that has no chip."""
        await self._floor.remove_wager(table, round_, seat, bet)


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
