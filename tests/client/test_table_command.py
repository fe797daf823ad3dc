"""`jackpot-table` as a newcomer runs it."""

import json
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from jackpot.store.opening import open_to_read
from table_client.table.command import main
from table_client.table.games.catalogue import GAMES
from tests.cli.in_process import Done, run_here
from tests.server.house import site_text, write_site


def run(*args: str) -> Done:
    """Run the command."""
    return run_here(main, *args)


def run_process(*args: str) -> Done:
    """Run the command as a process."""
    command = [sys.executable, "-c", "from table_client.table.command import main; main()", *args]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return Done(done.returncode, done.stdout, done.stderr)


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


@pytest.mark.process
def test_the_same_seed_plays_the_same_rounds(tmp_path: Path) -> None:
    """Cards, decisions, awards and every row of the journal are a seed's, its time and hash too.

    Another process plays the same.
    """
    folders = [tmp_path / "one", tmp_path / "two"]
    args = ("--game", "pa-crazy-4-poker", "--rounds", "5", "--json")
    first, second = (
        how(*args, "--seed", "11", "--data", str(each))
        for how, each in zip((run_process, run), folders, strict=True)
    )
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


@pytest.mark.process
def test_devices_that_cannot_be_reached_are_one_line() -> None:
    """No traceback, no wait, and the exit code says that it failed."""
    done = run_process("--game", "pa-crazy-4-poker", "--devices", "127.0.0.1:1")
    assert done.returncode == 1
    assert done.stderr.startswith("Error: the devices at 127.0.0.1:1 are lost")
    assert done.stderr.count("\n") == 1
    done = run("--game", "pa-crazy-4-poker", "--data", "x", "--controller", "127.0.0.1:1")
    assert done.returncode == 2


def told(*args: str, code: int = 1, game: str = "pa-crazy-4-poker") -> str:
    """What a command that must fail says on its last line; it never shows a traceback."""
    done = run("--game", game, *args)
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


def test_a_table_must_be_in_the_site_file(tmp_path: Path) -> None:
    """A typo is told before anybody is called: nobody listens there."""
    site = str(write_site(tmp_path, site_text()))
    at = ("--controller", "127.0.0.1:1", "--site", site)
    assert told(*at, "--table", "nope") == f"{site} has no table nope"
    needs = "--site and --table need --controller"
    assert told("--site", site, code=2) == needs
    assert told("--table", "t4", code=2) == needs
    for wrong in ("", "nonsense", "127.0.0.1:99999"):
        line = told("--controller", wrong, "--site", site, "--table", "t4", code=2)
        assert line.startswith("Invalid value for '--controller': ")
        assert f"{wrong!r} is not a valid address; expected HOST:PORT" in line


def test_a_game_must_be_the_table_s(tmp_path: Path) -> None:
    """Hands of one game never play for the jackpot of another; nothing is sent."""
    site = str(write_site(tmp_path, site_text()))
    at = ("--controller", "127.0.0.1:1", "--site", site, "--table", "t4")
    line = told(*at, game="pa-2011-caribbean-stud")
    assert line == "t4 plays pa-crazy-4-poker, not pa-2011-caribbean-stud"


@pytest.mark.parametrize("dealing", ["hand", "manual-shoe"])
def test_a_way_of_dealing_without_a_text_is_one_line(dealing: str) -> None:
    """No chapter at hand says how, and that is all that there is to say."""
    game = "pa-2011-ultimate-texas-holdem"
    how = dealing.replace("-", " ")
    line = told("--dealing", dealing, game=game)
    assert (
        line == f"this project's copy of the regulation does not say how {game} is dealt by {how}"
    )


def test_more_players_than_seats_are_refused(tmp_path: Path) -> None:
    """Nobody is left standing without a word; a table may have fewer seats than its game."""
    assert told("--players", "14", code=2) == "pa-crazy-4-poker has 6 seats, not 14"
    small = site_text() + '[[tables]]\nid = "small"\nlinks = ["five"]\nseats = 3\n'
    site = str(write_site(tmp_path, small))
    at = ("--controller", "127.0.0.1:1", "--site", site, "--table", "small")
    assert told(*at, "--players", "4", code=2) == "small has 3 seats, not 4"


def test_json_is_json_and_the_seed_is_always_told() -> None:
    """A trace goes beside the JSON; a run whose seed was not given can be repeated."""
    game = ("--game", "pa-crazy-4-poker")
    done = run(*game, "--json", "--trace")
    (line,) = done.stdout.splitlines()
    assert "No more bets." in done.stderr
    seed = json.loads(line)["seed"]
    again = run(*game, "--seed", seed)
    first, second = again.stdout.splitlines()
    assert first == f"pa-crazy-4-poker, seed {seed}"
    assert second.startswith("round 1: ")
