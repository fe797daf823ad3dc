"""Why money moved on a level: every posting to a meter, reserve or overflow, with its cause.

A settlement's posting is one number for what was won and what was put back; here it is taken apart
again, so that an award can be read beside the reseed that followed it.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple, get_args

from jackpot.core import ledger
from jackpot.core.commands.base import Origin, TableOrigin
from jackpot.core.commands.operator import SetDualControl
from jackpot.core.events import Record
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
    RoundLocked,
    RoundSettled,
    RoundVoided,
    SeatVoided,
)
from jackpot.core.state import Award, Proposal

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
        return "by an unnamed person"
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
