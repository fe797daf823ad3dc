"""What can go wrong in a round, and what each chapter says must follow: the rule files have it."""

from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from jackpot.rules.model import Does, Rule, Until

# An exposed card changes nothing once all players have decided, or once cards are revealed by rule.


class Irregularity(StrEnum):
    """What the dealer found."""

    CARD_FACE_UP = "CARD_FACE_UP"
    CARDS_FACE_UP = "CARDS_FACE_UP"  # more than one in a round
    CARDS_FACE_UP_LATE = "CARDS_FACE_UP_LATE"  # after everybody had the first cards
    CARD_DRAWN_IN_ERROR = "CARD_DRAWN_IN_ERROR"
    PLAYER_WRONG_NUMBER = "PLAYER_WRONG_NUMBER"
    DEALER_WRONG_NUMBER = "DEALER_WRONG_NUMBER"
    DEALER_ONE_SHORT = "DEALER_ONE_SHORT"
    COMMUNITY_WRONG_NUMBER = "COMMUNITY_WRONG_NUMBER"
    PLAYER_CARD_EXPOSED = "PLAYER_CARD_EXPOSED"
    DEALER_CARD_EXPOSED = "DEALER_CARD_EXPOSED"
    STACK_CARD_EXPOSED = "STACK_CARD_EXPOSED"  # while all stacks are dealt from the hand
    STACKS_OUT_OF_TURN = "STACKS_OUT_OF_TURN"  # not from left to right and back, by hand
    COMMUNITY_CARD_EXPOSED = "COMMUNITY_CARD_EXPOSED"
    SHUFFLER_FAILED = "SHUFFLER_FAILED"
    SHOE_FAILED = "SHOE_FAILED"
    DEVICE_OUT_OF_ORDER = "DEVICE_OUT_OF_ORDER"
    MISDEALT = "MISDEALT"  # found by counting the stub
    DECK_INCOMPLETE = "DECK_INCOMPLETE"  # found by counting the stub
    NO_ROLL = "NO_ROLL"
    WRONG_START = "WRONG_START"
    DEALER_MISSET = "DEALER_MISSET"


class Remedy(Struct, frozen=True):
    """What follows."""

    does: Does
    clause: str
    spares: tuple[str, ...] = ()  # bets that are settled although the round is void
    spared_by: str = ""  # the clause whose rows alone pay them then
    until: Until = "revealed"  # of an exposed card: from when on it no longer matters
    removes_deck: bool = False


def remedies(rule: Rule) -> dict[Irregularity, Remedy]:
    """What a chapter says of each."""
    return {
        Irregularity(each.id): Remedy(
            each.does, each.clause, each.spares, each.spared_by, each.until
        )
        for each in rule.irregularities
    }


def remedy_for(found: Mapping[Irregularity, Remedy], what: Irregularity) -> Remedy:
    """What a chapter says of an irregularity; where it is silent, play goes on."""
    return found.get(what, Remedy("play-on", ""))
