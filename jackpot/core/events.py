"""What happened. One event a command; it is also the command's answer.

An event carries its postings and every value that `evolve` needs, so a replay never consults
rules or settings. Fields are only ever added, with a default; anything else is a new event.
"""

from msgspec import Struct

from jackpot.core.commands import MeterReason, Origin, Placed, Pool, RejectReason, SeatHand, Wager
from jackpot.core.config import MIDNIGHT, GamingDay, Link, Medium, Source, Table
from jackpot.core.reasons import Reason
from jackpot.core.state import Deck, LinkStatus, Payout, Posted, Proposal, Round, Settlement

# (account, micros) pairs that sum to zero.
Postings = tuple[tuple[str, int], ...]


class Event(Struct, frozen=True, gc=False, tag=True, omit_defaults=True):
    """Base of all events."""


class Refused(Event, frozen=True):
    """A command was refused. Journaled, or it could be accepted later when it is sent again."""

    command: str
    reason: Reason
    details: dict[str, str] = {}


class TableAttached(Event, frozen=True):
    """A client speaks for the table; earlier epochs are fenced. It can relight its lamps."""

    table: str
    epoch: int
    last_number: int  # of the epoch before
    rounds: int
    round: Round | None = None


class RoundOpened(Event, frozen=True):
    """A round began."""

    table: str
    number: int


class WagersPlaced(Event, frozen=True):
    """Wagers were accepted; their lamps may be lit."""

    table: str
    wagers: tuple[Wager, ...]
    mediums: tuple[Medium, ...] = ()  # of each wager; empty where all are chips
    postings: Postings = ()  # debits of game accounts


class WagersWithdrawn(Event, frozen=True):
    """Wagers were taken back while the round was open."""

    table: str
    wagers: tuple[Placed, ...]
    postings: Postings = ()  # credits of game accounts


class WagerRemoved(Event, frozen=True):
    """A floorperson removed an accepted wager that had no chip."""

    table: str
    wager: Placed
    floorperson: str


class RoundLocked(Event, frozen=True):
    """No more bets. Electronic wagers are posted; the chips of the others are to be counted."""

    table: str
    number: int
    wagers: tuple[Wager, ...]
    collected: bool  # no chip wagers: nothing to count
    postings: Postings = ()
    posted: dict[str, Posted] = {}
    magic_card: str = ""
    lucky_position: int = -1


class CollectionConfirmed(Event, frozen=True):
    """The chips are those accepted; their increments are on the meters."""

    table: str
    chips: dict[str, int]
    postings: Postings
    posted: dict[str, Posted]


class RoundSettled(Event, frozen=True):
    """The round's awards, in payment order."""

    table: str
    number: int
    hands: tuple[SeatHand, ...]
    dealer: tuple[str, ...]
    community: tuple[str, ...]
    payouts: tuple[Payout, ...] = ()
    settlement: Settlement | None = None
    paid_full: tuple[str, ...] = ()  # "link/level" of the levels that paid 100%
    postings: Postings = ()
    alarms: tuple[str, ...] = ()


class PayoutChange(Struct, frozen=True, gc=False):
    """An open payout's new amount, or that it is closed unpaid."""

    payout: int
    amount_micros: int
    meter_before_micros: int = 0
    closed: bool = False
    seat: int = 0  # where it is due from now on; 0: where it was


class RoundVoided(Event, frozen=True):
    """A round came to nothing: its wagers are returned and its increments taken back."""

    table: str
    number: int
    irregularity: str
    floorperson: str
    returned_micros: int
    postings: Postings = ()
    changes: tuple[PayoutChange, ...] = ()
    last_hit: dict[str, int] = {}


class SeatVoided(Event, frozen=True):
    """A seat's part of a round came to nothing."""

    table: str
    number: int
    seat: int
    irregularity: str
    floorperson: str
    returned_micros: int
    postings: Postings = ()
    posted: dict[str, Posted] = {}
    changes: tuple[PayoutChange, ...] = ()
    settlement: Settlement | None = None
    last_hit: dict[str, int] = {}


class LinkDefined(Event, frozen=True):
    """A link exists, empty and out of service."""

    link: Link


class TableDefined(Event, frozen=True):
    """A table exists."""

    table: Table


class LinkDescribed(Event, frozen=True):
    """A link has other words, and the same terms."""

    link: Link


class TableDescribed(Event, frozen=True):
    """A table has other words, and the same terms."""

    table: Table


class LinkChanged(Event, frozen=True):
    """A link moved on in its life cycle; seeds come from the house and go back to it."""

    link: str
    status: LinkStatus
    postings: Postings = ()


class PayoutValidated(Event, frozen=True):
    """A floorperson confirmed an award."""

    payout: int
    floorperson: str
    source: Source
    amount_micros: int


class PayoutPaid(Event, frozen=True):
    """An award was handed over."""

    payout: int
    form: str
    source: Source
    amount_micros: int
    postings: Postings


class PayoutRejected(Event, frozen=True):
    """An award must not be paid; what hung on it was decided again."""

    payout: int
    reason: RejectReason
    floorperson: str
    changes: tuple[PayoutChange, ...]
    settlement: Settlement | None = None
    last_hit: dict[str, int] = {}
    postings: Postings = ()


class Approval(Struct, frozen=True, gc=False):
    """Who made a change: two people, or one where the site does without dual control."""

    proposal: int
    proposer: str
    approver: str


class MeterAdjusted(Event, frozen=True):
    """A meter was set to an amount, for a reason and with a reference."""

    link: str
    level: str
    before_micros: int
    after_micros: int
    reason: MeterReason
    reference: str
    postings: Postings
    approval: Approval | None = None


class FundsTransferred(Event, frozen=True):
    """Players' money that lay in overflow or in reserve went to a meter."""

    link: str
    level: str
    pool: Pool
    to_link: str
    to_level: str
    amount_micros: int
    reference: str
    postings: Postings
    approval: Approval | None = None


class ParametersChanged(Event, frozen=True):
    """A suspended link has other limits or rates from when it resumes."""

    link: str
    level: str
    config: Link
    reference: str
    approval: Approval | None = None


class Proposed(Event, frozen=True):
    """A change waits for a second person."""

    proposal: Proposal


class ProposalDeclined(Event, frozen=True):
    """A proposal came to nothing."""

    proposal: int


class SiteConfigured(Event, frozen=True):
    """Whether changes need a second person here, and when a gaming day begins."""

    dual_control: bool
    day: GamingDay = MIDNIGHT


class AccountMoved(Event, frozen=True):
    """Money was put on a game account, or taken off it."""

    account: str
    amount_micros: int  # below zero for a cash-out
    reference: str
    balance_micros: int
    postings: Postings


class PotContributed(Event, frozen=True):
    """A pot's contribution is in its table's box."""

    table: str
    link: str
    pot_micros: int
    amount_micros: int
    postings: Postings = ()


class DeckPlaced(Event, frozen=True):
    """A deck is in use, and perhaps another one out of it."""

    table: str
    deck: Deck
    replaced: Deck | None = None


class DeckRemoved(Event, frozen=True):
    """A deck is off the table."""

    table: str
    deck: Deck


class BoxCounted(Event, frozen=True):
    """A table's box was counted into the fund."""

    link: str
    table: str
    recorded_micros: int
    counted_micros: int
    cashier: str
    floorperson: str
    postings: Postings
    alarms: tuple[str, ...] = ()


class BadBeatVerified(Event, frozen=True):
    """A Bad Beat is due; until finance sets the display right, it is pending adjustment."""

    table: str
    link: str
    hand: str
    supervisor: str
    payouts: tuple[Payout, ...]
    settlement: Settlement
    postings: Postings


class DisplayConfirmed(Event, frozen=True):
    """The display shows what the fund holds."""

    link: str
    displayed_micros: int
    floorperson: str


class SnapshotTaken(Event, frozen=True):
    """Binds a snapshot of the state after `sequence` to the chain, so that it can't be edited."""

    of_sequence: int
    state_sha256: str


class Probed(Event, frozen=True):
    """The store took a commit again."""


AnyEvent = (
    Refused
    | TableAttached
    | RoundOpened
    | WagersPlaced
    | WagersWithdrawn
    | WagerRemoved
    | RoundLocked
    | CollectionConfirmed
    | RoundSettled
    | RoundVoided
    | SeatVoided
    | LinkDefined
    | TableDefined
    | LinkDescribed
    | TableDescribed
    | LinkChanged
    | PayoutValidated
    | PayoutPaid
    | PayoutRejected
    | MeterAdjusted
    | FundsTransferred
    | ParametersChanged
    | Proposed
    | ProposalDeclined
    | SiteConfigured
    | AccountMoved
    | PotContributed
    | DeckPlaced
    | DeckRemoved
    | BoxCounted
    | BadBeatVerified
    | DisplayConfirmed
    | SnapshotTaken
    | Probed
)


# What a table itself sends; its definition and what operators do about it are not heard of it.
SENT_BY_TABLES = (
    TableAttached,
    RoundOpened,
    WagersPlaced,
    WagersWithdrawn,
    RoundLocked,
    WagerRemoved,
    CollectionConfirmed,
    RoundSettled,
    RoundVoided,
    SeatVoided,
    PotContributed,
    DeckPlaced,
    DeckRemoved,
)


class Record(Struct, frozen=True, gc=False, omit_defaults=True):
    """An event with who caused it: what a row of the journal says."""

    origin: Origin
    event: AnyEvent
    digest: str = ""  # of the command, to tell a repeat from a reuse of its identity
