"""Connect to PostgreSQL so that a commit which it acknowledges is durable, or refuse to.

An address may name several hosts; the one that takes writes is used. A connection never lets a
commit be cancelled or timed out: what became of it would not be known.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, LiteralString

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.types.numeric import Int8BinaryDumper

from jackpot.store import postgres_arrays
from jackpot.store.journal import StoreError

# A controller that is stopped while it holds a site's lock loses the lock after this long.
HELD_LOCK_S = 2.0
LOCK_WAIT_S = 2 * HELD_LOCK_S
# Defaults for what the address does not say. A host that is silent is given up in seconds.
_DEFAULTS = {
    "target_session_attrs": "read-write",
    "application_name": "jackpot",
    "connect_timeout": "3",
    "keepalives_idle": "3",
    "keepalives_interval": "1",
    "keepalives_count": "3",
    "tcp_user_timeout": "6000",
}
_SESSION = {
    "lock_timeout": f"{LOCK_WAIT_S}s",
    "idle_in_transaction_session_timeout": f"{HELD_LOCK_S}s",
    "default_transaction_isolation": "read committed",  # each statement sees what is committed
    "client_encoding": "UTF8",
    "client_min_messages": "warning",
}
_SET = "SELECT set_config(name, value, false) FROM unnest(%s::text[], %s::text[]) AS s(name, value)"
_NO_TIMEOUTS = """
    SELECT set_config(name, '0', false) FROM pg_settings
    WHERE name IN ('statement_timeout', 'transaction_timeout')
"""
# What must hold, or a commit can be lost that was acknowledged.
_DURABLE = {
    "fsync": ("on",),
    "full_page_writes": ("on",),
    "synchronous_commit": ("on", "remote_apply"),
}


class Session:
    """A connection; each statement is a transaction of its own, unless one was begun by name."""

    def __init__(self, connection: "psycopg.Connection[Any]") -> None:
        self.connection = connection
        self.warnings: list[str] = []
        self._pipeline: psycopg.Pipeline | None = None
        self._leave_pipeline = ExitStack()
        connection.add_notice_handler(self._hear)

    def execute(self, query: LiteralString, *values: object) -> "psycopg.Cursor[Any]":
        """Run a statement, prepared once and with values that travel beside it."""
        cursor = self._send(query, *values)
        if self._pipeline is not None:
            self._pipeline.sync()
        return cursor

    def together(
        self, *statements: "tuple[LiteralString, *tuple[object, ...]]", stay: bool = False
    ) -> "list[psycopg.Cursor[Any]]":
        """Run statements in one round trip; with `stay`, more of the transaction will follow.

        psycopg leaves a pipeline with a Flush behind its Sync, and after that PostgreSQL no
        longer counts how long a transaction is idle: a stopped controller would keep its lock
        for ever. So the pipeline is left only together with the transaction.
        """
        if self._pipeline is None:
            self._pipeline = self._leave_pipeline.enter_context(self.connection.pipeline())
        cursors = [self._send(*statement) for statement in statements]
        if stay:
            self._pipeline.sync()
        else:
            self._pipeline = None
            self._leave_pipeline.close()
        return cursors

    def roll_back(self) -> None:
        """Undo the transaction that was begun.

        psycopg forgets its prepared statements then; in a pipeline it would tell the server so
        only behind the next statement, which it has just prepared.
        """
        self._pipeline = None
        with suppress(psycopg.Error):  # the one that led here, once more
            self._leave_pipeline.close()
        self.connection.execute("ROLLBACK")

    def one(self, query: LiteralString, *values: object) -> Any:
        """A statement's only row, or None."""
        return self.execute(query, *values).fetchone()

    def close(self) -> None:
        """Hang up."""
        self.connection.close()
        with suppress(psycopg.Error):
            self._leave_pipeline.close()

    def _send(self, query: LiteralString, *values: object) -> "psycopg.Cursor[Any]":
        return self.connection.cursor(binary=True).execute(query, values, prepare=True)

    def _hear(self, notice: psycopg.errors.Diagnostic) -> None:
        self.warnings.append(notice.message_primary or "")


@contextmanager
def connected(address: str, doing: str) -> Iterator[Session]:
    """A connection that is closed again if what is done first with it fails."""
    with as_store_error(f"can't {doing} the journal in {without_password(address)}"):
        session = Session(_connect(address))
        try:
            _configure(session)
            yield session
        except BaseException:
            session.close()
            raise


def verify_durable(session: Session) -> None:
    """Raise where the server can lose a commit that it has acknowledged."""
    rows = session.execute(
        "SELECT name, setting FROM pg_settings WHERE name = ANY(%s)", list(_DURABLE)
    )
    found = dict(rows.fetchall())
    for name, wanted in _DURABLE.items():
        if found.get(name) not in wanted:
            raise StoreError(
                f"the server's {name} is {found.get(name)}, not {wanted[0]}: "
                "it can lose commits that it has acknowledged"
            )


def without_password(address: str) -> str:
    """An address as it may be shown."""
    try:
        parts = conninfo_to_dict(address)
    except psycopg.Error:
        return "the given address"
    hosts = str(parts.get("host", "localhost")).split(",")
    return f"postgresql://{','.join(hosts)}/{parts.get('dbname', '')}"


@contextmanager
def as_store_error(doing: str) -> Iterator[None]:
    """A database's error in one line."""
    try:
        yield
    except (psycopg.Error, OSError) as error:
        raise StoreError(f"{doing}: {' '.join(str(error).split())}") from error


def _connect(address: str) -> "psycopg.Connection[Any]":
    address = make_conninfo(
        address,
        **{
            name: value
            for name, value in _DEFAULTS.items()
            if name not in conninfo_to_dict(address)
        },
    )
    connection = psycopg.connect(address, autocommit=True)
    postgres_arrays.register(connection)
    # One type for every integer, so that a statement is prepared once.
    connection.adapters.register_dumper(int, Int8BinaryDumper)
    return connection


def _configure(session: Session) -> None:
    session.execute(_SET, list(_SESSION), list(_SESSION.values()))
    session.execute(_NO_TIMEOUTS)
    (encoding,) = session.one("SELECT current_setting('server_encoding')")
    if encoding != "UTF8":
        raise StoreError(f"the database's encoding is {encoding}, not UTF8")
