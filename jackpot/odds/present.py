"""Odds as people and machines read them: text, JSON, a picture. No decimals appear before this."""

from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec

from jackpot import charts
from jackpot.odds.offer import OddsError, Offer
from jackpot.odds.played import Wagered
from jackpot.odds.returns import Chance, LevelOdds, Report, return_at

_DIGITS = 12  # significant digits of a printed decimal; the fraction beside it is exact
_OPEN = "?"  # depends on a choice that was not made


def as_decimal(value: Fraction, digits: int = _DIGITS) -> Decimal:
    """A fraction to so many significant digits."""
    context = Context(prec=digits, rounding=ROUND_HALF_EVEN)
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def percent(value: Fraction | None) -> str:
    """A return: "75.60%"."""
    return _OPEN if value is None else f"{as_decimal(value * 100, 28):.2f}%"


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
    offer, lost = found.offer, losing_count(found)
    about = ("rule", "bet", "paytable", "title", "clause", "ranking")
    returns = ("fixed_return", "return_at_seed", "long_run_return", "long_run_total")
    variances = ("variance_at_seed", "long_run_variance")
    return {
        **{name: getattr(offer, name) for name in about},
        "cards": offer.dealt,
        "on": offer.whose,
        "wager": exact(offer.wager),
        "seats": offer.seats,
        "minimum": offer.minimum,
        "hands": found.total,
        "rows": [_row_data(found, chance) for chance in found.chances],
        "losing": {"count": lost, "probability": exact(Fraction(lost, found.total))},
        **{name: exact(getattr(found, name)) for name in (*returns, *variances)},
        "levels": [_level_data(level) for level in found.levels],
        "envy": msgspec.to_builtins(offer.envy, enc_hook=exact),
        "envy_return_by_seats": [
            {"seats": seats, "return": exact(adds)}
            for seats, adds in enumerate(found.envy_by_seats, start=1)
        ],
        "extras": msgspec.to_builtins(offer.extras, enc_hook=exact),
        "warnings": list(found.warnings),
    }


def played_data(found: Wagered) -> dict[str, Any]:
    """The odds of a wager under a play, for machines."""
    play = found.play
    figures = ("made", "amount", "wins", "pushes", "losses", "net", "variance", "returns")
    return {
        **{name: getattr(found, name) for name in ("rule", "bet", "paytable", "vigorish")},
        "play": play.id,
        "says": play.says,
        "for": {**play.paytables, **play.options},
        "method": play.method,
        "deals": play.ends.deals if play.ends else None,
        "standard_error": found.error,
        **{name: exact(getattr(found, name)) for name in figures},
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
    least = "; lowest payments allowed" if offer.minimum else ""
    return f"{money(offer.wager)} on {on}, {players}{least}"


def _row_data(found: Report, chance: Chance) -> dict[str, Any]:
    return {
        "hand": chance.line.hand,
        "pays": chance.line.pays,
        "count": chance.count,
        "probability": exact(chance.probability),
        "return_at_seed": exact(row_return(found, chance)),
    }


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


_HEADROOM = Fraction(11, 10)


def plot(found: Report, path: Path) -> None:
    """Draw a wager's return against its meters, one chart a level, as an SVG file."""
    if not found.levels or found.return_at_seed is None:
        raise OddsError(
            "there is no meter to draw the return against; set the level's seed with --seed"
        )
    if path.suffix.lower() != ".svg":
        raise OddsError(f"cannot write {path}: a plot is SVG, so end its name in .svg")
    title = f"{found.offer.title}, paytable {found.offer.paytable}"
    drawn = charts.picture(title, [_chart(found, level) for level in found.levels])
    try:
        path.write_text(drawn, "utf-8")
    except OSError as error:
        raise OddsError(f"cannot write {path}: {error.strerror}") from error


def _chart(found: Report, level: LevelOdds) -> str:
    """The return is a straight line; what is paid beyond 100% lies above the line across."""
    marks = {
        name: float(meter)
        for name, meter in (
            ("seed", level.meter.seed),
            ("mean award", level.mean_award),
            ("break-even", level.break_even),
        )
        if meter is not None
    }
    top = Fraction(max(marks.values())) * _HEADROOM or Fraction(1)
    returns = [(meter, return_at(found, {level.meter.id: meter})) for meter in (Fraction(0), top)]
    return charts.lines(
        f"Return against the {level.meter.id} meter",
        {"return": [(float(meter), 100 * float(value)) for meter, value in returns]},
        x_title=f"{level.meter.id} meter",
        x_words=lambda dollars: f"${dollars:,.0f}",
        y_words=lambda percent: f"{percent:g}%",
        marks=marks,
        level=100,
    )
