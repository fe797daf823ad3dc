"""List the alarms that a journal's last entries carry: a start does not forget them."""

import time
from collections.abc import Callable, Collection
from contextlib import closing

from jackpot.engine.alarms import SAYING, AlarmBoard
from jackpot.engine.messages import JournaledAnswer
from jackpot.store import codec
from jackpot.store.journal import Archive

PAGE = 1_000
ENTRIES = 250_000  # of each site; at a busy table a day has some 10,000
_BREATH_S = 0.002  # between two pages: tables wait for the same interpreter
_KINDS = frozenset(kind.__name__ for kind in SAYING)
_SAYS = (b'"alarms":["', b'"late_voids":')


def read_back(
    open_journal: Callable[[], Archive],
    sites: Collection[str],
    alarms: AlarmBoard,
    wanted: Callable[[], bool],
) -> None:
    """Do so, in a thread of its own, while it is wanted."""
    with closing(open_journal()) as journal:
        for site, head in journal.heads(sites).items():
            after = max(head.sequence - ENTRIES, 0)
            while after < head.sequence and wanted():
                page = journal.read(site, after, PAGE)
                for entry in page:
                    if entry.kind in _KINDS and any(says in entry.body for says in _SAYS):
                        event = codec.decode_entry(site, entry).event
                        committed = JournaledAnswer(entry.sequence, entry.time_micros, event)
                        alarms.journaled(site, committed, old=True)
                after = page[-1].sequence
                time.sleep(_BREATH_S)
