"""Draw sections as CSV or HTML. Text for a terminal is the command line's."""

import csv
import io
from collections.abc import Iterable
from html import escape

from jackpot.core.money import dollars
from jackpot.reports.sections import Cell, Money, Section

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 68rem; padding: 0 1rem;
  color: #1c1c1e; background: #fff }
h1 { font-size: 1.5rem } h2 { font-size: 1.05rem; margin: 1.8rem 0 .4rem }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums }
th, td { padding: .2rem .6rem .2rem 0; text-align: left; vertical-align: top;
  overflow-wrap: anywhere; border-bottom: 1px solid #e3e3e6 }
th { font-weight: 600; color: #5a5a60 } .n { text-align: right; white-space: nowrap }
p { color: #5a5a60; margin: .2rem 0 }
@media (prefers-color-scheme: dark) { body { color: #e8e8ea; background: #17171a }
  th, td { border-color: #333338 } th, p { color: #a0a0a8 } }
@media print { body { margin: 0; max-width: none } h2 { break-after: avoid } }
"""


def as_csv(found: Iterable[Section]) -> str:
    """Every section as a block: its title, its headings, its rows, an empty line."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for section in found:
        writer.writerow([section.title])
        writer.writerow(section.headings)
        writer.writerows([_plain(cell) for cell in row] for row in section.rows)
        writer.writerow([])
    return out.getvalue()


def as_html(found: Iterable[Section]) -> str:
    """A page that needs nothing beside itself, for a screen or for paper."""
    parts: list[str] = []
    title = ""
    for section in found:
        title = title or section.title
        tag = "h2" if parts else "h1"
        parts.append(f"<{tag}>{escape(section.title)}</{tag}>")
        parts.append(_html_table(section) if section.rows else f"<p>{escape(section.nothing)}</p>")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


def _html_table(section: Section) -> str:
    right = [isinstance(cell, int | Money) for cell in section.rows[0]]

    def line(tag: str, cells: Iterable[Cell]) -> str:
        return "".join(
            f"<{tag}{' class=n' if number else ''}>{escape(str(cell))}</{tag}>"
            for cell, number in zip(cells, right, strict=True)
        )

    head = f"<tr>{line('th', section.headings)}</tr>" if any(section.headings) else ""
    body = "\n".join(f"<tr>{line('td', row)}</tr>" for row in section.rows)
    return f"<table>{head}\n{body}</table>"


def _plain(cell: Cell) -> str:
    """A cell as a spreadsheet reads it: no commas between thousands."""
    text = dollars(cell.micros).replace(",", "") if isinstance(cell, Money) else str(cell)
    # A spreadsheet would run what begins like a formula; people's notes may begin so.
    return f"'{text}" if isinstance(cell, str) and text[:1] in ("=", "+", "-", "@") else text
