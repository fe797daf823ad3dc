"""When a replay begins, for commands that bring a controller of their own."""

from pathlib import Path

from jackpot.sources import REPLAY_START_MS
from jackpot.store.journal import StoreError
from jackpot.store.opening import open_to_read


def replay_start_ms(data: Path, site: str) -> int:
    """A replay's own noon; where there is a journal already, a second after its last entry.

    Request ids would otherwise be those of the run before, and be given its answers.
    """
    try:
        journal = open_to_read(data)
    except StoreError:
        return REPLAY_START_MS
    try:
        head = journal.heads().get(site)
        last = journal.read(site, head.sequence - 1, 1) if head else []
    finally:
        journal.close()
    return max(REPLAY_START_MS, *(entry.time_micros // 1_000 + 1_000 for entry in last), 0)
