"""Entries that follow a head, and a commit of them."""

from jackpot.store.journal import GENESIS, Entry, Head, Journal, chained, verify_link


def entries_after(count: int, head: Head = GENESIS, site: str = "s") -> list[Entry]:
    """Entries that follow a head."""
    entries = []
    for sequence in range(head.sequence + 1, head.sequence + 1 + count):
        entry = chained(site, head.hash, sequence, sequence, "Probed", 1, b'{"n":%d}' % sequence)
        head = verify_link(site, head, entry)
        entries.append(entry)
    return entries


def append(journal: Journal, entries: list[Entry], site: str = "s") -> None:
    """Commit entries."""
    with journal.begin([site]) as transaction:
        transaction.append(site, entries)
        transaction.commit()
