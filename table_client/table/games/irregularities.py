"""What can go wrong in a round, and what each chapter says must follow.

The chapters agree on most of it; `usual` builds what they share from the letters that they use.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

from msgspec import Struct

Does = Literal[
    "play-on",  # nothing changes
    "set-aside",  # the card goes to the discard rack, another is dealt
    "void-round",
    "void-seat",
    "complete-hand",  # another card is dealt to the dealer
    "player-chooses",  # to play the hand out, or to void it
    "again",  # the step is repeated
]


# An exposed card changes nothing once all players have decided, or once cards are revealed by rule.
Until = Literal["decided", "revealed"]


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


def usual(
    section: str,
    *,
    face_up: str = "a",
    drawn: str = "b",
    number: str = "c",
    exposed: str = "",
    exposed_until: Until = "revealed",
    shuffler: str = "e",
    shoe: str = "f",
    device: str = "g",
) -> dict[Irregularity, Remedy]:
    """What the chapters have in common, under the letters of one of them."""

    def at(letter: str) -> str:
        return f"{section}({letter})"

    found = {
        Irregularity.CARD_FACE_UP: Remedy("set-aside", at(face_up)),
        Irregularity.CARDS_FACE_UP: Remedy("void-round", at(face_up)),
        Irregularity.CARDS_FACE_UP_LATE: Remedy("void-round", at(face_up)),
        Irregularity.CARD_DRAWN_IN_ERROR: Remedy("play-on", at(drawn)),
        Irregularity.PLAYER_WRONG_NUMBER: Remedy("void-round", at(number)),
        Irregularity.DEALER_WRONG_NUMBER: Remedy("void-round", at(number)),
        Irregularity.COMMUNITY_WRONG_NUMBER: Remedy("void-round", at(number)),
        Irregularity.SHUFFLER_FAILED: Remedy("again", at(shuffler)),
        Irregularity.SHOE_FAILED: Remedy("void-round", at(shoe)),
        Irregularity.DEVICE_OUT_OF_ORDER: Remedy("again", at(device)),
    }
    if exposed:
        found[Irregularity.DEALER_CARD_EXPOSED] = Remedy(
            "void-round", at(exposed), until=exposed_until
        )
    return found


def remedy_for(found: Mapping[Irregularity, Remedy], what: Irregularity) -> Remedy:
    """What a chapter says of an irregularity; where it is silent, play goes on."""
    return found.get(what, Remedy("play-on", ""))
