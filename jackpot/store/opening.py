"""Open the journal that an address names: a PostgreSQL URL, or the directory of an SQLite file."""

from collections.abc import Callable
from pathlib import Path

from jackpot.store.journal import Archive, Journal
from jackpot.store.sqlite import SqliteJournal

Address = str | Path
_SCHEMES = ("postgresql://", "postgres://")


def is_postgres(address: Address) -> bool:
    """Whether an address is one of a PostgreSQL database."""
    return isinstance(address, str) and address.startswith(_SCHEMES)


def journal_opener(address: Address, *, accept_lost_commits: bool = False) -> Callable[[], Journal]:
    """How a writer opens the journal, in its own thread and again after every failure."""

    def open_journal() -> Journal:
        if isinstance(address, str) and is_postgres(address):
            from jackpot.store.postgres import PostgresJournal  # noqa: PLC0415 - used by few

            return PostgresJournal.open(address, accept_lost_commits=accept_lost_commits)
        return SqliteJournal.open(Path(address))

    return open_journal


def open_to_read(address: Address) -> Archive:
    """Open a journal that exists, without changing anything in it."""
    if isinstance(address, str) and is_postgres(address):
        from jackpot.store.postgres import PostgresJournal  # noqa: PLC0415 - used by few

        return PostgresJournal.open_to_read(address)
    return SqliteJournal.open_to_read(Path(address))
