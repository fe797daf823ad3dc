"""What people did to links, payouts, meters and accounts."""

from msgspec import Struct

from jackpot.core.commands.operator import MeterReason, Pool, RejectReason
from jackpot.core.config import (
    MIDNIGHT,
    SIGN_DIGITS,
    GamingDay,
    Level,
    Link,
    PayoutSource,
    Table,
    VoidsByTable,
)
from jackpot.core.events.base import Event, PayoutChange, Postings
from jackpot.core.state import LinkStatus, Payout, Proposal, Settlement


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
    time_micros: int = 0  # of its leaving service; 0 where it is in service, and in early journals
    away_micros: int = 0  # how long no controller had been there, where that suspended it


class PayoutValidated(Event, frozen=True):
    """A floorperson confirmed an award."""

    payout: int
    floorperson: str
    source: PayoutSource
    amount_micros: int


class PayoutPaid(Event, frozen=True):
    """An award was handed over."""

    payout: int
    form: str
    source: PayoutSource
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


class CallDeclined(Event, frozen=True):
    """A floorperson declined what a table has called for."""

    call: int
    table: str
    floorperson: str


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
    before: Level | None = None  # what stood before; not in early journals
    alarms: tuple[str, ...] = ()


class Proposed(Event, frozen=True):
    """A change waits for a second person."""

    proposal: Proposal


class ProposalDeclined(Event, frozen=True):
    """A proposal was declined."""

    proposal: int


class SiteConfigured(Event, frozen=True):
    """What the site file says of the site as a whole."""

    dual_control: bool
    day: GamingDay = MIDNIGHT
    voids_by_table: VoidsByTable = "until-collected"
    software: str = ""  # the release that runs from here on; "" where none is named
    sign_digits: int = SIGN_DIGITS
    shortest_round_s: int = 0


class DualControlSet(Event, frozen=True):
    """Two people have said that changes need only one person here, or two again."""

    dual_control: bool
    reference: str
    approval: Approval | None = None


class AccountMoved(Event, frozen=True):
    """Money was put on a game account, or taken off it."""

    account: str
    amount_micros: int  # below zero for a cash-out
    reference: str
    balance_micros: int
    postings: Postings


class BoxCounted(Event, frozen=True):
    """A table's box was counted into the fund.

    `floorperson` is in early journals only: a name that the cashier wrote, and nobody proved.
    """

    link: str
    table: str
    recorded_micros: int
    counted_micros: int
    cashier: str
    floorperson: str = ""
    postings: Postings = ()
    alarms: tuple[str, ...] = ()


class BadBeatVerified(Event, frozen=True):
    """A Bad Beat is due; until finance sets the display right, it is pending adjustment."""

    table: str
    link: str
    hand: str  # what the losing cards rank as; before cards were asked for, what somebody wrote
    supervisor: str
    payouts: tuple[Payout, ...]
    settlement: Settlement
    postings: Postings
    losing: tuple[str, ...] = ()  # the players' own cards, and those that all players share
    winning: tuple[str, ...] = ()
    community: tuple[str, ...] = ()
    winning_hand: str = ""
    loser: int = 0  # their seats; 0: not noted
    winner: int = 0


class LevelReading(Struct, frozen=True, gc=False):
    """What a level had when its meters were read."""

    level: str  # "link/level"
    meter_micros: int
    reserve_micros: int
    overflow_micros: int
    wagers: int  # that have fed it, ever
    hits: int  # percentage awards of its link, ever


class MetersRead(Event, frozen=True):
    """The controller has read every meter at the start of a gaming day."""

    date: str  # of the day that begins, such as "2026-03-01"
    due_micros: int  # when it began
    levels: tuple[LevelReading, ...]
    missed: int = 0  # gaming days before it at whose start nothing was read
    alarms: tuple[str, ...] = ()


class DisplayConfirmed(Event, frozen=True):
    """The display shows what the fund holds. `floorperson` is as in `BoxCounted`."""

    link: str
    displayed_micros: int
    floorperson: str = ""


class IncarnationBegun(Event, frozen=True):
    """A backup was restored: the journal goes on from its last entry, and what followed is lost.

    Every table is detached.
    """

    id: str
    ordinal: int  # 2 for the first restore
    common_sequence: int  # the backup's last entry
    common_hash: str
    reason: str
    by: str
    epochs_above: int
    payouts_above: int
    proposals_above: int
    alarms: tuple[str, ...] = ()
    calls_above: int = 0
    last_micros: int = 0  # when a controller was last there, as far as known; 0: nobody said


OperatorEvent = (
    LinkDefined
    | TableDefined
    | LinkDescribed
    | TableDescribed
    | LinkChanged
    | PayoutValidated
    | PayoutPaid
    | PayoutRejected
    | CallDeclined
    | MeterAdjusted
    | FundsTransferred
    | ParametersChanged
    | Proposed
    | ProposalDeclined
    | SiteConfigured
    | DualControlSet
    | AccountMoved
    | BoxCounted
    | BadBeatVerified
    | MetersRead
    | DisplayConfirmed
    | IncarnationBegun
)
