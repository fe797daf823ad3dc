"""Why a device refuses a command: every reason with its gRPC code and sentence.

A refused command changed nothing. `Reason` is in order of precedence; the first that applies is
the refusal.
"""

from enum import Enum

_BAD, _STATE, _FULL = "INVALID_ARGUMENT", "FAILED_PRECONDITION", "RESOURCE_EXHAUSTED"


class Reason(Enum):
    """The condition that stands in a command's way: its gRPC status code, and its sentence."""

    INVALID_COMMAND = _BAD, "The command is malformed."
    TOO_MANY = _FULL, "A limit of the device process is reached."
    STATION_UNKNOWN = "NOT_FOUND", "This process has no open station with this name."
    STATION_DIFFERS = "ALREADY_EXISTS", "The station is already open with different settings."
    REQUEST_ID_REUSED = "ALREADY_EXISTS", "The request id was already used for a different command."
    WATCHER_FELL_BEHIND = "OUT_OF_RANGE", "The requested events are no longer kept."
    NOT_APPLICABLE = _STATE, "The station has no device that does this."
    DEVICE_OUT_OF_ORDER = _STATE, "The device is out of order."
    DEVICE_STILL_IN_PLACE = _STATE, "The device must first be covered or removed from the table."
    SHUFFLER_REQUIRED = _STATE, "Dealing by hand requires a shuffling device."
    TWO_DECKS_NEED_SHUFFLER = _STATE, "Using two decks requires a shuffling device."
    TOO_MANY_DECKS = _STATE, "The table already has all the decks it may use."
    NO_DECK = _STATE, "No deck is loaded."
    DECK_UNKNOWN = _STATE, "The table has no deck with this back."
    DECK_ELSEWHERE = _STATE, "The deck is inside a device."
    DECK_OVERDUE = _STATE, "The deck must be changed."
    OTHER_DECK_ON_TABLE = _STATE, "The other deck's cards are still on the table."
    STUB_IN_SHOE = _STATE, "The stub must be removed first."
    TRAY_OCCUPIED = _STATE, "The shuffler's tray holds a deck."
    STILL_SHUFFLING = _STATE, "The shuffler is shuffling."
    SHUFFLED_DECK_INSIDE = _STATE, "The shuffler holds a shuffled deck."
    SHUFFLE_NOT_COMPLETE = _STATE, "The shuffle was not completed."
    WRONG_COUNT = _STATE, "The deck's count is wrong; remove it from the table."
    CUT_REQUIRED = _STATE, "The cards were shuffled by hand and must be cut before dealing."
    CUT_TOO_SHALLOW = _BAD, "There must be at least ten cards above the cover card."
    ALREADY_DEALT = _STATE, "Cards were already dealt."
    NOT_LOADED = _STATE, "No cards are ready to be dealt."
    SHOE_FAILED = _STATE, "The shoe failed; remove its cards."
    ONE_CARD_AT_A_TIME = _BAD, "With a manual shoe or by hand, cards are dealt one at a time."
    NOT_ENOUGH_CARDS = _STATE, "Fewer cards are left than were requested."
    SHUTTING_DOWN = "UNAVAILABLE", "The device process is shutting down."

    def __init__(self, code: str, sentence: str) -> None:
        self.code = code
        self.sentence = sentence


class DeviceRefused(Exception):  # noqa: N818 - a refusal is an answer, not an error of the device
    """A device refused a command and is as it was before."""

    def __init__(self, reason: Reason, **details: object) -> None:
        self.reason = reason
        self.details = {name: str(value) for name, value in details.items()}
        told = ", ".join(f"{name} {value}" for name, value in self.details.items())
        sentence = reason.sentence
        super().__init__(f"{sentence[:-1]} ({told})." if told else sentence)


class DeviceLost(Exception):  # noqa: N818 - names what happened to the device
    """The device process cannot be reached, or restarted and lost its cards: the round is void."""
