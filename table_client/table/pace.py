"""How long people take at a table, in the time of the floor: for demonstrations and replays.

The devices say themselves how long a card takes. What players, dealers and floorpersons take is
here: typical figures, spread a little by the table's own draws, so that tables don't march in step.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, TypeVar

from table_client.client import TableClient
from table_client.table.devices.api import Devices
from table_client.table.devices.device_deck import DeviceDeck
from table_client.table.devices.model import StationConfig
from table_client.table.ports import (
    Deal,
    Dealt,
    Floorperson,
    LockedOut,
    Made,
    Mismatch,
    SeatHand,
    SideAward,
    SideWager,
)
from table_client.table.progressive import LinkedProgressive
from table_client.table.randomness import RandomStream
from table_client.table.turns import Turns

SHUFFLED_MS: Final = 6_000  # gather, insert and eject; the shuffler itself works meanwhile
CHIPS_MS: Final = 1_500  # one seat's
CALL_MS: Final = 2_000  # "no more bets"
COUNT_MS: Final = 3_000
HAND_MS: Final = 2_500  # one hand looked at, decided and settled
PAY_MS: Final = {"inventory": 8_000, "account": 1_000, "cage": 40_000}
_SPREAD: Final = 60  # percent between the quickest and the slowest

Answer = TypeVar("Answer")
Told = Callable[[Sequence[SideAward]], None]


class Pace:
    """One table's time."""

    def __init__(self, turns: Turns, draws: RandomStream) -> None:
        self._turns = turns
        self._draws = draws

    async def spend(self, ms: int) -> None:
        """About so long."""
        percent = 100 - _SPREAD // 2 + self._draws.below(_SPREAD + 1)
        await self._turns.spend(ms * percent // 100)


class PacedDeck(DeviceDeck):
    """Cards that take as long as their devices say; the devices themselves wait for nobody."""

    def __init__(self, devices: Devices, config: StationConfig, pace: Pace) -> None:
        super().__init__(devices, config)
        self._pace = pace
        self._at_ms = 0

    async def prepare(self) -> tuple[Made, ...]:
        """Have a shuffled deck ready. A deck is opened before the table is, so that is no wait."""
        made = await super().prepare()
        self._at_ms = (await self._status()).at_ms
        await self._pace.spend(SHUFFLED_MS)
        return made

    async def deal(self, deals: Sequence[Deal]) -> tuple[Dealt, ...]:
        """Deal in order."""
        return await self._timed(super().deal(deals))

    async def remove_stub(self, *, count: bool) -> int | None:
        """Put the stub in the discard rack."""
        return await self._timed(super().remove_stub(count=count))

    async def _timed(self, answer: Awaitable[Answer]) -> Answer:
        result = await answer
        at_ms = (await self._status()).at_ms
        took_ms, self._at_ms = at_ms - self._at_ms, at_ms
        await self._pace.spend(took_ms)
        return result


class PacedProgressive(LinkedProgressive):
    """Links whose chips, counts and payments take their time; tells of awards as they fall."""

    def __init__(
        self,
        client: TableClient,
        floor: Floorperson,
        pace: Pace,
        told: Told,
    ) -> None:
        super().__init__(client, floor)
        self._pace = pace
        self._told = told

    async def place(self, wagers: Sequence[SideWager]) -> tuple[SideWager, ...]:
        """A player puts chips down."""
        await self._pace.spend(CHIPS_MS)
        return await super().place(wagers)

    async def lock_out(self) -> LockedOut:
        """The dealer calls."""
        await self._pace.spend(CALL_MS)
        return await super().lock_out()

    async def confirm_collection(self, chips: Mapping[str, int]) -> Mismatch | None:
        """The dealer counts."""
        await self._pace.spend(COUNT_MS)
        return await super().confirm_collection(chips)

    async def settle(
        self, hands: Sequence[SeatHand], dealer: Sequence[str], community: Sequence[str]
    ) -> tuple[SideAward, ...]:
        """Hand by hand."""
        await self._pace.spend(HAND_MS * len(hands))
        awards = await super().settle(hands, dealer, community)
        self._told(awards)
        return awards

    async def pay(self, award: SideAward) -> None:
        """The floorperson comes, and perhaps the cage."""
        await self._pace.spend(PAY_MS[award.source])
        await super().pay(award)
