"""The writer's copies of all sites of one open journal, and which sites are halted."""

import logging
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Any, NamedTuple

from jackpot.core.events import AnyEvent
from jackpot.core.reasons import Reason, refuse
from jackpot.core.state import State
from jackpot.engine.alarms import SAYING, AlarmBoard
from jackpot.engine.messages import JournaledAnswer, Read
from jackpot.engine.replica import Replica, load
from jackpot.engine.witness import Witness
from jackpot.store.journal import GENESIS, Entry, Head, Journal, Reader, UnsoundError

_TOGETHER = 64  # sites whose news are read at once ...
_PAGE = 100  # ... and as many entries of each; whoever is further behind reads on alone
_log = logging.getLogger(__name__)


class _News(NamedTuple):
    """What was read of several streams at once."""

    heads: Mapping[str, Head]
    entries: Mapping[str, list[Entry]]

    def head(self, site: str) -> Head:
        return self.heads.get(site, GENESIS)

    def read(self, site: str, after: int, limit: int) -> list[Entry]:
        return [entry for entry in self.entries[site] if entry.sequence > after][:limit]


class Sites:
    """Copies that follow a journal. A site that is not sound is halted; the others go on."""

    def __init__(
        self,
        journal: Journal,
        wanted: Iterable[str],
        halted: dict[str, str],
        alarms: AlarmBoard,
        witness: Witness | None = None,
    ) -> None:
        self._journal = journal
        self._witness = witness
        self._alarms = alarms
        self._doubtful: set[str] = set()  # the copy and the journal part ways
        self.halted = halted
        self.replicas: dict[str, Replica] = {}
        for site in sorted({*wanted} - halted.keys()):
            self._load(site)

    def mark(self, sites: Iterable[str]) -> None:
        """Note that the copies are what the journal has, before something is added to them."""
        if self._journal.shared:
            for site in sites:
                self.replicas[site].mark()

    def rewind(self, sites: Iterable[str]) -> None:
        """Take back what was added and then lost a race."""
        for site in sites:
            self.replicas[site].rewind()

    def caught_up(self, site: str, reader: Reader) -> bool:
        """Apply a page of what others appended; whether the copy stands at the head then."""
        try:
            return site not in self._doubtful and self.replicas[site].catch_up(reader)
        except UnsoundError as error:
            _log.warning("%s; the controller rebuilds its copy of the site's state", error)
            self._doubtful.add(site)
            return False

    def follow(self, site: str) -> None:
        """Bring a copy up to date without holding the lock; make it anew where that fails."""
        while site not in self._doubtful:
            if self.caught_up(site, self._journal):
                return
        self._load(site)

    def follow_all(self, about: AbstractSet[str] | None = None) -> None:
        """Catch up wherever others wrote, or there only."""
        followed = self.replicas.keys() if about is None else self.replicas.keys() & about
        if not followed:
            return
        heads = self._journal.heads(followed)
        behind = [s for s in followed if not self.replicas[s].head.same(heads.get(s, GENESIS))]
        for first in range(0, len(behind), _TOGETHER):
            sites = behind[first : first + _TOGETHER]
            after = {site: self.replicas[site].head.sequence for site in sites}
            news = _News(heads, self._journal.read_each(after, _PAGE))
            for site in sites:
                if not self.caught_up(site, news):
                    self.follow(site)

    def take_moved(self) -> list[State]:
        """The states whose meters may have moved since this was last asked."""
        moved = [replica for replica in self.replicas.values() if replica.moved]
        for replica in moved:
            replica.moved = False
        return [replica.state for replica in moved]

    def take_touched(self) -> list[tuple[str, str]]:
        """The tables, with their sites, about which something has changed since last asked."""
        found = [
            (site, table) for site, replica in self.replicas.items() for table in replica.touched
        ]
        if found:
            for replica in self.replicas.values():
                replica.touched.clear()
        return found

    def halt(self, error: UnsoundError) -> None:
        """Serve a site no more."""
        self.replicas.pop(error.site, None)
        self.halted[error.site] = str(error)

    def answer(self, read: Read) -> Any:
        """What a question about a site's state comes to, be it an exception."""
        replica = self.replicas.get(read.site)
        if replica is None:
            reason = Reason.SITE_HALTED if read.site in self.halted else Reason.UNKNOWN_SITE
            return refuse(reason, site=read.site)
        try:
            return read.question(replica.state)
        except Exception as error:  # noqa: BLE001 - the asker's mistake, and the asker hears of it
            return error

    def _load(self, site: str) -> None:
        self._doubtful.discard(site)
        try:
            known = self._witness.known(site) if self._witness else None  # before it is read
            replica = load(self._journal, site)
            if known:
                known.verify(self._journal, replica.state)
        except UnsoundError as error:
            self.halt(error)
        else:
            self.replicas[site] = replica
            replica.heed = partial(self._heed, site)

    def _heed(self, site: str, entry: Entry, event: AnyEvent) -> None:
        """Raise what an entry of another controller says."""
        if type(event) in SAYING:
            committed = JournaledAnswer(entry.sequence, entry.time_micros, event)
            self._alarms.journaled(site, committed)
