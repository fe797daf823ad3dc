"""Keep the auditor's own books: levels, links, tables, payouts. Their `total` must stay zero."""

from dataclasses import dataclass, field
from typing import NamedTuple

from emulator.soak.audit.terms import LevelTerms, LinkTerms, TableTerms
from jackpot.wire.v1 import table_pb2 as pb


class Effect(NamedTuple):
    """What an award did to its level and to the house; its winners got the opposite of the sum."""

    meter: int = 0
    reserve: int = 0
    overflow: int = 0
    house: int = 0


class Purse(NamedTuple):
    """A level's money at a moment, or what is put on a level."""

    meter: int = 0
    reserve: int = 0
    overflow: int = 0

    def plus(self, more: "Purse | Effect", sign: int = 1) -> "Purse":
        """The purse after an award or an increment, or with -1 before it."""
        return Purse(*(held + sign * moved for held, moved in zip(self, more[:3], strict=True)))


@dataclass(slots=True)
class Level:
    """A meter with what stands behind it."""

    terms: LevelTerms
    meter: int = 0
    reserve: int = 0
    overflow: int = 0
    last_full: int = 0  # the sequence at which it last paid 100%

    def purse(self) -> Purse:
        """Its money now."""
        return Purse(self.meter, self.reserve, self.overflow)

    def apply(self, more: Purse | Effect, sign: int = 1) -> None:
        """An award or an increment, or with -1 its undoing."""
        self.meter, self.reserve, self.overflow = self.purse().plus(more, sign)

    def credit(self, amount: int) -> None:
        """Put money on the meter, as far as its limit lets it, and the rest to overflow."""
        before = self.meter
        self.meter += amount
        self.keep_within(before)

    def keep_within(self, stood: int) -> None:
        """Move to overflow what is above the limit, and above where the meter has stood."""
        most = max(self.terms.limit_micros, stood)
        if self.terms.limit_micros and self.meter > most:
            self.overflow += self.meter - most
            self.meter = most

    def shortfall(self) -> int:
        """Raise to zero whatever is below; what that took."""
        missing = sum(-min(0, amount) for amount in self.purse())
        self.meter, self.reserve, self.overflow = (max(0, amount) for amount in self.purse())
        return missing


@dataclass(slots=True)
class Link:
    """A link's accounts."""

    terms: LinkTerms
    levels: dict[str, Level]
    status: str = "DEFINED"
    pending: int = 0
    retained: int = 0
    players: int = 0
    house: int = 0
    hits: int = 0
    next_terms: dict[str, LevelTerms] = field(default_factory=dict)  # from when it resumes

    def total(self) -> int:
        """All its money."""
        held = sum(sum(level.purse()) for level in self.levels.values())
        return held + self.pending + self.retained + self.players + self.house


def new_link(terms: LinkTerms) -> Link:
    """A link, seeded if the site file puts it in service."""
    link = Link(terms, {level.id: Level(level) for level in terms.levels})
    if terms.in_service:
        put_in_service(link)
    return link


def put_in_service(link: Link) -> None:
    """The house seeds every meter, once."""
    link.status = "IN_SERVICE"
    for level in link.levels.values():
        level.meter += level.terms.seed_micros
        link.house -= level.terms.seed_micros


class Standing(NamedTuple):
    """A wager that was accepted."""

    player: str
    electronic: bool
    account: str = ""  # the game account that it was taken from
    # Primary and reserve by level, if its link has changed them since; empty: as they are now.
    rates: tuple[tuple[str, tuple[int, int]], ...] = ()

    def terms_at(self, level: "Level") -> LevelTerms:
        """A level's terms with the rates at which the wager was accepted."""
        for name, (primary, reserve) in self.rates:
            if name == level.terms.id:
                return level.terms._replace(primary_bps=primary, reserve_bps=reserve)
        return level.terms


class Hand(NamedTuple):
    """How a seat ended the round."""

    cards: tuple[str, ...]
    fate: str
    player: str = ""  # where no wager of the seat says it


class Increment(NamedTuple):
    """What a round put on a level, and when."""

    sequence: int
    money: Purse


@dataclass(slots=True)
class Round:
    """A table's round."""

    number: int
    phase: str = "OPEN"
    wagers: dict[int, dict[str, Standing]] = field(default_factory=dict)
    void_seats: list[int] = field(default_factory=list)
    posted: dict[tuple[str, str], Increment] = field(default_factory=dict)  # (link, level)
    draws: dict[str, pb.Draw] = field(default_factory=dict)  # by link
    touched: bool = False  # something of it was validated or paid
    settled: pb.Settle | None = None  # what it was settled with
    payouts: list["Payout"] = field(default_factory=list)  # all that were decided
    alarms: list[str] = field(default_factory=list)
    irregularity: str = ""  # why it is void

    def standing(self) -> list[tuple[int, str, Standing]]:
        """Every wager: seat, bet, wager."""
        return [(s, bet, w) for s, bets in self.wagers.items() for bet, w in bets.items()]


@dataclass(slots=True)
class Table:
    """A table."""

    terms: TableTerms
    epoch: int = 0
    last_number: int = 0
    rounds: int = 0
    round: Round | None = None
    voided: Round | None = None  # the last round, if it is void
    decks: set[str] = field(default_factory=set)  # in use, by their backs
    calls: list[int] = field(default_factory=list)  # all its calls for the floor


class Due(NamedTuple):
    """A right to money, before it is known how much a meter holds."""

    kind: str
    link: str
    bet: str
    hand: str
    winners: tuple[tuple[int, str], ...]  # seat, player
    level: str
    share_bps: int
    each_micros: int
    holder: int
    source: str
    needs_floor: bool


@dataclass(slots=True)
class Payout:
    """Money due to a player and not yet paid."""

    id: int
    table: str
    round: int
    due: Due
    seat: int
    player: str
    holder: int
    cards: tuple[str, ...]
    amount: int
    meter_before: int
    source: str
    account: str = ""
    floorperson: str = ""
    status: str = "PENDING"
    form: str = ""


@dataclass(slots=True, eq=False)  # two awards may be alike and still be two
class Award:
    """A due decided."""

    due: Due
    payouts: tuple[int, ...]
    each: int
    effect: Effect
    turn: int  # the seat at whose turn it falls due
    saw: int = 0  # its meter at that turn


class Before(NamedTuple):
    """A level as it stood at a settlement's first turn."""

    purse: Purse
    last_full: int
    terms: LevelTerms


@dataclass(slots=True)
class Settlement:
    """A round's awards, in payment order."""

    table: TableTerms
    sequence: int
    awards: list[Award]
    before: dict[tuple[str, str], "Before"]
    aside: set[tuple[str, str]] = field(default_factory=set)  # levels with money put aside


class Call(NamedTuple):
    """A table's open call for the floor."""

    id: int
    asked: pb.CallFloor


@dataclass(slots=True)
class Books:
    """All of a site."""

    links: dict[str, Link]
    tables: dict[str, Table]
    payouts: dict[int, Payout] = field(default_factory=dict)  # the open ones
    last_payout: int = 0
    settlements: dict[tuple[str, int], Settlement] = field(default_factory=dict)
    accounts: dict[str, int] = field(default_factory=dict)  # players' game accounts
    cashier: int = 0
    calls: dict[str, Call] = field(default_factory=dict)  # the open ones, by table
    last_call: int = 0
    incarnation: str = ""
    lost_payouts: list[range] = field(default_factory=list)  # ids that only a lost history gave
    lost_calls: list[range] = field(default_factory=list)  # likewise

    def total(self) -> int:
        """All money of the site; transfers cross links, so only the whole sums to zero."""
        links = sum(link.total() for link in self.links.values())
        return links + sum(self.accounts.values()) + self.cashier

    def level(self, key: tuple[str, str]) -> Level:
        """A level by its link and its name."""
        return self.links[key[0]].levels[key[1]]

    def forget(self, key: tuple[str, int]) -> None:
        """Drop a settlement of which nothing is open any more."""
        settlement = self.settlements.get(key)
        if settlement and not any(p in self.payouts for a in settlement.awards for p in a.payouts):
            del self.settlements[key]
