"""Open the journal that an address names: a PostgreSQL URL, or the directory of an SQLite file."""

import re
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path

from jackpot.store.journal import Archive, Journal, StoreError
from jackpot.store.sqlite import SqliteJournal

Address = str | Path
_SCHEMES = ("postgresql", "postgres")
# What begins like a URL is never meant as a directory. A path has one slash where a URL has two.
_URL = re.compile(r"\s*([A-Za-z][A-Za-z0-9+.-]+):/|(.*?)://", re.DOTALL)


class StoreAddressError(StoreError):
    """An address that names no kind of store."""


def is_postgres(address: Address) -> bool:
    """Whether an address is one of a PostgreSQL database; raises where it is no store's."""
    found = _URL.match(str(address))
    if found is None:
        return False
    scheme = found[1] or found[2]
    if isinstance(address, str) and address.startswith(f"{scheme}://") and scheme in _SCHEMES:
        return True
    # Of the rest of the address nothing is said: it may hold a password.
    meant = get_close_matches(scheme.strip().lower(), _SCHEMES, 1)
    hint = f"; did you mean {meant[0]}://…?" if meant else ""
    if isinstance(address, Path):
        raise StoreAddressError(f"{scheme}:/… is not a directory; expected one, such as ./data")
    raise StoreAddressError(
        f"{scheme}:/… is not a store; expected a directory, or postgresql://HOST/DATABASE{hint}"
    )


def journal_opener(address: Address, *, accept_lost_commits: bool = False) -> Callable[[], Journal]:
    """How a writer opens the journal, in its own thread and again after every failure."""

    def open_journal() -> Journal:
        if is_postgres(address):
            from jackpot.store.postgres import PostgresJournal  # noqa: PLC0415 - used by few

            return PostgresJournal.open(str(address), accept_lost_commits=accept_lost_commits)
        return SqliteJournal.open(Path(address))

    return open_journal


def open_to_read(address: Address) -> Archive:
    """Open a journal that exists, without changing anything in it."""
    if is_postgres(address):
        from jackpot.store.postgres import PostgresJournal  # noqa: PLC0415 - used by few

        return PostgresJournal.open_to_read(str(address))
    return SqliteJournal.open_to_read(Path(address))
