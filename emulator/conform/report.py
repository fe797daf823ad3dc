"""Say how a client did: lines for a terminal, JUnit for a build, a page for people, JSON."""

from collections import Counter
from collections.abc import Sequence
from html import escape
from typing import Any
from xml.sax.saxutils import quoteattr

from emulator import report_html
from emulator.conform.run import FAILED, NOT_SHOWN, NOT_TRIED, PASSED, Verdict
from emulator.output import counted, wrapped

_MARKS = {PASSED: "pass", FAILED: "FAIL", NOT_SHOWN: "----", NOT_TRIED: ""}
_CLASSES = {PASSED: "good", FAILED: "bad", NOT_SHOWN: "bad", NOT_TRIED: ""}


def conforms(verdicts: Sequence[Verdict]) -> bool:
    """Whether every line was shown and kept."""
    return bool(verdicts) and all(verdict.result == PASSED for verdict in verdicts)


def kept(verdicts: Sequence[Verdict]) -> bool:
    """Whether every line that was tried was shown and kept."""
    return conforms([verdict for verdict in verdicts if verdict.result != NOT_TRIED])


def lines_of(verdict: Verdict) -> list[str]:
    """One verdict on a terminal; of a line that nobody wanted tried, nothing is said."""
    if verdict.result == NOT_TRIED:
        return []
    text = wrapped(f"{_MARKS[verdict.result]}  {verdict.id:<24}", verdict.text)
    return text + [line for why in verdict.why for line in wrapped(" " * 8, why)]


def summary(verdicts: Sequence[Verdict]) -> str:
    """The last line: how many lines were kept."""
    counts = Counter(verdict.result for verdict in verdicts)
    said = ", ".join(f"{counted(counts[kind], 'line')} {kind}" for kind in _MARKS if counts[kind])
    if not kept(verdicts):
        return f"DOES NOT CONFORM: {said}"
    return f"CONFORMS: {said}" if conforms(verdicts) else f"only some lines were tested: {said}"


def as_data(verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """The same for machines."""
    return {
        "conforms": conforms(verdicts),
        "kept": kept(verdicts),
        "lines": [verdict._asdict() | {"why": list(verdict.why)} for verdict in verdicts],
    }


def junit(verdicts: Sequence[Verdict]) -> str:
    """A report that build servers read."""
    counts = Counter(verdict.result for verdict in verdicts)
    skipped = counts[NOT_SHOWN] + counts[NOT_TRIED]
    took_s = sum(verdict.took_s for verdict in verdicts)
    head = (
        f'<testsuite name="jackpot-emulator conform" tests="{len(verdicts)}" '
        f'failures="{counts[FAILED]}" skipped="{skipped}" time="{took_s:.2f}">'
    )
    return "\n".join(
        ['<?xml version="1.0" encoding="UTF-8"?>', head, *map(_case, verdicts), "</testsuite>", ""]
    )


def _case(verdict: Verdict) -> str:
    opening = (
        f"  <testcase classname={quoteattr(verdict.source)} name={quoteattr(verdict.id)} "
        f'time="{verdict.took_s:.2f}"'
    )
    why = quoteattr("; ".join((verdict.text, *verdict.why)))
    if verdict.result == FAILED:
        return f"{opening}><failure message={why}/></testcase>"
    if verdict.result != PASSED:
        return f"{opening}><skipped message={why}/></testcase>"
    return f"{opening}/>"


def html_page(verdicts: Sequence[Verdict]) -> str:
    """A page to hand on."""
    mark = "bad" if not kept(verdicts) else "good" if conforms(verdicts) else ""
    rows = "".join(
        f'<tr><td class="{_CLASSES[v.result]}">{v.result}</td>'
        f"<td>{escape(v.id)}</td><td>{escape(v.text)}"
        + "".join(f"<br><small>{escape(why)}</small>" for why in v.why)
        + f"</td><td>{escape(v.source)}</td></tr>"
        for v in verdicts
    )
    verdict = escape(summary(verdicts))
    return report_html.page(
        "Conformance",
        f'<h1>Conformance</h1><p><span class="verdict {mark}">{verdict}</span>'
        "</p><table><tr><th>result</th><th>line</th><th>what the contract asks</th>"
        f"<th>chapter</th></tr>{rows}</table>",
    )
