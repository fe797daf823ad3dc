"""The shortest part of a run that shows what went wrong, from its record."""

from pathlib import Path
from typing import NamedTuple

from emulator.audit.entry import OBSERVATIONS, Entry
from emulator.audit.terms import SiteTerms
from emulator.auditor import Auditor, ContradictionError
from emulator.soak.tape import read_tape

SHOWN = 40


class Prefix(NamedTuple):
    """How far one must read."""

    entries: int  # of the record in the journal's order, the last of which contradicts
    of: int
    sequence: int
    agreed: int  # the last sequence at which all accounts agreed
    what: str
    tail: tuple[str, ...]  # what happened in between, where it was the same link or table

    def lines(self) -> list[str]:
        """For a person."""
        return [
            (
                f"shortest prefix: {self.entries} of {self.of} entries, to {self.sequence}; "
                f"all accounts agreed at {self.agreed}"
            ),
            f"  {self.what}",
            *(f"  {line}" for line in self.tail),
        ]


def shortest_prefix(terms: SiteTerms, tape: Path) -> Prefix | None:
    """Go through the record in the journal's order; None if nothing contradicts."""
    entries = list(read_tape(tape))
    auditor = Auditor(terms)
    order = sorted(entries, key=lambda entry: (entry.sequence, entry.kind in OBSERVATIONS))
    for place, entry in enumerate(order, 1):
        try:
            auditor.feed(entry)
            auditor.advance(entry.sequence)
        except ContradictionError as error:
            between = [e for e in order[:place] if auditor.agreed < e.sequence <= entry.sequence]
            tail = _relevant(terms, between, error.entry)
            what = error.what
            return Prefix(place, len(order), entry.sequence, auditor.agreed, what, tail)
    return None


def _relevant(terms: SiteTerms, entries: list[Entry], last: Entry) -> tuple[str, ...]:
    """Commands at tables that share a link with the one that contradicts, newest last."""
    links = set(terms.links)
    if last.table in terms.tables:
        links = {link.id for link in terms.tables[last.table].links}
    elif last.kind == "Frame":
        links = {last.response.link}
    near = [
        entry
        for entry in entries
        if entry.kind not in OBSERVATIONS
        and (
            entry.table not in terms.tables
            or links & {link.id for link in terms.tables[entry.table].links}
        )
    ]
    return tuple(str(entry)[:400] for entry in near[-SHOWN:])
