"""How `jackpot serve` starts: what it makes ready, and what it says and leaves where it can't."""

import resource
import socket
from contextlib import ExitStack
from pathlib import Path

from tests.cli.test_commands import run
from tests.e2e.process import Process
from tests.server.house import free_port

SOFT = 1_024  # what systemd gives a service that asks for nothing
HALF_OPEN = 1_100


def test_watchers_do_not_take_the_tables_connections(tmp_path: Path) -> None:
    """More connections to the pages than the usual soft limit; gRPC still takes new ones."""
    http = free_port()
    served = Process(tmp_path, options=("--http", f"127.0.0.1:{http}"))
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (SOFT, before[1]))
    try:
        served.launch()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (before[1], before[1]))
    with ExitStack() as stack:
        stack.callback(resource.setrlimit, resource.RLIMIT_NOFILE, before)
        stack.push(served)
        served.ready()
        for _ in range(HALF_OPEN):
            half = stack.enter_context(socket.create_connection(("127.0.0.1", http), 10))
            half.sendall(b"GET / HTTP/1.1\r\n")
        shown = run("meters", "--controller", served.address)
        assert (shown.returncode, shown.stderr) == (0, "")
