"""Decide one claim against its level: what each winner gets and what is left.

Payouts are whole cents, rounded down; what is left stays on the meter. After 100% the new meter is
the reseed from the house, the emptied reserve, overflow as far as the limit lets it, and the
residue. After 10% nothing is reseeded. A pure function of the level's money at the player's turn.
"""

from msgspec import Struct
from msgspec.structs import replace

from jackpot.core.claims import is_full
from jackpot.core.money import BPS_PER_WHOLE, floor_to_cent
from jackpot.core.state import Award, Claim, Effects, Pools


class Outcome(Struct, frozen=True):
    """What a decided claim pays, and what it does to its level."""

    amount_micros: int  # to each winner
    effects: Effects
    pools: Pools | None  # the level afterwards; None for a claim that touches none


def decide_award(claim: Claim, pools: Pools | None) -> Outcome:
    """Decide what a claim pays at its turn. `pools` is its level; None: only the house pays."""
    winners = len(claim.winners)
    if pools is None:
        return Outcome(
            claim.amount_micros, Effects(house_micros=-claim.amount_micros * winners), None
        )
    if claim.share_bps:
        pot = pools.meter_micros * claim.share_bps // BPS_PER_WHOLE
        each = floor_to_cent(pot // winners)
        left = replace(pools, meter_micros=pools.meter_micros - each * winners)
        after, house = refill(left) if is_full(claim) else (left, 0)
    else:
        # A fixed award that the meter bears as far as it goes.
        each = claim.amount_micros
        borne = min(pools.meter_micros, each * winners)
        after = replace(pools, meter_micros=pools.meter_micros - borne)
        house = each * winners - borne
    return Outcome(each, _difference(pools, after, house), after)


def stand(award: Award, pools: Pools) -> Outcome:
    """Apply a validated or paid award, whose amounts are fixed, to a level that has changed since.

    An amount below 100% comes off the meter as it is now. After 100% the new meter is made from
    the meter that the award saw, and what there is besides goes to overflow.
    """
    claim, each = award.claim, award.amount_micros
    total = each * len(claim.winners)
    if not is_full(claim):
        borne = min(pools.meter_micros, total)
        after = replace(pools, meter_micros=pools.meter_micros - borne)
        return Outcome(each, _difference(pools, after, total - borne), after)
    seen = award.meter_before_micros
    after, house = refill(replace(pools, meter_micros=seen - total))
    besides = after.overflow_micros + pools.meter_micros - seen
    after = replace(after, overflow_micros=max(0, besides))
    return Outcome(each, _difference(pools, after, house + max(0, -besides)), after)


def refill(left: Pools) -> tuple[Pools, int]:
    """Return a level after a 100% award, and what the house added to it."""
    house = left.reseed_micros
    if left.fund:
        house = max(0, house - left.reserve_micros)
    meter = left.meter_micros + house + left.reserve_micros
    overflow = left.overflow_micros
    if left.limit_micros:
        # Overflow returns as far as there is room, and what has no room becomes overflow. Without
        # a limit, what lies in overflow was put there by a person and waits for one.
        together = meter + overflow
        meter = min(together, left.limit_micros)
        overflow = together - meter
    return replace(left, meter_micros=meter, reserve_micros=0, overflow_micros=overflow), house


def _difference(before: Pools, after: Pools, house_micros: int) -> Effects:
    return Effects(
        after.meter_micros - before.meter_micros,
        after.reserve_micros - before.reserve_micros,
        after.overflow_micros - before.overflow_micros,
        -house_micros,
    )


def apply(effects: Effects, pools: Pools) -> Pools:
    """Return a level after an award with known effects."""
    return replace(
        pools,
        meter_micros=pools.meter_micros + effects.meter_micros,
        reserve_micros=pools.reserve_micros + effects.reserve_micros,
        overflow_micros=pools.overflow_micros + effects.overflow_micros,
    )


def not_below_zero(pools: Pools) -> Pools:
    """Raise negative amounts of a level to zero; the house pays what is missing."""
    return replace(
        pools,
        meter_micros=max(0, pools.meter_micros),
        reserve_micros=max(0, pools.reserve_micros),
        overflow_micros=max(0, pools.overflow_micros),
    )
