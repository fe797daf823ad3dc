"""What can go wrong with cards and devices, each with the clauses that say what follows.

A fault waits for a *chance*: a deck loaded, a shuffle, a delivery to somebody. It takes effect at
once when injected, or at random at a rate. The draws come from a stream of their own, so that
faults never change which cards a seed deals.
"""

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from msgspec import Struct

from table_client.table.randomness import RandomStream

PPM: Final = 1_000_000


class Target(StrEnum):
    """To whom cards are dealt."""

    PLAYER = "PLAYER"
    DEALER = "DEALER"
    COMMUNITY = "COMMUNITY"
    OTHER = "OTHER"  # a burn card, a card of a side bet, a position without a wager


class Fault(StrEnum):
    """An irregularity. The wire's enum has the same names."""

    SHUFFLER_JAM = "SHUFFLER_JAM"
    SHUFFLER_STOP = "SHUFFLER_STOP"
    SHUFFLER_INCOMPLETE = "SHUFFLER_INCOMPLETE"
    SHUFFLER_OUT_OF_ORDER = "SHUFFLER_OUT_OF_ORDER"
    SHOE_JAM = "SHOE_JAM"
    SHOE_STOP = "SHOE_STOP"
    SHOE_FAILS_TO_DEAL = "SHOE_FAILS_TO_DEAL"
    SHOE_OUT_OF_ORDER = "SHOE_OUT_OF_ORDER"
    CARD_MISSING = "CARD_MISSING"
    CARD_TOO_MANY = "CARD_TOO_MANY"
    CARD_FACE_UP = "CARD_FACE_UP"
    TWO_CARDS_FACE_UP = "TWO_CARDS_FACE_UP"
    CARD_DRAWN_IN_ERROR = "CARD_DRAWN_IN_ERROR"
    PLAYER_ONE_SHORT = "PLAYER_ONE_SHORT"
    PLAYER_ONE_EXTRA = "PLAYER_ONE_EXTRA"
    DEALER_ONE_SHORT = "DEALER_ONE_SHORT"
    DEALER_ONE_EXTRA = "DEALER_ONE_EXTRA"
    COMMUNITY_ONE_SHORT = "COMMUNITY_ONE_SHORT"
    COMMUNITY_ONE_EXTRA = "COMMUNITY_ONE_EXTRA"
    PLAYER_CARD_EXPOSED = "PLAYER_CARD_EXPOSED"
    DEALER_CARD_EXPOSED = "DEALER_CARD_EXPOSED"
    COMMUNITY_CARD_EXPOSED = "COMMUNITY_CARD_EXPOSED"
    PLAYER_TALKS = "PLAYER_TALKS"
    SEAT_ABANDONED = "SEAT_ABANDONED"
    DEALT_OUT_OF_TURN = "DEALT_OUT_OF_TURN"


class Chance(StrEnum):
    """The moment at which a fault can take effect."""

    LOAD = "LOAD"
    SHUFFLE = "SHUFFLE"
    DELIVERY = "DELIVERY"


class FaultRule(Struct, frozen=True):
    """When a fault can happen, and where the regulations speak of it."""

    chance: Chance
    clauses: tuple[str, ...]
    targets: frozenset[Target] = frozenset(Target)
    automated_only: bool = False  # only an automated shoe jams
    by_hand_only: bool = False  # only who deals from the hand can lose the order


def _clauses(later: str, y2010: Mapping[str, str]) -> tuple[str, ...]:
    """One clause by letter in the chapters that agree, and by section in those of 2010."""
    alike = ("PA 657a.13", "PA2011 573.13", "PA2014 592.13", "MA 12") if later else ()
    return tuple(f"{chapter}({later})" for chapter in alike) + tuple(
        f"PA2010 {section}({letter})" for section, letter in y2010.items()
    )


_SHUFFLER_FAILS = _clauses(
    "e",
    {"553.16": "o", "555.14": "e", "557.13": "e", "559.15": "d", "561.14": "l"}
    | {"563.13": "e", "565.13": "e"},
)
_SHOE_FAILS = _clauses(
    "f",
    {"555.14": "f", "557.13": "f", "559.15": "e", "561.14": "m", "563.13": "f", "565.13": "f"},
)
_OUT_OF_ORDER = _clauses(
    "g",
    {"555.14": "g", "557.13": "g", "559.15": "f", "561.14": "n", "563.13": "g", "565.13": "g"},
)
_COUNT = (
    *("PA 657a.5(b)", "PA2011 573.5(b)", "PA2014 592.5(b)", "MA 4(b)"),
    *("PA2010 553.16(g)", "PA2010 555.5(b)", "PA2010 557.5(b)", "PA2010 559.5(b)"),
    *("PA2010 563.5(b)", "PA2010 565.5(b)"),
)
_FACE_UP = _clauses(
    "a",
    {"553.16": "h", "555.14": "b", "557.13": "a", "559.15": "a", "561.14": "f"}
    | {"563.13": "b", "565.13": "a"},
)
_DRAWN = _clauses(
    "b",
    {"555.14": "c", "557.13": "b", "559.15": "b", "561.14": "g", "563.13": "c", "565.13": "b"},
)
_WRONG_NUMBER = _clauses(
    "c",
    {"555.14": "d", "557.13": "c", "559.15": "c", "561.14": "h", "563.13": "d", "565.13": "c"},
)
_COMMUNITY_NUMBER = ("PA2014 592.13(c)", "PA2010 559.15(c)")
_EXPOSED = (
    *("PA 657a.13(d)", "PA2011 573.13(d)", "MA 12(d)", "PA2010 555.14(a)"),
    *("PA2010 557.13(d)", "PA2010 561.14(e)", "PA2010 563.13(a)", "PA2010 565.13(d)"),
)
_PLAYER, _DEALER = frozenset({Target.PLAYER}), frozenset({Target.DEALER})
_COMMUNITY = frozenset({Target.COMMUNITY})
_L, _S, _D = Chance.LOAD, Chance.SHUFFLE, Chance.DELIVERY

FAULT_RULES: Final[dict[Fault, FaultRule]] = {
    Fault.SHUFFLER_JAM: FaultRule(_S, _SHUFFLER_FAILS),
    Fault.SHUFFLER_STOP: FaultRule(_S, _SHUFFLER_FAILS),
    Fault.SHUFFLER_INCOMPLETE: FaultRule(_S, _SHUFFLER_FAILS),
    Fault.SHUFFLER_OUT_OF_ORDER: FaultRule(_S, (*_OUT_OF_ORDER, "PA2010 553.16(p)")),
    Fault.SHOE_JAM: FaultRule(_D, _SHOE_FAILS, automated_only=True),
    Fault.SHOE_STOP: FaultRule(_D, _SHOE_FAILS, automated_only=True),
    Fault.SHOE_FAILS_TO_DEAL: FaultRule(_D, _SHOE_FAILS, automated_only=True),
    Fault.SHOE_OUT_OF_ORDER: FaultRule(_D, _OUT_OF_ORDER, automated_only=True),
    Fault.CARD_MISSING: FaultRule(_L, _COUNT),
    Fault.CARD_TOO_MANY: FaultRule(_L, _COUNT),
    Fault.CARD_FACE_UP: FaultRule(_D, _FACE_UP),
    Fault.TWO_CARDS_FACE_UP: FaultRule(_D, (*_FACE_UP, "PA2010 553.16(e)(3)")),
    Fault.CARD_DRAWN_IN_ERROR: FaultRule(_D, _DRAWN),
    Fault.PLAYER_ONE_SHORT: FaultRule(_D, _WRONG_NUMBER, _PLAYER),
    Fault.PLAYER_ONE_EXTRA: FaultRule(_D, _WRONG_NUMBER, _PLAYER),
    Fault.DEALER_ONE_SHORT: FaultRule(_D, _WRONG_NUMBER, _DEALER),
    Fault.DEALER_ONE_EXTRA: FaultRule(_D, _WRONG_NUMBER, _DEALER),
    Fault.COMMUNITY_ONE_SHORT: FaultRule(_D, _COMMUNITY_NUMBER, _COMMUNITY),
    Fault.COMMUNITY_ONE_EXTRA: FaultRule(_D, _COMMUNITY_NUMBER, _COMMUNITY),
    Fault.PLAYER_CARD_EXPOSED: FaultRule(
        _D, ("PA2010 561.14(d)", "PA2010 561.14(j)", "PA2010 553.16(n)"), _PLAYER
    ),
    Fault.DEALER_CARD_EXPOSED: FaultRule(_D, _EXPOSED, _DEALER),
    Fault.COMMUNITY_CARD_EXPOSED: FaultRule(_D, ("PA2014 592.13(d)",), _COMMUNITY),
    Fault.PLAYER_TALKS: FaultRule(_D, ("PA2010 555.11(c)", "PA2011 555.11(c)"), _PLAYER),
    Fault.SEAT_ABANDONED: FaultRule(_D, ("PA 657a.7(b)",), _PLAYER),
    Fault.DEALT_OUT_OF_TURN: FaultRule(_D, ("PA2010 561.14(k)",), by_hand_only=True),
}


class _Armed(Struct):
    """An injected fault that waits for its chance."""

    fault: Fault
    skip: int
    seat: int  # 0: any


class FaultPlan:
    """The faults to come: those injected, in their order, and those at random."""

    def __init__(self, stream: RandomStream) -> None:
        self.stream = stream
        self.happened: Counter[Fault] = Counter()
        self._armed: list[_Armed] = []
        self._rates_ppm: dict[Fault, int] = {}

    @property
    def armed(self) -> int:
        """How many injected faults still wait."""
        return len(self._armed)

    def inject(self, fault: Fault, *, skip: int = 0, seat: int = 0) -> None:
        """Have a fault take effect at its next chance, or after `skip` chances."""
        self._armed.append(_Armed(fault, skip, seat))

    def set_rates(self, rates_ppm: Mapping[Fault, int]) -> None:
        """How many times in a million chances each fault happens; others never do."""
        self._rates_ppm = {fault: rates_ppm[fault] for fault in Fault if rates_ppm.get(fault)}

    def draw(
        self,
        chance: Chance,
        target: Target | None = None,
        *,
        seat: int = 0,
        automated: bool = False,
        by_hand: bool = False,
    ) -> Fault | None:
        """The fault, if any, that takes effect now; an injected one before a random one."""
        found: _Armed | None = None
        for armed in self._armed:
            if not _fits(armed.fault, chance, target, automated=automated, by_hand=by_hand):
                continue
            if armed.seat and armed.seat != seat:
                continue
            if armed.skip:
                armed.skip -= 1
            elif found is None:
                found = armed
        happened = found.fault if found else None
        if found:
            self._armed.remove(found)
        # Every rate is drawn at every chance, so that one fault never shifts the draws of others.
        for fault, rate_ppm in self._rates_ppm.items():
            if _fits(fault, chance, target, automated=automated, by_hand=by_hand):
                hit = self.stream.below(PPM) < rate_ppm
                happened = happened or (fault if hit else None)
        if happened:
            self.happened[happened] += 1
        return happened


def _fits(
    fault: Fault, chance: Chance, target: Target | None, *, automated: bool, by_hand: bool
) -> bool:
    rule = FAULT_RULES[fault]
    return (
        rule.chance is chance
        and (target is None or target in rule.targets)
        and (automated or not rule.automated_only)
        and (by_hand or not rule.by_hand_only)
    )
