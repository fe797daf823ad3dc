"""Odds as a person and as a machine reads them. Decimals appear here and nowhere before."""

from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import Any

from jackpot.odds.offer import Offer
from jackpot.odds.returns import Chance, LevelOdds, Report

_DIGITS = 12  # significant digits of a printed decimal; the fraction beside it is exact
_OPEN = "?"  # depends on a choice that was not made


def as_decimal(value: Fraction, digits: int = _DIGITS) -> Decimal:
    """A fraction to so many significant digits."""
    context = Context(prec=digits, rounding=ROUND_HALF_EVEN)
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def percent(value: Fraction | None, places: int = 2) -> str:
    """A return: "75.60%"."""
    return _OPEN if value is None else f"{as_decimal(value * 100, 28):.{places}f}%"


def money(value: Fraction | None) -> str:
    """An amount to the cent: "$20,702.05"."""
    return _OPEN if value is None else f"${as_decimal(value, 28):,.2f}"


def number(value: Fraction | None, places: int = 1) -> str:
    """A number with thousands separated."""
    return _OPEN if value is None else f"{as_decimal(value, 28):,.{places}f}"


def exact(value: Fraction | None) -> dict[str, str] | None:
    """A number for machines: the exact fraction and a decimal."""
    if value is None:
        return None
    return {"fraction": str(value), "decimal": f"{as_decimal(value):f}"}


def as_data(found: Report) -> dict[str, Any]:
    """A report for machines; dollars and returns are exact fractions with a decimal beside."""
    offer = found.offer
    return {
        "rule": offer.rule,
        "bet": offer.bet,
        "paytable": offer.paytable,
        "title": offer.title,
        "clause": offer.clause,
        "ranking": offer.ranking,
        "cards": offer.dealt,
        "on": offer.whose,
        "wager": exact(offer.wager),
        "seats": offer.seats,
        "minimum": offer.minimum,
        "hands": found.total,
        "rows": [_row_data(found, chance) for chance in found.chances],
        "losing": _losing_data(found),
        "fixed_return": exact(found.fixed_return),
        "return_at_seed": exact(found.return_at_seed),
        "long_run_return": exact(found.long_run_return),
        "long_run_total": exact(found.long_run_total),
        "variance_at_seed": exact(found.variance_at_seed),
        "long_run_variance": exact(found.long_run_variance),
        "levels": [_level_data(level) for level in found.levels],
        "envy": [{"hand": envy.hand, "dollars": exact(envy.dollars)} for envy in offer.envy],
        "envy_return_by_seats": [
            {"seats": seats, "return": exact(adds)}
            for seats, adds in enumerate(found.envy_by_seats, start=1)
        ],
        "extras": [
            {
                "id": extra.id,
                "pays": extra.pays,
                "return_when_offered": exact(extra.return_when_offered),
                "share_of_rounds": exact(extra.share_of_rounds),
            }
            for extra in offer.extras
        ],
        "warnings": list(found.warnings),
    }


def row_return(found: Report, chance: Chance) -> Fraction | None:
    """What a row adds to the return, a share of a meter at its seed."""
    seeds = {meter.id: meter.seed for meter in found.offer.meters}
    return chance.adds(found.offer, seeds.get(chance.line.level))


def losing_count(found: Report) -> int:
    """How many hands win nothing."""
    return found.total - sum(chance.count for chance in found.chances)


def conditions(offer: Offer) -> str:
    """Under which conditions the odds hold, in one line."""
    on = "the dealer's hand" if offer.whose == "dealer" else "the player's hand"
    players = "1 player" if offer.seats == 1 else f"{offer.seats} players"
    least = "; the least that may be paid" if offer.minimum else ""
    return f"{money(offer.wager)} on {on}, {players}{least}"


def _row_data(found: Report, chance: Chance) -> dict[str, Any]:
    return {
        "hand": chance.line.hand,
        "pays": chance.line.pays,
        "count": chance.count,
        "probability": exact(chance.probability),
        "return_at_seed": exact(row_return(found, chance)),
    }


def _losing_data(found: Report) -> dict[str, Any]:
    count = losing_count(found)
    return {"count": count, "probability": exact(Fraction(count, found.total))}


def _level_data(level: LevelOdds) -> dict[str, Any]:
    meter = level.meter
    return {
        "id": meter.id,
        "seed": exact(meter.seed),
        "reseed": exact(meter.reseed),
        "primary_per_wager": exact(meter.primary),
        "reserve_per_wager": exact(meter.reserve),
        "return_per_dollar": exact(level.return_per_dollar),
        "wagers_between_hits": exact(level.wagers_between_hits),
        "rounds_between_hits": exact(level.rounds_between_hits),
        "break_even_meter": exact(level.break_even),
        "mean_award": exact(level.mean_award),
    }
