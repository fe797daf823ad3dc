"""Take back awards of a settled round, and decide again what hung on them.

A rejection, a void of a seat and a void of a round are the same act with other payouts doomed.
Each level that lost something is walked through once more, from as it stood at the first turn and
without the doomed winners. What nobody has validated yet is decided again at the meter of its turn;
what was validated or paid keeps its amounts and counts with them. Once another round has taken 100%
of the level, no award changes any more: the doomed amount goes to overflow. That holds for the rest
of this settlement, also if the other round is undone later: what lies in overflow counts as given.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from msgspec import Struct, field
from msgspec.structs import replace

from jackpot.core import ledger
from jackpot.core.awards import apply, decide_award, not_below_zero, stand
from jackpot.core.claims import is_full, turn_of
from jackpot.core.events.base import PayoutChange
from jackpot.core.ledger import Book
from jackpot.core.order import awards_in_order
from jackpot.core.settle import post_award
from jackpot.core.state import Award, Effects, Pools, Settlement, State


class Rework(Struct):
    """What is left of a settlement, and what changes with it."""

    settlement: Settlement | None = None
    changes: list[PayoutChange] = field(default_factory=list)
    last_hit: dict[str, int] = field(default_factory=dict)  # "link/level" -> back to
    stood: dict[str, int] = field(default_factory=dict)  # "link/level" -> how high its meter was

    def move(self, state: State, seats: Mapping[int, int]) -> None:
        """Note that payouts are due at other seats from now on."""
        known = {change.payout: place for place, change in enumerate(self.changes)}
        for payout, seat in seats.items():
            if payout in known:
                place = known[payout]
                self.changes[place] = replace(self.changes[place], seat=seat)
            else:
                was = state.payouts[payout]
                stays = was.amount_micros, was.meter_before_micros
                self.changes.append(PayoutChange(payout, *stays, seat=seat))

    def keep_limits(self, state: State, book: Book) -> None:
        """Once all is taken back, move to overflow what a meter has come to above its limit.

        A meter that stood higher, under a limit that was set since, may stand so again.
        """
        for name, stood_micros in self.stood.items():
            link, level = name.split("/")
            config = next(lv for lv in state.links[link].config.levels if lv.id == level)
            book.spill(name, config.limit_micros, stood_micros)


def open_payouts(state: State, settlement: Settlement) -> set[int]:
    """The payouts of a settlement that are neither paid nor rejected."""
    return {p for award in settlement.awards for p in award.payouts if p in state.payouts}


def rework(
    state: State,
    book: Book,
    settlement: Settlement,
    doomed: set[int],
    returned: Mapping[str, Effects] = MappingProxyType({}),
) -> Rework:
    """Take back the doomed payouts. `returned` is what a void takes off a level before turn one."""
    worker = _Reworker(state, book, settlement, doomed, returned)
    kept: list[Award] = []
    chains: dict[str, list[Award]] = {}
    for award in awards_in_order(state, settlement):
        if award.claim.level:
            name = ledger.key(award.claim.link, award.claim.level)
            chains.setdefault(name, []).append(award)
        else:
            kept += worker.take_from_house(award)
    for name, chain in chains.items():
        kept += worker.rework_level(name, chain)
    left = replace(
        settlement,
        awards=tuple(kept),
        before=worker.before,
        put_aside=tuple(sorted(worker.put_aside)),
    )
    worker.done.settlement = replace(left, awards=tuple(awards_in_order(state, left)))
    worker.done.changes += [PayoutChange(p, 0, closed=True) for p in sorted(doomed)]
    return worker.done


class _Reworker:
    def __init__(
        self,
        state: State,
        book: Book,
        settlement: Settlement,
        doomed: set[int],
        returned: Mapping[str, Effects],
    ) -> None:
        self.state, self.book, self.settlement, self.doomed = state, book, settlement, doomed
        self.returned = returned
        # Whatever is decided again later begins without the returned money too.
        self.before = {
            name: not_below_zero(apply(returned[name], pools)) if name in returned else pools
            for name, pools in settlement.before.items()
        }
        self.put_aside = set(settlement.put_aside)
        self.done = Rework()

    def take_from_house(self, award: Award) -> Iterator[Award]:
        """Give the house back what it would have paid to a doomed winner; there is only one."""
        if self.doomed.isdisjoint(award.payouts):
            yield award
            return
        link = award.claim.link
        self.book.move(award.amount_micros, ledger.pending(link), ledger.house(link))

    def rework_level(self, name: str, chain: list[Award]) -> list[Award]:
        """What is left of one level's awards, given in payment order."""
        if name not in self.returned and not any(
            self.doomed.intersection(award.payouts) for award in chain
        ):
            return chain
        link, level = name.split("/")
        now_micros = self.book.balance(ledger.meter(name))
        self.done.stood[name] = max(now_micros, self.before[name].meter_micros)
        hit_elsewhere = self.state.links[link].last_hit.get(level, 0) > self.settlement.sequence
        if hit_elsewhere or name in self.put_aside:
            self.put_aside.add(name)
            after = [left for award in chain if (left := self._to_overflow(award))]
        else:
            after = self._walk_again(chain, self.before[name])
        self.book.cover(link, ledger.meter(name), ledger.reserve(name), ledger.overflow(name))
        was_full = any(is_full(award.claim) for award in chain)
        if was_full and not hit_elsewhere and not any(is_full(award.claim) for award in after):
            self.done.last_hit[name] = self.settlement.before[name].last_hit
        return after

    def _survivors(self, award: Award) -> Award | None:
        """An award without its doomed winners, amounts as they were; None if nobody is left.

        If somebody who is left was validated or paid, the award keeps its turn. Otherwise it falls
        due at the first turn among those who are left.
        """
        pairs = [
            (winner, payout)
            for winner, payout in zip(award.claim.winners, award.payouts, strict=True)
            if payout not in self.doomed
        ]
        if not pairs:
            return None
        winners, payouts = zip(*pairs, strict=True)
        new = replace(award, claim=replace(award.claim, winners=winners, turn=0), payouts=payouts)
        turn = turn_of(award.claim)
        if turn != turn_of(new.claim) and self._stands(new):
            new = replace(new, claim=replace(new.claim, turn=turn))
        return new

    def _stands(self, award: Award) -> bool:
        """Whether any winner of an award was validated or paid, so that its amounts are fixed."""
        return any(
            p not in self.state.payouts or self.state.payouts[p].floorperson for p in award.payouts
        )

    def _walk_again(self, chain: list[Award], pools: Pools) -> list[Award]:
        """Go through a level's awards once more, from the level as it stood at the first turn."""
        left: list[Award] = []
        then = pools
        for award in chain:
            # Earlier versions did not note the meter that an award saw.
            seen = then.meter_micros if award.meter_before_micros < 0 else award.meter_before_micros
            then = apply(award.effects, then)
            post_award(self.book, award.claim, award.effects, sign=-1)
            if new := self._survivors(award):
                left.append(replace(new, meter_before_micros=seen))
        after = []
        for award in awards_in_order(self.state, replace(self.settlement, awards=tuple(left))):
            fixed = self._stands(award)
            outcome = stand(award, pools) if fixed else decide_award(award.claim, pools)
            post_award(self.book, award.claim, outcome.effects)
            new = replace(award, amount_micros=outcome.amount_micros, effects=outcome.effects)
            if not fixed:
                new = replace(new, meter_before_micros=pools.meter_micros)
                self._tell(new)
            after.append(new)
            pools = outcome.pools or pools
        return after

    def _tell(self, award: Award) -> None:
        """Note which payouts of an award that was decided again are not what they were."""
        now = award.amount_micros, award.meter_before_micros
        for payout in map(self.state.payouts.__getitem__, award.payouts):
            if (payout.amount_micros, payout.meter_before_micros) != now:
                self.done.changes.append(PayoutChange(payout.id, *now))

    def _to_overflow(self, award: Award) -> Award | None:
        """Put a doomed amount aside, since another round has won the level; what is left of it."""
        amount = award.amount_micros * len(self.doomed.intersection(award.payouts))
        if not amount:
            return self._survivors(award)
        claim, effects = award.claim, award.effects
        name, pending = ledger.key(claim.link, claim.level), ledger.pending(claim.link)
        # What the meter gave waits in overflow; the house's part of a fixed award is its own.
        level_gave = -(effects.meter_micros + effects.overflow_micros)
        given = amount if claim.share_bps else min(amount, level_gave)
        self.book.move(given, pending, ledger.overflow(name))
        self.book.move(amount - given, pending, ledger.house(claim.link))
        effects = replace(
            effects,
            overflow_micros=effects.overflow_micros + given,
            house_micros=effects.house_micros + amount - given,
        )
        left = self._survivors(award)
        return left and replace(left, effects=effects)
