"""Draw a wager's return against its meters, one panel a level, as a PNG or SVG file."""

from fractions import Fraction
from pathlib import Path

from jackpot.odds.offer import OddsError
from jackpot.odds.present import money
from jackpot.odds.returns import LevelOdds, Report, return_at

_POINTS = (0, 1)  # the return is a straight line
_HEADROOM = Fraction(11, 10)


def plot(found: Report, path: Path) -> None:
    """Write the picture; the file's ending decides its kind."""
    if not found.levels or found.return_at_seed is None:
        raise OddsError("there is no meter to draw the return against; a level needs its seed")
    # Only a plot needs the drawing library, which takes a second to load.
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    figure = Figure(figsize=(8, 3.6 * len(found.levels)), layout="constrained")
    FigureCanvasAgg(figure)
    figure.suptitle(f"{found.offer.title}, paytable {found.offer.paytable}")
    for panel, level in enumerate(found.levels, start=1):
        axes = figure.add_subplot(len(found.levels), 1, panel)
        top = _top(level)
        meters = [top * point for point in _POINTS]
        returns = [return_at(found, {level.meter.id: meter}) for meter in meters]
        axes.plot([float(meter) for meter in meters], [float(100 * value) for value in returns])
        axes.axhline(100, color="black", linewidth=0.8)
        for label, meter, style in _marks(level):
            text = f"{label} {money(meter)}"
            axes.axvline(float(meter), linestyle=style, color="gray", label=text)
        axes.set_xlabel(f"{level.meter.id} meter, dollars")
        axes.set_ylabel("return, %")
        axes.set_xlim(0, float(top))
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.legend(loc="lower right")
    try:
        figure.savefig(path, dpi=120)
    except (OSError, ValueError) as error:
        raise OddsError(f"cannot write {path}: {error}") from error


def _marks(level: LevelOdds) -> list[tuple[str, Fraction, str]]:
    """The meters worth a line."""
    marks = [
        ("seed", level.meter.seed, ":"),
        ("mean award", level.mean_award, "--"),
        ("break-even", level.break_even, "-."),
    ]
    return [(label, meter, style) for label, meter, style in marks if meter is not None]


def _top(level: LevelOdds) -> Fraction:
    """The right edge: a little beyond whatever is marked."""
    return max(meter for _, meter, _ in _marks(level)) * _HEADROOM or Fraction(1)
