"""Every refusal, in order of precedence, with its gRPC code, whether a retry helps, and a sentence.

`decide` checks in this order and the first that fails is the answer; tests and docs follow it.
A reason is a promise to clients: its name never changes, and they never parse the sentence.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal, NamedTuple, final

from msgspec import Struct

Code = Literal[
    "INVALID_ARGUMENT",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "FAILED_PRECONDITION",
    "OUT_OF_RANGE",
    "RESOURCE_EXHAUSTED",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
    "PERMISSION_DENIED",
]
# never: the same request will fail again. later: send it as a new request after the state changed.
# same: send it unchanged, with the same identity. attach: the table's epoch or number is not the
# expected one; attach again, and continue from the state in the answer.
Retry = Literal["never", "later", "same", "attach"]


class Reason(StrEnum):
    """Why something was refused."""

    # At the door.
    UNAUTHENTICATED = "UNAUTHENTICATED"
    NOT_ALLOWED = "NOT_ALLOWED"
    MALFORMED = "MALFORMED"
    TOO_MANY = "TOO_MANY"
    OVERLOADED = "OVERLOADED"
    STARTING = "STARTING"
    DRAINING = "DRAINING"
    STORE_UNAVAILABLE = "STORE_UNAVAILABLE"
    SITE_HALTED = "SITE_HALTED"
    # Who and which: identity comes before any business.
    UNKNOWN_SITE = "UNKNOWN_SITE"
    UNKNOWN_TABLE = "UNKNOWN_TABLE"
    OTHER_INCARNATION = "OTHER_INCARNATION"
    NOT_ATTACHED = "NOT_ATTACHED"
    FENCED = "FENCED"
    REQUEST_REUSED = "REQUEST_REUSED"
    REQUEST_TOO_OLD = "REQUEST_TOO_OLD"
    NUMBER_GAP = "NUMBER_GAP"
    # What it names.
    UNKNOWN_LINK = "UNKNOWN_LINK"
    UNKNOWN_LEVEL = "UNKNOWN_LEVEL"
    UNKNOWN_PAYOUT = "UNKNOWN_PAYOUT"
    UNKNOWN_BET = "UNKNOWN_BET"
    UNKNOWN_SEAT = "UNKNOWN_SEAT"
    UNKNOWN_IRREGULARITY = "UNKNOWN_IRREGULARITY"
    VOIDS_ALL_HANDS = "VOIDS_ALL_HANDS"
    FLOORPERSON_REQUIRED = "FLOORPERSON_REQUIRED"
    OUT_OF_RANGE = "OUT_OF_RANGE"
    # The state of the round.
    DOCUMENTATION_OPEN = "DOCUMENTATION_OPEN"
    ROUND_OPEN = "ROUND_OPEN"
    NO_ROUND = "NO_ROUND"
    WRONG_ROUND = "WRONG_ROUND"
    LOCKED_OUT = "LOCKED_OUT"
    NOT_LOCKED_OUT = "NOT_LOCKED_OUT"
    ALREADY_COLLECTED = "ALREADY_COLLECTED"
    NOT_COLLECTED = "NOT_COLLECTED"
    ALREADY_SETTLED = "ALREADY_SETTLED"
    VOID_BY_FLOOR_ONLY = "VOID_BY_FLOOR_ONLY"
    VOID_TOO_LATE = "VOID_TOO_LATE"
    # What the command wants of that state.
    LINK_NOT_IN_SERVICE = "LINK_NOT_IN_SERVICE"
    WRONG_DENOMINATION = "WRONG_DENOMINATION"
    DUPLICATE_WAGER = "DUPLICATE_WAGER"
    TOO_MANY_BOXES = "TOO_MANY_BOXES"
    NO_SUCH_WAGER = "NO_SUCH_WAGER"
    COLLECTION_MISMATCH = "COLLECTION_MISMATCH"
    SEAT_NOT_IN_ROUND = "SEAT_NOT_IN_ROUND"
    HAND_MISSING = "HAND_MISSING"
    WRONG_CARD_COUNT = "WRONG_CARD_COUNT"
    DUPLICATE_CARD = "DUPLICATE_CARD"
    NO_SUCH_DECK = "NO_SUCH_DECK"
    # Links.
    ALREADY_DEFINED = "ALREADY_DEFINED"
    WRONG_LINK_STATE = "WRONG_LINK_STATE"
    LINK_NOT_EMPTY = "LINK_NOT_EMPTY"
    # Payouts.
    PAYOUT_CLOSED = "PAYOUT_CLOSED"
    ALREADY_VALIDATED = "ALREADY_VALIDATED"
    OUT_OF_ORDER = "OUT_OF_ORDER"
    NOT_VALIDATED = "NOT_VALIDATED"
    WRONG_SOURCE = "WRONG_SOURCE"
    FORM_REQUIRED = "FORM_REQUIRED"
    # Proposals.
    UNKNOWN_PROPOSAL = "UNKNOWN_PROPOSAL"
    PROPOSAL_CLOSED = "PROPOSAL_CLOSED"
    PROPOSAL_EXPIRED = "PROPOSAL_EXPIRED"
    SECOND_PERSON_REQUIRED = "SECOND_PERSON_REQUIRED"
    OTHER_DEPARTMENT_REQUIRED = "OTHER_DEPARTMENT_REQUIRED"
    PROPOSAL_OVERTAKEN = "PROPOSAL_OVERTAKEN"
    # Calls for the floor.
    CALL_OPEN = "CALL_OPEN"
    UNKNOWN_CALL = "UNKNOWN_CALL"
    CALL_CLOSED = "CALL_CLOSED"
    # Settings of the site.
    SETTING_UNCHANGED = "SETTING_UNCHANGED"
    # Meters.
    FIXED_BY_REGULATION = "FIXED_BY_REGULATION"
    BELOW_MINIMUM = "BELOW_MINIMUM"
    ABOVE_MAXIMUM = "ABOVE_MAXIMUM"
    METER_UNCHANGED = "METER_UNCHANGED"
    INSUFFICIENT_FUNDS = "INSUFFICIENT_FUNDS"
    # Bad Beat.
    NOT_A_FUND = "NOT_A_FUND"
    NOT_A_BAD_BEAT = "NOT_A_BAD_BEAT"
    PENDING_ADJUSTMENT = "PENDING_ADJUSTMENT"
    DISPLAY_MISMATCH = "DISPLAY_MISMATCH"
    # People at a page.
    NO_PINS = "NO_PINS"


class Meaning(NamedTuple):
    """What a client may make of a reason."""

    code: Code
    retry: Retry
    sentence: str


MEANINGS: Mapping[Reason, Meaning] = {
    Reason.UNAUTHENTICATED: Meaning(
        "UNAUTHENTICATED",
        "never",
        "The certificate is missing, revoked, expired, from another authority, or does not "
        "name its holder.",
    ),
    Reason.NOT_ALLOWED: Meaning(
        "PERMISSION_DENIED", "never", "The caller's role or department may not do this."
    ),
    Reason.MALFORMED: Meaning("INVALID_ARGUMENT", "never", "The request is malformed."),
    Reason.TOO_MANY: Meaning("INVALID_ARGUMENT", "never", "The request exceeds a limit."),
    Reason.OVERLOADED: Meaning(
        "RESOURCE_EXHAUSTED",
        "same",
        "The controller is overloaded; send the same request again later.",
    ),
    Reason.STARTING: Meaning(
        "UNAVAILABLE", "same", "The controller is starting: it is checking its journal."
    ),
    Reason.DRAINING: Meaning("UNAVAILABLE", "same", "The controller is stopping."),
    Reason.STORE_UNAVAILABLE: Meaning(
        "UNAVAILABLE",
        "same",
        "The store failed, so the request may or may not be stored; send the same request again.",
    ),
    Reason.SITE_HALTED: Meaning(
        "DATA_LOSS", "never", "The site's journal is damaged; nothing more is written to it."
    ),
    Reason.UNKNOWN_SITE: Meaning("NOT_FOUND", "never", "This controller has no such site."),
    Reason.UNKNOWN_TABLE: Meaning("NOT_FOUND", "never", "The site has no such table."),
    Reason.OTHER_INCARNATION: Meaning(
        "FAILED_PRECONDITION",
        "attach",
        "A backup was restored after the table attached; attach the table again.",
    ),
    Reason.NOT_ATTACHED: Meaning(
        "FAILED_PRECONDITION", "attach", "The table has not attached to the controller."
    ),
    Reason.FENCED: Meaning(
        "FAILED_PRECONDITION",
        "never",
        "The table has a newer attachment; only the newest attachment may send commands.",
    ),
    Reason.REQUEST_REUSED: Meaning(
        "ALREADY_EXISTS",
        "never",
        "This request id or number was already used for a different command.",
    ),
    Reason.REQUEST_TOO_OLD: Meaning(
        "FAILED_PRECONDITION", "never", "The command is so old that its answer is no longer kept."
    ),
    Reason.NUMBER_GAP: Meaning(
        "FAILED_PRECONDITION",
        "attach",
        "An earlier command of this table is missing; send it first, or attach again.",
    ),
    Reason.UNKNOWN_LINK: Meaning("NOT_FOUND", "never", "The site has no such link."),
    Reason.UNKNOWN_LEVEL: Meaning("NOT_FOUND", "never", "The link has no such level."),
    Reason.UNKNOWN_PAYOUT: Meaning("NOT_FOUND", "never", "The site has no such payout."),
    Reason.UNKNOWN_BET: Meaning("NOT_FOUND", "never", "The table offers no such bet."),
    Reason.UNKNOWN_SEAT: Meaning("NOT_FOUND", "never", "The table has no such seat."),
    Reason.UNKNOWN_IRREGULARITY: Meaning(
        "NOT_FOUND", "never", "The table's game has no such irregularity."
    ),
    Reason.VOIDS_ALL_HANDS: Meaning(
        "INVALID_ARGUMENT", "never", "This irregularity voids all hands; void the round instead."
    ),
    Reason.FLOORPERSON_REQUIRED: Meaning(
        "INVALID_ARGUMENT", "never", "The request must name a floorperson."
    ),
    Reason.OUT_OF_RANGE: Meaning(
        "OUT_OF_RANGE",
        "never",
        "The journal ends before the request's sequence; start over without a sequence.",
    ),
    Reason.DOCUMENTATION_OPEN: Meaning(
        "FAILED_PRECONDITION",
        "later",
        "A payout at this table still waits for its documentation; pay or reject it first.",
    ),
    Reason.ROUND_OPEN: Meaning("FAILED_PRECONDITION", "later", "The table has a round under way."),
    Reason.NO_ROUND: Meaning("FAILED_PRECONDITION", "later", "The table has no round under way."),
    Reason.WRONG_ROUND: Meaning(
        "FAILED_PRECONDITION", "never", "The round in the request is not the table's latest round."
    ),
    Reason.LOCKED_OUT: Meaning(
        "FAILED_PRECONDITION",
        "never",
        "Betting on this round is closed: the dealer has pressed lock-out.",
    ),
    Reason.NOT_LOCKED_OUT: Meaning(
        "FAILED_PRECONDITION", "later", "The round is still open to wagers."
    ),
    Reason.ALREADY_COLLECTED: Meaning(
        "FAILED_PRECONDITION", "never", "The wagers of this round are already collected."
    ),
    Reason.NOT_COLLECTED: Meaning(
        "FAILED_PRECONDITION", "later", "The dealer has not confirmed the collection."
    ),
    Reason.ALREADY_SETTLED: Meaning(
        "FAILED_PRECONDITION", "never", "The round is already settled."
    ),
    Reason.VOID_BY_FLOOR_ONLY: Meaning(
        "FAILED_PRECONDITION",
        "never",
        "The round is collected, so only a floorperson may void it: call the floor.",
    ),
    Reason.VOID_TOO_LATE: Meaning(
        "FAILED_PRECONDITION",
        "never",
        "It is too late to void: an award of the round is already validated or paid.",
    ),
    Reason.LINK_NOT_IN_SERVICE: Meaning(
        "FAILED_PRECONDITION", "later", "The link is not in service."
    ),
    Reason.WRONG_DENOMINATION: Meaning(
        "INVALID_ARGUMENT",
        "never",
        "The wager's amount is not the link's denomination.",
    ),
    Reason.DUPLICATE_WAGER: Meaning(
        "FAILED_PRECONDITION", "never", "The seat has already placed this bet."
    ),
    Reason.TOO_MANY_BOXES: Meaning(
        "FAILED_PRECONDITION",
        "never",
        "The player has too many boxes, boxes that are not adjacent, or another player's box.",
    ),
    Reason.NO_SUCH_WAGER: Meaning(
        "FAILED_PRECONDITION",
        "never",
        "The seat has no accepted wager on this bet, or the wager is electronic and can't be "
        "removed.",
    ),
    Reason.COLLECTION_MISMATCH: Meaning(
        "FAILED_PRECONDITION",
        "later",
        "The number of chips counted differs from the wagers accepted.",
    ),
    Reason.SEAT_NOT_IN_ROUND: Meaning(
        "INVALID_ARGUMENT",
        "never",
        "The seat is listed twice, or it is already void in this round.",
    ),
    Reason.HAND_MISSING: Meaning(
        "INVALID_ARGUMENT",
        "never",
        "The request has no hand for a seat that has a wager in the round.",
    ),
    Reason.WRONG_CARD_COUNT: Meaning(
        "INVALID_ARGUMENT", "never", "A hand has too many or too few cards."
    ),
    Reason.DUPLICATE_CARD: Meaning("INVALID_ARGUMENT", "never", "A card appears twice."),
    Reason.NO_SUCH_DECK: Meaning("FAILED_PRECONDITION", "never", "The table has no such deck."),
    Reason.ALREADY_DEFINED: Meaning(
        "FAILED_PRECONDITION", "never", "The link or table is already defined."
    ),
    Reason.WRONG_LINK_STATE: Meaning(
        "FAILED_PRECONDITION", "later", "The link's status does not allow this."
    ),
    Reason.LINK_NOT_EMPTY: Meaning(
        "FAILED_PRECONDITION",
        "later",
        "The link still holds players' money, or a round is open on it.",
    ),
    Reason.PAYOUT_CLOSED: Meaning(
        "FAILED_PRECONDITION", "never", "The payout is already paid or rejected."
    ),
    Reason.ALREADY_VALIDATED: Meaning(
        "FAILED_PRECONDITION", "never", "The payout is already validated."
    ),
    Reason.OUT_OF_ORDER: Meaning(
        "FAILED_PRECONDITION", "later", "An earlier award of the round must be validated first."
    ),
    Reason.NOT_VALIDATED: Meaning(
        "FAILED_PRECONDITION", "later", "A floorperson must validate the payout first."
    ),
    Reason.WRONG_SOURCE: Meaning(
        "FAILED_PRECONDITION", "never", "The award may not be paid from that source."
    ),
    Reason.FORM_REQUIRED: Meaning(
        "INVALID_ARGUMENT", "never", "A payout at the cage needs the number of its form."
    ),
    Reason.UNKNOWN_PROPOSAL: Meaning("NOT_FOUND", "never", "The site has no such proposal."),
    Reason.PROPOSAL_CLOSED: Meaning(
        "FAILED_PRECONDITION", "never", "The proposal is already approved or declined."
    ),
    Reason.PROPOSAL_EXPIRED: Meaning(
        "FAILED_PRECONDITION", "never", "The proposal has expired; propose the change again."
    ),
    Reason.SECOND_PERSON_REQUIRED: Meaning(
        "FAILED_PRECONDITION", "never", "The person who proposed a change can't approve it."
    ),
    Reason.OTHER_DEPARTMENT_REQUIRED: Meaning(
        "FAILED_PRECONDITION",
        "never",
        "The person who approves must be from a different department than the proposer.",
    ),
    Reason.PROPOSAL_OVERTAKEN: Meaning(
        "FAILED_PRECONDITION",
        "never",
        "The link has paid an award or changed since the proposal; propose the change again.",
    ),
    Reason.CALL_OPEN: Meaning(
        "FAILED_PRECONDITION",
        "later",
        "The table already has an open call for the floor; wait for the answer, or withdraw it.",
    ),
    Reason.UNKNOWN_CALL: Meaning("NOT_FOUND", "never", "There is no such call for the floor."),
    Reason.CALL_CLOSED: Meaning(
        "FAILED_PRECONDITION", "never", "The call for the floor is already answered or closed."
    ),
    Reason.SETTING_UNCHANGED: Meaning(
        "FAILED_PRECONDITION", "never", "The setting already has this value."
    ),
    Reason.FIXED_BY_REGULATION: Meaning(
        "FAILED_PRECONDITION", "never", "A regulation fixes this value."
    ),
    Reason.BELOW_MINIMUM: Meaning(
        "FAILED_PRECONDITION",
        "never",
        "The value is below the minimum that a regulation or the seed sets.",
    ),
    Reason.ABOVE_MAXIMUM: Meaning(
        "FAILED_PRECONDITION", "never", "The rates of all levels add up to more than 100%."
    ),
    Reason.METER_UNCHANGED: Meaning(
        "FAILED_PRECONDITION",
        "never",
        "The meter would not change: it is already at that amount, or at its limit.",
    ),
    Reason.INSUFFICIENT_FUNDS: Meaning(
        "FAILED_PRECONDITION", "never", "The account does not hold enough money."
    ),
    Reason.NOT_A_FUND: Meaning("FAILED_PRECONDITION", "never", "The link is not a Bad Beat fund."),
    Reason.NOT_A_BAD_BEAT: Meaning(
        "FAILED_PRECONDITION", "never", "The cards are not a Bad Beat under the posted rules."
    ),
    Reason.PENDING_ADJUSTMENT: Meaning(
        "FAILED_PRECONDITION",
        "later",
        "The last payout changed the fund's amount, and nobody has confirmed the new display; "
        "set the display, then run: jackpot badbeat display LINK AMOUNT.",
    ),
    Reason.DISPLAY_MISMATCH: Meaning(
        "FAILED_PRECONDITION",
        "never",
        "The displayed amount is not what the fund holds; correct the display, then confirm it.",
    ),
    Reason.NO_PINS: Meaning(
        "FAILED_PRECONDITION",
        "never",
        "This controller keeps no PINs: restart it with --cert, --ca and --pins.",
    ),
}


@final
class Refusal(Struct, frozen=True):
    """An answer that says no: the reason, and every value that its sentence would mention."""

    reason: Reason
    details: dict[str, str] = {}


def refuse(reason: Reason, **details: object) -> Refusal:
    """A refusal with its details as text, the way that a client is shown them."""
    return Refusal(reason, {key: str(value) for key, value in details.items()})
