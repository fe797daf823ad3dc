"""Check a journal from its first entry to its last, without a controller.

Numbering, hash chain, every event readable, its postings sum to zero, no account overdrawn, the
replayed state equal to every snapshot, and the stated head the last entry. The store's tables
themselves are checked as well: nothing may stand in for them or change what is written to them. It
reads page by page, so the length of a journal costs time and no memory, and it changes nothing.

A snapshot that comes from one of an older form may remember fewer requests and other paid hits than
the replay does, and does not know what awards had taken off a meter; the requests that both
remember, and the hits that are not yet paid, must be alike.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from msgspec import Struct
from msgspec.structs import replace

from jackpot.core.events import SnapshotTaken
from jackpot.core.request_memory import agree
from jackpot.core.state import RequestMemory, Settlement, State, is_open
from jackpot.engine.replica import PAGE, Replica
from jackpot.store import codec
from jackpot.store.journal import Archive, Head, StoredSnapshot, StoreError, UnsoundError
from jackpot.store.opening import Address, open_to_read

Noted = tuple[int, str]  # a sequence, and the hash or its beginning that was seen there before
_NOTHING: Mapping[str, Noted] = MappingProxyType({})
Progress = Callable[[str, int, int], None]  # site, entries done, entries in all


class SiteReport(Struct, frozen=True):
    """What was found of one site."""

    site: str
    entries: int  # that were found good
    head_sequence: int  # as the store states it
    head_hash: str
    snapshots: int  # that equal the replayed state
    first_bad: int = 0  # sequence; 0 where all is well
    problem: str = ""


class Report(Struct, frozen=True):
    """What was found of a journal."""

    ok: bool
    sites: tuple[SiteReport, ...]
    problem: str = ""  # of the file itself


def verify(
    address: Address,
    progress: Progress | None = None,
    site: str = "",
    noted: Mapping[str, Noted] = _NOTHING,
) -> Report:
    """Check a store's journal, or one site of it; StoreError where there is none to read.

    A chain alone can't show that its tail was cut off, or that all of it was written anew. What was
    `noted` of a site's head before, on a slip, a report or an export, must be in the chain.
    """
    journal = open_to_read(address)
    try:
        heads = journal.heads()
        sites = tuple(
            _verify_site(journal, name, head, progress or _no_progress, noted.get(name))
            for name, head in sorted(heads.items())
            if site in ("", name)
        )
        problem = journal.damage() or _missing(heads, noted)
    except StoreError as error:
        # The file opened, so what can't be read in it is damage.
        return Report(ok=False, sites=(), problem=str(error))
    finally:
        journal.close()
    return Report(not problem and not any(found.first_bad for found in sites), sites, problem)


def _missing(sites: Mapping[str, Head], noted: Mapping[str, Noted]) -> str:
    """What ought to be there and is not at all."""
    if not sites:
        return "the journal is empty"
    missing = sorted(noted.keys() - sites.keys())
    return f"the journal has no entries of {', '.join(missing)}" if missing else ""


def _no_progress(_site: str, _done: int, _total: int) -> None:
    pass


def _verify_site(
    journal: Archive, site: str, head: Head, progress: Progress, noted: Noted | None
) -> SiteReport:
    replica = Replica(site)
    snapshots = {snapshot.sequence: snapshot for snapshot in journal.snapshots(site)}
    equal = 0

    def report(first_bad: int = 0, problem: str = "") -> SiteReport:
        good = replica.head.sequence
        stated = (head.sequence, head.hash.hex())
        return SiteReport(site, good, *stated, equal, first_bad, problem)

    try:
        while entries := journal.read(site, replica.head.sequence, PAGE):
            for entry in entries:
                event = replica.follow(entry).event
                replica.check()
                if noted and entry.sequence == noted[0]:
                    _verify_noted(site, noted, entry.hash.hex())
                if snapshot := snapshots.get(entry.sequence):
                    _verify_state(replica, snapshot)
                if isinstance(event, SnapshotTaken) and event.of_sequence in snapshots:
                    _verify_digest(site, snapshots.pop(event.of_sequence), event)
                    equal += 1
            replica.check(whole=True)
            progress(site, replica.head.sequence, head.sequence)
        _verify_end(replica, head, noted, list(snapshots))
    except UnsoundError as error:
        return report(error.sequence, error.problem)
    return report()


def _verify_end(replica: Replica, head: Head, noted: Noted | None, unbound: list[int]) -> None:
    """Raise unless the last entry is the head that is stated and noted, and no snapshot is left."""
    found = replica.head
    if not (head.sequence or found.sequence):
        raise UnsoundError(replica.site, 1, "the journal is empty")
    if not found.same(head):
        problem = f"the journal's head is {head.sequence}, but its last entry is {found.sequence}"
        raise UnsoundError(replica.site, min(found.sequence + 1, head.sequence or 1), problem)
    if found.version != head.version:
        problem = f"the head has version {head.version}, but the entries have {found.version}"
        raise UnsoundError(replica.site, head.sequence, problem)
    if noted and noted[0] > head.sequence:
        problem = f"the journal ends here, but an earlier record has entry {noted[0]}"
        raise UnsoundError(replica.site, head.sequence + 1, problem)
    if unbound:
        problem = "the journal has no record of this snapshot"
        raise UnsoundError(replica.site, max(min(unbound), 1), problem)


def _verify_noted(site: str, noted: Noted, found: str) -> None:
    sequence, hash_ = noted
    if not found.startswith(hash_):
        problem = f"the entry differs from an earlier record, in which its hash is {hash_}"
        raise UnsoundError(site, sequence, problem)


def _verify_state(replica: Replica, snapshot: StoredSnapshot) -> None:
    if snapshot.version not in codec.READABLE:
        return  # another program's snapshot has only its digest
    state = codec.decode_state(snapshot)
    if state is None or not _same(state, replica.state):
        problem = "the snapshot differs from the replayed state"
        raise UnsoundError(replica.site, snapshot.sequence, problem)


def _same(state: State, replayed: State) -> bool:
    if not state.converted_at:
        return state == replayed
    return _but_for_memory(state) == _but_for_memory(replayed) and agree(state, replayed)


def _but_for_memory(state: State) -> State:
    tables = {  # nor did a table's last round keep its hands and payouts
        name: replace(table, attaches=RequestMemory(), result=None, voided=None)
        for name, table in state.tables.items()
    }
    due = [hit for hit in state.hits if is_open(hit)]
    links = {name: replace(link, borne={}) for name, link in state.links.items()}
    settlements = {name: _but_for_borne(each) for name, each in state.settlements.items()}
    return replace(
        state,
        tables=tables,
        links=links,
        settlements=settlements,
        requests_by={},
        forgotten_request="",
        converted_at=0,
        hits=due,
    )


def _but_for_borne(settlement: Settlement) -> Settlement:
    before = {name: replace(pools, borne_micros=0) for name, pools in settlement.before.items()}
    return replace(settlement, before=before)


def _verify_digest(site: str, snapshot: StoredSnapshot, event: SnapshotTaken) -> None:
    if codec.state_digest(snapshot) != event.state_sha256:
        problem = "the snapshot differs from the one that the journal recorded"
        raise UnsoundError(site, snapshot.sequence, problem)
