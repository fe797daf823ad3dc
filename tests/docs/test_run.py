"""The docs are run: what they tell a newcomer to type works, and gives what they show."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric import ec

from jackpot.cli.main import main
from table_client.table.command import main as table
from tests.auth.signing_request import request_for
from tests.cli.in_process import run_here
from tests.docs.pages import PAGES, ROOT, blocks, commands, shell_lines
from tests.e2e.process import Process

START = ROOT / "docs" / "start"
BIN = Path(sys.executable).parent


class Demo(Process):
    """A controller with the demo's site file, as a newcomer starts it."""

    def __init__(self, folder: Path) -> None:
        """Its journal is in `folder/data`."""
        super().__init__(folder)
        shutil.copy(ROOT / "jackpot/rules/data/demo.toml", self.site)


def run(line: str, folder: Path) -> str:
    """Type a command in a folder; what it prints."""
    program, *words = shlex.split(line)
    done = subprocess.run(
        [BIN / program, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, f"{line}\n{done.stderr}"
    return done.stdout


def run_code(text: str, folder: Path) -> str:
    """Run a block of Python as a program of its own; what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", text],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def python_of(page: Path) -> str:
    """The page's one block of Python."""
    (text,) = [block.text for block in blocks(page) if block.language == "python"]
    return text


def test_thirty_rounds_give_what_the_page_shows(tmp_path: Path) -> None:
    """The same awards in the same order, the same totals, and the same last hash."""
    (shown,) = [each.text for each in blocks(START / "five-minutes.md") if "ARGS" in each.text]
    (line,) = shell_lines(shown)
    arguments = re.fullmatch(r'make run ARGS="(.+)"', line)
    assert arguments
    found = run(f"jackpot demo {arguments[1]} --grpc 127.0.0.1:0 --http 127.0.0.1:0", tmp_path)
    promised = re.compile(r"wins|rounds,|head|\$")
    expected = [each.rstrip() for each in shown.splitlines()[1:] if promised.search(each)]
    assert [each.rstrip() for each in found.splitlines() if promised.search(each)] == expected


def test_a_newcomers_controller(tmp_path: Path) -> None:
    """The commands of the first five minutes, in their order, beside a controller that serves."""
    typed = commands(START / "five-minutes.md")
    with Demo(tmp_path) as process:
        for line in typed:
            if "serve" in line:
                assert line == "jackpot serve --site site.toml --data data"
            elif "--watch" not in line:  # it never ends
                where = f" --controller {process.address}" if line == "jackpot meters" else ""
                assert run(line + where, tmp_path)
    assert [line.split()[1] for line in typed[:5]] == [
        "rules",
        "serve",
        "meters",
        "meters",
        "verify",
    ]


def test_a_first_site_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is written, checked and asked for its odds as the page says."""
    page = START / "first-site-file.md"
    (text,) = [block.text for block in blocks(page) if block.language == "toml"]
    (tmp_path / "site.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    for line in commands(page):
        if "serve" not in line:
            program, *words = shlex.split(line)
            assert program == "jackpot"
            done = run_here(main, *words)
            assert done.returncode == 0, done.stderr
            assert done.stdout


def test_a_first_table_client(tmp_path: Path) -> None:
    """It plays a round, and prints the payout of three aces."""
    with Demo(tmp_path) as process:
        text = python_of(START / "first-table-client.md")
        assert '"127.0.0.1:7400"' in text
        printed = run_code(text.replace("127.0.0.1:7400", process.address), tmp_path)
    assert "three-of-a-kind" in printed
    assert "amount_micros: " in printed


def test_the_record_of_a_soak_is_read_as_shown(tmp_path: Path) -> None:
    """The block finds nothing wrong in a run that passed, and prints every message."""
    run("jackpot-emulator soak --tables 2 --rounds 2 --faults none --seed 1 --keep kept", tmp_path)
    lines = run_code(python_of(ROOT / "docs" / "operate" / "soak.md"), tmp_path).splitlines()
    assert len(lines) > 10


OFFLINE = sorted(
    {
        line.partition(" > ")[0]
        for page in PAGES
        for line in commands(page)
        if re.match(r"jackpot (rules|odds|completion) ", line)
    }
)


@pytest.mark.parametrize("line", OFFLINE)
def test_commands_that_need_no_controller(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rules, odds and completions, in a folder that has a site file."""
    shutil.copy(ROOT / "jackpot/rules/data/demo.toml", tmp_path / "site.toml")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, shlex.split(line)[1:])
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("page", ["docs/operate/install.md", "docs/reference/cli.md"])
def test_an_authority_is_made_as_shown(
    page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every command of the page in its order, with the serial that was given."""
    monkeypatch.chdir(tmp_path)
    typed = dict.fromkeys(line for line in commands(ROOT / page) if "jackpot ca " in line)
    assert len(typed) >= 6
    monkeypatch.setenv("JACKPOT_CA_PASSPHRASE", "an example")
    monkeypatch.setenv("JACKPOT_CA_NEW_PASSPHRASE", "an example")
    monkeypatch.setenv("JACKPOT_P12_PASSWORD", "another")
    serials: list[str] = []
    for line in typed:
        if " init " in line:  # a page may show it twice, in different words
            shutil.rmtree(tmp_path / "ca", ignore_errors=True)
        if asked := re.search(r" --csr (\S+)", line):
            request_for(ec.generate_private_key(ec.SECP256R1()), tmp_path / asked[1])
        if found := re.search(r" (renew|revoke) (\w+)", line):  # the page's serials are made up
            line = line.replace(found[2], serials[-1])  # noqa: PLW2901  # see above
        done = CliRunner().invoke(main, shlex.split(line)[1:], input="y\n")
        assert done.exit_code == 0, done.output
        serials += re.findall(r"\b[0-9a-f]{12,40}\b", done.output)


@pytest.mark.parametrize(
    "line",
    sorted(
        {
            line
            for page in PAGES
            for line in commands(page)
            if line.startswith("jackpot-table") and "--forever" not in line
        }
    ),
)
def test_tables_play_as_shown(line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a controller of their own."""
    monkeypatch.chdir(tmp_path)
    done = run_here(table, *shlex.split(line)[1:])
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout
