"""Charts as inline SVG, without any library: lines over a scale, and bars side by side."""

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import NamedTuple

WIDTH, HEIGHT = 640, 260
_LEFT, _RIGHT, _TOP, _BOTTOM = 74, 14, 30, 34
_COLOURS = ("#2f6fb7", "#c2571a", "#3d8b4f", "#8a4fa3", "#b8962e", "#4a4a4a", "#c0392b", "#16867d")
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
    log_x: bool = False,
    log_y: bool = False,
    from_zero: bool = False,
) -> str:
    """A chart of lines; with a legend where there are several."""
    points = [point for line in series.values() for point in line]
    if not points:
        return ""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    x = _Scale(min(xs), max(xs), _LEFT, WIDTH - _RIGHT, log=log_x)
    low = 0.0 if from_zero and not log_y else min(ys)
    y = _Scale(low, max(ys), HEIGHT - _BOTTOM, _TOP, log=log_y)
    body = [_band(x, band) for band in bands]
    body += _axes(x, y, x_title, x_words, y_words)
    for place, (name, line) in enumerate(series.items()):
        colour = _COLOURS[place % len(_COLOURS)]
        path = " ".join(f"{x.at(a):.1f},{y.at(b):.1f}" for a, b in line)
        body.append(
            f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.6">'
            f"<title>{escape(name)}</title></polyline>"
        )
    return _figure(title, body, list(series) if len(series) > 1 else [])


def bars(
    title: str,
    labels: Sequence[str],
    series: Mapping[str, Sequence[float]],
    *,
    y_words: Words = plain,
    log_y: bool = False,
) -> str:
    """Groups of bars, one group a label."""
    values = [value for row in series.values() for value in row]
    if not values:
        return ""
    positive = [value for value in values if value > 0] or [1.0]
    low = min(positive) * 0.5 if log_y else 0.0
    y = _Scale(low, max(values), HEIGHT - _BOTTOM, _TOP, log=log_y)
    body = _axes(None, y, "", plain, y_words)
    group = (WIDTH - _LEFT - _RIGHT) / len(labels)
    width = group * 0.8 / len(series)
    for place, (name, row) in enumerate(series.items()):
        colour = _COLOURS[place % len(_COLOURS)]
        for index, value in enumerate(row):
            left = _LEFT + group * (index + 0.1) + width * place
            top = y.at(value)
            body.append(
                f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" '
                f'height="{max(0.0, HEIGHT - _BOTTOM - top):.1f}" fill="{colour}">'
                f"<title>{escape(labels[index])}, {escape(name)}: {escape(y_words(value))}"
                "</title></rect>"
            )
    for index, label in enumerate(labels):
        middle = _LEFT + group * (index + 0.5)
        body.append(_text(middle, HEIGHT - _BOTTOM + 15, label, "middle"))
    return _figure(title, body, list(series) if len(series) > 1 else [])


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
            f'height="{max(0.0, HEIGHT - _BOTTOM - top):.1f}" fill="{_COLOURS[0]}">'
            f"<title>{escape(x_words(start))}: {count}</title></rect>"
        )
    for place, (name, value) in enumerate((marks or {}).items()):
        at = x.at(value)
        body.append(
            f'<line class="mark" x1="{at:.1f}" x2="{at:.1f}" y1="{_TOP}" y2="{HEIGHT - _BOTTOM}"/>'
        )
        side, anchor = (-4, "end") if at > WIDTH * 0.8 else (4, "start")
        body.append(_text(at + side, _TOP + 10 + 14 * place, f"{name} {x_words(value)}", anchor))
    return _figure(title, body, [])


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
        body.append(
            f'<line class="grid" x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{at:.1f}" y2="{at:.1f}"/>'
        )
        body.append(_text(_LEFT - 6, at + 4, said, "end"))
    for tick in x.ticks() if x else []:
        at = x.at(tick) if x else 0
        anchor = "end" if at > WIDTH - _RIGHT - _EDGE else "middle"  # or it would be cut off
        body.append(_text(at, HEIGHT - _BOTTOM + 15, x_words(tick), anchor))
    if x_title:
        body.append(_text(WIDTH - _RIGHT, HEIGHT - 4, x_title, "end"))
    return body


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _figure(title: str, body: Sequence[str], legend: Sequence[str]) -> str:
    keys = "".join(
        f'<span><i style="background:{_COLOURS[place % len(_COLOURS)]}"></i>{escape(name)}</span>'
        for place, name in enumerate(legend)
    )
    return (
        f'<figure><figcaption>{escape(title)}</figcaption><svg viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'role="img" aria-label="{escape(title)}">{"".join(body)}</svg>'
        f'<div class="legend">{keys}</div></figure>'
    )


STYLE = """
:root { color-scheme: light dark; --ink: #1c2430; --dim: #667; --line: #d8dde4; --page: #fbfbfa;
  --good: #2e7d43; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --dim: #9aa3b0; --line: #333b46;
  --page: #14181d; --good: #6cc58a; --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.2rem 4rem; max-width: 1360px; background: var(--page);
  color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .3rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
.verdict { font-weight: 700; } .good { color: var(--good); } .bad { color: var(--bad); }
.grid2 { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 480px), 1fr));
  gap: 1rem; }
figure { margin: 0; padding: .8rem; border: 1px solid var(--line); border-radius: 8px; }
figcaption { font-weight: 600; } svg { width: 100%; height: auto; display: block; }
svg text { font: 11px system-ui, sans-serif; fill: var(--dim); paint-order: stroke;
  stroke: var(--page); stroke-width: 3px; }
svg .mark { stroke: var(--ink); stroke-dasharray: 3 3; }
svg .grid { stroke: var(--line); } svg .band { fill: #c0392b; opacity: .16; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1rem; font-size: .82rem; color: var(--dim); }
.legend i { display: inline-block; width: .8rem; height: .8rem; margin-right: .35rem;
  border-radius: 2px; vertical-align: -1px; }
.tiles { display: flex; flex-wrap: wrap; gap: .6rem; margin: 1rem 0; }
.tiles div { border: 1px solid var(--line); border-radius: 8px; padding: .5rem .9rem;
  font-size: .82rem; color: var(--dim); }
.tiles b { display: block; font-size: 1.15rem; color: var(--ink); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .8rem .25rem 0; text-align: right; border-bottom: 1px solid var(--line); }
.words { text-align: left; } pre { overflow-x: auto; font-size: .82rem; }
"""


def page(title: str, body: str) -> str:
    """A whole page that needs nothing from anywhere else."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>{body}</body></html>\n"
    )


def tiles(figures: Mapping[str, str]) -> str:
    """The few figures that one wants to see first."""
    cells = "".join(
        f"<div><b>{escape(value)}</b>{escape(name)}</div>" for name, value in figures.items()
    )
    return f'<div class="tiles">{cells}</div>'


def section(title: str, parts: Sequence[str], says: str = "") -> list[str]:
    """Figures under a heading, side by side where there is room; nothing without any."""
    if not any(parts):
        return []
    intro = f"<p>{escape(says)}</p>" if says else ""
    return [f'<h2>{escape(title)}</h2>{intro}<div class="grid2">', *parts, "</div>"]


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A plain table."""
    words = [any(map(_is_words, column)) for column in zip(*rows, strict=True)]
    top = "".join(
        f"<th{_WORDS if is_words else ''}>{escape(cell)}</th>"
        for cell, is_words in zip(head, words or [True] * len(head), strict=True)
    )
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    return (
        f'<div class="scroll"><table><thead><tr>{top}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


_WORDS = ' class="words"'


def _is_words(value: object) -> bool:
    return not str(value).strip("-$").replace(",", "").replace(".", "").isdigit()


def _cell(value: object) -> str:
    return f"<td{_WORDS if _is_words(value) else ''}>{escape(str(value))}</td>"
