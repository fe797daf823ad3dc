"""What an operator chooses for a table, where the rule leaves a choice."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from msgspec import Struct, field

from jackpot.core.money import MICROS_PER_DOLLAR

COUNT_EVERY: Final = 5  # rounds, at the most, from one count of the stub to the next
_ANY: Mapping[str, str] = MappingProxyType({})
_RULE: Mapping[str, bool] = MappingProxyType({})


class Settings(Struct, frozen=True, kw_only=True):
    """The choices; the defaults suit every game."""

    paytables: Mapping[str, str] = field(default_factory=lambda: _ANY)  # bet -> paytable
    not_offered: frozenset[str] = frozenset()
    boxes: int = 1  # adjacent boxes that one person may play
    minimum_micros: int = 5 * MICROS_PER_DOLLAR
    maximum_micros: int = 1_000 * MICROS_PER_DOLLAR
    payout_limit_micros: int = 0  # on the bets whose rule allows a limit; 0: none
    fold_forfeits: Mapping[str, bool] = field(default_factory=lambda: _RULE)  # where it is open
    vigorish_rounded: bool = False
    pair_plus_version: int = 0  # of Three Card Poker: 1 to 3 tie Pair Plus to the Ante
    count_every: int = COUNT_EVERY
    start_by: str = "dice"  # of Pai Gow Poker: "dice", "number" or "button"
