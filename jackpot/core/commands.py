"""What the controller can be asked to do, and by whom.

A command says what is wanted; an `Origin` says who wants it and makes the command itself
recognisable when it is sent again. Time and randomness come in with the `Request`. Like events
and the values of a state, commands never refer back to what holds them, so the garbage collector
need not look at them (`gc=False`): thousands are made a second.
"""

from typing import Literal

from msgspec import Struct

from jackpot.core.config import MIDNIGHT, GamingDay, Link, Source, Table

# Who a seat's cards belong to at the end of a round. A folded hand is not looked at unless a bet
# that a fold does not forfeit rides on it.
Fate = Literal["played", "folded", "abandoned", "forfeited"]
Dealing = Literal["hand", "shoe"]
RejectReason = Literal["hand-misread", "lamp-dark", "wager-invalid"]
Pool = Literal["overflow", "reserve"]
MeterReason = Literal["malfunction", "reset", "limit", "promotion"]


class TableOrigin(Struct, frozen=True, gc=False, tag="table"):
    """A table's command: numbered without gaps within an attachment (its epoch)."""

    table: str
    epoch: int
    number: int


class OperatorOrigin(Struct, frozen=True, gc=False, tag="operator", omit_defaults=True):
    """A person's or a process's command, told apart by a request id that grows with time."""

    principal: str
    request_id: str
    department: str = ""


class ControllerOrigin(Struct, frozen=True, gc=False, tag="controller"):
    """The controller's own bookkeeping; never sent over the wire."""


Origin = TableOrigin | OperatorOrigin | ControllerOrigin


class Command(Struct, frozen=True, gc=False, tag=True):
    """Base of all commands."""


class AttachTable(Command, frozen=True):
    """Take over a table; whoever was attached before is fenced."""

    table: str


class OpenRound(Command, frozen=True):
    """Begin the next round at the table."""


class Wager(Struct, frozen=True, gc=False, omit_defaults=True):
    """A seat's wager on a bet. `player` tells apart who plays two boxes; "" means the seat."""

    seat: int
    bet: str
    amount_micros: int
    player: str = ""
    account: str = ""  # the game account that an electronic wager is debited from


class PlaceWagers(Command, frozen=True, cache_hash=True):  # `digest` looks it up
    """Accept wagers, all of them or none."""

    wagers: tuple[Wager, ...]


class Placed(Struct, frozen=True, gc=False):
    """Names a wager that was accepted."""

    seat: int
    bet: str


class WithdrawWagers(Command, frozen=True):
    """Give wagers back while the round is open, all of them or none."""

    wagers: tuple[Placed, ...]


class LockOut(Command, frozen=True):
    """No more bets."""


class RemoveWager(Command, frozen=True):
    """Remove an accepted wager that has no chip, after lock-out and before the collection."""

    wager: Placed
    floorperson: str


class ConfirmCollection(Command, frozen=True):
    """The dealer's count of chips for each chip bet; a bet that is not named counts none."""

    chips: dict[str, int]


class SeatHand(Struct, frozen=True, gc=False):
    """How a seat ended the round, and its cards as far as they were seen.

    `player` says who played it, where no wager of the seat does.
    """

    seat: int
    cards: tuple[str, ...] = ()
    fate: Fate = "played"
    player: str = ""


class Settle(Command, frozen=True):
    """Every hand of the round."""

    hands: tuple[SeatHand, ...]
    dealer: tuple[str, ...] = ()
    community: tuple[str, ...] = ()


class VoidRound(Command, frozen=True):
    """Undo the round: wagers returned, increments reversed."""

    irregularity: str
    floorperson: str


class VoidSeat(Command, frozen=True):
    """Undo one seat's part of the round."""

    seat: int
    irregularity: str
    floorperson: str


class DefineLink(Command, frozen=True):
    """Create a link, out of service and empty."""

    link: Link


class DefineTable(Command, frozen=True):
    """Create a table on links that exist."""

    table: Table


class DescribeLink(Command, frozen=True):
    """Give a link other words, with the same terms."""

    link: Link


class DescribeTable(Command, frozen=True):
    """Give a table other words, with the same terms."""

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
    source: Source | None = None


class PayPayout(Command, frozen=True):
    """The award was handed over. The cage's payments need a form number."""

    payout: int
    form: str = ""


class RejectPayout(Command, frozen=True):
    """An award that must not be paid."""

    payout: int
    reason: RejectReason
    floorperson: str


class AdjustMeter(Command, frozen=True):
    """Set a meter to an amount; a malfunction is booked against the house, all else to overflow."""

    link: str
    level: str
    to_micros: int
    reason: MeterReason
    reference: str


class ResetMeter(Command, frozen=True):
    """Set a meter back to its reseed; what is above it waits in overflow."""

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


# What changes a meter or what feeds it: a second person of another department must approve.
Change = AdjustMeter | ResetMeter | TransferFunds | SetLimit | SetRate


class ApproveProposal(Command, frozen=True):
    """Let a proposed change take effect."""

    proposal: int


class DeclineProposal(Command, frozen=True):
    """End a proposal; who made it may, and so may anyone who could approve it."""

    proposal: int


class ConfigureSite(Command, frozen=True):
    """Say whether changes need a second person here, and when a gaming day begins."""

    dual_control: bool
    day: GamingDay = MIDNIGHT


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


class ContributePot(Command, frozen=True):
    """A Poker pot after its rake: the contribution goes into the table's Bad Beat box."""

    pot_micros: int


class PlaceDeck(Command, frozen=True):
    """A deck is in use from now on; one with the same backs is out."""

    back: str  # the colour, or whatever tells it from the table's other decks
    dealing: Dealing
    used_s: int = 0  # for how long it has been in use already


class RemoveDeck(Command, frozen=True):
    """A deck is off the table and no other in its place."""

    back: str


class CountBox(Command, frozen=True):
    """The count of a table's Bad Beat box: the official record, and what the display gains."""

    link: str
    table: str
    counted_micros: int
    cashier: str
    floorperson: str


class VerifyBadBeat(Command, frozen=True):
    """The Poker shift supervisor has verified a Bad Beat hand: the fund is shared out."""

    link: str
    table: str
    hand: str
    loser: int
    winner: int
    others: tuple[int, ...]
    supervisor: str


class ConfirmDisplay(Command, frozen=True):
    """Finance has set the displayed amount, with a floorperson, and compares it with the record."""

    link: str
    displayed_micros: int
    floorperson: str


class TakeSnapshot(Command, frozen=True):
    """Bind a snapshot of the state after `sequence` to the chain."""

    sequence: int
    state_sha256: str


class Probe(Command, frozen=True):
    """Write something, to learn whether the store takes commits again."""


TableCommand = (
    OpenRound
    | PlaceWagers
    | WithdrawWagers
    | LockOut
    | RemoveWager
    | ConfirmCollection
    | Settle
    | VoidRound
    | VoidSeat
    | ContributePot
    | PlaceDeck
    | RemoveDeck
)
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
    | Change
    | ApproveProposal
    | DeclineProposal
    | ConfigureSite
    | BuyIn
    | CashOut
    | CountBox
    | VerifyBadBeat
    | ConfirmDisplay
)
ControllerCommand = TakeSnapshot | Probe
AnyCommand = TableCommand | OperatorCommand | ControllerCommand


class Request(Struct, frozen=True, gc=False):
    """A command as it reaches the core."""

    site: str
    origin: Origin
    command: AnyCommand
    time_micros: int = 0  # since 1970; the engine sets it
    entropy: bytes = b""  # 32 random bytes for a lock-out; the engine sets them
