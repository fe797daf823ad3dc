"""What scenes are made of, and where those of a module are kept by their reason."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from jackpot.core.reasons import Reason
from jackpot.store.opening import Address
from jackpot.wire.v1 import operator_pb2, table_pb2
from tests.server.house import DOLLAR, FIVE, House, open_house

Scene = Callable[[House], Awaitable[Any]]
Scenario = Callable[[Path, Address], Awaitable[Any]]


class Scenes(dict[Reason, Scenario]):
    """The scenes of a module, each by the reason for which its last call is refused."""

    def scene(self, reason: Reason, more: str = "") -> Callable[[Scene], Scene]:
        """A scene in the usual house, or one with more in it, whose last call is refused."""

        def register(play: Scene) -> Scene:
            async def run(folder: Path, store: Address) -> Any:
                async with open_house(folder, store, more=more) as house:
                    return await play(house)

            self[reason] = run
            return play

        return register


async def adjust(house: House, dollars: int, level: str = "main", who: str = "") -> Any:
    """Set the meter by hand."""
    return await house.operate(
        "AdjustMeter",
        who=who,
        link="five",
        level=level,
        to_micros=dollars * DOLLAR,
        reason=operator_pb2.METER_REASON_MALFUNCTION,
        reference="memo 1",
    )


def placed(seat: int) -> table_pb2.WithdrawWagers:
    """A wager taken back."""
    return table_pb2.WithdrawWagers(wagers=[table_pb2.PlacedWager(seat=seat, bet=FIVE)])
