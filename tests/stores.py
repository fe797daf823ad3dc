"""Fresh places for journals, one kind of store after the other."""

import itertools
import shutil
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Self

from jackpot.store.opening import Address, is_postgres
from jackpot.store.sqlite import SqliteJournal
from tests.postgres import Server, running_server

KINDS = ("sqlite", "postgres")
TABLES = ("jackpot_migrations", "streams", "events", "snapshots")


class Stores:
    """Makes empty stores. The PostgreSQL server is started when the first test asks for it."""

    def __init__(self, before_server: Callable[[], None]) -> None:
        """`before_server` is called each time that a test asks for the server."""
        self._before_server = before_server
        self._stack = ExitStack()
        self._server: Server | None = None
        self._numbers = itertools.count(1)

    @property
    def server(self) -> Server:
        """The server of this test process; its commits wait for an fsync like any other's."""
        self._before_server()
        if self._server is None:
            self._server = self._stack.enter_context(running_server())
        return self._server

    def new(self, kind: str) -> Address:
        """An empty store."""
        if kind == "postgres":
            return self.server.fresh(f"store_{next(self._numbers)}")
        folder = tempfile.mkdtemp(prefix="store-")
        self._stack.callback(shutil.rmtree, folder, ignore_errors=True)
        return Path(folder)

    def copy(self, address: Address) -> Address:
        """Another store with the same content."""
        if not is_postgres(address):
            target = self.new("sqlite")
            assert isinstance(target, Path)
            journal = SqliteJournal.open(Path(address))
            journal.backup(target / "journal.sqlite")
            journal.close()
            return target
        target = self.new("postgres")
        for table in TABLES:
            old, new = (f"{schema_of(each)}.{table}" for each in (address, target))
            self.server.query(f"CREATE TABLE {new} (LIKE {old} INCLUDING ALL)")
            self.server.query(f"INSERT INTO {new} SELECT * FROM {old}")
        return target

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()


def schema_of(address: Address) -> str:
    """The schema that a test's address names."""
    return str(address).rpartition("%3D")[2]
