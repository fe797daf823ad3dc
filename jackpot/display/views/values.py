"""What pages are told, as values that become JSON.

Money is text (see `words`), times are whole milliseconds since 1970. `projection` makes them.
"""

from typing import Literal

from msgspec import Struct

Range = Literal["day", "week", "hit"]


class Row(Struct, frozen=True):
    """One row of a paytable."""

    hand: str
    pays: str  # "100% of the mega", "300 for 1", "$500.00"
    amount: str = ""  # what a fixed award comes to at the link's wager
    level: str = ""  # with a share: the level whose meter pays


class LevelCard(Struct, frozen=True):
    """A level and the hands that win from it, the most first."""

    level: str
    name: str
    hands: tuple[Row, ...]


class SignCard(Struct, frozen=True):
    """What a sign is told first of a link: its title, its hands and what they pay."""

    link: str
    title: str
    wager: str
    on: str  # whose hand the bet is about
    levels: tuple[LevelCard, ...]
    rows: tuple[Row, ...]
    envy: tuple[Row, ...] = ()
    terms: tuple[str, ...] = ()  # limits in force, and what funds the next meter
    tables: tuple[str, ...] = ()  # that have a layout to read


class LayoutLine(Struct, frozen=True):
    """One hand on a layout."""

    hand: str
    pays: str
    odds: str


class LayoutWager(Struct, frozen=True):
    """A wager on a layout."""

    title: str
    wager: str
    lines: tuple[LayoutLine, ...]
    odds: str  # among how many hands, or why there are none
    clause: str


class Inscription(Struct, frozen=True):
    """What patrons are told in words."""

    says: str
    clause: str


class LayoutView(Struct, frozen=True):
    """All that a table tells patrons."""

    table: str
    title: str
    wagers: tuple[LayoutWager, ...]
    inscriptions: tuple[Inscription, ...]


class HitView(Struct, frozen=True):
    """A percentage award."""

    payout: int
    time_ms: int
    link: str
    table: str
    seat: int
    level: str
    level_name: str
    hand: str
    amount: str
    status: str


class Amount(Struct, frozen=True):
    """A level's meter."""

    level: str
    amount: str  # as the sign shows it
    frozen: bool = False  # the meter has passed the largest amount that the sign can show


class SignFrame(Struct, frozen=True):
    """What of a link changes, at one sequence of the journal."""

    title: str
    sequence: int
    time_ms: int
    status: str
    hit_count: int
    levels: tuple[Amount, ...]
    hits: tuple[HitView, ...]  # not yet paid first, then by amount: a sign shows the first few
    pending_adjustment: bool = False  # a Bad Beat is due: the amount shown is not yet set right
    terms_sequence: int = 0  # when it changes, the card may have too


class Lamp(Struct, frozen=True):
    """A seat's lamp for a bet; lit by an accepted wager."""

    bet: str
    name: str
    lit: bool


class SeatView(Struct, frozen=True):
    """A seat."""

    seat: int
    lamps: tuple[Lamp, ...]
    void: bool = False


class CountView(Struct, frozen=True):
    """Wagers accepted on a bet against the chips that the dealer counted."""

    bet: str
    name: str
    accepted: int
    confirmed: int | None = None  # None: not counted yet
    electronic: bool = False  # a debit: nothing to count


class PayoutView(Struct, frozen=True):
    """An award due."""

    payout: int
    table: str
    round: int
    seat: int
    link: str
    level: str
    kind: str
    hand: str
    amount: str
    state: Literal["pending", "validated"]
    source: str
    needs_floorperson: bool
    since_ms: int
    cards: tuple[str, ...] = ()


class DealtHand(Struct, frozen=True):
    """A seat's cards in a finished round; the dealer's is seat 0."""

    seat: int
    cards: tuple[str, ...]
    fate: str
    awards: tuple[str, ...] = ()  # "Full house $250.00"


class RoundView(Struct, frozen=True):
    """A finished round."""

    number: int
    time_ms: int
    hands: tuple[DealtHand, ...] = ()
    community: tuple[str, ...] = ()
    void: str = ""  # the irregularity, where it was voided


class PanelCall(Struct, frozen=True):
    """What a table has called the floor for, and what became of it."""

    id: int
    round: int
    asks: str  # "Void seat 3 in round 7"
    why: str
    stake: tuple[str, ...]  # what approving it does
    since_ms: int
    expires_ms: int
    outcome: str = ""  # empty: it is open
    by: str = ""
    closed_ms: int = 0


class PanelView(Struct, frozen=True):
    """A table."""

    table: str
    game: str
    links: tuple[str, ...]
    attached: bool
    heard_ms: int  # 0: not since the controller started
    round: int
    phase: str  # "idle" before the first round
    seats: tuple[SeatView, ...]
    counts: tuple[CountView, ...]
    payouts: tuple[PayoutView, ...]
    magic_card: str = ""
    lucky_position: int = -1
    rounds: tuple[RoundView, ...] | None = None  # None: no journal to read them from
    call: PanelCall | None = None  # the latest, while its round is the table's last


class LevelView(Struct, frozen=True):
    """A level with the accounts that the public does not see."""

    level: str
    name: str
    meter: str
    reserve: str
    overflow: str


class LinkView(Struct, frozen=True):
    """A link with its money."""

    link: str
    title: str
    wager: str
    status: str
    hit_count: int
    pending: str
    levels: tuple[LevelView, ...]


class TableView(Struct, frozen=True):
    """A table in a list."""

    table: str
    game: str
    links: tuple[str, ...]
    attached: bool
    phase: str
    round: int
    accepted: int
    open_payouts: int
    heard_ms: int
    contributed: str = ""  # since the record begins; "" where it is not known
    contributed_bp: int = 0  # of all tables' contributions


class Proposal(Struct, frozen=True):
    """A change that waits for a second person."""

    id: int
    link: str
    level: str
    before: str
    after: str
    by: str
    since_ms: int
    expires_ms: int


class CallView(Struct, frozen=True):
    """A table's open call for the floor."""

    id: int
    table: str
    round: int
    seat: int  # 0: all
    act: str  # in words
    why: str
    since_ms: int
    expires_ms: int


class Alarm(Struct, frozen=True):
    """Something that the floor should look into."""

    kind: str  # as docs/operate/alarms.md lists it
    severity: Literal["critical", "warning"]
    text: str
    time_ms: int


class Overview(Struct, frozen=True):
    """A site as its operator sees it."""

    site: str
    sequence: int
    now_ms: int
    serving: bool
    links: tuple[LinkView, ...]
    tables: tuple[TableView, ...]
    payouts: tuple[PayoutView, ...]
    proposals: tuple[Proposal, ...]
    alarms: tuple[Alarm, ...]
    hits: tuple[HitView, ...]  # not yet paid first, by amount; then the newest first
    record_since_ms: int  # from when on contributions and charts are known; 0: not yet
    calls: tuple[CallView, ...] = ()  # oldest first


class HistoryView(Struct, frozen=True):
    """A meter over time: the last value of each step."""

    link: str
    level: str
    range: Range
    times_s: tuple[int, ...]
    amounts: tuple[str, ...]
    since_s: int  # from when on it is known
