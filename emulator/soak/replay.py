"""Replay a transcript to find the shortest part of a run that shows what went wrong."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple

from emulator.soak.audit.auditor import Auditor, ContradictionError
from emulator.soak.audit.entry import OBSERVATIONS, Entry
from emulator.soak.audit.terms import SiteTerms
from emulator.soak.transcript import entry_at, rows

SHOWN = 40
_MOST_SHOWN = 400  # characters of an entry; the newest, which may be the one, is shown whole


class ShortestFailure(NamedTuple):
    """The entries that one must read to see what went wrong."""

    entries: int  # of the record in the journal's order, the last of which contradicts
    of: int
    sequence: int
    agreed: int  # the last sequence at which all accounts agreed
    what: str
    tail: tuple[str, ...]  # what happened in between, where it was the same link or table

    def lines(self) -> list[str]:
        """For people to read."""
        return [
            (
                f"shortest failure: the first {self.entries:,} of {self.of:,} entries, "
                f"up to sequence {self.sequence}; all accounts agreed at {self.agreed}"
            ),
            f"  {self.what}",
            *(f"  {line}" for line in self.tail),
        ]


class Place(NamedTuple):
    """Where an entry belongs: in the journal's order, and then as it was told."""

    sequence: int
    view: bool  # what was seen at a sequence comes after what was done there
    offset: int  # on the transcript


def find_shortest_failure(terms: SiteTerms, transcript: Path) -> ShortestFailure | None:
    """Go through the record in the journal's order; None if nothing contradicts."""
    auditor = Auditor(terms)
    with transcript.open("rb") as file:
        order, complete = _in_order(file)
        for entries, place in enumerate(order, 1):
            entry = entry_at(file, place.offset)
            try:
                auditor.feed(entry)
                auditor.advance(min(place.sequence, complete))
            except ContradictionError as error:
                agreed = auditor.agreed
                between = _newest_first(file, order[:entries], agreed)
                tail = _relevant(terms, between, error.entry)
                return ShortestFailure(
                    entries, len(order), place.sequence, agreed, error.what, tail
                )
    return None


def _in_order(file: BinaryIO) -> tuple[list[Place], int]:
    """The places of all entries, and up to which sequence none is missing.

    A refusal that was not journaled belongs to what had been told before it, and so does a view
    that is older than that.
    """
    order, told, complete = [], 0, 0
    for offset, row in rows(file):
        entry = row.entry
        sequence = max(entry.sequence, entry.since) or told
        order.append(Place(sequence, entry.kind in OBSERVATIONS, offset))
        told, complete = max(told, entry.sequence), max(complete, row.complete)
    order.sort()
    return order, complete


def _newest_first(file: BinaryIO, order: list[Place], agreed: int) -> Iterator[Entry]:
    """What came after all accounts agreed."""
    for place in reversed(order):
        if place.sequence <= agreed:
            return
        yield entry_at(file, place.offset)


def _relevant(terms: SiteTerms, newest_first: Iterator[Entry], last: Entry) -> tuple[str, ...]:
    """Commands at tables that share a link with the one that contradicts, newest last."""
    links = set(terms.links)
    if last.table in terms.tables:
        links = {link.id for link in terms.tables[last.table].links}
    elif last.kind == "Frame":
        links = {last.response.link}
    near = (
        entry
        for entry in newest_first
        if entry.kind not in OBSERVATIONS
        and (
            entry.table not in terms.tables
            or links & {link.id for link in terms.tables[entry.table].links}
        )
    )
    newest, *others = [str(entry) for entry in islice(near, SHOWN)] or [""]
    return (*(other[:_MOST_SHOWN] for other in reversed(others)), newest)
