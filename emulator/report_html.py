"""Draw a report as one self-contained HTML page: tiles, charts, tables."""

from collections.abc import Mapping, Sequence
from html import escape

from jackpot import charts

_STYLE = """
:root { --good: #2e7d43; --bad: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --good: #6cc58a; --bad: #ff8a80; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.2rem 4rem; max-width: 1360px; background: var(--page);
  color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .3rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
.verdict { font-weight: 700; } .good { color: var(--good); } .bad { color: var(--bad); }
.grid2 { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 480px), 1fr));
  gap: 1rem; }
figure { margin: 0; padding: .8rem; border: 1px solid var(--line); border-radius: 8px; }
svg { width: 100%; height: auto; display: block; }
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
        f"<title>{escape(title)}</title><style>{charts.STYLE}{_STYLE}</style></head>"
        f"<body>{body}</body></html>\n"
    )


def tiles(figures: Mapping[str, str]) -> str:
    """The few figures that one wants to see first."""
    cells = "".join(
        f"<div><b>{escape(value)}</b>{escape(name)}</div>" for name, value in figures.items()
    )
    return f'<div class="tiles">{cells}</div>'


def section(title: str, parts: Sequence[str], says: str = "") -> list[str]:
    """Charts under a heading, side by side where there is room; nothing without any."""
    if not any(parts):
        return []
    intro = f"<p>{escape(says)}</p>" if says else ""
    figures = [f"<figure>{chart}</figure>" for chart in parts if chart]
    return [f'<h2>{escape(title)}</h2>{intro}<div class="grid2">', *figures, "</div>"]


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
