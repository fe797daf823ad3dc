"""Why money moved on a level: every posting to a meter, reserve or overflow, with its cause.

A settlement's posting is one number for what was won and what was put back; here it is taken apart
again, so that an award can be read beside the reseed that followed it.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple, get_args

from msgspec import Struct, field

from jackpot.core import ledger
from jackpot.core.commands.base import Origin, TableOrigin
from jackpot.core.commands.operator import SetDualControl
from jackpot.core.events import AnyEvent, Record
from jackpot.core.events.base import Postings
from jackpot.core.events.operator import (
    Approval,
    BadBeatVerified,
    BoxCounted,
    FundsTransferred,
    LinkChanged,
    MeterAdjusted,
    PayoutRejected,
)
from jackpot.core.events.table import (
    CollectionConfirmed,
    PotContributed,
    RoundLocked,
    RoundSettled,
    RoundVoided,
    SeatVoided,
)
from jackpot.core.state import Award, LinkState, Proposal, State

Cause = Literal[
    "seeds",
    "increments",
    "counts",
    "awards",
    "reseeds",
    "voids",
    "rejections",
    "resets",
    "adjustments",
    "transfers",
    "retired",
]
Pool = Literal["meter", "reserve", "overflow"]
CAUSES: tuple[Cause, ...] = get_args(Cause)
POOLS: tuple[Pool, ...] = get_args(Pool)
_BOX = "box"


class Movement(NamedTuple):
    """Money that came to a level's pool, or left it, and why."""

    level: str  # "link/level"
    pool: Pool
    micros: int
    cause: Cause
    reference: str


def movements(record: Record) -> Iterator[Movement]:
    """What an entry moved on levels."""
    event = record.event
    match event:
        case RoundSettled() | BadBeatVerified():
            for award in event.settlement.awards if event.settlement else ():
                yield from _award(award, event.table)
        case RoundLocked() | CollectionConfirmed():
            yield from _plain(event.postings, "increments", event.table)
        case RoundVoided() | SeatVoided():
            seat = f" seat {event.seat}" if isinstance(event, SeatVoided) else ""
            why = f"{event.table} round {event.number}{seat} void: {event.irregularity}"
            by = taken_back_by(event.floorperson, record.origin)
            yield from _plain(event.postings, "voids", f"{why}, by {by}")
        case PayoutRejected():
            why = f"payout {event.payout} rejected: {event.reason}, by {event.floorperson}"
            yield from _plain(event.postings, "rejections", why)
        case LinkChanged():
            cause: Cause = "retired" if event.status == "retired" else "seeds"
            yield from _plain(event.postings, cause, f"{event.link} {event.status}")
        case BoxCounted():
            yield from _plain(event.postings, "counts", f"box of {event.table}")
        case MeterAdjusted():
            cause = "resets" if event.reason == "reset" else "adjustments"
            why = f"{event.reason}: {event.reference}, {people(event.approval)}"
            yield from _plain(event.postings, cause, why)
        case FundsTransferred():
            to = f"to {event.to_link}/{event.to_level}: {event.reference}"
            yield from _plain(event.postings, "transfers", f"{to}, {people(event.approval)}")


def people(approval: Approval | None) -> str:
    """Who made a change."""
    if approval is None:
        return "by an unknown person"
    if not approval.approver:
        return f"by {approval.proposer} alone"
    return f"by {approval.proposer} and {approval.approver}, proposal {approval.proposal}"


def account_of(proposal: Proposal) -> str:
    """The level that a proposal is about, or the site as a whole."""
    change = proposal.change
    return "site" if isinstance(change, SetDualControl) else f"{change.link}/{change.level}"


def _plain(postings: Postings, cause: Cause, reference: str) -> Iterator[Movement]:
    """Postings that have one cause."""
    for account, micros in postings:
        link, _, rest = account.partition("/")
        level, _, pool = rest.partition("/")
        for known in POOLS:
            if pool == known and level != _BOX:
                yield Movement(ledger.key(link, level), known, micros, cause, reference)


def _award(award: Award, table: str) -> Iterator[Movement]:
    """An award and what was put back after it."""
    claim, effects = award.claim, award.effects
    if not claim.level:
        return
    level = ledger.key(claim.link, claim.level)
    ids = ", ".join(map(str, award.payouts))
    seats = ", ".join(str(winner.seat) for winner in claim.winners)
    reference = f"{claim.hand} at {table} seat {seats}, payout {ids}"
    # A fixed award that a meter bears is borne as far as the meter goes.
    paid = effects.meter_micros
    if claim.share_bps:
        paid = -award.amount_micros * len(claim.winners)
    refilled = (effects.meter_micros - paid, effects.reserve_micros, effects.overflow_micros)
    yield Movement(level, "meter", paid, "awards", reference)
    for pool, micros in zip(POOLS, refilled, strict=True):
        if micros:
            yield Movement(level, pool, micros, "reseeds", reference)


def taken_back_by(floorperson: str, origin: Origin) -> str:
    """A person who was known by their own credential, or the table.

    Early journals have names that came in tables' messages: nobody knows who was there.
    """
    if not isinstance(origin, TableOrigin):
        return floorperson
    return f"{floorperson}, named by the table" if floorperson else "the table"


class PoolTotals(Struct):
    """A pool's money: what it held, what came and went, what it holds."""

    opening_micros: int = 0
    moved_micros: dict[Cause, int] = field(default_factory=dict)
    closing_micros: int = 0

    def add(self, cause: Cause, micros: int) -> None:
        """Count a movement."""
        self.moved_micros[cause] = self.moved_micros.get(cause, 0) + micros
        self.closing_micros += micros


class LevelTotals(Struct):
    """A level's pools, and how often a percentage of its meter was won."""

    level: str  # "link/level"
    pools: dict[Pool, PoolTotals] = field(
        default_factory=lambda: {pool: PoolTotals() for pool in POOLS}
    )
    hits: int = 0
    wagers: int = 0  # that fed it, without void ones


class PaidTotals(Struct):
    """What was paid and by whom, of a level or, where no meter bears it, of a link."""

    level: str
    system_micros: int = 0  # credited to a game account
    attendants_micros: int = 0  # from a table's inventory, or by the cage
    together_micros: int = 0


class TableTotals(Struct):
    """What a table's wagers, or its pots, came to on one link."""

    table: str
    link: str
    wagered_micros: int = 0
    meter_micros: int = 0
    reserve_micros: int = 0
    overflow_micros: int = 0
    retained_micros: int = 0
    boxed_micros: int = 0  # from pots, into a Bad Beat box


def _wagers(link: LinkState, level: str) -> int:
    return link.intake[level].wagers if level in link.intake else 0


class Totals:
    """Adds up whatever it is told."""

    def __init__(self) -> None:
        self.levels: dict[str, LevelTotals] = {}
        self.paid: dict[str, PaidTotals] = {}
        self.tables: dict[tuple[str, str], TableTotals] = {}

    def open(self, state: State) -> None:
        """Begin with the money that is there."""
        for link in state.links.values():
            for level in link.config.levels:
                name = ledger.key(link.config.id, level.id)
                self.level(name).wagers = -_wagers(link, level.id)
                for pool, totals in self.level(name).pools.items():
                    balance = state.balances.get(f"{name}/{pool}", 0)
                    totals.opening_micros = totals.closing_micros = balance

    def close(self, state: State) -> None:
        """Count the wagers that there have been since it was opened."""
        for link in state.links.values():
            for level in link.config.levels:
                self.level(ledger.key(link.config.id, level.id)).wagers += _wagers(link, level.id)

    def level(self, name: str) -> LevelTotals:
        """A level's totals."""
        return self.levels.setdefault(name, LevelTotals(name))

    def move(self, movement: Movement) -> None:
        """Count a movement."""
        self.level(movement.level).pools[movement.pool].add(movement.cause, movement.micros)

    def pay(self, level: str, source: str, micros: int) -> None:
        """Count a payment."""
        paid = self.paid.setdefault(level, PaidTotals(level))
        if source == "account":
            paid.system_micros += micros
        else:
            paid.attendants_micros += micros
        paid.together_micros += micros

    def contribute(self, event: AnyEvent) -> None:
        """Count what a table's wagers or pots gave."""
        match event:
            case RoundLocked() | CollectionConfirmed():
                for account, micros in event.postings:
                    link, _, rest = account.partition("/")
                    self._wager(self._table(event.table, link), rest, micros)
            case PotContributed():
                self._table(event.table, event.link).boxed_micros += event.amount_micros

    def _table(self, table: str, link: str) -> TableTotals:
        return self.tables.setdefault((table, link), TableTotals(table, link))

    @staticmethod
    def _wager(totals: TableTotals, account: str, micros: int) -> None:
        name = account.rpartition("/")[2]
        if name == "players":
            totals.wagered_micros -= micros
        elif name == "retained" or name in POOLS:
            field_name = f"{name}_micros"
            setattr(totals, field_name, getattr(totals, field_name) + micros)
