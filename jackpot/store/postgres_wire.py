"""Talk to PostgreSQL; send statements that run together in one message.

psycopg makes the connection; its cursors are not used. They prepare statements behind one's back
and forget them with a rollback, and they leave a pipeline with a Flush behind its Sync: after that
the server no longer counts how long a transaction is idle, and a stopped controller would keep its
lock for ever. Here a connection is a pipeline from beginning to end, every statement is prepared
once, and whatever is sent ends with one Sync.
"""

import itertools
import struct
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, LiteralString, NamedTuple

import psycopg
from psycopg.adapt import Transformer
from psycopg.pq import ExecStatus, Format
from psycopg.waiting import Ready, Wait, wait

if TYPE_CHECKING:
    from psycopg.abc import PQGen
    from psycopg.pq.abc import PGconn, PGresult

Statement = tuple[LiteralString, *tuple[int | str | bytes, ...]]
_HEADER = struct.Struct("!iiIii")  # dimensions, whether there are nulls, type, length, first index
_LENGTH = struct.Struct("!i")
_BIGINT, _BYTEA, _TEXT = 20, 17, 25  # the types' numbers in the catalogue
_INTERVAL_S = 0.5  # how often a wait looks up, for whoever presses Ctrl-C meanwhile


class Result(NamedTuple):
    """What a statement gave."""

    rows: list[tuple[Any, ...]]
    tag: str  # what was done, such as COMMIT
    affected: int  # rows


class Session:
    """A connection; each call is a transaction of its own, unless one was begun by name."""

    def __init__(self, connection: "psycopg.Connection[Any]") -> None:
        self.warnings: list[str] = []
        self._connection = connection
        self._pq: PGconn = connection.pgconn
        self._loading = Transformer.from_context(connection)
        self._prepared: dict[str, bytes] = {}
        # Never used again: what an error keeps from being prepared is not taken for another.
        self._names = (b"jackpot_%d" % number for number in itertools.count())
        connection.add_notice_handler(self._hear)
        self._pq.enter_pipeline_mode()

    @property
    def closed(self) -> bool:
        """Whether the connection is gone."""
        return self._connection.closed

    @property
    def backend_pid(self) -> int:
        """The server's process on the other end."""
        return self._pq.backend_pid

    def execute(self, query: LiteralString, *values: int | str | bytes) -> list[tuple[Any, ...]]:
        """A statement's rows. Bytes are values in binary, whatever their type."""
        (result,) = self.together((query, *values))
        return result.rows

    def one(self, query: LiteralString, *values: int | str | bytes) -> Any:
        """A statement's first row, or None."""
        rows = self.execute(query, *values)
        return rows[0] if rows else None

    def together(self, *statements: Statement) -> list[Result]:
        """Run statements in one round trip; the first that fails is raised, and ends it."""
        named = [self._send(query, values) for query, *values in statements]
        self._pq.pipeline_sync()
        results = iter(wait(_exchange(self._pq), self._pq.socket, interval=_INTERVAL_S))
        found = []
        for query, name in named:
            if name is not None:
                _verify(next(results))
                self._prepared[query] = name
            found.append(self._load(_verify(next(results))))
        return found

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Several calls as one."""
        self.execute("BEGIN")
        try:
            yield
        except BaseException:
            with suppress(psycopg.Error):  # the first error is the one to be told
                self.execute("ROLLBACK")
            raise
        self.execute("COMMIT")

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _send(self, query: LiteralString, values: list[Any]) -> tuple[str, bytes | None]:
        """Queue a statement; with the name under which it is prepared, where that is new."""
        name, known = self._prepared.get(query), True
        if name is None:
            name, known = next(self._names), False
            self._pq.send_prepare(name, query.encode())
        self._pq.send_query_prepared(
            name,
            [value if isinstance(value, bytes) else str(value).encode() for value in values],
            [Format.BINARY if isinstance(value, bytes) else Format.TEXT for value in values],
            Format.BINARY,
        )
        return query, None if known else name

    def _load(self, result: "PGresult") -> Result:
        rows: list[tuple[Any, ...]] = []
        if result.ntuples:
            self._loading.set_pgresult(result)
            rows = self._loading.load_rows(0, result.ntuples, tuple)
        tag = (result.command_status or b"").decode()
        return Result(rows, tag, result.command_tuples or 0)

    def _hear(self, notice: psycopg.errors.Diagnostic) -> None:
        self.warnings.append(notice.message_primary or "")


def _exchange(pq: "PGconn") -> "PQGen[list[PGresult]]":
    """Send what is queued, and read the results up to the Sync."""
    while pq.flush():
        if (yield Wait.RW) & Ready.R:
            pq.consume_input()
    results: list[PGresult] = []
    ended = False  # a statement's results
    while True:
        while not pq.is_busy():
            result = pq.get_result()
            if result is None:
                if ended:  # nothing more will come
                    raise psycopg.OperationalError(pq.get_error_message() or "connection lost")
                ended = True
                continue
            ended = False
            if result.status == ExecStatus.PIPELINE_SYNC:
                return results
            results.append(result)
        yield Wait.R
        pq.consume_input()


def _verify(result: "PGresult") -> "PGresult":
    if result.status not in (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK):
        raise psycopg.errors.error_from_result(result)
    return result


def bigints(values: Sequence[int]) -> bytes:
    """A column of integers."""
    pairs = [number for value in values for number in (8, value)]
    return _header(_BIGINT, values) + struct.pack("!" + "iq" * len(values), *pairs)


def byteas(values: Sequence[bytes]) -> bytes:
    """A column of bytes."""
    return _header(_BYTEA, values) + _prefixed(values)


def texts(values: Collection[str | bytes]) -> bytes:
    """A column of texts, some of them perhaps encoded already."""
    encoded = [each if isinstance(each, bytes) else each.encode() for each in values]
    return _header(_TEXT, values) + _prefixed(encoded)


def _header(element: int, values: Collection[object]) -> bytes:
    return _HEADER.pack(1, 0, element, len(values), 1)


def _prefixed(values: Iterable[bytes]) -> bytes:
    return b"".join(part for value in values for part in (_LENGTH.pack(len(value)), value))
