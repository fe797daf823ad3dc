"""The `jackpot` command: help, one-line errors, machine output, exit codes."""

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import grpc
import pysqlite3
import pytest
from click.testing import CliRunner

from jackpot.cli.main import main
from jackpot.wire.request_id import new_request_id
from jackpot.wire.v1 import operator_pb2, operator_pb2_grpc
from tests.cli.in_process import run_here
from tests.e2e.process import ALONE, Process
from tests.server.house import SITE, site_text, write_site

pytestmark = pytest.mark.process

WIDTH = 80
JACKPOT = (sys.executable, "-m", "jackpot")


def every_command() -> Iterator[tuple[str, ...]]:
    """All commands and subcommands."""

    def walk(group: click.Group, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        context = click.Context(group)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            yield (*path, name)
            if isinstance(command, click.Group):
                yield from walk(command, (*path, name))

    return walk(main, ())


def run(*args: str, timeout_s: float = 60) -> subprocess.CompletedProcess[str]:
    """The command as a user runs it, without a terminal."""
    return subprocess.run(
        [*JACKPOT, *args],
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal that a demo has left behind."""
    folder = tmp_path_factory.mktemp("demo")
    result = run_here(main, "demo", "--rounds", "3", "--seed", "5", "--data", str(folder / "data"))
    assert result.returncode == 0, result.stderr
    return folder / "data"


@pytest.mark.parametrize("path", sorted(every_command()), ids=" ".join)
def test_every_command_has_help_with_an_example(path: tuple[str, ...]) -> None:
    """Help says what it does, shows an example on lines of its own, and fits the screen."""
    result = CliRunner().invoke(main, [*path, "--help"])
    assert result.exit_code == 0
    assert re.search(rf"\n  Example:\n    jackpot {' '.join(path)}", result.output)
    assert max(map(len, result.output.splitlines())) <= WIDTH


@cache
def words_of_docs() -> str:
    """All that README and docs say, with single spaces."""
    docs = Path(__file__).resolve().parents[2] / "docs"
    text = "".join(page.read_text() for page in [*docs.rglob("*.md"), docs.parent / "README.md"])
    return " ".join(text.split())


@pytest.mark.parametrize("path", sorted(every_command()), ids=" ".join)
def test_every_command_is_in_the_docs(path: tuple[str, ...]) -> None:
    """Whoever reads the docs meets every command at least once."""
    words = words_of_docs()
    group, *rest = path
    assert f"jackpot {group}" in words or f"`{group}`" in words
    assert all(f"{group} {word}" in words or f"`{word}`" in words for word in rest)


def test_verify_finds_a_good_journal_sound(data: Path) -> None:
    """It exits 0 and says how much it has seen; JSON says the same."""
    result = run_here(main, "verify", "--data", str(data))
    assert (result.returncode, result.stderr) == (0, "")
    assert re.fullmatch(
        r"demo: sound, [\d,]+ entries, \d+ snapshots?, head [0-9a-f]{16}\n", result.stdout
    )
    report = json.loads(run_here(main, "verify", "--data", str(data), "--json").stdout)
    assert report["ok"] is True
    assert report["sites"][0]["first_bad"] == 0


def test_verify_names_the_first_bad_entry(data: Path, tmp_path: Path) -> None:
    """One changed byte makes it exit 1 with the sequence of the entry."""
    broken = tmp_path / "data"
    broken.mkdir()
    source = pysqlite3.connect(data / "journal.sqlite")
    target = pysqlite3.connect(broken / "journal.sqlite")
    source.backup(target)
    source.close()
    with target:
        changed = (
            "UPDATE events SET body = replace(body, 'five-card', 'five-cart') WHERE sequence=2"
        )
        assert target.execute(changed).rowcount == 1
    target.close()
    result = run_here(main, "verify", "--data", str(broken))
    assert result.returncode == 1
    assert result.stdout.startswith("demo: NOT SOUND at sequence 2: ")


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (("verify", "--data", "nowhere"), r"there is no journal in nowhere"),
        (
            ("meters", "--controller", "127.0.0.1:1"),
            r"UNAVAILABLE: no controller answers at 127\.0\.0\.1:1: Connection refused",
        ),
        (("serve", "--site", "nowhere.toml"), r"nowhere.toml:1: .*"),
        (("demo", "--grpc", "0.0.0.0:0"), r"0.0.0.0:0: without TLS .* only on loopback, .*"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_an_error_is_one_line(args: tuple[str, ...], line: str) -> None:
    """Exit code 1, or 3 for a controller that is away; one line, no traceback."""
    result = run_here(main, *args)
    assert result.returncode == (3 if "UNAVAILABLE" in line else 1)
    assert re.fullmatch(rf"Error: {line}\n", result.stderr), result.stderr
    assert "Traceback" not in result.stderr + result.stdout


def test_a_site_file_that_contradicts_the_journal_is_one_line(tmp_path: Path) -> None:
    """The line names the link and the setting."""
    with Process(tmp_path, options=ALONE) as process:
        assert process.stop() == 0
    site = write_site(tmp_path, site_text(8).replace('wager = "$5"', 'wager = "$1"'))
    where = ("--data", str(process.store), "--grpc", "127.0.0.1:0")
    result = run_here(main, "serve", "--site", str(site), *where)
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1].startswith(
        "Error: link mega: wager is $5.00 in the journal and $1.00 in the site file; "
    )


def test_meters_are_shown_and_watched(tmp_path: Path) -> None:
    """A table for people, JSON for machines, and a watch that survives a restart."""
    with Process(tmp_path, options=ALONE) as process:
        shown = run_here(main, "meters", "--controller", process.address)
        assert shown.returncode == 0
        assert re.search(r"mega +\$5\.00 +mega +\$50,000\.00 +0 +in service", shown.stdout)
        listed = json.loads(run("meters", "--json", "--controller", process.address).stdout)
        amounts = {link["link"]: link["meters"][0]["amount_micros"] for link in listed["links"]}
        assert amounts["five"] == "10000000000"
        watching = subprocess.Popen(
            [*JACKPOT, "meters", "--watch", "--json", "--controller", process.address],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert watching.stdout is not None
        first = json.loads(watching.stdout.readline())
        process.kill()
        process.start()
        with grpc.insecure_channel(process.address) as channel:
            operator_pb2_grpc.OperatorServiceStub(channel).SuspendLink(
                operator_pb2.SuspendLinkRequest(site=SITE, link="mega", request_id=new_request_id())
            )
        again = json.loads(watching.stdout.readline())
        assert int(again["sequence"]) > int(first["sequence"])
        assert [link["status"] for link in again["links"]] == ["LINK_STATUS_SUSPENDED"]
        watching.send_signal(signal.SIGINT)
        _, errors = watching.communicate(timeout=60)
        assert "can't be reached" in errors
        assert "Traceback" not in errors


def test_sigterm_ends_a_controller_with_exit_code_0(tmp_path: Path) -> None:
    """A service manager can stop it."""
    with Process(tmp_path) as process:
        assert process.stop() == 0
