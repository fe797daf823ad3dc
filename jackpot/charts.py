"""Charts as SVG, without any library: lines over a scale, bars side by side, histograms.

A chart stands in a page that has `STYLE`, or with others in a `picture`, a file of its own.
"""

import math
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import NamedTuple

WIDTH, HEIGHT = 640, 246
_LEFT, _RIGHT, _TOP, _BOTTOM = 74, 14, 16, 34
_TITLE, _LETTERS = 18, 84  # a line of a title: its height, and what it holds
_KEY, _LETTER = 16, 6.1  # a line of a legend, and about what a letter takes there
_GAP = 16
_VIEW = re.compile(r'viewBox="0 0 \d+ (\d+)"')
_DOTS = 24  # lines of so few points show each
_COLORS = ("#2f6fb7", "#c2571a", "#3d8b4f", "#8a4fa3", "#b8962e", "#4a4a4a", "#c0392b", "#16867d")
_TICKS = 5
_FEW = 3
_EDGE = 20
Point = tuple[float, float]
Words = Callable[[float], str]


class Band(NamedTuple):
    """A stretch of the x axis that is shaded, with what happened there."""

    start: float
    end: float
    says: str


def plain(value: float) -> str:
    """A number as short as it can be."""
    if value == 0:
        return "0"
    if abs(value) >= 1e6:  # noqa: PLR2004 - millions
        return f"{value / 1e6:,.3g}M"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"  # noqa: PLR2004 - three digits


class _Scale:
    """Turns values into pixels, evenly or by their logarithm."""

    def __init__(self, low: float, high: float, start: float, end: float, *, log: bool) -> None:
        if log:
            low = max(low, 1e-9)
            high = max(high, low * 1.01)
        elif high <= low:
            high = low + 1
        self.low, self.high, self.log = low, high, log
        self._start, self._end = start, end

    def at(self, value: float) -> float:
        """Where a value is drawn."""
        low, high = self.low, self.high
        if self.log:
            value, low, high = (math.log(max(v, 1e-9)) for v in (value, low, high))
        share = min(1.0, max(0.0, (value - low) / (high - low)))
        return self._start + share * (self._end - self._start)

    def ticks(self) -> list[float]:
        """Values worth a label."""
        if self.log:
            first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
            steps = max(1, (last - first) // _TICKS)
            tens = [10.0**n for n in range(first, last + 1, steps)]
            seen = [t for t in tens if self.low * 0.99 <= t <= self.high * 1.01]
            if len(seen) >= _FEW:
                return seen
            finer = [10.0**n * m for n in range(first, last + 1) for m in (1, 2, 5)]
            return [t for t in finer if self.low <= t <= self.high]
        raw = (self.high - self.low) / _TICKS
        unit = 10.0 ** math.floor(math.log10(raw))
        step = next(unit * m for m in (1, 2, 5, 10) if unit * m >= raw)
        begin = math.ceil(self.low / step) * step
        count = int((self.high - begin) / step + 1e-9)
        return [begin + n * step for n in range(count + 1)]


def lines(
    title: str,
    series: Mapping[str, Sequence[Point]],
    *,
    x_title: str = "",
    y_words: Words = plain,
    x_words: Words = plain,
    bands: Sequence[Band] = (),
    marks: Mapping[str, float] | None = None,
    level: float | None = None,
    log_x: bool = False,
    log_y: bool = False,
    from_zero: bool = False,
) -> str:
    """A chart of lines; with a legend where there are several.

    `marks` are named places on the x axis, `level` is a height worth a line across.
    """
    points = [point for line in series.values() for point in line]
    if not points:
        return ""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    xs += (marks or {}).values()
    ys += [] if level is None else [level]
    x = _Scale(min(xs), max(xs), _LEFT, WIDTH - _RIGHT, log=log_x)
    low = 0.0 if from_zero and not log_y else min(ys)
    y = _Scale(low, max(ys), HEIGHT - _BOTTOM, _TOP, log=log_y)
    body = [_band(x, band) for band in bands]
    body += _axes(x, y, x_title, x_words, y_words)
    if level is not None:
        body.append(_rule(_LEFT, WIDTH - _RIGHT, y.at(level), y.at(level), "level"))
    for place, (name, line) in enumerate(series.items()):
        color = _COLORS[place % len(_COLORS)]
        path = " ".join(f"{x.at(a):.1f},{y.at(b):.1f}" for a, b in line)
        body.append(
            f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="1.6">'
            f"<title>{escape(name)}</title></polyline>"
        )
        body += [
            f'<circle cx="{x.at(a):.1f}" cy="{y.at(b):.1f}" r="2.6" fill="{color}"/>'
            for a, b in (line if 2 < len(line) <= _DOTS else ())  # noqa: PLR2004 - more than its ends
        ]
    body += _named(x, marks or {}, x_words, HEIGHT * 0.42)  # lines run above or below
    return _chart(title, body, list(series) if len(series) > 1 else [])


def bars(
    title: str,
    labels: Sequence[str],
    series: Mapping[str, Sequence[float]],
    *,
    log_y: bool = False,
) -> str:
    """Groups of bars, one group a label."""
    values = [value for row in series.values() for value in row]
    if not values:
        return ""
    positive = [value for value in values if value > 0] or [1.0]
    low = min(positive) * 0.5 if log_y else 0.0
    y = _Scale(low, max(values), HEIGHT - _BOTTOM, _TOP, log=log_y)
    body = _axes(None, y, "", plain, plain)
    group = (WIDTH - _LEFT - _RIGHT) / len(labels)
    width = group * 0.8 / len(series)
    for place, (name, row) in enumerate(series.items()):
        color = _COLORS[place % len(_COLORS)]
        for index, value in enumerate(row):
            left = _LEFT + group * (index + 0.1) + width * place
            top = y.at(value)
            body.append(
                f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" '
                f'height="{max(0.0, HEIGHT - _BOTTOM - top):.1f}" fill="{color}">'
                f"<title>{escape(labels[index])}, {escape(name)}: {escape(plain(value))}"
                "</title></rect>"
            )
    for index, label in enumerate(labels):
        middle = _LEFT + group * (index + 0.5)
        body.append(_text(middle, HEIGHT - _BOTTOM + 15, label, "middle"))
    return _chart(title, body, list(series) if len(series) > 1 else [])


def histogram(
    title: str,
    buckets: Sequence[tuple[float, float, int]],
    *,
    x_words: Words = plain,
    marks: Mapping[str, float] | None = None,
) -> str:
    """Counts over a logarithmic scale; marks are named places on it."""
    if not buckets:
        return ""
    x = _Scale(buckets[0][0], buckets[-1][1], _LEFT, WIDTH - _RIGHT, log=True)
    y = _Scale(0.8, max(count for *_, count in buckets), HEIGHT - _BOTTOM, _TOP, log=True)
    body = _axes(x, y, "", x_words, plain)
    for start, end, count in buckets:
        left, top = x.at(start), y.at(count)
        body.append(
            f'<rect x="{left:.1f}" y="{top:.1f}" width="{max(1.0, x.at(end) - left):.1f}" '
            f'height="{max(0.0, HEIGHT - _BOTTOM - top):.1f}" fill="{_COLORS[0]}">'
            f"<title>{escape(x_words(start))}: {count}</title></rect>"
        )
    return _chart(title, [*body, *_named(x, marks or {}, x_words, _TOP + 10)], [])


def _named(x: _Scale, marks: Mapping[str, float], x_words: Words, top: float) -> list[str]:
    """Named places on the x axis, each a line with its name at its side, from `top` down."""
    body = []
    for place, (name, value) in enumerate(marks.items()):
        at = x.at(value)
        side, anchor = (-4, "end") if at > WIDTH * 0.8 else (4, "start")
        body.append(_rule(at, at, _TOP, HEIGHT - _BOTTOM, "mark"))
        body.append(_text(at + side, top + 14 * place, f"{name} {x_words(value)}", anchor))
    return body


def _band(x: _Scale, band: Band) -> str:
    left = x.at(band.start)
    width = max(1.5, x.at(band.end) - left)
    return (
        f'<rect class="band" x="{left:.1f}" y="{_TOP}" width="{width:.1f}" '
        f'height="{HEIGHT - _TOP - _BOTTOM}"><title>{escape(band.says)}</title></rect>'
    )


def _axes(x: _Scale | None, y: _Scale, x_title: str, x_words: Words, y_words: Words) -> list[str]:
    body = []
    said = ""
    for tick in y.ticks():
        at = y.at(tick)
        if y_words(tick) == said:  # finer than the words can tell, as with a meter that stands
            continue
        said = y_words(tick)
        body.append(_rule(_LEFT, WIDTH - _RIGHT, at, at, "grid"))
        body.append(_text(_LEFT - 6, at + 4, said, "end"))
    for tick in x.ticks() if x else []:
        at = x.at(tick) if x else 0
        anchor = "end" if at > WIDTH - _RIGHT - _EDGE else "middle"  # or it would be cut off
        body.append(_text(at, HEIGHT - _BOTTOM + 15, x_words(tick), anchor))
    if x_title:
        body.append(_text(WIDTH - _RIGHT, HEIGHT - 4, x_title, "end"))
    return body


def _rule(x1: float, x2: float, y1: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _chart(title: str, body: Sequence[str], legend: Sequence[str]) -> str:
    """Title and legend above what was drawn."""
    head, y, x = [], 0.0, 0.0
    for line in textwrap.wrap(title, _LETTERS):
        y += _TITLE
        head.append(f'<text class="title" x="0" y="{y - 4:.0f}">{escape(line)}</text>')
    for place, name in enumerate(legend):
        width = len(name) * _LETTER + 30
        if not place or x + width > WIDTH:
            x, y = 0.0, y + _KEY
        color = _COLORS[place % len(_COLORS)]
        head.append(f'<rect x="{x:.0f}" y="{y - 11:.0f}" width="10" height="10" fill="{color}"/>')
        head.append(_text(x + 15, y - 2, name, "start"))
        x += width
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT + y:.0f}" role="img" aria-label="{escape(title)}">'
        f'{"".join(head)}<g transform="translate(0 {y:.0f})">{"".join(body)}</g></svg>'
    )


def picture(title: str, charts: Sequence[str], columns: int = 1) -> str:
    """An SVG file of charts, side by side in so many columns."""
    placed, top = [], 2 * _GAP + _TITLE
    for row in range(0, len(charts), columns):
        here = charts[row : row + columns]
        heights = [int(_VIEW.findall(chart)[0]) for chart in here]
        for column, (chart, height) in enumerate(zip(here, heights, strict=True)):
            left = _GAP + column * (WIDTH + _GAP)
            size = f'<svg x="{left}" y="{top}" width="{WIDTH}" height="{height}"'
            placed.append(chart.replace("<svg", size, 1))
        top += max(heights) + _GAP
    width = columns * (WIDTH + _GAP) + _GAP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top}" width="{width}" '
        f'height="{top}"><title>{escape(title)}</title><style>{STYLE}</style>'
        f'<rect class="page" width="{width}" height="{top}"/>'
        f'<text class="heading" x="{_GAP}" y="{_GAP + 8}">{escape(title)}</text>'
        f"{''.join(placed)}</svg>\n"
    )


STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --dim: #667; --line: #d8dde4; --page: #fbfbfa; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --dim: #9aa3b0; --line: #333b46;
  --page: #14181d; } }
svg text { font: 11px system-ui, sans-serif; fill: var(--dim); paint-order: stroke;
  stroke: var(--page); stroke-width: 3px; }
svg .title { font-weight: 600; font-size: 14px; fill: var(--ink); }
svg .heading { font-weight: 700; font-size: 17px; fill: var(--ink); }
svg .mark { stroke: var(--ink); stroke-dasharray: 3 3; }
svg .grid { stroke: var(--line); } svg .band { fill: #c0392b; opacity: .16; }
svg .level { stroke: var(--dim); } svg .page { fill: var(--page); }
"""
