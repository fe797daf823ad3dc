"""Tell whoever watches a table that something about it has changed, whoever wrote it.

A watcher then looks at the table as it is: it gets the latest value, never a queue. Which tables an
entry concerns is noted where it is applied, so changes that other controllers made count too.
"""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from jackpot.core.events import AnyEvent
from jackpot.core.events.operator import LinkChanged, PayoutPaid, PayoutRejected, PayoutValidated

EVERY = "*"  # stands for all tables of a site; no id is like it
# What concerns a table, or all, without naming one.
_EVERYWHERE = (LinkChanged, PayoutValidated, PayoutPaid, PayoutRejected)


def concerned(event: AnyEvent) -> str:
    """The table that an event says something about; "" for none."""
    table = getattr(event, "table", None)
    if table is None:
        return EVERY if isinstance(event, _EVERYWHERE) else ""
    return table if type(table) is str else table.id


class TableBoard:
    """Who waits for news of which table. Lives in the loop's thread."""

    def __init__(self) -> None:
        self._waiting: dict[str, dict[str, set[asyncio.Event]]] = {}  # site -> table -> waiting

    @contextmanager
    def watch(self, site: str, table: str) -> Iterator[asyncio.Event]:
        """An event that is set whenever there is news; the watcher clears it before it looks."""
        news = asyncio.Event()
        tables = self._waiting.setdefault(site, {})
        tables.setdefault(table, set()).add(news)
        try:
            yield news
        finally:
            tables[table].discard(news)
            if not tables[table]:
                del tables[table]

    def publish(self, touched: Iterable[tuple[str, str]]) -> None:
        """Something has changed at these tables, given with their sites."""
        for site, table in touched:
            tables = self._waiting.get(site, {})
            for waiting in tables.values() if table == EVERY else (tables.get(table, ()),):
                for news in waiting:
                    news.set()

    def publish_all(self) -> None:
        """Something has changed for everybody."""
        self.publish([(site, EVERY) for site in self._waiting])
