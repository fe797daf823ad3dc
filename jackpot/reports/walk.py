"""Walk through a site's journal without a controller, page by page, from its first entry.

The length of a journal costs time and no memory; nothing in it is changed.
"""

import datetime as dt
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from msgspec import Struct

from jackpot.core.config import MIDNIGHT, GamingDay
from jackpot.core.events.operator import MetersRead, SiteConfigured
from jackpot.engine.replica import PAGE
from jackpot.store import codec
from jackpot.store.journal import GENESIS, Archive, Entry, Head, StoreError, verify_link
from jackpot.store.opening import Address, open_to_read

Progress = Callable[[int, int], None]  # entries done, entries in all


class Walk:
    """A site's stream as it stood when it was opened."""

    def __init__(self, journal: Archive, site: str, progress: Progress | None = None) -> None:
        self._journal = journal
        self.site = site
        self.head = journal.head(site)
        self._progress = progress

    def entries(self, after: int = 0) -> Iterator[Entry]:
        """Entries after a sequence, in order; whoever uses them checks how they hang together."""
        while page := self._journal.read(self.site, after, PAGE):
            for entry in page:
                after = entry.sequence
                yield entry
            if self._progress:
                self._progress(after, self.head.sequence)

    def chained(self) -> Iterator[Entry]:
        """All entries, each checked against the one before it; UnsoundError where one is not."""
        head: Head = GENESIS
        for entry in self.entries():
            head = verify_link(self.site, head, entry)
            yield entry


def site_day(site: str, entry: Entry, otherwise: GamingDay) -> GamingDay:
    """The gaming day that an entry sets, if it sets one."""
    if entry.kind != SiteConfigured.__name__:
        return otherwise
    event = codec.decode_entry(site, entry).event
    return event.day if isinstance(event, SiteConfigured) else otherwise


@contextmanager
def open_walk(address: Address, site: str = "", progress: Progress | None = None) -> Iterator[Walk]:
    """The stream of a site, or of the only one that a store has."""
    journal = open_to_read(address)
    try:
        sites = sorted(journal.heads())
        if not site and len(sites) != 1:
            raise StoreError(
                f"add --site with one of the journal's sites: {', '.join(sites) or 'none'}"
            )
        if site and site not in sites:
            raise StoreError(f"the journal has no site {site} (it has: {', '.join(sites)})")
        yield Walk(journal, site or sites[0], progress)
    finally:
        journal.close()


class Reading(Struct, frozen=True):
    """A reading, where it is in the journal, and when it was taken."""

    sequence: int
    time_micros: int
    read: MetersRead
    day: GamingDay = MIDNIGHT  # by whose clocks


def all_readings(
    walk: Walk, since: dt.date | None = None, until: dt.date | None = None
) -> Iterator[Reading]:
    """The readings of the gaming days from one date to another, both included."""
    first, last = (date.isoformat() if date else "" for date in (since, until))
    day = MIDNIGHT
    for entry in walk.chained():
        day = site_day(walk.site, entry, day)
        if entry.kind != MetersRead.__name__:
            continue
        event = codec.decode_entry(walk.site, entry).event
        if isinstance(event, MetersRead) and first <= event.date and not "" < last < event.date:
            yield Reading(entry.sequence, entry.time_micros, event, day)
