"""Why a device refuses a command: every reason with its gRPC code and sentence.

A refused command changed nothing. `Reason` is in order of precedence; the first that applies is
the refusal.
"""

from enum import StrEnum
from typing import Final

from msgspec import Struct


class Reason(StrEnum):
    """The condition that stands in a command's way."""

    INVALID_COMMAND = "INVALID_COMMAND"
    TOO_MANY = "TOO_MANY"
    STATION_UNKNOWN = "STATION_UNKNOWN"
    STATION_DIFFERS = "STATION_DIFFERS"
    REQUEST_ID_REUSED = "REQUEST_ID_REUSED"
    WATCHER_FELL_BEHIND = "WATCHER_FELL_BEHIND"
    NOT_APPLICABLE = "NOT_APPLICABLE"
    DEVICE_OUT_OF_ORDER = "DEVICE_OUT_OF_ORDER"
    DEVICE_STILL_IN_PLACE = "DEVICE_STILL_IN_PLACE"
    SHUFFLER_REQUIRED = "SHUFFLER_REQUIRED"
    TWO_DECKS_NEED_SHUFFLER = "TWO_DECKS_NEED_SHUFFLER"
    TOO_MANY_DECKS = "TOO_MANY_DECKS"
    NO_DECK = "NO_DECK"
    DECK_UNKNOWN = "DECK_UNKNOWN"
    DECK_ELSEWHERE = "DECK_ELSEWHERE"
    DECK_OVERDUE = "DECK_OVERDUE"
    OTHER_DECK_ON_TABLE = "OTHER_DECK_ON_TABLE"
    STUB_IN_SHOE = "STUB_IN_SHOE"
    TRAY_OCCUPIED = "TRAY_OCCUPIED"
    STILL_SHUFFLING = "STILL_SHUFFLING"
    SHUFFLED_DECK_INSIDE = "SHUFFLED_DECK_INSIDE"
    SHUFFLE_NOT_COMPLETE = "SHUFFLE_NOT_COMPLETE"
    WRONG_COUNT = "WRONG_COUNT"
    CUT_REQUIRED = "CUT_REQUIRED"
    CUT_TOO_SHALLOW = "CUT_TOO_SHALLOW"
    ALREADY_DEALT = "ALREADY_DEALT"
    NOT_LOADED = "NOT_LOADED"
    SHOE_FAILED = "SHOE_FAILED"
    ONE_CARD_AT_A_TIME = "ONE_CARD_AT_A_TIME"
    NOT_ENOUGH_CARDS = "NOT_ENOUGH_CARDS"
    SHUTTING_DOWN = "SHUTTING_DOWN"


class Explanation(Struct, frozen=True):
    """What a reason means to a caller."""

    code: str  # the name of the gRPC status code
    sentence: str


_BAD, _STATE, _FULL = "INVALID_ARGUMENT", "FAILED_PRECONDITION", "RESOURCE_EXHAUSTED"

EXPLANATIONS: Final[dict[Reason, Explanation]] = {
    reason: Explanation(code, sentence)
    for reason, code, sentence in (
        (Reason.INVALID_COMMAND, _BAD, "The command is malformed."),
        (Reason.TOO_MANY, _FULL, "A limit of the device process is reached."),
        (Reason.STATION_UNKNOWN, "NOT_FOUND", "No such station is open in this process."),
        (Reason.STATION_DIFFERS, "ALREADY_EXISTS", "The station is open with other settings."),
        (Reason.REQUEST_ID_REUSED, "ALREADY_EXISTS", "The request id names another command."),
        (Reason.WATCHER_FELL_BEHIND, "OUT_OF_RANGE", "The events asked for are no longer kept."),
        (Reason.NOT_APPLICABLE, _STATE, "The station has no device that does this."),
        (Reason.DEVICE_OUT_OF_ORDER, _STATE, "The device is out of order."),
        (
            Reason.DEVICE_STILL_IN_PLACE,
            _STATE,
            "The device must first be covered or removed from the table.",
        ),
        (Reason.SHUFFLER_REQUIRED, _STATE, "Dealing from the hand needs a shuffling device."),
        (Reason.TWO_DECKS_NEED_SHUFFLER, _STATE, "Two decks need a shuffling device."),
        (Reason.TOO_MANY_DECKS, _STATE, "The table already has all the decks it may use."),
        (Reason.NO_DECK, _STATE, "No deck is loaded."),
        (Reason.DECK_UNKNOWN, _STATE, "No deck with such backs is at the table."),
        (Reason.DECK_ELSEWHERE, _STATE, "The deck is inside a device."),
        (Reason.DECK_OVERDUE, _STATE, "The deck has to be changed."),
        (Reason.OTHER_DECK_ON_TABLE, _STATE, "The other deck's cards are still on the table."),
        (Reason.STUB_IN_SHOE, _STATE, "The stub has to be removed first."),
        (Reason.TRAY_OCCUPIED, _STATE, "The shuffler's tray holds a deck."),
        (Reason.STILL_SHUFFLING, _STATE, "The shuffler is at work."),
        (Reason.SHUFFLED_DECK_INSIDE, _STATE, "The shuffler holds a shuffled deck."),
        (Reason.SHUFFLE_NOT_COMPLETE, _STATE, "The cards were not shuffled to the end."),
        (Reason.WRONG_COUNT, _STATE, "The deck's count is wrong; remove it from the table."),
        (Reason.CUT_REQUIRED, _STATE, "Cards shuffled by hand are cut before dealing."),
        (Reason.CUT_TOO_SHALLOW, _BAD, "At least ten cards belong above the cover card."),
        (Reason.ALREADY_DEALT, _STATE, "Cards were already dealt."),
        (Reason.NOT_LOADED, _STATE, "No cards are ready to be dealt."),
        (Reason.SHOE_FAILED, _STATE, "The shoe failed; remove its cards."),
        (Reason.ONE_CARD_AT_A_TIME, _BAD, "A manual shoe and the hand deal one card at a time."),
        (Reason.NOT_ENOUGH_CARDS, _STATE, "Fewer cards are left than asked for."),
        (Reason.SHUTTING_DOWN, "UNAVAILABLE", "The device process is shutting down."),
    )
}


class DeviceRefused(Exception):  # noqa: N818 - a refusal is an answer, not an error of the device
    """A device refused a command and is as it was before."""

    def __init__(self, reason: Reason, **details: object) -> None:
        self.reason = reason
        self.details = {name: str(value) for name, value in details.items()}
        told = ", ".join(f"{name} {value}" for name, value in self.details.items())
        sentence = EXPLANATIONS[reason].sentence
        super().__init__(f"{sentence[:-1]} ({told})." if told else sentence)


class DeviceLost(Exception):  # noqa: N818 - names what happened to the device
    """The device process cannot be reached, or restarted and lost its cards: the round is void."""
