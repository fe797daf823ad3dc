"""Take back awards of a settled round, and decide again what hung on them.

A rejection, a void of a seat and a void of a round are the same act with other payouts doomed.
On each level, while nothing after the first doomed award was validated or paid and no other round
has paid 100% since, the rest of the chain is decided again from the level as it stood at that turn,
so every later winner gets what would have been due. Otherwise later winners keep what they were
rightly paid: the doomed amount goes back by the exact inverse, or, after a later 100%, to overflow.
"""

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from msgspec import Struct, field
from msgspec.structs import replace

from jackpot.core import ledger
from jackpot.core.awards import apply, decide_award, not_below_zero
from jackpot.core.claims import DEALER, is_full
from jackpot.core.events.base import PayoutChange
from jackpot.core.ledger import Book
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
    kept: dict[int, Award | None] = {}  # award's place -> what became of it
    chains: dict[str, list[int]] = {}
    for place, award in enumerate(settlement.awards):
        if award.claim.level:
            chains.setdefault(ledger.key(award.claim.link, award.claim.level), []).append(place)
        else:
            kept[place] = worker.take_from_house(award)
    for name, places in chains.items():
        chain = [settlement.awards[place] for place in places]
        after = worker.rework_level(name, chain)
        kept.update(zip(places, after, strict=True))
    awards = tuple(award for _, award in sorted(kept.items()) if award is not None)
    worker.done.settlement = replace(settlement, awards=awards, before=worker.before)
    worker.done.changes += [PayoutChange(p, 0, closed=True) for p in sorted(doomed)]
    return worker.done


def _turn(award: Award) -> tuple[int, bool]:
    """Where an award of a level comes in the order of payment."""
    return -award.claim.winners[0].seat, award.claim.holder == DEALER


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
        self.done = Rework()

    def take_from_house(self, award: Award) -> Award | None:
        """Give the house back what it would have paid to a doomed winner; there is only one."""
        if self.doomed.isdisjoint(award.payouts):
            return award
        link = award.claim.link
        self.book.move(award.amount_micros, ledger.pending(link), ledger.house(link))
        return None

    def rework_level(self, name: str, chain: list[Award]) -> list[Award | None]:
        """What becomes of one level's awards, given in payment order."""
        doomed = [bool(self.doomed.intersection(award.payouts)) for award in chain]
        if name not in self.returned and not any(doomed):
            return list(chain)
        link, level = name.split("/")
        now_micros = self.book.balance(ledger.meter(name))
        self.done.stood[name] = max(now_micros, self.before[name].meter_micros)
        hit_elsewhere = self.state.links[link].last_hit.get(level, 0) > self.settlement.sequence
        first = 0 if name in self.returned else doomed.index(True)
        if hit_elsewhere or self._is_firm(chain[first:]):
            after = [
                self._take_back(award, chain[place + 1 :], hit_elsewhere=hit_elsewhere)
                if doomed[place]
                else award
                for place, award in enumerate(chain)
            ]
        else:
            pools = self.before[name]
            for award in chain[:first]:
                pools = apply(award.effects, pools)
            after = [*chain[:first], *self._decide_again(chain[first:], pools)]
        self.book.cover(link, ledger.meter(name), ledger.reserve(name), ledger.overflow(name))
        was_full = any(is_full(award.claim) for award in chain)
        is_still = any(award is not None and is_full(award.claim) for award in after)
        if was_full and not is_still and not hit_elsewhere:
            self.done.last_hit[name] = self.settlement.before[name].last_hit
        return after

    def _survivors(self, award: Award) -> Award | None:
        """An award without its doomed winners, amounts as they were; None if nobody is left."""
        pairs = [
            (winner, payout)
            for winner, payout in zip(award.claim.winners, award.payouts, strict=True)
            if payout not in self.doomed
        ]
        if not pairs:
            return None
        claim = replace(award.claim, winners=tuple(winner for winner, _ in pairs))
        return replace(award, claim=claim, payouts=tuple(payout for _, payout in pairs))

    def _is_firm(self, tail: list[Award]) -> bool:
        """Whether any payout that would be decided again was validated or paid."""
        return any(
            p not in self.state.payouts or self.state.payouts[p].floorperson
            for award in tail
            for p in award.payouts
            if p not in self.doomed
        )

    def _decide_again(self, tail: list[Award], pools: Pools) -> Iterator[Award | None]:
        for award in tail:
            post_award(self.book, award.claim, award.effects, sign=-1)
        left = [new for award in tail if (new := self._survivors(award))]
        # An award that is divided falls due at the first turn among those who are left.
        for new in sorted(left, key=_turn):
            outcome = decide_award(new.claim, pools)
            post_award(self.book, new.claim, outcome.effects)
            now = outcome.amount_micros, pools.meter_micros
            for payout in map(self.state.payouts.__getitem__, new.payouts):
                if (payout.amount_micros, payout.meter_before_micros) != now:
                    self.done.changes.append(PayoutChange(payout.id, *now))
            pools = outcome.pools or pools
            yield replace(new, amount_micros=outcome.amount_micros, effects=outcome.effects)
        yield from [None] * (len(tail) - len(left))

    def _take_back(self, award: Award, later: list[Award], *, hit_elsewhere: bool) -> Award | None:
        """Return a doomed award's money while later awards stand."""
        claim, left = award.claim, self._survivors(award)
        name, pending = ledger.key(claim.link, claim.level), ledger.pending(claim.link)
        amount = award.amount_micros * len(self.doomed.intersection(award.payouts))
        effects = award.effects
        if hit_elsewhere or any(is_full(a.claim) for a in later):
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
        elif left is not None:
            self.book.move(amount, pending, ledger.meter(name))
            effects = replace(effects, meter_micros=effects.meter_micros + amount)
        else:
            post_award(self.book, claim, effects, sign=-1)
        return left and replace(left, effects=effects)
