"""Copy streams from one store to another, entry by entry, as they are.

What is copied is checked against the chain on the way, so that nothing follows what it does not
belong to. A copy that was interrupted goes on where it stopped; a target with another past is
left alone.
"""

from collections.abc import Callable
from contextlib import closing

from msgspec import Struct

from jackpot.store.journal import (
    Archive,
    Head,
    Journal,
    StoreError,
    verify_link,
)
from jackpot.store.opening import Address, journal_opener, open_to_read

PAGE = 1_000  # entries a commit
Progress = Callable[[str, int, int], None]  # site, entries done, entries in all


class Copied(Struct, frozen=True):
    """What was copied of a site."""

    site: str
    entries: int  # that were not there before
    head_sequence: int
    head_hash: str


def copy(source: Address, target: Address, progress: Progress, site: str = "") -> list[Copied]:
    """Copy one stream or all of them; StoreError where the target's past is another one."""
    with closing(open_to_read(source)) as archive, closing(journal_opener(target)()) as journal:
        heads = archive.heads()
        if site and site not in heads:
            raise StoreError(f"the source has no site {site} (it has: {', '.join(sorted(heads))})")
        chosen = [site] if site else sorted(heads)
        return [_copy_site(archive, journal, each, progress) for each in chosen]


def verify_equal(source: Address, target: Address, copied: list[Copied]) -> None:
    """Raise where the source has moved on, or the target is not where the copy left it."""
    for address, what in ((source, "source"), (target, "target")):
        with closing(open_to_read(address)) as archive:
            for each in copied:
                if archive.head(each.site).hash.hex() != each.head_hash:
                    raise StoreError(
                        f"site {each.site}: the {what} has new entries; "
                        "stop its controllers and copy again"
                    )


def _copy_site(archive: Archive, journal: Journal, site: str, progress: Progress) -> Copied:
    end, head = archive.head(site), journal.head(site)
    begun = head.sequence
    _verify_ancestor(archive, site, head, end)
    while head.sequence < end.sequence:
        page = archive.read(site, head.sequence, PAGE)
        if not page:
            raise StoreError(f"site {site}: the source has no entry after {head.sequence}")
        for entry in page:
            head = verify_link(site, head, entry)
        with journal.begin([site]) as transaction:
            transaction.append(site, page)
            transaction.commit()
        progress(site, head.sequence, end.sequence)
    _copy_snapshots(archive, journal, site)
    return Copied(site, head.sequence - begun, head.sequence, head.hash.hex())


def _copy_snapshots(archive: Archive, journal: Journal, site: str) -> None:
    there = {snapshot.sequence for snapshot in journal.snapshots(site)}
    for snapshot in reversed(list(archive.snapshots(site))):  # the oldest first
        if snapshot.sequence not in there:
            with journal.begin([site]) as transaction:
                transaction.save_snapshot(site, snapshot)
                transaction.commit()


def _verify_ancestor(archive: Archive, site: str, head: Head, end: Head) -> None:
    """Raise unless the target's stream is a beginning of the source's."""
    if head.sequence > end.sequence:
        raise StoreError(f"site {site}: the target is at {head.sequence}, beyond the source")
    if head.sequence:
        (entry,) = archive.read(site, head.sequence - 1, 1)
        if entry.hash != head.hash:
            raise StoreError(f"site {site}: the target has a different history; nothing was copied")
