"""A record of the journal's head outside its folder, so that a rollback can't pass unnoticed.

Whoever can put an old copy of a journal in its place can't as easily put back a file elsewhere. The
witness holds, for each site, the last entry that a controller is sure of: committed, and confirmed
by the store. A commit whose outcome is unknown is never in it. A thread of its own writes it, once
a second at most, so that no answer waits for it; a journal ahead of its witness is normal.

Controllers on one machine that share a store share its witness. The file is read, compared and
replaced under a lock, and never goes back. It is read before the journal is, so what it says is in
the journal by then, whoever wrote it.
"""

import fcntl
import os
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec import Struct

from jackpot.core.meter_readings import last_there_micros
from jackpot.core.state import State
from jackpot.durable import write_durably
from jackpot.engine.alarms import AlarmBoard, AlarmKind, alarm
from jackpot.engine.replica import load
from jackpot.store.journal import Head, Journal, Reader, StoreError, UnsoundError
from jackpot.store.private_file import opener

EVERY_S = 1.0
_ACCEPT = "jackpot restore --accept-rollback"


class Witnessed(Struct, frozen=True):
    """An entry that was certainly committed, and the incarnation that it belongs to."""

    sequence: int
    hash: str
    time_micros: int
    incarnation: str = ""
    ordinal: int = 1
    begun_micros: int = 0  # when the incarnation began
    there_micros: int = 0  # when a controller was last there; a restore is none

    def is_newer(self, other: "Witnessed | None") -> bool:
        """Whether this says more than another."""
        return other is None or (self.begun_micros, self.sequence) > (
            other.begun_micros,
            other.sequence,
        )

    def is_in(self, journal: Reader, site: str) -> bool:
        """Whether a journal has this entry."""
        found = journal.read(site, self.sequence - 1, 1)
        return [(each.sequence, each.hash.hex()) for each in found] == [(self.sequence, self.hash)]

    def verify(self, journal: Reader, state: State) -> None:
        """Raise UnsoundError where a journal was rolled back."""
        if problem := self.problem(journal, state):
            raise UnsoundError(state.site, min(self.sequence, state.sequence + 1), problem)

    def problem(self, journal: Reader, state: State) -> str:
        """How a journal contradicts what was seen; empty: it does not.

        A restore that came after this was seen has accepted that it is gone.
        """
        if self.is_in(journal, state.site):
            return ""
        for each in state.incarnations:
            if each.begun_micros > self.time_micros and each.common_sequence < self.sequence:
                return ""
        instead = (
            f"the journal ends at entry {state.sequence:,}"
            if self.sequence > state.sequence
            else f"entry {self.sequence:,} is now a different entry"
        )
        return (
            f"the journal was rolled back: entry {self.sequence:,} was committed, but {instead}. "
            f"Put the right journal back, or accept the loss; see: {_ACCEPT} --help"
        )


_decode = msgspec.json.Decoder(dict[str, Witnessed]).decode


def witnessed(state: State, head: Head) -> Witnessed:
    """What is to be remembered of a head that the store has confirmed."""
    current = state.incarnation
    return Witnessed(
        head.sequence,
        head.hash.hex(),
        state.time_micros,
        current.id,
        current.ordinal,
        current.begun_micros,
        last_there_micros(state),
    )


def read_witness(path: Path) -> dict[str, Witnessed]:
    """What a file says of each site, nothing where there is none; StoreError if it is no witness.

    To go on without one that can't be read would be to trust whoever broke it.
    """
    try:
        return _decode(path.read_bytes())
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise StoreError(f"can't read the witness {path}: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise StoreError(
            f"{path} is not a witness: {error}. Put the right file back; or, if the journal is "
            "known to be complete, move this one aside"
        ) from error


def write_witness(path: Path, news: Mapping[str, Witnessed]) -> None:
    """Add what is newer than what the file says, all or nothing.

    A link is followed: put in its place, the file would no longer be where it was to be kept.
    """
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    with _locked(path):
        said = read_witness(path)
        newer = {site: each for site, each in news.items() if each.is_newer(said.get(site))}
        if not newer:
            return
        raw = msgspec.json.format(msgspec.json.encode(said | newer))
        write_durably(path, raw, opener)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    lock = os.open(path.with_name(f".{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o640)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def verify_sites(path: Path, open_journal: Callable[[], Journal], sites: Collection[str]) -> None:
    """Raise UnsoundError where a site was rolled back; for a start, before anything is served."""
    known = read_witness(path)  # before the journal is read
    with closing(open_journal()) as journal:
        for site in sites:
            if (seen := known.get(site)) and not seen.is_in(journal, site):
                seen.verify(journal, load(journal, site).state)


class Witness:
    """A controller's witness. Writers note what is confirmed; a thread writes it down."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._alarms: AlarmBoard | None = None
        self._lock = threading.Lock()
        self._noted: dict[str, Witnessed] = {}  # by this controller
        self._unwritten: dict[str, Witnessed] = {}
        self._more = threading.Event()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def known(self, site: str) -> Witnessed | None:
        """The newest that this controller or another has noted of a site; ask before reading it."""
        said = read_witness(self.path).get(site)
        noted = self._noted.get(site)
        return noted if noted is not None and noted.is_newer(said) else said

    def note(self, state: State, head: Head) -> None:
        """The store has confirmed a commit that ends here."""
        seen = witnessed(state, head)
        with self._lock:
            self._noted[state.site] = self._unwritten[state.site] = seen
        self._more.set()

    def start(self, alarms: AlarmBoard) -> None:
        """Begin to write what is noted."""
        self._alarms = alarms
        self._thread = threading.Thread(target=self._work, name="witness", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Write what is left, and end."""
        self._stopping.set()
        self._more.set()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        while not self._stopping.is_set():
            self._more.wait()
            self._more.clear()
            self._write()
            self._stopping.wait(EVERY_S)
        self._write()

    def _write(self) -> None:
        with self._lock:
            news, self._unwritten = self._unwritten, {}
        if not news:
            return
        found = []
        try:
            write_witness(self.path, news)
        except (OSError, StoreError) as error:
            with self._lock:
                self._unwritten = news | self._unwritten
            self._more.set()  # it is tried again
            why = error.strerror or error if isinstance(error, OSError) else error
            found = [alarm(AlarmKind.WITNESS_FAILED, why=f"{self.path}: {why}")]
        if self._alarms is not None:
            self._alarms.stand("witness", found)


def default_path(data: str | Path) -> Path:
    """Beside a data directory, not within it: what replaces the one leaves the other."""
    with suppress(OSError):
        data = Path(data).resolve()
    return Path(f"{data}.witness")
