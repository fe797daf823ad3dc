"""Put a backup in a journal's place, and begin the incarnation that goes on from it.

Whatever happens on the way, either the old journal or the whole new one is in place, and the old
one is kept. Nothing is begun on a backup that is not sound.
"""

import datetime as dt
import fcntl
import os
import shutil
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from uuid import uuid4

from msgspec import Struct
from msgspec.structs import replace

from jackpot.core import incarnation
from jackpot.core.commands import Request
from jackpot.core.commands.base import OperatorOrigin
from jackpot.core.commands.operator import BeginIncarnation
from jackpot.core.identity import digest
from jackpot.durable import sync_folder
from jackpot.engine.replica import load
from jackpot.engine.witness import Witnessed, witnessed
from jackpot.store.folder_lock import alone
from jackpot.store.journal import Journal, StoreError, UnsoundError
from jackpot.store.opening import Address, journal_opener, open_to_read
from jackpot.store.sqlite import FILE_NAME, SqliteJournal, is_in_use
from jackpot.verify import verify
from jackpot.wire.errors import PlainError
from jackpot.wire.request_id import new_request_id

STAGED = ".restoring"  # in the data directory, while a restore is under way
REPLACED = "replaced-"  # begins the names of folders with journals that were put aside
LOCK = ".restoring.lock"  # held by the one restore that may be at work
Known = Mapping[str, Witnessed]
_NOTHING: Known = MappingProxyType({})


class RestoreError(PlainError):
    """A backup that can't be put in place, and why."""


class Restored(Struct, frozen=True):
    """What a site goes on from."""

    site: str
    incarnation: str
    ordinal: int
    common_sequence: int
    common_hash: str
    common_time_micros: int
    lost_to: int  # the last entry that is known to be lost; 0: none is
    epochs_above: int
    payouts_above: int
    proposals_above: int
    calls_above: int
    kept: str = ""  # where the journal is that was replaced


def restore(
    backup: Path,
    data: Path,
    *,
    reason: str,
    by: str,
    known: Known = _NOTHING,
    discard_newer: bool = False,
) -> list[Restored]:
    """Replace the journal in a data directory by a backup. The controller must be stopped."""
    data.mkdir(parents=True, exist_ok=True)
    with _alone(data):
        return _restore(backup, data, reason, by, known, discard_newer=discard_newer)


@contextmanager
def _alone(data: Path) -> Iterator[None]:
    """Keep out another restore, which would take away what this one has staged."""
    descriptor = os.open(data / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RestoreError(f"another restore into {data} is under way; wait for it") from None
        yield
    finally:
        os.close(descriptor)


def _restore(
    backup: Path, data: Path, reason: str, by: str, known: Known, *, discard_newer: bool
) -> list[Restored]:
    report = verify(backup)
    if not report.ok:
        why = report.problem or next(site.problem for site in report.sites if site.first_bad)
        raise RestoreError(f"the backup in {backup} is not sound: {why}. Nothing was changed")
    if is_in_use(data):
        raise RestoreError(f"a controller uses the journal in {data}; stop it first")
    before, ends = _heads_of(data), _ends_of(data)
    if not discard_newer:
        _verify_older(before, {site.site: site.head_sequence for site in report.sites})
    for site, there in before.items():
        if there.is_newer(known.get(site)):
            known = {**known, site: there}
    _drop_second_names(data)
    staged = data / STAGED
    shutil.rmtree(staged, ignore_errors=True)
    staged.mkdir(parents=True)
    with closing(SqliteJournal.open_to_read(backup)) as journal:
        journal.backup(staged / FILE_NAME)
    done = begin_incarnations(staged, reason=reason, by=by, known=known)
    if not verify(staged).ok:
        raise RestoreError(f"the copy in {staged} is not sound; nothing was changed")
    # It took a while to copy, and somebody may have started a controller meanwhile. From here on
    # nobody can: it would go on with the file that is put aside.
    with suppress(BlockingIOError), alone(data):
        if not is_in_use(data) and _ends_of(data) == ends:
            kept = _put_in_place(staged, data)
            return [replace(each, kept=str(kept or "")) for each in done]
    raise RestoreError(
        f"a controller began to use the journal in {data}; stop it, and restore again. "
        "Nothing was changed"
    )


def begin_incarnations(
    store: Address,
    sites: Iterable[str] = (),
    *,
    reason: str,
    by: str,
    known: Known = _NOTHING,
) -> list[Restored]:
    """Accept that some sites of a store, or all, were rolled back to where they end now."""
    with closing(journal_opener(store)()) as journal:
        chosen = list(sites) or sorted(journal.heads())
        if not chosen:
            raise RestoreError("the journal is empty: there is nothing to continue from")
        return [_begin(journal, site, reason, by, known.get(site)) for site in chosen]


def _begin(journal: Journal, site: str, reason: str, by: str, lost: Witnessed | None) -> Restored:
    replica = load(journal, site)
    state, head = replica.state, replica.head
    if not head.sequence:
        raise RestoreError(f"the journal has no site {site}")
    ordinal = lost.ordinal if lost else 0
    last_micros = (lost.there_micros or lost.time_micros) if lost else 0
    command = BeginIncarnation(str(uuid4()), head.hash.hex(), reason, by, ordinal, last_micros)
    # Later than all that was lost: what was witnessed before this is superseded by it.
    time_micros = max(
        time.time_ns() // 1_000, state.time_micros, lost.time_micros + 1 if lost else 0
    )
    origin = OperatorOrigin(by, new_request_id())
    common_micros = state.time_micros
    event = incarnation.begin(state, command, Request(site, origin, command, time_micros))
    with journal.begin([site]) as transaction:
        if not transaction.head(site).same(head):
            raise RestoreError("controllers are writing to this journal; stop them first")
        replica.add(origin, event, digest(command), time_micros)
        replica.check(whole=True)
        transaction.append(site, replica.seal())
        transaction.commit()
    return Restored(
        site,
        event.id,
        event.ordinal,
        event.common_sequence,
        event.common_hash,
        common_micros,
        lost.sequence if lost and lost.sequence > head.sequence else 0,
        event.epochs_above,
        event.payouts_above,
        event.proposals_above,
        event.calls_above,
    )


def _ends_of(data: Path) -> dict[str, Witnessed]:
    """Where the journal that is to be replaced ends, as it lies there."""
    found: dict[str, Witnessed] = {}
    if not (data / FILE_NAME).is_file():
        return found
    with suppress(StoreError, UnsoundError), closing(open_to_read(data)) as archive:
        for site, head in archive.heads().items():
            last = archive.read(site, head.sequence - 1, 1)
            time_micros = last[0].time_micros if last else 0
            found[site] = Witnessed(head.sequence, head.hash.hex(), time_micros)
    return found


def _heads_of(data: Path) -> dict[str, Witnessed]:
    """The same with its incarnations; of a journal that can't be read, nothing more."""
    found = _ends_of(data)
    with suppress(StoreError, UnsoundError), closing(SqliteJournal.open(data)) as journal:
        for site in found:
            replica = load(journal, site)
            found[site] = witnessed(replica.state, replica.head)
    return found


def _verify_older(before: Mapping[str, Witnessed], backup: Mapping[str, int]) -> None:
    """Raise where the journal in place has more than the backup."""
    for site, there in before.items():
        if there.sequence > (has := backup.get(site, 0)):
            raise RestoreError(
                f"site {site}: the journal has entries up to {there.sequence:,}, but the backup "
                f"ends at {has:,}. Nothing was changed. To restore anyway, add "
                "--discard-newer; the current journal is kept"
            )


def _put_in_place(staged: Path, data: Path) -> Path | None:
    """Swap the journals in one step; where the old one is now.

    The old journal is kept by second names of its files before anything is taken away, so it stays
    in place until the new one replaces it, also if this fails or the machine stops.
    """
    owner, kept = data.stat(), None
    old = [path for path in data.glob(f"{FILE_NAME}*") if path.is_file()]
    if old:
        stamp = dt.datetime.now(dt.UTC).strftime("%Y%m%dT%H%M%SZ")
        kept = data / f"{REPLACED}{stamp}-{uuid4().hex[:4]}"
        kept.mkdir()
    for path in (*staged.iterdir(), *([kept] if kept else [])):
        if os.geteuid() == 0:  # the controller is to use what an administrator restored
            os.chown(path, owner.st_uid, owner.st_gid)
    # A log beside another file than its own would ruin that file. Who looked whether the journal is
    # in use has folded its log into it: only a journal that can't be read still has one.
    logs = [path for path in old if path.name != FILE_NAME]
    try:
        for path in old:
            if kept:
                _name_again(path, kept / path.name)
        _make_durable(kept, staged)
        for path in logs:
            path.unlink()
        (staged / FILE_NAME).replace(data / FILE_NAME)
    except OSError as error:
        if kept:
            _take_back(logs, kept)
        raise RestoreError(
            f"the journal in {data} can't be replaced: {error.strerror}. Nothing was changed"
        ) from error
    try:
        _make_durable(data)
    except OSError as error:
        raise RestoreError(
            f"the journal in {data} was replaced, but the disk has not confirmed it: "
            f"{error.strerror}. Check the disk before you start the controller"
            + (f"; the previous journal is in {kept}" if kept else "")
        ) from error
    shutil.rmtree(staged)
    return kept


def _drop_second_names(data: Path) -> None:
    """Forget what a restore that broke off had put aside: the journal itself, still in use."""
    live = data / FILE_NAME
    for kept in data.glob(f"{REPLACED}*"):
        if live.exists() and (kept / FILE_NAME).exists() and live.samefile(kept / FILE_NAME):
            shutil.rmtree(kept)


def _name_again(path: Path, other: Path) -> None:
    """Give a file a second name; where the disk has no such names, a copy."""
    try:
        os.link(path, other)
    except OSError:
        shutil.copy2(path, other)
        with other.open("rb") as copy:
            os.fsync(copy.fileno())


def _take_back(logs: Iterable[Path], kept: Path) -> None:
    for path in logs:
        if not path.exists() and (kept / path.name).exists():
            _name_again(kept / path.name, path)
    shutil.rmtree(kept)


def _make_durable(*folders: Path | None) -> None:
    """Let the names in these folders survive a power failure."""
    for folder in folders:
        if folder:
            sync_folder(folder)
