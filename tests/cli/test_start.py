"""How `jackpot serve` starts: what it makes ready, and what it says and leaves where it can't."""

import resource
import socket
from contextlib import ExitStack
from pathlib import Path

import pytest

from jackpot.auth.authority import CA_CERTIFICATE, Authority
from jackpot.cli.main import main
from tests.cli.in_process import run_here
from tests.cli.test_commands import run
from tests.e2e.process import Process
from tests.server.house import free_port, site_text, write_site
from tests.stores import Stores

pytestmark = pytest.mark.process

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
            half = stack.enter_context(socket.create_connection(("127.0.0.1", http), 60))
            half.sendall(b"GET / HTTP/1.1\r\n")
        shown = run("meters", "--controller", served.address)
        assert (shown.returncode, shown.stderr) == (0, "")


def test_only_what_is_served_is_loaded(tmp_path: Path) -> None:
    """A controller without pages starts without what pages need, and never with numpy."""
    with Process(tmp_path) as served:
        loaded = Path(f"/proc/{served.pid}/maps").read_text()
    assert "grpc" in loaded
    assert not {name for name in ("httptools", "numpy") if name in loaded}


def refused(folder: Path, *options: str) -> str:
    """What `jackpot serve` says where it can't start: one line, and nobody else says anything."""
    site = write_site(folder, site_text(0))
    result = run("serve", "--site", str(site), *options)
    assert (result.returncode, result.stdout) == (1, "")
    (line,) = result.stderr.splitlines()
    return line.removeprefix("Error: ")


def test_staff_pages_without_a_login_are_warned_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loudly at every start without TLS; with TLS nobody needs them, and nothing is begun."""
    site = write_site(tmp_path, site_text(0))
    serve = ("serve", "--site", str(site), "--staff-on-loopback")
    result = run(*serve, "--data", str(tmp_path / "data"), "--grpc", "0.0.0.0:0")
    assert "STAFF PAGES ARE OPEN" in result.stderr
    assert "without TLS the controller listens only on loopback" in result.stderr
    authority = Authority.create(tmp_path / "ca", "House")
    controller, _ = authority.issue_server(("localhost",), 1)
    tls = ("--cert", str(controller), "--ca", str(tmp_path / "ca" / CA_CERTIFICATE))
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    with_tls = run_here(main, *serve, *tls)
    assert with_tls.returncode == 2
    assert "--staff-on-loopback can't be combined with" in with_tls.stderr
    assert not [*here.iterdir()]  # neither a journal nor the list of revoked certificates


def test_a_port_in_use_leaves_no_journal(tmp_path: Path) -> None:
    """Neither the pages' port nor gRPC's: no link is in service, no seed is booked."""
    data = tmp_path / "data"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        there, free = f"127.0.0.1:{taken.getsockname()[1]}", f"127.0.0.1:{free_port()}"
        command = ("--data", str(data))
        said = refused(tmp_path, *command, "--grpc", free, "--http", there)
        assert said == f"{there}: cannot serve pages there: Address already in use"
        said = refused(tmp_path, *command, "--grpc", there, "--http", free)
        assert said == f"{there}: cannot listen there: Address already in use"
    said = refused(tmp_path, *command, "--grpc", free, "--http", free)
    assert said == f"{free}: cannot listen there: Address already in use"
    assert not data.exists()


def test_staff_can_not_be_told_apart_without_tls(tmp_path: Path) -> None:
    """An address for staff, from the site file or the command line, stops the start."""
    data = tmp_path / "data"
    there, free = (f"127.0.0.1:{free_port()}" for _ in range(2))
    command = ("--data", str(data), "--grpc", free)
    why = "without TLS nobody is known to be staff; an address for staff needs --cert and --ca"
    assert refused(tmp_path, *command, "--staff", there) == f"{there}: {why}"
    site = write_site(tmp_path, site_text(0) + f'[server]\nstaff = "{there}"\n')
    result = run("serve", "--site", str(site), *command)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == f"Error: {there}: {why}\n"
    assert not data.exists()


def test_site_files_with_several_addresses_for_staff_are_refused(tmp_path: Path) -> None:
    """One controller has one address for the staff of all its sites."""
    command = ["serve", "--data", str(tmp_path / "data")]
    for name, staff in (("a", "127.0.0.1:7401"), ("b", "127.0.0.1:7402")):
        path = tmp_path / f"{name}.toml"
        path.write_text(f'[site]\nid = "{name}"\n[server]\nstaff = "{staff}"\n')
        command += ["--site", str(path)]
    result = run_here(main, *command)
    assert result.returncode == 2
    assert "several addresses for staff: 127.0.0.1:7401, 127.0.0.1:7402" in result.stderr


@pytest.mark.parametrize("which", ["--grpc", "--http"])
def test_a_demo_that_can_not_listen_leaves_no_journal(tmp_path: Path, which: str) -> None:
    """A port that was asked for is tried before anything is seeded."""
    data = tmp_path / "data"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        there = f"127.0.0.1:{taken.getsockname()[1]}"
        result = run_here(main, "demo", "--rounds", "1", "--data", str(data), which, there)
    assert result.returncode == 1
    assert result.stderr == f"Error: {there}: cannot listen there: Address already in use\n"
    assert not data.exists()


def test_a_demo_does_not_listen_twice_on_one_port(tmp_path: Path) -> None:
    """One port for gRPC and pages is refused before anything is seeded, too."""
    there = f"127.0.0.1:{free_port()}"
    result = run_here(
        main,
        "demo",
        "--rounds",
        "1",
        "--data",
        str(tmp_path / "data"),
        *("--grpc", there),
        *("--http", there),
    )
    assert result.returncode == 1
    assert result.stderr == f"Error: --grpc and --http are both {there}; give each its own port\n"
    assert not (tmp_path / "data").exists()


def test_a_host_that_is_not_ours_is_one_line(tmp_path: Path) -> None:
    """The cause is the system's."""
    said = refused(tmp_path, "--data", str(tmp_path / "data"), "--http", "192.0.2.1:7480")
    assert said == "192.0.2.1:7480: cannot serve pages there: Cannot assign requested address"


def test_a_store_that_can_not_be_opened_is_one_line(tmp_path: Path) -> None:
    """The cause once, and no exception's name."""
    grpc = ("--grpc", "127.0.0.1:0")
    said = refused(tmp_path, "--data", "/proc/x", *grpc)
    assert said.startswith("can't open the journal in /proc/x: ")
    assert "Error" not in said


@pytest.mark.postgres
def test_a_wrong_database_is_one_line_with_its_port(tmp_path: Path, stores: Stores) -> None:
    """So that it is clear which server said no."""
    port = stores.server.port
    store = f"postgresql://jackpot:secret@127.0.0.1:{port}/nowhere"
    said = refused(tmp_path, "--store", store, "--grpc", "127.0.0.1:0")
    assert said.startswith(f"can't open the journal in postgresql://127.0.0.1:{port}/nowhere: ")
    assert 'database "nowhere" does not exist' in said
    assert "secret" not in said
