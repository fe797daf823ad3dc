"""What a wager gives back: at once, at a meter, and in the long run. Exact fractions throughout.

The long run rests on one balance. A meter gains its rate with every wager and its reseed with
every 100% award, and loses what it pays; hands know nothing of the meter. So the mean meter that a
winning hand meets is what flows in a wager divided by the share that flows out a wager, and the
reserve, which joins the next meter, flows in like the primary rate. Cents that are rounded down
stay on the meter and change nothing.
"""

from fractions import Fraction

from msgspec import Struct

from jackpot.odds.offer import Line, Meter, Offer

_ZERO = Fraction(0)


class Chance(Struct, frozen=True):
    """A row of the paytable, how often it comes, and what it adds to the return."""

    line: Line
    count: int
    probability: Fraction

    def adds(self, offer: Offer, meter: Fraction | None) -> Fraction | None:
        """What the row adds to the return, a meter share at a given meter."""
        if not self.line.share:
            return self.probability * self.line.dollars / offer.wager
        if meter is None:
            return None
        return self.probability * self.line.share * meter / offer.sharers / offer.wager


class LevelOdds(Struct, frozen=True):
    """A level in the long run; None where it depends on a choice that was not made."""

    meter: Meter
    return_per_dollar: Fraction  # what a dollar on the meter adds to the return
    wagers_between_hits: Fraction  # between 100% awards
    rounds_between_hits: Fraction  # with all seats betting
    break_even: Fraction | None  # the meter at which the return is 100%, the others at seed
    mean_award: Fraction | None  # the mean meter that a 100% award pays
    mean_square: Fraction | None
    eaten_up: bool  # fixed awards take more than the rate brings, and the house pays the rest


class Report(Struct, frozen=True):
    """All odds of one wager."""

    offer: Offer
    total: int
    chances: tuple[Chance, ...]
    fixed_return: Fraction
    return_at_seed: Fraction | None
    long_run_return: Fraction | None
    variance_at_seed: Fraction | None  # of what one wager of 1 gives back
    long_run_variance: Fraction | None
    levels: tuple[LevelOdds, ...]
    envy_by_seats: tuple[Fraction, ...]  # the return that envy adds with 1, 2, ... players
    extras_return: Fraction  # with the chosen share of rounds

    @property
    def envy_return(self) -> Fraction:
        """What envy bonuses add with all seats of the offer betting."""
        return self.envy_by_seats[self.offer.seats - 1] if self.envy_by_seats else _ZERO

    @property
    def long_run_total(self) -> Fraction | None:
        """The long-run return with envy bonuses and the chosen extras."""
        if self.long_run_return is None:
            return None
        return self.long_run_return + self.envy_return + self.extras_return

    @property
    def warnings(self) -> tuple[str, ...]:
        """What an operator should not overlook."""
        found = []
        total = self.long_run_total
        if total is not None and total > 1:
            found.append(f"the long-run return is {float(total):.2%}, which is more than 100%")
        found += [
            f"the fixed awards take more from the {level.meter.id} meter than its rate adds"
            for level in self.levels
            if level.eaten_up
        ]
        return tuple(found)


def report(offer: Offer) -> Report:
    """Count every hand and work out what the wager gives back."""
    hands = offer.hands
    counts = hands.row_counts([line.hand for line in offer.lines])
    chances = tuple(
        Chance(line, count, Fraction(count, hands.total))
        for line, count in zip(offer.lines, counts, strict=True)
    )
    fixed = sum((c.adds(offer, None) or _ZERO for c in chances if not c.line.share), _ZERO)
    levels = tuple(_level(offer, meter, chances) for meter in offer.meters)
    seeds = {meter.id: meter.seed for meter in offer.meters}
    means = {level.meter.id: level.mean_award for level in levels}
    squares = {level.meter.id: level.mean_square for level in levels}
    at_seed = _return_at(offer, chances, seeds)
    long_run = _return_at(offer, chances, means)
    seed_squares = {key: None if seed is None else seed * seed for key, seed in seeds.items()}
    return Report(
        offer=offer,
        total=hands.total,
        chances=chances,
        fixed_return=fixed,
        return_at_seed=at_seed,
        long_run_return=long_run,
        variance_at_seed=_variance(offer, chances, at_seed, seed_squares),
        long_run_variance=_variance(offer, chances, long_run, squares),
        levels=levels,
        envy_by_seats=_envy_by_seats(offer),
        extras_return=sum((e.return_when_offered * e.share_of_rounds for e in offer.extras), _ZERO),
    )


def return_at(found: Report, meters: dict[str, Fraction]) -> Fraction:
    """The return with the given meters, the others at seed."""
    seeds = {meter.id: meter.seed for meter in found.offer.meters}
    value = _return_at(found.offer, found.chances, {**seeds, **meters})
    if value is None:
        raise ValueError("a meter has neither a value nor a seed")
    return value


def _return_at(
    offer: Offer, chances: tuple[Chance, ...], meters: dict[str, Fraction | None]
) -> Fraction | None:
    total = _ZERO
    for chance in chances:
        adds = chance.adds(offer, meters.get(chance.line.level))
        if adds is None:
            return None
        total += adds
    return total


def _variance(
    offer: Offer,
    chances: tuple[Chance, ...],
    mean: Fraction | None,
    squares: dict[str, Fraction | None],
) -> Fraction | None:
    """The variance of what a wager of 1 gives back, from the mean squares of the meters."""
    if mean is None:
        return None
    total = _ZERO
    for chance in chances:
        line = chance.line
        square = line.dollars**2
        if line.share:
            meter_square = squares.get(line.level)
            if meter_square is None:
                return None
            square = (line.share / offer.sharers) ** 2 * meter_square
        total += chance.probability * square
    return total / offer.wager**2 - mean**2


def _level(offer: Offer, meter: Meter, chances: tuple[Chance, ...]) -> LevelOdds:
    mine = [chance for chance in chances if chance.line.level == meter.id]
    hit = sum((chance.probability for chance in mine if chance.line.share == 1), _ZERO)
    out = sum((chance.probability * chance.line.share for chance in mine), _ZERO)
    per_dollar = out / offer.sharers / offer.wager
    seeds = {other.id: other.seed for other in offer.meters}
    without = _return_at(offer, chances, {**seeds, meter.id: _ZERO})
    flow = _flow(offer, meter, chances)
    mean = None if flow is None or flow <= 0 else flow / out
    hits_a_round = hit if offer.whose == "dealer" else hit * offer.seats
    return LevelOdds(
        meter=meter,
        return_per_dollar=per_dollar,
        wagers_between_hits=offer.seats / hits_a_round,
        rounds_between_hits=1 / hits_a_round,
        break_even=None if without is None else max(_ZERO, (1 - without) / per_dollar),
        mean_award=mean,
        mean_square=None if mean is None else _mean_square(offer, meter, chances, mean),
        eaten_up=flow is not None and flow <= 0,
    )


def _flow(offer: Offer, meter: Meter, chances: tuple[Chance, ...]) -> Fraction | None:
    """What flows onto a meter in one trial, less the fixed awards that it bears.

    A trial is one hand: a wager, or for the dealer's hand the wagers of all who bet on it.
    """
    if meter.primary is None or meter.reserve is None or meter.reseed is None:
        return None
    flow = (meter.primary + meter.reserve) * offer.sharers
    for chance in chances:
        if chance.line.level == meter.id and chance.line.share == 1:
            flow += chance.probability * meter.reseed
        if chance.line.from_meter == meter.id:
            flow -= chance.probability * chance.line.dollars
    return flow


def _mean_square(
    offer: Offer, meter: Meter, chances: tuple[Chance, ...], mean: Fraction
) -> Fraction:
    """The mean square of the meter that a hand meets, its own increment included.

    The same balance as for the mean, of the squares: what one trial leaves of the square, and what
    the next increment adds to it.
    """
    primary = (meter.primary or _ZERO) * offer.sharers
    reserve = (meter.reserve or _ZERO) * offer.sharers
    reseed = meter.reseed or _ZERO
    lost, gained = _ZERO, 2 * primary * (mean - primary) + primary**2
    for chance in chances:
        line, probability = chance.line, chance.probability
        if line.level == meter.id:
            lost += probability * (1 - (1 - line.share) ** 2)
        if line.level == meter.id and line.share == 1:
            # The reserve grew since the last hit, for a geometric number of trials.
            gained += probability * reseed**2 + 2 * reseed * reserve
            gained += reserve**2 * (2 - probability) / probability
        if line.from_meter == meter.id:
            gained += probability * (line.dollars**2 - 2 * line.dollars * mean)
    return gained / lost


def _envy_by_seats(offer: Offer) -> tuple[Fraction, ...]:
    """For each number of players, what the others' hands add to one's return."""
    if not offer.envy or offer.whose == "dealer":
        return ()
    hands = offer.hands
    counts = hands.row_counts([envy.hand for envy in offer.envy])
    paid = sum((count * e.dollars for count, e in zip(counts, offer.envy, strict=True)), _ZERO)
    each = paid / hands.total / offer.wager
    return tuple(others * each for others in range(offer.seats))
