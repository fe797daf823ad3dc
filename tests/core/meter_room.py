"""Two links, and an operator who sets meters and moves money."""

import msgspec

from jackpot.core.commands.operator import AdjustMeter, TransferFunds
from jackpot.core.events import AnyEvent
from jackpot.core.reasons import Refusal
from tests.core.floor import (
    Floor,
    five_card_a,
    table,
)


def two_links(**level: int) -> Floor:
    """Two progressives and a table on each."""
    links = [five_card_a("a", **level), five_card_a("b")]
    return Floor().open_up(links, [table("t1", "a"), table("t2", "b")])


def adjust(
    floor: Floor, to: int, why: str = "reset", link: str = "a", level: str = "main"
) -> AnyEvent | Refusal:
    """A meter set to an amount in cents."""
    command = {"type": "AdjustMeter", "link": link, "level": level, "to_micros": to * 10_000}
    more = {"reason": why, "reference": "T-1"}
    return floor.operate(msgspec.convert(command | more, AdjustMeter))


def transfer(floor: Floor, cents: int, pool: str = "overflow", **fields: str) -> AnyEvent | Refusal:
    """Money in cents from a pool of a to the meter of b."""
    where = {"link": "a", "level": "main", "to_link": "b", "to_level": "main"} | fields
    command = {"type": "TransferFunds", "pool": pool, "amount_micros": cents * 10_000}
    return floor.operate(msgspec.convert(command | where | {"reference": "T-2"}, TransferFunds))
