"""What is set for a whole PostgreSQL server for a while, such as a standby that is away."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.postgres import Server

WAITING = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
_COMMIT = "SELECT 1 FROM pg_logical_emit_message(true, 'test', 'test')"


@contextmanager
def server_setting(server: Server, name: str, value: str) -> Iterator[None]:
    """Set something for the whole server for a while."""
    server.query(f"ALTER SYSTEM SET {name} = '{value}'")
    try:
        _reload(server, name, value)
        yield
    finally:
        server.query(f"ALTER SYSTEM RESET {name}")
        before = server.query(f"SELECT reset_val FROM pg_settings WHERE name = '{name}'")
        server.query("SELECT pg_reload_conf()")
        wait_until(lambda: server.query(f"SHOW {name}") != [(value,)])
        assert before


@contextmanager
def standby_away(server: Server) -> Iterator[None]:
    """Let commits wait for a standby that is not there."""
    with server_setting(server, "synchronous_standby_names", "nobody"):
        # The server's own processes hear of it one after the other: wait until a commit waits.
        probes: list[threading.Thread] = []
        while not server.query(WAITING):
            probes.append(threading.Thread(target=server.query, args=(_COMMIT,)))
            probes[-1].start()
            probes[-1].join(0.2)
        while any(probe.is_alive() for probe in probes):  # on a busy machine more than one waits
            server.query(f"SELECT pg_cancel_backend(pid) FROM ({WAITING}) AS found")
            probes[-1].join(0.05)
        yield


def _reload(server: Server, name: str, value: str) -> None:
    server.query("SELECT pg_reload_conf()")
    wait_until(lambda: server.query(f"SHOW {name}") == [(value,)])


def wait_until(holds: Callable[[], object], within_s: float = 10.0) -> None:
    """Look again and again until it is so."""
    until = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.02)
