"""What people ask for: staff, and whoever sets up a site or attaches a table."""

from typing import Literal

from msgspec import Struct

from jackpot.core.commands.base import Command
from jackpot.core.commands.table import Placed
from jackpot.core.config import (
    MIDNIGHT,
    SIGN_DIGITS,
    GamingDay,
    Link,
    PayoutSource,
    Table,
    VoidsByTable,
)

RejectReason = Literal["hand-misread", "lamp-dark", "wager-invalid"]
Pool = Literal["overflow", "reserve"]
MeterReason = Literal["malfunction", "reset", "limit", "promotion"]


class Acknowledged(Struct, frozen=True, gc=False):
    """How far a table had come when it last heard from the controller."""

    incarnation: str
    first: int  # the sequences of the first and the last answer that it had
    last: int
    round: int = 0


class AttachTable(Command, frozen=True, omit_defaults=True):  # its digest is that of old journals
    """Take over a table; whoever was attached before is fenced."""

    table: str
    acknowledged: Acknowledged | None = None


class BeginIncarnation(Command, frozen=True):
    """Go on from a restored backup. Sent by `jackpot restore`, never over the wire."""

    id: str
    common_hash: str  # of the last entry that there is
    reason: str
    by: str
    ordinal_above: int = 0  # the greatest that is known of the lost history
    last_micros: int = 0  # of its last entry that is known


class DefineLink(Command, frozen=True):
    """Create a link, out of service and empty."""

    link: Link


class DefineTable(Command, frozen=True):
    """Create a table on links that exist."""

    table: Table


class DescribeLink(Command, frozen=True):
    """Change a link's wording; its terms stay the same."""

    link: Link


class DescribeTable(Command, frozen=True):
    """Change a table's wording; its terms stay the same."""

    table: Table


class PutInService(Command, frozen=True):
    """Seed a link's meters and take wagers."""

    link: str


class SuspendLink(Command, frozen=True):
    """Take no more wagers; payouts go on."""

    link: str


class ResumeLink(Command, frozen=True):
    """Take wagers again."""

    link: str


class RetireLink(Command, frozen=True):
    """End a suspended link that holds no players' money any more; the house takes its seed back."""

    link: str


class ValidatePayout(Command, frozen=True):
    """A floorperson confirms an award. `source` moves a fixed award to the cage."""

    payout: int
    floorperson: str
    source: PayoutSource | None = None


class PayPayout(Command, frozen=True):
    """The award was handed over. The cage's payments need a form number."""

    payout: int
    form: str = ""


class RejectPayout(Command, frozen=True):
    """An award that must not be paid."""

    payout: int
    reason: RejectReason
    floorperson: str


class VoidTableRound(Command, frozen=True):
    """A floorperson undoes a table's round, whatever its phase; `round` says which is meant."""

    table: str
    round: int
    irregularity: str


class VoidTableSeat(Command, frozen=True):
    """A floorperson undoes one seat's part of a table's round."""

    table: str
    round: int
    seat: int
    irregularity: str


class RemoveWager(Command, frozen=True):
    """A floorperson removes an accepted wager without a chip, between lock-out and collection."""

    table: str
    round: int
    wager: Placed


class ApproveFloorCall(Command, frozen=True):
    """A floorperson does what a table has called for."""

    call: int


class DeclineFloorCall(Command, frozen=True):
    """A floorperson does not do what a table has called for."""

    call: int


class AdjustMeter(Command, frozen=True):
    """Set a meter to an amount; a malfunction is booked against the house, all else to overflow."""

    link: str
    level: str
    to_micros: int
    reason: MeterReason
    reference: str


class ResetMeter(Command, frozen=True):
    """Set a meter back to its reseed; the rest goes to overflow."""

    link: str
    level: str
    reference: str


class SetLimit(Command, frozen=True):
    """Give a level another limit, 0 for none, from when its link resumes."""

    link: str
    level: str
    limit_micros: int
    reference: str


class SetRate(Command, frozen=True):
    """Give a level other increment rates, from when its link resumes."""

    link: str
    level: str
    primary_bps: int
    reserve_bps: int
    reference: str


class TransferFunds(Command, frozen=True):
    """Move players' money from a level's overflow or reserve to a meter, here or elsewhere."""

    link: str
    level: str
    pool: Pool
    to_link: str
    to_level: str
    amount_micros: int
    reference: str


class SetDualControl(Command, frozen=True):
    """Let one person's word be enough for changes, or ask for two again."""

    dual_control: bool
    reference: str


# What changes a meter, what feeds it, or who may: a second person of another department must
# approve.
Change = AdjustMeter | ResetMeter | TransferFunds | SetLimit | SetRate | SetDualControl


class ApproveProposal(Command, frozen=True):
    """Let a proposed change take effect."""

    proposal: int


class DeclineProposal(Command, frozen=True):
    """End a proposal; who made it may, and so may anyone who could approve it."""

    proposal: int


class ConfigureSite(Command, frozen=True):
    """Say what the site file says of the site as a whole."""

    dual_control: bool
    day: GamingDay = MIDNIGHT
    voids_by_table: VoidsByTable = "until-collected"
    sign_digits: int = SIGN_DIGITS
    shortest_round_s: int = 0


class NoteSoftware(Command, frozen=True):
    """Say which release of the software runs from here on."""

    software: str


class BuyIn(Command, frozen=True):
    """Put money on a game account."""

    account: str
    amount_micros: int
    reference: str


class CashOut(Command, frozen=True):
    """Take money off a game account."""

    account: str
    amount_micros: int
    reference: str


class CountBox(Command, frozen=True):
    """The count of a table's Bad Beat box: the official record, and what the display gains."""

    link: str
    table: str
    counted_micros: int
    cashier: str


class VerifyBadBeat(Command, frozen=True):
    """The Poker shift supervisor has verified a Bad Beat hand: the fund is shared out."""

    link: str
    table: str
    losing: tuple[str, ...]  # the player's own cards, without those that all players share
    winning: tuple[str, ...]
    community: tuple[str, ...]
    loser: int
    winner: int
    others: tuple[int, ...]
    supervisor: str


class ConfirmDisplay(Command, frozen=True):
    """Finance has set the displayed amount and compares it with the record."""

    link: str
    displayed_micros: int


OperatorCommand = (
    AttachTable
    | DefineLink
    | DefineTable
    | DescribeLink
    | DescribeTable
    | PutInService
    | SuspendLink
    | ResumeLink
    | RetireLink
    | ValidatePayout
    | PayPayout
    | RejectPayout
    | VoidTableRound
    | VoidTableSeat
    | RemoveWager
    | ApproveFloorCall
    | DeclineFloorCall
    | Change
    | ApproveProposal
    | DeclineProposal
    | ConfigureSite
    | BuyIn
    | CashOut
    | CountBox
    | VerifyBadBeat
    | ConfirmDisplay
    | BeginIncarnation
    | NoteSoftware
)
