"""`jackpot-table` as a newcomer runs it."""

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from jackpot.store.opening import open_to_read
from table_client.games.catalogue import GAMES


def run(*args: str) -> subprocess.CompletedProcess[str]:
    """The command's output."""
    command = [sys.executable, "-c", "from table_client.cli import main; main()", *args]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("game", sorted(GAMES))
def test_a_traced_round_of_every_game(game: str) -> None:
    """Each line fits 80 columns, each step of the deal has its clause, and nothing fails."""
    done = run("--game", game, "--seed", "7", "--trace")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert max(map(len, lines)) <= 80
    assert any("No more bets." in line for line in lines)
    dealt = [line for line in lines if set(line) & set("♠♥♦♣")]
    assert dealt
    assert any(game[:2].upper() in line for line in dealt)


def test_the_same_seed_plays_the_same_rounds(tmp_path: Path) -> None:
    """Cards, decisions, awards and every row of the journal are a seed's, its time and hash too."""
    folders = [tmp_path / "one", tmp_path / "two"]
    args = ("--game", "pa-crazy-4-poker", "--rounds", "5", "--json")
    first, second = (run(*args, "--seed", "11", "--data", str(each)) for each in folders)
    assert first.stdout == second.stdout
    rounds = [json.loads(line) for line in first.stdout.splitlines()]
    assert [each["round"] for each in rounds] == [1, 2, 3, 4, 5]
    one, two = map(rows, folders)
    assert len(one) > 30
    assert one == two
    other = run(*args, "--seed", "12", "--data", str(folders[1]))
    assert other.stdout != first.stdout
    longer = rows(folders[1])
    assert longer[: len(two)] == two
    assert len(longer) > len(two) + 20


def test_a_wrong_option_is_one_line() -> None:
    """No traceback for what a person mistypes."""
    done = run("--game", "whist")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert "'whist' is not one of" in done.stderr
    done = run("--game", "pa-crazy-4-poker", "--controller", "127.0.0.1:1")
    assert "--controller needs --site and --table" in done.stderr


def rows(data: Path) -> list[object]:
    """A journal as it is stored."""
    with closing(open_to_read(data)) as archive:
        return list(archive.read("own", 0, 10_000))


def test_devices_that_cannot_be_reached_are_one_line() -> None:
    """No traceback, no wait, and the exit code says that it failed."""
    done = run("--game", "pa-crazy-4-poker", "--devices", "127.0.0.1:1")
    assert done.returncode == 1
    assert done.stderr.startswith("Error: the devices at 127.0.0.1:1 are lost")
    assert done.stderr.count("\n") == 1
    done = run("--game", "pa-crazy-4-poker", "--data", "x", "--controller", "127.0.0.1:1")
    assert done.returncode == 2


def told(*args: str, code: int = 1) -> str:
    """What a command that must fail says on its last line; it never shows a traceback."""
    done = run("--game", "pa-crazy-4-poker", *args)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    line = done.stderr.splitlines()[-1]
    assert not done.stdout
    return line.removeprefix("Error: ")


def test_an_outbox_that_cannot_be_used_is_one_line(tmp_path: Path) -> None:
    """A place where no file can be, text that is no outbox, and a command that is none."""
    assert told("--outbox", "/proc/ob") == "/proc/ob: No such file or directory"
    bad = tmp_path / "bad.outbox"
    bad.write_text("hello\n")
    assert told("--outbox", str(bad)) == f"{bad}:1: not an outbox"
    bad.write_text('{"epoch": 1, "last": 1}\n{"put": 1, "command": "////"}\n')
    assert told("--outbox", str(bad)) == f"{bad}: not an outbox"
