"""Open the journal that an address names: a PostgreSQL URL, or the directory of an SQLite file."""

import re
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path

from jackpot.store.journal import Archive, Journal, StoreError
from jackpot.store.sqlite import SqliteJournal

Address = str | Path
_SCHEMES = ("postgresql", "postgres")
# What begins like a URL or names a database is never meant as a directory. A Path has one slash
# where a URL has two.
_URL = re.compile(
    r"\s*(?:([a-z][a-z0-9+.-]+):/|(.*?)://|(postgres\w*)(?:[:;]|//)"
    r"|(host|hostaddr|port|dbname|user|password|service)=)",
    re.DOTALL | re.IGNORECASE,
)
_EXPECTED = "expected a directory, such as ./data, or postgresql://HOST/DATABASE"


class StoreAddressError(StoreError):
    """An address that names no kind of store."""


def is_postgres(address: Address) -> bool:
    """Whether an address is one of a PostgreSQL database; raises where it is no store's."""
    if address == "":
        raise StoreAddressError(f"the store's address is empty; {_EXPECTED}")
    found = _URL.match(str(address))
    if found is None:
        return False
    scheme = found[found.lastindex or 0]
    if isinstance(address, str) and address.startswith(f"{scheme}://") and scheme in _SCHEMES:
        return True
    # Of the rest of the address nothing is said: it may hold a password.
    meant = get_close_matches(scheme.strip().lower(), _SCHEMES, 1)
    hint = f"; did you mean {meant[0]}://…?" if meant else ""
    raise StoreAddressError(f"no store's address begins with {scheme!r}; {_EXPECTED}{hint}")


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


def weakness(address: Address) -> str:
    """What an operator should know about an address that can be used all the same; or nothing."""
    if not is_postgres(address):
        return ""
    from jackpot.store.postgres_session import unverified_hosts  # noqa: PLC0415 - used by few

    hosts = ", ".join(unverified_hosts(str(address)))
    return hosts and (
        f"the database does not prove who it is: anybody on the network between this machine and "
        f"{hosts} could pose as it; add sslmode=verify-full and sslrootcert=FILE to the address"
    )
