"""What happened. One event a command; it is also the command's answer.

An event carries its postings and every value that `evolve` needs, so a replay never consults
rules or settings. Fields are only ever added, with a default; anything else is a new event.
"""

from msgspec import Struct

from jackpot.core.commands.base import Origin
from jackpot.core.events.base import Event
from jackpot.core.events.operator import (
    AccountMoved,
    BadBeatVerified,
    BoxCounted,
    DisplayConfirmed,
    FundsTransferred,
    LinkChanged,
    LinkDefined,
    LinkDescribed,
    MeterAdjusted,
    ParametersChanged,
    PayoutPaid,
    PayoutRejected,
    PayoutValidated,
    ProposalDeclined,
    Proposed,
    SiteConfigured,
    TableDefined,
    TableDescribed,
)
from jackpot.core.events.table import (
    CollectionConfirmed,
    DeckPlaced,
    DeckRemoved,
    PotContributed,
    RoundLocked,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    SeatVoided,
    TableAttached,
    WagerRemoved,
    WagersPlaced,
    WagersWithdrawn,
)
from jackpot.core.reasons import Reason


class Refused(Event, frozen=True):
    """A command was refused. Journaled, or it could be accepted later when it is sent again."""

    command: str
    reason: Reason
    details: dict[str, str] = {}


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


class Record(Struct, frozen=True, gc=False, omit_defaults=True):
    """An event with who caused it: what a row of the journal says."""

    origin: Origin
    event: AnyEvent
    digest: str = ""  # of the command, to tell a repeat from a reuse of its identity
