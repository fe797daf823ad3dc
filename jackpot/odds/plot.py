"""Draw a wager's return against its meters, one chart a level, as an SVG file."""

from fractions import Fraction
from pathlib import Path

from jackpot import charts
from jackpot.odds.offer import OddsError
from jackpot.odds.returns import LevelOdds, Report, return_at

_HEADROOM = Fraction(11, 10)


def plot(found: Report, path: Path) -> None:
    """Write the picture."""
    if not found.levels or found.return_at_seed is None:
        raise OddsError("there is no meter to draw the return against; a level needs its seed")
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
