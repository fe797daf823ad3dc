"""What happened at a table, in the order of a round."""

from msgspec import Struct

from jackpot.core.commands.table import FloorAct, Placed, SeatHand, Wager
from jackpot.core.config import Medium
from jackpot.core.events.base import Event, PayoutChange, Postings
from jackpot.core.state import (
    Deck,
    Draw,
    FloorCall,
    Payout,
    Posted,
    Result,
    Round,
    Settlement,
    VoidedRound,
)


class LostRange(Struct, frozen=True, gc=False):
    """What a table was told before a backup was restored, and the journal no longer has."""

    incarnation: str  # that the table knew
    first: int  # sequences
    last: int
    round: int  # at which it was; 0: none


class TableAttached(Event, frozen=True):
    """A client speaks for the table; earlier epochs are fenced. It can relight its lamps."""

    table: str
    epoch: int
    last_number: int  # of the epoch before
    rounds: int
    round: Round | None = None
    call: FloorCall | None = None  # that is open
    incarnation: str = ""
    lost: LostRange | None = None
    alarms: tuple[str, ...] = ()
    result: Result | None = None  # of that round, if it is settled; not in early journals
    voided: VoidedRound | None = None  # the last round, if it is void; not in early journals


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
    """A floorperson removed an accepted wager that had no chip.

    `floorperson` is who called, by their own credential. Early journals have it, and voids with
    it, from tables: there it is a name in a table's message, and proves nothing.
    """

    table: str
    wager: Placed
    floorperson: str
    number: int = 0  # of the round; 0, and no amount, in early journals
    amount_micros: int = 0
    call: int = 0  # the table's call that it answers; 0: none


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
    draws: tuple[Draw, ...] = ()  # of every link that offers a bonus; none before 0.2.0
    alarms: tuple[str, ...] = ()


class CollectionConfirmed(Event, frozen=True):
    """The chips are those accepted; their increments are on the meters."""

    table: str
    chips: dict[str, int]
    postings: Postings
    posted: dict[str, Posted]
    alarms: tuple[str, ...] = ()


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


class RoundVoided(Event, frozen=True):
    """A round came to nothing: its wagers are returned and its increments taken back.

    `floorperson` is who called, by their own credential; "" where the table did it alone.
    """

    table: str
    number: int
    irregularity: str
    floorperson: str
    returned_micros: int
    postings: Postings = ()
    changes: tuple[PayoutChange, ...] = ()
    last_hit: dict[str, int] = {}
    call: int = 0  # the table's call that it answers; 0: none
    late_voids: int = 0  # after a lock-out: how many the table has had, with this one


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
    call: int = 0
    late_voids: int = 0


class FloorCalled(Event, frozen=True):
    """A table asks for a floorperson."""

    id: int
    table: str
    round: int
    act: FloorAct
    seat: int
    bet: str
    irregularity: str
    expires_micros: int


class CallWithdrawn(Event, frozen=True):
    """A table needs no floorperson any more."""

    call: int
    table: str


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


# What a table itself sends; its definition and what operators do about it are not heard of it.
TableEvent = (
    TableAttached
    | RoundOpened
    | WagersPlaced
    | WagersWithdrawn
    | RoundLocked
    | WagerRemoved
    | CollectionConfirmed
    | RoundSettled
    | RoundVoided
    | SeatVoided
    | FloorCalled
    | CallWithdrawn
    | PotContributed
    | DeckPlaced
    | DeckRemoved
)
