"""What a site is at one sequence of its journal: nothing but what `evolve` made of its events.

State holds no closed business: a payout leaves it when it is paid or rejected, a round when the
next one opens. What is gone from here is in the journal.
"""

from functools import cached_property
from typing import Literal

from msgspec import UNSET, Struct, UnsetType, field

from jackpot.core.commands.operator import Change
from jackpot.core.commands.table import Dealing, FloorAct, SeatHand
from jackpot.core.config import (
    MIDNIGHT,
    SIGN_DIGITS,
    GamingDay,
    Link,
    Medium,
    PayoutSource,
    Table,
    VoidsByTable,
)
from jackpot.core.due import Due

STATE_VERSION = 4  # of the snapshot's form; jackpot/store/codec.py converts version 3
RECENT_NUMBERS = 64  # answers kept a table: more than a stream may have in flight
RECENT_REQUESTS = 128  # answers kept for each principal
RECENT_ATTACHES = 4  # answers kept for each table's attachments
MAX_PRINCIPALS = 1_024  # whose answers are kept
RECENT_CALLS = 4  # closed calls for the floor kept for each table
MAX_INCARNATIONS = 100  # that are remembered
RECENT_HITS = 25  # and however many more are not yet paid

Phase = Literal["open", "locked", "collected", "settled"]
LinkStatus = Literal["defined", "in-service", "suspended", "retired"]
ClaimKind = Literal["share", "fixed", "envy", "magic", "lucky", "bad-beat"]
NO_POSITION = -1  # of a Lucky Bonus that was not drawn
# Why a call for the floor is closed; overtaken: what it asks for can't be done any more.
CallOutcome = Literal["approved", "declined", "withdrawn", "overtaken", "expired"]
BadBeatRole = Literal["loser", "winner", "table"]
PayoutStatus = Literal["pending", "validated", "paid", "rejected"]


class Answer(Struct, frozen=True, gc=False, array_like=True):
    """Where the answer to a command is kept, and a digest of what was asked."""

    sequence: int
    digest: str


class RequestMemory(Struct):
    """The answers to the latest requests by their ids, and the greatest id that was dropped."""

    recent: dict[str, Answer] = field(default_factory=dict)
    forgotten: str = ""  # this id, and every smaller one that is not recent, is too old


class Accepted(Struct, frozen=True, gc=False, omit_defaults=True):
    """A wager that lights a lamp."""

    amount_micros: int
    player: str
    medium: Medium
    account: str = ""
    # Primary and reserve of each of the link's levels when the wager was accepted; empty: as the
    # link has them now.
    rates: tuple[tuple[int, int], ...] = ()


class Posted(Struct, frozen=True, gc=False):
    """What a round put on a level, and when, so that a void can take back just that."""

    sequence: int
    meter_micros: int = 0
    reserve_micros: int = 0
    overflow_micros: int = 0
    wagers: int = 0  # that feed the level; none in early journals


class Draw(Struct, frozen=True, gc=False, omit_defaults=True):
    """What a link drew at a lock-out, and the random bytes that it was drawn from."""

    link: str
    entropy: str  # in hexadecimal digits
    magic_card: str = ""
    lucky_position: int = NO_POSITION


class Round(Struct, dict=True):  # for its stakes, which no snapshot has
    """A table's round under way, or its last one until the next opens."""

    number: int
    phase: Phase = "open"
    # Seat -> bet -> wager. Never changed in place: see `jackpot.core.stakes`.
    wagers: dict[int, dict[str, Accepted]] = field(default_factory=dict)
    void_seats: list[int] = field(default_factory=list)
    posted: dict[str, Posted] = field(default_factory=dict)  # "link/level" -> increments
    magic_card: str = ""  # the first of `draws`, or of all links before there were `draws`
    lucky_position: int = NO_POSITION  # a seat, 0 for the dealer
    validated: bool = False  # something of it was validated or paid: no void any more
    draws: tuple[Draw, ...] = ()


class Deck(Struct, frozen=True, gc=False):
    """A deck in use at a table."""

    back: str
    dealing: Dealing
    since_micros: int
    due_micros: int  # when it has to be changed; 0: never


class VoidedRound(Struct, frozen=True):
    """A round that came to nothing, as it was."""

    round: Round
    irregularity: str
    floorperson: str


class RoundPayout(Struct, frozen=True, gc=False, omit_defaults=True):
    """A payout of a table's last round, and how far it has come."""

    payout: "Payout"
    status: PayoutStatus = "pending"
    form: str = ""


class Result(Struct, omit_defaults=True):
    """What the settlement of a table's last round came to, so that its answer can be had again."""

    hands: tuple[SeatHand, ...]
    dealer: tuple[str, ...] = ()
    community: tuple[str, ...] = ()
    alarms: tuple[str, ...] = ()
    payouts: dict[int, RoundPayout] = field(default_factory=dict)  # all of them, by their ids


class TableState(Struct):
    """A table: who speaks for it, its recent answers, and its round."""

    config: Table
    epoch: int = 0
    last_number: int = 0
    recent: dict[int, Answer] = field(default_factory=dict)
    rounds: int = 0
    round: Round | None = None
    decks: dict[str, Deck] = field(default_factory=dict)  # by their backs
    attaches: RequestMemory = field(default_factory=RequestMemory)
    late_voids: int = 0  # of rounds and seats, after a lock-out
    result: Result | None = None  # of the last round that was settled, until the next one opens
    voided: VoidedRound | None = None  # the last round if it is void, until the next one opens


class Intake(Struct, frozen=True, gc=False):
    """How many wagers have fed a level, and how many of them since a moment."""

    wagers: int = 0  # ever, without void ones
    since_micros: int = 0
    lately: int = 0


class LinkState(Struct):
    """A link: its life cycle and when each level last paid 100%."""

    config: Link
    status: LinkStatus = "defined"
    last_hit: dict[str, int] = field(default_factory=dict)  # level -> sequence
    funded: dict[str, int] = field(default_factory=dict)  # level -> what the house put on last
    borne: dict[str, int] = field(default_factory=dict)  # level -> what awards took off it since
    hit_count: int = 0  # every percentage award; signs notice a hit that they did not see
    next_config: Link | None = None  # approved changes, in force when the link resumes
    pending_adjustment: bool = False  # a Bad Beat was paid and the display not yet set right
    intake: dict[str, Intake] = field(default_factory=dict)  # by level
    out_micros: int = 0  # since when it takes no wagers; 0: it takes some, or it is not known
    away_micros: int = 0  # how long no controller had been there when that suspended it


class Winner(Struct, frozen=True, gc=False):
    """Who takes a part of a claim."""

    seat: int
    player: str


class Claim(Struct, frozen=True, gc=False, omit_defaults=True):
    """A right to money that a hand gives, before it is known how much a meter holds."""

    kind: ClaimKind
    link: str
    bet: str
    hand: str
    winners: tuple[Winner, ...]
    level: str = ""  # the meter that pays or bears it; "" for the house
    share_bps: int = 0
    amount_micros: int = 0  # of a fixed award, to each winner
    source: PayoutSource = "inventory"
    needs_floorperson: bool = True
    holder: int = -1  # the seat whose cards it is about, 0 for the dealer's
    turn: int = 0  # the seat at whose turn it was decided, where its winners no longer say so


class Effects(Struct, frozen=True, gc=False):
    """What an award did to the accounts of its level and the house (its payouts aside)."""

    meter_micros: int = 0
    reserve_micros: int = 0
    overflow_micros: int = 0
    house_micros: int = 0


class Award(Struct, frozen=True, gc=False, omit_defaults=True):
    """A claim decided: what each payout of it is, and what it did to its level."""

    claim: Claim
    payouts: tuple[int, ...]  # ids, one for each winner
    amount_micros: int  # to each winner
    effects: Effects
    meter_before_micros: int = -1  # of its level when it was decided; -1: not noted


class Pools(Struct, frozen=True, gc=False):
    """A level's money at a moment, with the settings by which an award refills it."""

    meter_micros: int
    reserve_micros: int
    overflow_micros: int
    reseed_micros: int
    limit_micros: int
    fund: bool
    last_hit: int  # sequence of the level's last 100% before this
    funded_micros: int = 0  # what the house had put on the meter
    borne_micros: int = 0  # what awards had taken off it since


class Settlement(Struct, frozen=True, gc=False):
    """A settled round's awards in payment order, kept while any of its payouts is open."""

    table: str
    round: int
    sequence: int
    awards: tuple[Award, ...]
    before: dict[str, Pools]  # "link/level" -> as it stood at the first turn
    # Levels of which something was put aside because another round had won them. Should that other
    # round be undone later, no award of this one is decided again on them.
    put_aside: tuple[str, ...] = ()


class Payout(Struct, frozen=True, gc=False):
    """Money due to a player: pending, perhaps validated, and then gone from the state."""

    id: int
    table: str
    round: int
    link: str
    level: str
    bet: str
    kind: ClaimKind
    hand: str
    seat: int
    player: str
    cards: tuple[str, ...]
    amount_micros: int
    meter_before_micros: int
    source: PayoutSource
    needs_floorperson: bool
    holder: int
    share_bps: int = 0
    floorperson: str = ""  # who validated it
    since_micros: int = 0  # time of the decision
    account: str = ""  # the game account that the wager came from
    role: BadBeatRole | Literal[""] = ""  # the player's part in a Bad Beat; "" in early journals


class Hit(Struct, frozen=True, gc=False):
    """A percentage award, as a sign shows it."""

    payout: int
    time_micros: int
    table: str
    seat: int
    link: str
    level: str
    hand: str
    amount_micros: int
    status: PayoutStatus = "pending"


def is_open(hit: Hit) -> bool:
    """Whether a hit is neither paid nor rejected yet."""
    return hit.status in ("pending", "validated")


class Proposal(Struct, frozen=True, gc=False):
    """A change that waits for a second person."""

    id: int
    change: Change
    proposer: str
    department: str
    time_micros: int
    expires_micros: int
    link: str
    hit_count: int  # of the link when it was proposed
    before: str  # what the change is about, as it stood, for people to read
    after: str
    by_micros: int = 0  # how far a meter that is to be set moves
    since: int = 0  # its sequence; a later change of the meters it touches overtakes it


class FloorCall(Struct, frozen=True, gc=False, omit_defaults=True):
    """A table's call for the floor: open, or with what became of it."""

    id: int
    table: str
    round: int
    act: FloorAct
    time_micros: int
    expires_micros: int
    seat: int = 0
    bet: str = ""
    irregularity: str = ""
    outcome: CallOutcome | Literal[""] = ""  # "": open
    by: str = ""  # the floorperson who answered
    closed_micros: int = 0


class Incarnation(Struct, frozen=True, gc=False):
    """A history of the journal: the first, or one that began when a backup was restored.

    What came after `common_sequence` in the history before is lost. No epoch, payout, proposal
    or call that may have been given there is given again.
    """

    id: str = ""
    ordinal: int = 1
    common_sequence: int = 0  # the last entry that this history shares with the one before
    begun_micros: int = 0
    epochs_above: int = 0  # every epoch up to here belongs to an earlier history
    lost_payouts: tuple[int, int] = (0, 0)  # ids after the first number, up to the second
    lost_proposals: tuple[int, int] = (0, 0)
    lost_calls: tuple[int, int] = (0, 0)
    last_micros: int = 0  # when a controller was last there before it began; 0: not known


FIRST = Incarnation()


class State(Struct, dict=True):  # for `due`, which no snapshot has
    """A site."""

    site: str
    sequence: int = 0
    time_micros: int = 0
    balances: dict[str, int] = field(default_factory=dict)
    links: dict[str, LinkState] = field(default_factory=dict)
    tables: dict[str, TableState] = field(default_factory=dict)
    settlements: dict[str, Settlement] = field(default_factory=dict)  # "table/round"
    payouts: dict[int, Payout] = field(default_factory=dict)  # the open ones
    last_payout: int = 0
    requests_by: dict[str, RequestMemory] = field(default_factory=dict)  # by principal
    forgotten_request: str = ""  # the greatest request id of any principal that was dropped
    hits: list[Hit] = field(default_factory=list)
    dual_control: bool = False
    day: GamingDay = MIDNIGHT
    proposals: dict[int, Proposal] = field(default_factory=dict)  # the open ones
    last_proposal: int = 0
    last_change: dict[str, int] = field(default_factory=dict)  # "link/level" -> sequence, by hand
    bad_beats: int = 0
    calls: dict[str, FloorCall] = field(default_factory=dict)  # the open ones, by table
    closed_calls: dict[str, tuple[FloorCall, ...]] = field(default_factory=dict)  # by table
    last_call: int = 0
    voids_by_table: VoidsByTable = "until-collected"
    converted_at: int = 0  # sequence of the old snapshot that its memory of requests came from
    software: str = ""  # the release that ran last; "" where none was ever named
    sign_digits: int = SIGN_DIGITS  # that the smallest sign of the house has
    shortest_round_s: int = 0  # that a table of the house can play; 0: not said
    last_read: str = ""  # the gaming day at whose start the meters were last read
    boxes_counted: list[str] = field(default_factory=list)  # "link/table", since then
    # After the first, the latest last. Left out of snapshots where there are none.
    restored: tuple[Incarnation, ...] | UnsetType = UNSET

    @property
    def incarnations(self) -> tuple[Incarnation, ...]:
        """Those that restores have begun."""
        return () if self.restored is UNSET else self.restored

    @property
    def incarnation(self) -> Incarnation:
        """The history that is written now."""
        return self.restored[-1] if self.restored else FIRST

    @cached_property
    def due(self) -> Due:
        """What the open payouts come to; made of them once, and then kept up by the two below."""
        return Due(self.payouts.values())

    @cached_property
    def seats_on(self) -> dict[str, int]:
        """The seats of each link's tables; whoever changes the tables forgets it."""
        found: dict[str, int] = {}
        for table in self.tables.values():
            for link in table.config.links:
                found[link] = found.get(link, 0) + table.config.seats
        return found

    def put_table(self, table: Table) -> None:
        """Keep a table, which may be new, or have other terms."""
        self.__dict__.pop("seats_on", None)
        if known := self.tables.get(table.id):
            known.config = table
        else:
            self.tables[table.id] = TableState(table)

    def put_payout(self, payout: Payout) -> None:
        """Keep an open payout, perhaps in the place of what it was before."""
        if before := self.payouts.get(payout.id):
            self.due.remove(before)
        self.due.add(payout)
        self.payouts[payout.id] = payout

    def close_payout(self, payout: int) -> Payout:
        """Keep a payout no more."""
        self.due.remove(self.payouts[payout])
        return self.payouts.pop(payout)
